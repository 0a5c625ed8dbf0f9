import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where benches write: on the file system of the clone, ignored by git. */
export const BUILD_DIRECTORY = fileURLToPath(new URL("../../build/", import.meta.url));

/**
 * Makes the folder of all benches. On ext4 its folders are spread over the disk (`chattr +T`) where that can be asked for: ext4 gives
 * no inode out again for minutes after it was freed, and looks past each such one whenever a file is made. What one bench removed
 * would make every file of the next one thirty times as dear, on both sides, and hide what the ratio is about.
 */
export function makeBuildDirectory(): void {
  mkdirSync(BUILD_DIRECTORY, { recursive: true, mode: 0o700 });
  spawnSync("chattr", ["+T", BUILD_DIRECTORY], { stdio: "ignore" });
}

/** Runs a body with a new private folder in {@link BUILD_DIRECTORY}, and removes it afterwards. */
export async function inFolder<Result>(body: (folder: string) => Promise<Result>): Promise<Result> {
  makeBuildDirectory();
  const folder = mkdtempSync(join(BUILD_DIRECTORY, "run-"));
  try {
    return await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
