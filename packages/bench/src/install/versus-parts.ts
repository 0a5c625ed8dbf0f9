import { randomUUID } from "node:crypto";
import { join } from "node:path";

import type { Bench } from "../harness/bench.ts";
import { ratioOf, type Side } from "../harness/blocks.ts";
import { inFolder } from "../harness/folder.ts";
import { timed } from "../harness/timed.ts";
import { BareCommits } from "./bare-commits.ts";
import { type InstallParts, openInstallParts, skillBody } from "./parts.ts";

const INSTALLS = 40;
const INSTALLS_SMOKE = 2;

function engineSide(parts: InstallParts, installs: number): Side {
  return () =>
    timed(async () => {
      for (let index = 0; index < installs; index += 1) await parts.install(randomUUID());
    });
}

/** The bare commits of as many installs, and one bare durable put for each, by the same store. */
function partsSide(parts: InstallParts, bare: BareCommits, installs: number): Side {
  return () =>
    timed(async () => {
      for (let index = 0; index < installs; index += 1) {
        bare.install();
        await parts.store.put(new TextEncoder().encode(skillBody(randomUUID())));
      }
    });
}

/** One 4 KiB skill from plan to settlement, against the sum of what it cannot do without. */
export const versusPartsBench: Bench = {
  id: "install.vsParts",
  unit: "times the parts",
  goal: { atMost: 1.5 },
  measure: (options) =>
    inFolder(async (folder) => {
      await using parts = await openInstallParts(folder);
      using bare = await BareCommits.open(join(folder, "parts"));
      const installs = options.smoke ? INSTALLS_SMOKE : INSTALLS;
      // Ours is the numerator here, so the sides change places.
      const ratio = await ratioOf(partsSide(parts, bare, installs), engineSide(parts, installs), options);
      return {
        value: ratio.value,
        range: ratio.range,
        peer: `${bare.commits} raw SQLite FULL commits of the same rows and one bare durable put`,
        detail: { installs, installMs: ratio.peer / installs, partsMs: ratio.ours / installs },
      };
    }),
};
