import path from "node:path";
import type { Step } from "../test/step.ts";
import { commandStep } from "../test/step.ts";
import type { WorkspacePackage } from "../test/workspace.ts";

/** One archive per public package, as a release would publish it: pnpm puts versions in place of catalog: and workspace:. */
export function packSteps(packages: readonly WorkspacePackage[], archives: string): Step[] {
  return packages.map((one) =>
    commandStep(`pack ${one.name}`, "pnpm", ["--dir", one.path, "pack", "--out", archiveOf(one.name, archives)]),
  );
}

/** Where the archive of a package is. */
export function archiveOf(name: string, archives: string): string {
  return path.join(archives, `${name.replace("@", "").replace("/", "-")}.tgz`);
}
