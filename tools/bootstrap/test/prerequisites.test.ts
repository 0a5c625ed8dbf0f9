import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PREREQUISITES, checkPrerequisites, findExecutable } from "../prerequisites.mjs";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "mesh-path-"));
  for (const name of PREREQUISITES) writeFileSync(path.join(directory, name), "#!/bin/sh\n", { mode: 0o755 });
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe("checkPrerequisites", () => {
  test("is content when everything is in the search path", () => {
    expect(() => {
      checkPrerequisites({ PATH: `/nowhere:${directory}` });
    }).not.toThrow();
  });

  test.each(PREREQUISITES)("names %s, and nothing else, when only that is missing, on one line", (name) => {
    rmSync(path.join(directory, name));
    expect(() => {
      checkPrerequisites({ PATH: directory });
    }).toThrow(
      `missing on this machine: ${name}; install it (Debian and Ubuntu: apt-get install ${name}) and run the command again`,
    );
  });

  test("names everything that is missing at once", () => {
    expect(() => {
      checkPrerequisites({ PATH: "" });
    }).toThrow(/^missing on this machine: npm, python3, make, g\+\+, git; install them .*$/);
  });

  test("a file that cannot be executed, a folder and a tool in the current directory do not count", () => {
    chmodSync(path.join(directory, "make"), 0o644);
    rmSync(path.join(directory, "git"));
    mkdirSync(path.join(directory, "git"));
    expect(findExecutable("make", { PATH: directory })).toBeUndefined();
    expect(findExecutable("git", { PATH: directory })).toBeUndefined();
    expect(findExecutable("npm", { PATH: "." })).toBeUndefined();
  });
});
