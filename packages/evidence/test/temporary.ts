import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A new folder for each test of the file that calls this, removed afterwards. */
export function temporaryFolder(): { file: (name: string) => string; readonly path: string } {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "mesh-evidence-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    file: (name) => path.join(folder, name),
    get path() {
      return folder;
    },
  };
}
