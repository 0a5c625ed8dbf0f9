import { commandStep, type Step } from "../test/step.ts";
import type { WorkspacePackage } from "../test/workspace.ts";
import { archiveOf } from "./pack-steps.ts";

/** Are the entry points of the archive there, in the right format, and with types that resolve the same way? */
export function archiveSteps(packages: readonly WorkspacePackage[], archives: string): Step[] {
  return packages.flatMap((one) => {
    const archive = archiveOf(one.name, archives);
    return [
      commandStep(`publint ${one.name}`, "publint", ["run", archive, "--strict"]),
      // Resolution without an exports map (Node before 12) is none of the supported ones.
      commandStep(`types of the archive ${one.name}`, "attw", [archive, "--profile", "node16"]),
    ];
  });
}
