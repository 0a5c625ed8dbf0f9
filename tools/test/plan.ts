import { existsSync } from "node:fs";
import path from "node:path";
import { layerViolations } from "./layers.ts";
import { filesOverCap } from "./size-cap.ts";
import { commandStep, complaintStep, type Step } from "./step.ts";
import { vitestStep } from "./vitest-step.ts";
import { ROOT, workspacePackages, type WorkspacePackage } from "./workspace.ts";

/** The tests of the tools themselves are a project like a package's. */
const TOOLS = "tools";

/** What one test command executes: `packages` empty means everything. */
export interface Selection {
  readonly packages: readonly string[];
  /** The long-running suites instead of the checks and the ordinary tests. */
  readonly long: boolean;
}

export function planSteps({ packages: wanted, long }: Selection): Step[] {
  const all = workspacePackages();
  const unknown = wanted.filter((name) => name !== TOOLS && !all.some((one) => isNamed(one, name)));
  if (unknown.length > 0) {
    const known = [...all.map((one) => one.name), TOOLS].join(", ");
    throw new Error(`no package is named ${unknown.join(", ")}; there are: ${known}`);
  }
  const selected = wanted.length === 0 ? all : all.filter((one) => wanted.some((name) => isNamed(one, name)));
  if (long) return suites(selected, "test:long");
  const withTools = wanted.length === 0 || wanted.includes(TOOLS);
  const folders = wanted.length === 0 ? ["."] : [...selected.map((one) => one.path), ...(withTools ? [TOOLS] : [])];
  return [
    commandStep("format (biome)", "biome", ["format", ...folders]),
    complaintStep("layers", () => layerViolations()),
    complaintStep("size of source files", () => filesOverCap()),
    commandStep("lint (eslint)", "eslint", [...folders]),
    ...selected.filter((one) => existsSync(path.join(ROOT, one.path, "tsconfig.json"))).map(typeCheck),
    ...(withTools ? [commandStep("types of the tools", "tsc", ["-p", "tsconfig.json"])] : []),
    ...(withTools ? [vitestStep("test tools", TOOLS, ["vitest", "run"])] : []),
    ...suites(selected, "test"),
  ];
}

function typeCheck(one: WorkspacePackage): Step {
  return commandStep(`types of ${one.name}`, "tsc", ["-p", path.join(one.path, "tsconfig.json")]);
}

function suites(selected: readonly WorkspacePackage[], script: string): Step[] {
  return selected
    .filter((one) => one.manifest.scripts?.[script] !== undefined)
    .map((one) => vitestStep(`${script} ${one.name}`, one.path, ["pnpm", "run", script]));
}

/** "@mesh/ffi" and "ffi" both name the package. */
function isNamed(one: WorkspacePackage, name: string): boolean {
  return one.name === name || one.name === `@mesh/${name}`;
}
