import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { parseAge } from "../../src/command/age.ts";
import { runEvidenceCommand } from "../../src/command/program.ts";
import { Evidence } from "../../src/evidence.ts";
import { digestSubject } from "../../src/subject.ts";
import { temporaryFolder } from "../temporary.ts";

const folder = temporaryFolder();
const cli = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
let file: string;
let model: string;

beforeEach(async () => {
  file = folder.file("evidence");
  model = folder.file("model.gguf");
  writeFileSync(model, "the model");
  const evidence = Evidence.start({ file, command: "gate", subjects: [await digestSubject(model)] });
  evidence.record("unload-callbacks", "2");
  evidence.flushExecuted();
});

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

async function run(...args: string[]): Promise<Ended> {
  let out = "";
  let error = "";
  const status = await runEvidenceCommand(args, {
    out: (text) => void (out += text),
    error: (text) => void (error += text),
  });
  return { status, out, error };
}

/** The command as a shell starts it, in a process of its own. */
function runInProcess(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], (_, out, error) => {
      resolve({ status: child.exitCode ?? -1, out, error });
    });
  });
}

describe("the command as a process", () => {
  test("ends with the status and writes to the stream that it should", async () => {
    expect(await runInProcess("check", file)).toMatchObject({ status: 0, error: "" });
    expect(await runInProcess("check", folder.file("none"))).toMatchObject({ status: 4, error: "" });
    expect(await runInProcess("check", file, "--max-age", "x")).toMatchObject({ status: 2, out: "" });
  });
});

describe("mesh-evidence check ends with", () => {
  test("0 when the evidence is accepted", async () => {
    const all = ["--require", "unload-callbacks >= 1", "--subject", model, "--max-age", "1d"];
    const { status, out } = await run("check", file, ...all);
    expect(out).toMatch(/^accepted: .*: 1 steps executed by run [0-9a-f-]{36}\n$/);
    expect(status).toBe(0);
  });

  test("1 when a condition does not hold, which it names", async () => {
    const { status, out } = await run("check", file, "--require", "unload-callbacks >= 3", "--require", "missing");
    expect(out).toContain('required "unload-callbacks >= 3", found "2"');
    expect(out).toContain('required "missing", found no marker "missing"');
    expect(status).toBe(1);
  });

  test("1 when the run failed", async () => {
    Evidence.start({ file, command: "gate" }).flushFailed("it broke");
    expect(await run("check", file)).toMatchObject({
      status: 1,
      out: expect.stringContaining("failed: it broke") as unknown,
    });
  });

  test.each(["blocked: no addon", "blocked-when-ungated: gate unset"])("3 when the file says %s", async (line) => {
    writeFileSync(file, `${line}\n`);
    expect(await run("check", file)).toMatchObject({ status: 3, out: expect.stringContaining(line) as unknown });
  });

  test("4 when the run has not ended", async () => {
    Evidence.start({ file, command: "gate" });
    expect(await run("check", file)).toMatchObject({
      status: 4,
      out: expect.stringContaining("has not ended") as unknown,
    });
  });

  test("4 when the file is absent, or no evidence", async () => {
    writeFileSync(file, "executed\n");
    expect((await run("check", file)).status).toBe(4);
    rmSync(file);
    expect((await run("check", file)).status).toBe(4);
  });

  test("4 when a subject changed since the run", async () => {
    writeFileSync(model, "another");
    const { status, out } = await run("check", file, "--subject", model);
    expect(out).toContain("stale:");
    expect(status).toBe(4);
  });

  test.each([
    [["check"]],
    [["check", "file", "--require", "a >= x"]],
    [["check", "file", "--max-age", "1 week"]],
    [["check", "file", "--unknown"]],
    [["unknown"]],
    [[]],
  ])("2 when it is called as %j, with a line that says what is wrong", async (args) => {
    const { status, error } = await run(...args);
    expect(error).not.toBe("");
    expect(status).toBe(2);
  });
});

describe("mesh-evidence", () => {
  test("check --json prints one object", async () => {
    const { out } = await run("check", file, "--require", "missing", "--json");
    expect(JSON.parse(out)).toMatchObject({
      kind: "refused",
      refusals: [{ code: "REQUIREMENT_UNMET", requirement: "missing" }],
    });
  });

  test("show prints the state, the steps and the facts", async () => {
    const { status, out } = await run("show", file);
    expect(out).toMatch(/^executed\n {2}unload-callbacks: 2\nrun .*\n {2}command: gate\n/);
    expect(out).toContain("subject: model.gguf, 9 bytes, sha256 ");
    expect(status).toBe(0);
  });

  test("show --json prints one object, and an absent file is status 4", async () => {
    expect(JSON.parse((await run("show", file, "--json")).out)).toMatchObject({
      state: "executed",
      facts: { command: "gate" },
    });
    expect(await run("show", folder.file("none"))).toMatchObject({ status: 4, out: "absent: there is no such file\n" });
  });

  test.each([[["--help"]], [["check", "--help"]], [["show", "--help"]]])(
    "%j explains the exit status",
    async (args) => {
      const { status, out } = await run(...args);
      expect(out).toContain("Exit status:");
      expect(status).toBe(0);
    },
  );
});

describe("parseAge", () => {
  test.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["12h", 43_200_000],
    ["7d", 604_800_000],
  ])("%s", (text, ms) => {
    expect(parseAge(text)).toBe(ms);
  });

  test.each(["", "7", "d", "0d", "-1d", "1.5h", "7D", "1d2h", "9999999d"])("refuses %j", (text) => {
    expect(() => parseAge(text)).toThrow(expect.objectContaining({ code: "INVALID_POLICY" }));
  });
});
