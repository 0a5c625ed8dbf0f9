/**
 * Stores many contents through a store of its own and prints what became of each: the first argument is the root, the
 * second how many there are, the third `forwards` or `backwards`.
 */

import { writeFileSync } from "node:fs";
import { openSkillStore } from "@mesh/skill-cas";
import { manyBodies } from "./put-many.ts";

const [root = "", count = "0", direction = ""] = process.argv.slice(2);
const bodies = manyBodies(Number(count));
const store = await openSkillStore({ root });
const results: unknown[] = [];
for await (const result of store.putMany(direction === "backwards" ? bodies.reverse() : bodies)) results.push(result);
await store.close();
writeFileSync(1, JSON.stringify(results));
