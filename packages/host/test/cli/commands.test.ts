import { join } from "node:path";

import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { describe, expect, it } from "vitest";
import { inFolder, mesh } from "../mesh-command.ts";
import { skillText, writeSkill } from "../skill-folder.ts";

const COMMANDS = [
  ["doctor"],
  ["demo"],
  ["model", "open"],
  ["generate"],
  ["skill", "install"],
  ["skill", "list"],
  ["skill", "cat"],
  ["skill", "verify"],
  ["skill", "recover"],
];

describe("every command", () => {
  it.each(COMMANDS.map((words) => [words.join(" "), words] as const))(
    "says what it does and has --json and --state: %s",
    async (_name, words) => {
      const help = await mesh([...words, "--help"], { json: false });
      expect(help.status).toBe(0);
      expect(help.stdout).toContain("--json");
      expect(help.stdout).toContain("--state <dir>");
    },
  );

  it("ends with status 1 and names what is unknown when it is asked for something that does not exist", async () => {
    const run = await mesh(["frobnicate"], { json: false });
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("frobnicate");
  });
});

describe("mesh skill", () => {
  it("installs, lists, reads, verifies and recovers", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const file = await writeSkill(folder, "one");
      const installed = await mesh(["skill", "install", join(folder, "one"), "--state", state], {
        answer: () => Promise.resolve("y\n"),
      });
      expect(installed.error).toBeUndefined();
      expect(installed.stderr).toContain("Install the skill one");
      expect(installed.steps.at(-1)).toMatchObject({ step: "skill.object", mode: 0o600, linkCount: 1 });
      expect((await mesh(["skill", "install", file, "--yes", "--state", state])).status).toBe(0);
      const list = await mesh(["skill", "list", "--state", state]);
      expect(list.steps.filter(({ step }) => step === "skill.installed")).toMatchObject([{ name: "one" }]);
      const cat = await mesh(["skill", "cat", "one", "--state", state], { json: false });
      expect(cat.stdout).toBe(skillText("one"));
      expect((await mesh(["skill", "verify", "--state", state])).steps.at(-1)).toMatchObject({
        exact: 1,
        conflicts: 0,
      });
      expect((await mesh(["skill", "recover", "--state", state])).steps.at(-1)).toMatchObject({ looked: 0, open: 0 });
      expect((await mesh(["skill", "cat", "two", "--state", state])).error).toMatchObject({
        code: "SKILL_NOT_INSTALLED",
      });
    }));
});

describe("mesh generate", () => {
  it("writes a text of as many tokens as were asked for, the same one each time", () =>
    inFolder(async (folder) => {
      const { path } = await writeSampleModel({ path: join(folder, "tiny.gguf"), preset: "tiny" });
      const args = ["generate", path, "--prompt", "Hello", "--tokens", "8", "--state", join(folder, "state")];
      const first = await mesh(args);
      const second = await mesh(args);
      const text = ({ steps }: typeof first) => steps.filter(({ step }) => step === "generate.text");
      expect(first.error).toBeUndefined();
      expect(first.steps.at(-1)).toMatchObject({ step: "generate.done" });
      expect(text(second)).toEqual(text(first));
      expect(text(first).length).toBeGreaterThan(0);
    }));
});
