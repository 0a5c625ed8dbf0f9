import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runChild } from "../test/child.ts";
import { NOTHING, ONE_FAILED, ONE_PASSED, sum } from "../test/counts.ts";
import type { Step, StepResult } from "../test/step.ts";
import type { WorkspacePackage } from "../test/workspace.ts";
import { archiveOf } from "./pack-steps.ts";

/** What a package promises not to bring along when it is installed by itself. */
const NOT_BROUGHT: Readonly<Record<string, readonly string[]>> = {
  "@mesh/skill-cas": ["better-sqlite3", "@mesh/install-engine"],
  "@mesh/runtime-events": ["better-sqlite3"],
  "@mesh/evidence": ["@mesh/ffi"],
};

/**
 * Installs each package into an empty folder with nothing but what it depends on, and uses every entry point both ways and
 * every command. Entry points that need an optional peer are used in a second folder that has it.
 */
export function consumerSteps(packages: readonly WorkspacePackage[], archives: string, directory: string): Step[] {
  return packages.flatMap((one) => {
    const alone = consumer(one, packages, archives, path.join(directory, `alone-${folderName(one)}`), false);
    const hasPeers = Object.keys(one.manifest.peerDependencies ?? {}).length > 0;
    const together = consumer(one, packages, archives, path.join(directory, `peers-${folderName(one)}`), true);
    return hasPeers ? [alone, together] : [alone];
  });
}

function consumer(
  one: WorkspacePackage,
  packages: readonly WorkspacePackage[],
  archives: string,
  folder: string,
  withPeers: boolean,
): Step {
  return {
    name: `use ${one.name} ${withPeers ? "with its peers" : "alone"}`,
    run: async () => {
      mkdirSync(folder);
      writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
      const needed = neededPackages(one, packages, withPeers).map((name) => archiveOf(name, archives));
      const options = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "--omit=peer"];
      const { ended, output } = await runChild("npm", ["install", ...options, ...needed], folder);
      if (ended !== 0) return { counts: ONE_FAILED, output: `${output}\n(npm install ended with ${ended})` };
      const hasPeers = Object.keys(one.manifest.peerDependencies ?? {}).length > 0;
      const entries = hasPeers && !withPeers ? ["."] : entriesOf(one);
      const uses = [...entries.flatMap((entry) => entryUses(one.name, entry)), ...commandUses(one)];
      const results = await Promise.all(uses.map((use) => runUse(use, folder)));
      if (!withPeers) results.push(notBrought(one.name, folder));
      return {
        counts: sum(results.map((result) => result.counts)),
        output: results.map((result) => result.output).join(""),
      };
    },
  };
}

/** The package and all the workspace packages it needs, itself first. */
function neededPackages(one: WorkspacePackage, packages: readonly WorkspacePackage[], withPeers: boolean): string[] {
  const needed = [one.name];
  for (const name of needed) {
    const { dependencies, peerDependencies } = packages.find((candidate) => candidate.name === name)?.manifest ?? {};
    const wanted = Object.keys({ ...dependencies, ...(withPeers ? peerDependencies : {}) });
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

function entryUses(name: string, entry: string): Use[] {
  const specifier = JSON.stringify(name + entry.slice(1));
  const check = "if (Object.keys(found).length === 0) throw new Error('exports nothing')";
  const imported = `const found = await import(${specifier}); ${check}`;
  const required = `const found = require(${specifier}); ${check}`;
  return [
    { what: `import ${specifier}`, command: "node", args: ["--input-type=module", "-e", imported] },
    { what: `require ${specifier}`, command: "node", args: ["--input-type=commonjs", "-e", required] },
  ];
}

function commandUses(one: WorkspacePackage): Use[] {
  return Object.keys(one.manifest.bin ?? {}).map((name) => ({
    what: `${name} --help`,
    command: path.join("node_modules", ".bin", name),
    args: ["--help"],
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

function folderName(one: WorkspacePackage): string {
  return path.basename(one.path);
}
