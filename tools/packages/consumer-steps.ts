import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runChild } from "../test/child.ts";
import { NOTHING, ONE_FAILED, ONE_PASSED, sum } from "../test/counts.ts";
import type { Step, StepResult } from "../test/step.ts";
import type { WorkspacePackage } from "../test/workspace.ts";
import type { NodeVersion } from "./node-versions.ts";
import { archiveOf } from "./pack-steps.ts";

/** What a package promises not to bring along when it is installed by itself. */
const NOT_BROUGHT: Readonly<Record<string, readonly string[]>> = {
  "@mesh/skill-cas": ["better-sqlite3", "@mesh/install-engine"],
  "@mesh/runtime-events": ["better-sqlite3"],
  "@mesh/evidence": ["@mesh/ffi"],
};

/** What the steps work with. */
export interface Shelf {
  readonly packages: readonly WorkspacePackage[];
  /** Folder of the packed archives. */
  readonly archives: string;
  /** Where the consumers' folders go. */
  readonly directory: string;
  readonly nodes: readonly NodeVersion[];
}

/**
 * Installs each package into an empty folder with nothing but what it depends on, and uses every entry point both ways and
 * every command, with each Node. Entry points that need an optional peer are used in a second folder that has it.
 */
export function consumerSteps(shelf: Shelf): Step[] {
  return shelf.packages.flatMap((one) =>
    hasPeers(one) ? [alone(one, shelf), withPeers(one, shelf)] : [alone(one, shelf)],
  );
}

function alone(one: WorkspacePackage, shelf: Shelf): Step {
  return {
    name: `use ${one.name} alone`,
    run: async () => {
      const folder = path.join(shelf.directory, `alone-${path.basename(one.path)}`);
      const entries = hasPeers(one) ? ["."] : entriesOf(one);
      const result = await installAndUse(folder, neededPackages(one, shelf, false), usesOf(one, entries, shelf), shelf);
      return together([result, notBrought(one.name, folder)]);
    },
  };
}

function withPeers(one: WorkspacePackage, shelf: Shelf): Step {
  return {
    name: `use ${one.name} with its peers`,
    run: () => {
      const folder = path.join(shelf.directory, `peers-${path.basename(one.path)}`);
      return installAndUse(folder, neededPackages(one, shelf, true), usesOf(one, entriesOf(one), shelf), shelf);
    },
  };
}

async function installAndUse(
  folder: string,
  needed: readonly string[],
  uses: readonly Use[],
  { archives }: Shelf,
): Promise<StepResult> {
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "--omit=peer"];
  const files = needed.map((name) => archiveOf(name, archives));
  const { ended, output } = await runChild("npm", ["install", ...options, ...files], folder);
  if (ended !== 0) return { counts: ONE_FAILED, output: `${output}\n(npm install ended with ${ended})` };
  const results: StepResult[] = [];
  for (const use of uses) results.push(await runUse(use, folder));
  return together(results);
}

function together(results: readonly StepResult[]): StepResult {
  return {
    counts: sum(results.map((result) => result.counts)),
    output: results.map((result) => result.output).join(""),
  };
}

function hasPeers(one: WorkspacePackage): boolean {
  return Object.keys(one.manifest.peerDependencies ?? {}).length > 0;
}

/** The package and all the workspace packages it needs, itself first. */
function neededPackages(one: WorkspacePackage, { packages }: Shelf, peersToo: boolean): string[] {
  const needed = [one.name];
  for (const name of needed) {
    const { dependencies, peerDependencies } = packages.find((candidate) => candidate.name === name)?.manifest ?? {};
    const wanted = Object.keys({ ...dependencies, ...(peersToo ? peerDependencies : {}) });
    needed.push(
      ...wanted.filter(
        (dependency) => packages.some((each) => each.name === dependency) && !needed.includes(dependency),
      ),
    );
  }
  return needed;
}

function entriesOf(one: WorkspacePackage): string[] {
  return Object.keys(one.manifest.exports ?? {}).filter((entry) => !entry.endsWith(".json"));
}

interface Use {
  readonly what: string;
  readonly command: string;
  readonly args: readonly string[];
}

function usesOf(one: WorkspacePackage, entries: readonly string[], { nodes }: Shelf): Use[] {
  return nodes.flatMap(({ version, executable }) =>
    [...entries.flatMap((entry) => entryUses(one.name, entry)), ...commandUses(one)].map(({ what, args }) => ({
      what: `Node ${version}: ${what}`,
      command: executable,
      args,
    })),
  );
}

function entryUses(name: string, entry: string): Omit<Use, "command">[] {
  const specifier = JSON.stringify(name + entry.slice(1));
  const check = "if (Object.keys(found).length === 0) throw new Error('exports nothing')";
  const imported = `const found = await import(${specifier}); ${check}`;
  const required = `const found = require(${specifier}); ${check}`;
  return [
    { what: `import ${specifier}`, args: ["--input-type=module", "-e", imported] },
    { what: `require ${specifier}`, args: ["--input-type=commonjs", "-e", required] },
  ];
}

function commandUses(one: WorkspacePackage): Omit<Use, "command">[] {
  return Object.keys(one.manifest.bin ?? {}).map((name) => ({
    what: `${name} --help`,
    args: [path.join("node_modules", ".bin", name), "--help"],
  }));
}

async function runUse(use: Use, folder: string): Promise<StepResult> {
  const { ended, output } = await runChild(use.command, use.args, folder);
  return ended === 0
    ? { counts: ONE_PASSED, output: "" }
    : { counts: ONE_FAILED, output: `${use.what} ended with ${ended}\n${output}\n` };
}

function notBrought(name: string, folder: string): StepResult {
  const promised = NOT_BROUGHT[name];
  if (promised === undefined) return { counts: NOTHING, output: "" };
  const found = promised.filter((one) => existsSync(path.join(folder, "node_modules", ...one.split("/"))));
  return found.length === 0
    ? { counts: ONE_PASSED, output: "" }
    : { counts: ONE_FAILED, output: `${name} promises not to bring ${found.join(", ")} along, and does\n` };
}
