import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of this workspace package. */
export const PACKAGE_ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The folder of a dependency. Its exports map does not offer package.json, so it is found by its place. */
export function dependencyDirectory(name) {
  const directory = join(PACKAGE_ROOT, "node_modules", name);
  if (!existsSync(directory)) {
    throw new Error(`The package ${name} is not installed in ${PACKAGE_ROOT}. Run "pnpm install --frozen-lockfile".`);
  }
  return directory;
}

/** The prebuilt llama.cpp libraries of this machine, from the optional package of its platform. */
export function prebuiltLibraryDirectory(platform = process.platform, arch = process.arch) {
  const target = `${platform}-${arch}`;
  return join(dependencyDirectory(`@node-llama-cpp/${target}`), "bins", target);
}
