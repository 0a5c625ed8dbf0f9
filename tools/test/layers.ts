import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import ts from "typescript";
import { ROOT, filesBelow, workspacePackages, type WorkspacePackage } from "./workspace.ts";

/**
 * The arrows of the house: what a package may reach. Everything else, upwards or sideways, is a violation, in tests and
 * devDependencies too. A test that needs several packages lives in packages/host/test.
 */
const MAY_REACH: Readonly<Record<string, readonly string[]>> = {
  "@mesh/ffi": [],
  "@mesh/evidence": [],
  "@mesh/install-engine": ["@mesh/ffi"],
  "@mesh/runtime-events": ["@mesh/ffi"],
  "@mesh/skill-cas": ["@mesh/ffi", "@mesh/install-engine"],
  "@mesh/llama-runtime": ["@mesh/ffi"],
  "@mesh/host": [
    "@mesh/ffi",
    "@mesh/evidence",
    "@mesh/install-engine",
    "@mesh/runtime-events",
    "@mesh/skill-cas",
    "@mesh/llama-runtime",
  ],
  "@mesh/testkit": [],
  // Private: measures what the others claim, and nothing reaches it.
  "@mesh/bench": [
    "@mesh/ffi",
    "@mesh/evidence",
    "@mesh/install-engine",
    "@mesh/runtime-events",
    "@mesh/skill-cas",
    "@mesh/llama-runtime",
    "@mesh/testkit",
  ],
  "@mesh-internal/llama-runtime": [],
};

/** Private packages that tests and builds may use; never part of what is shipped. */
const MAY_REACH_IN_DEVELOPMENT: Readonly<Record<string, readonly string[]>> = {
  "@mesh/llama-runtime": ["@mesh-internal/llama-runtime"],
};

/** Only the driver of skill-cas knows the engine; the store is usable without it. */
const ONLY_FROM: readonly { readonly from: string; readonly to: string; readonly folder: RegExp }[] = [
  { from: "@mesh/skill-cas", to: "@mesh/install-engine", folder: /^(?:src|test)\/driver\// },
];

const CODE = /\.(?:ts|mts|cts|mjs|cjs|js)$/;

/** @returns one line per edge that the arrows do not allow */
export function layerViolations(root = ROOT): string[] {
  const packages = workspacePackages(root);
  const names = new Set(packages.map((one) => one.name));
  return packages.flatMap((one) => [...manifestViolations(one, names), ...importViolations(one, names, root)]);
}

function manifestViolations(one: WorkspacePackage, names: ReadonlySet<string>): string[] {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = one.manifest;
  const shipped = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  const development = Object.keys(devDependencies ?? {});
  const bad = [
    ...shipped.filter((name) => names.has(name) && !mayReach(one.name, name, "src/")),
    ...development.filter((name) => names.has(name) && !mayReach(one.name, name, "test/")),
  ];
  return bad.map((name) => `${one.path}/package.json: ${one.name} must not depend on ${name}`);
}

function importViolations(one: WorkspacePackage, names: ReadonlySet<string>, root: string): string[] {
  const files = filesBelow(one.path, root).filter((file) => CODE.test(file) && !file.endsWith(".config.ts"));
  return files.flatMap((file) => {
    const inPackage = file.slice(one.path.length + 1);
    return importsOf(path.join(root, file)).flatMap((specifier) => {
      const problem = specifier.startsWith(".")
        ? leavesPackage(inPackage, specifier)
        : bareImportProblem(one, inPackage, specifier, names);
      return problem === undefined ? [] : [`${file}: imports "${specifier}": ${problem}`];
    });
  });
}

function importsOf(file: string): string[] {
  return ts.preProcessFile(readFileSync(file, "utf8"), true, true).importedFiles.map((one) => one.fileName);
}

function leavesPackage(inPackage: string, specifier: string): string | undefined {
  const target = path.posix.join(path.posix.dirname(inPackage), specifier);
  return target.startsWith("..") ? "packages reach each other through their exports only" : undefined;
}

function bareImportProblem(
  one: WorkspacePackage,
  inPackage: string,
  specifier: string,
  names: ReadonlySet<string>,
): string | undefined {
  if (isBuiltin(specifier)) return undefined;
  const target = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (target === one.name) return undefined;
  if (names.has(target)) {
    if (!mayReach(one.name, target, inPackage)) return `${one.name} must not reach ${target} from here`;
    const rule = ONLY_FROM.find(({ from, to }) => from === one.name && to === target);
    if (rule !== undefined && !rule.folder.test(inPackage)) return `only ${rule.folder.source} may reach ${target}`;
  }
  return isDeclared(one, target, inPackage) ? undefined : `${target} is not declared in ${one.path}/package.json`;
}

function mayReach(from: string, to: string, inPackage: string): boolean {
  if ((MAY_REACH[from] ?? []).includes(to)) return true;
  if (inPackage.startsWith("src/")) return false;
  return to === "@mesh/testkit" || (MAY_REACH_IN_DEVELOPMENT[from] ?? []).includes(to);
}

/** What src/ imports is needed by whoever installs the package; the rest only by whoever works on it. */
function isDeclared(one: WorkspacePackage, target: string, inPackage: string): boolean {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = one.manifest;
  const shipped = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  return target in (inPackage.startsWith("src/") ? shipped : { ...shipped, ...devDependencies });
}
