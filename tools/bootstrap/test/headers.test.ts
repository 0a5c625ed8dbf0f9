import { lchownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { headersFolder } from "../headers.mjs";

let temporary: string;
let folder: string;

beforeEach(() => {
  temporary = mkdtempSync(path.join(tmpdir(), "mesh-headers-"));
  folder = path.join(temporary, "a clone", "node");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "node_api.h"), "// headers");
});

afterEach(() => {
  rmSync(temporary, { recursive: true, force: true });
});

describe("headersFolder", () => {
  test("is the folder itself where a makefile can name it", () => {
    expect(headersFolder("/home/me/clone-1/.tools/node", temporary)).toBe("/home/me/clone-1/.tools/node");
  });

  test.each([" ", "$", "#", "'", ":", "é"])("is a link a makefile can name where the folder holds %j", (character) => {
    const odd = path.join(temporary, `x${character}y`);
    mkdirSync(odd);
    writeFileSync(path.join(odd, "node_api.h"), "// these");
    const link = headersFolder(odd, temporary);
    expect(link).toMatch(/^[\w./-]+$/);
    expect(readFileSync(path.join(link, "node_api.h"), "utf8")).toBe("// these");
  });

  test("is the same link the second time", () => {
    expect(headersFolder(folder, temporary)).toBe(headersFolder(folder, temporary));
  });

  test("refuses a link to somewhere else, a file and a folder under that name", () => {
    const link = headersFolder(folder, temporary);
    for (const put of [
      () => {
        symlinkSync("/usr/include", link);
      },
      () => {
        writeFileSync(link, "");
      },
      () => {
        mkdirSync(link);
      },
    ]) {
      rmSync(link, { recursive: true });
      put();
      expect(() => headersFolder(folder, temporary)).toThrow(/should be a link of yours/);
    }
  });

  // Only root can give a link to somebody else.
  test.runIf(process.getuid?.() === 0)("refuses the right link of another user", () => {
    const link = headersFolder(folder, temporary);
    lchownSync(link, 65534, 65534);
    expect(() => headersFolder(folder, temporary)).toThrow(/should be a link of yours/);
  });
});
