/**
 * Puts one fresh object between two calls that strace shows by name. Argument: the root. Earlier puts warm the engine up, so that what
 * it does once is not counted as the put's.
 */
import { randomBytes } from "node:crypto";
import { accessSync } from "node:fs";
import { openSkillStoreSync } from "@mesh/skill-cas";
import { MARKS } from "./traced-put.ts";

const WARM_UP_PUTS = 50;
const BYTES = 4096;

function mark(name: string): void {
  try {
    accessSync(name);
  } catch {
    // There is no such file: the call is all that is wanted.
  }
}

using store = openSkillStoreSync({ root: process.argv[2] ?? "", create: true });
for (let put = 0; put < WARM_UP_PUTS; put += 1) store.put(randomBytes(BYTES));
const bytes = randomBytes(BYTES);
mark(MARKS.begin);
store.put(bytes);
mark(MARKS.end);
