import { execFile } from "node:child_process";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { MATERIAL_BYTES_MAX } from "@mesh/skill-cas";
import { describe, expect, it } from "vitest";
import { inFolder, mesh } from "../mesh-command.ts";
import { expectWorkingHost, skillText, writeSkill } from "../skill-folder.ts";

const run = promisify(execFile);

/** What lies in the store besides the id of its root. */
async function storeEntries(state: string): Promise<string[]> {
  return (await readdir(join(state, "skills"))).filter((name) => name !== ".mesh-root-id");
}

describe("a skill that cannot be installed", () => {
  it("is one error with its place when it is not UTF-8, before there is a store or a journal", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const file = await writeSkill(folder, "latin", Buffer.from(skillText("latin", "caf\u00e9"), "latin1"));
      const run = await mesh(["skill", "install", file, "--yes", "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "SKILL_INVALID" });
      expect(run.error?.["message"]).toMatch(/UTF-8/);
      expect(await readdir(state)).toEqual(["host-id"]);
      await expectWorkingHost(folder, state);
    }));

  it.each([
    ["a symbolic link", "SKILL_UNREADABLE", (file: string, target: string) => symlink(target, file)],
    ["a FIFO that nobody writes to", "SKILL_UNREADABLE", (file: string) => run("mkfifo", [file])],
    ["a directory", "SKILL_UNREADABLE", (file: string) => mkdir(file)],
    ["not there", "SKILL_UNREADABLE", () => Promise.resolve()],
    [
      "too large",
      "SKILL_TOO_LARGE",
      (file: string) => writeFile(file, skillText("odd", "x".repeat(MATERIAL_BYTES_MAX))),
    ],
  ])("is one error with its path when the file is %s, before there is a store or a journal", (_name, code, make) =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      await mkdir(join(folder, "odd"));
      const file = join(folder, "odd", "SKILL.md");
      await make(file, await writeSkill(folder, "target"));
      const refused = await mesh(["skill", "install", join(folder, "odd"), "--yes", "--state", state]);
      expect(refused.status).toBe(1);
      expect(refused.error).toMatchObject({ code, path: file });
      expect(await readdir(state)).toEqual(["host-id"]);
    }),
  );

  it("is not installed when its file changes between the question and the answer, and may be tried again", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const file = await writeSkill(folder, "moving");
      const run = await mesh(["skill", "install", file, "--state", state], {
        answer: async () => {
          await writeFile(file, skillText("moving", "Do something else."));
          return "y\n";
        },
      });
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "INSTALL_FAILED" });
      expect(await storeEntries(state)).not.toContainEqual(expect.stringMatching(/^[0-9a-f]{64}$|\.pending$/));
      const again = await mesh(["skill", "install", file, "--yes", "--state", state]);
      expect(again.status).toBe(0);
      const text = await mesh(["skill", "cat", "moving", "--state", state]);
      expect(text.steps.at(-1)).toMatchObject({ text: skillText("moving", "Do something else.") });
      await expectWorkingHost(folder, state);
    }));

  it.each([
    ["no", "n\n"],
    ["the end of the input", ""],
  ])("is not installed when consent is denied by %s, and nothing is in the store", (_name, answer) =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const file = await writeSkill(folder, "denied");
      const run = await mesh(["skill", "install", file, "--state", state], { answer: () => Promise.resolve(answer) });
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "CONSENT_DENIED" });
      expect(await storeEntries(state)).toEqual([]);
      await expectWorkingHost(folder, state);
    }),
  );
});
