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
    ...suites(selected, "test"),
    ...(withTools ? [vitestStep("test tools", TOOLS, ["vitest", "run"])] : []),
    ...(wanted.length === 0 ? [typeCheck("packages", "tsconfig.packages.json")] : typeChecks(selected)),
    ...(withTools ? [typeCheck("tools", "tsconfig.json")] : []),
  ];
}

/** All packages at once share one program, which takes a fifth of the time that one for each takes. */
function typeChecks(selected: readonly WorkspacePackage[]): Step[] {
  return selected
    .map((one) => ({ name: one.name, config: path.join(one.path, "tsconfig.json") }))
    .filter(({ config }) => existsSync(path.join(ROOT, config)))
    .map(({ name, config }) => typeCheck(name, config));
}

function typeCheck(name: string, config: string): Step {
  return commandStep(`types of ${name}`, "tsc", ["-p", config]);
}

function suites(selected: readonly WorkspacePackage[], script: string): Step[] {
  return selected
    .filter((one) => one.manifest.scripts?.[script] !== undefined)
    .sort((one, other) => startRank(one) - startRank(other))
    .map((one) => vitestStep(`${script} ${one.name}`, one.path, ["pnpm", "run", script]));
}

/** The longest suites, longest first: they start first, so that what runs side by side ends together. */
const LONGEST_SUITES: readonly string[] = ["@mesh/host", "@mesh/skill-cas", "@mesh/install-engine", "@mesh/ffi"];

function startRank({ name }: WorkspacePackage): number {
  const rank = LONGEST_SUITES.indexOf(name);
  return rank === -1 ? LONGEST_SUITES.length : rank;
}

/** "@mesh/ffi" and "ffi" both name the package. */
function isNamed(one: WorkspacePackage, name: string): boolean {
  return one.name === name || one.name === `@mesh/${name}`;
}
