import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MATERIAL_BYTES_MAX } from "../src/layout.ts";
import { readMaterialFile } from "../src/material-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "skill-cas-material-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("a file that may become a skill's body", () => {
  it.each([0, 1, MATERIAL_BYTES_MAX])("is read whole when it has %i bytes", async (size) => {
    const bytes = Buffer.alloc(size, "skill ");
    writeFileSync(join(folder, "file"), bytes);
    expect(bytes.equals(await readMaterialFile(join(folder, "file")))).toBe(true);
  });

  it("is refused with one byte more than a body may have", async () => {
    writeFileSync(join(folder, "file"), Buffer.alloc(MATERIAL_BYTES_MAX + 1));
    await expect(readMaterialFile(join(folder, "file"))).rejects.toMatchObject({
      code: "BODY_REJECTED",
      facts: { reason: "too-large", found: `${MATERIAL_BYTES_MAX + 1} bytes`, path: join(folder, "file") },
    });
  });

  it("is not a directory, a FIFO or a device, and none of them makes it wait", async () => {
    mkdirSync(join(folder, "directory"));
    execFileSync("mkfifo", [join(folder, "fifo")]);
    for (const path of [join(folder, "directory"), join(folder, "fifo"), "/dev/zero"]) {
      await expect(readMaterialFile(path), path).rejects.toMatchObject({
        code: "BODY_REJECTED",
        facts: { reason: "not-a-regular-file" },
      });
    }
  });

  it("is not what a symbolic link leads to, and is an error of the system when it is missing", async () => {
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync("secret", join(folder, "link"));
    await expect(readMaterialFile(join(folder, "link"))).rejects.toMatchObject({ code: "ELOOP" });
    await expect(readMaterialFile(join(folder, "missing"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
