import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPinnedDirectory } from "@mesh/ffi/fs";
import { expect, test } from "vitest";
import { InstallEngineError } from "../../src/error.ts";
import { assertFileSystem } from "../../src/sqlite/file-system.ts";

// No test can mount these; the name is what @mesh/ffi reads from the kernel.
test.each(["nfs", "cifs", "smb2", "ceph", "lustre", "gpfs"])("a journal on %s is refused by name", (name) => {
  expect(() => {
    assertFileSystem("/mnt/share", { name });
  }).toThrow(InstallEngineError);
  expect(() => {
    assertFileSystem("/mnt/share", { name });
  }).toThrow(`/mnt/share is on ${name}`);
});

test("the file system of this machine's temporary directory is accepted", () => {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "mesh-journal-mount-"));
  using directory = openPinnedDirectory(path);
  assertFileSystem(path, directory.mount());
  rmSync(path, { recursive: true });
});
