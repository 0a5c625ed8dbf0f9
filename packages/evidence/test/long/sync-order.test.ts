import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary.ts";

const folder = temporaryFolder();

test("each state is synced before it gets its name, and the folder after", () => {
  const file = folder.file("evidence");
  const trace = folder.file("trace");
  const module = JSON.stringify(new URL("../../src/evidence.ts", import.meta.url).href);
  const script = `
    const { Evidence } = await import(${module});
    const evidence = Evidence.start({ file: ${JSON.stringify(file)}, command: "traced" });
    evidence.record("step", "passed");
    evidence.flushExecuted();`;
  const options = ["-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o", trace];
  execFileSync("strace", [...options, process.execPath, "--input-type=module", "-e", script]);
  const calls = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => line.includes(folder.path) && line.includes("= 0"))
    .map((line) => {
      if (/fsync\(/.test(line)) return line.includes(`${folder.path}>`) ? "sync folder" : "sync file";
      return "rename";
    });
  const once = ["sync file", "rename", "sync folder"];
  expect(calls).toEqual([...once, ...once]);
});
