import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where benches write: on the file system of the clone, ignored by git. */
export const BUILD_DIRECTORY = fileURLToPath(new URL("../../build/", import.meta.url));

/** Runs a body with a new private folder in {@link BUILD_DIRECTORY}, and removes it afterwards. */
export async function inFolder<Result>(body: (folder: string) => Promise<Result>): Promise<Result> {
  mkdirSync(BUILD_DIRECTORY, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(BUILD_DIRECTORY, "run-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
