import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private directory for one test file, without a symlink in its path. */
export function scratchDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "mesh-journal-"));
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
