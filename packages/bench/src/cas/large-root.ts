import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSkillStoreSync } from "@mesh/skill-cas";

const MODE = 0o600;

/** Makes a root with so many whole objects and their lock files, as puts would leave it, but without their syncs. */
export function makeLargeRoot(root: string, objects: number): void {
  openSkillStoreSync({ root, create: true }).close();
  for (let index = 0; index < objects; index += 1) {
    const bytes = `object ${index} of a large root\n`;
    const path = join(root, createHash("sha256").update(bytes).digest("hex"));
    writeFileSync(path, bytes, { mode: MODE, flag: "wx" });
    closeSync(openSync(`${path}.lock`, "wx", MODE));
  }
  // What was only written must not be brought to the disk during the blocks.
  execFileSync("sync");
}
