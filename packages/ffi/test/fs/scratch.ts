import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder that goes away with the test. Its path has no symbolic link in it. */
export function scratch(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "ffi-fs-"));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}
