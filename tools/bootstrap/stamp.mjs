import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** In node_modules, so that removing that folder removes it too. */
export const STAMP_FILE = "node_modules/.mesh-install-stamp";
/** Written by pnpm as the last thing of an installation. */
const PNPM_MARK = "node_modules/.modules.yaml";

/**
 * A digest of all that decides what an installation contains and of the mark of the one that is there. Undefined when
 * none is there, or only a part of one.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function installationStamp(root) {
  const lockfile = readFileSync(path.join(root, "pnpm-lock.yaml"), "utf8");
  const packages = importers(lockfile);
  const incomplete = packages.some(
    (one) => one.hasDependencies && !existsSync(path.join(root, one.path, "node_modules")),
  );
  if (incomplete || !existsSync(path.join(root, PNPM_MARK))) return undefined;
  const manifests = packages.map((one) => path.join(one.path, "package.json"));
  const inputs = ["pnpm-lock.yaml", "pnpm-workspace.yaml", PNPM_MARK, ...manifests];
  const hash = createHash("sha256").update(root);
  for (const file of inputs) {
    const content = existsSync(path.join(root, file)) ? readFileSync(path.join(root, file)) : Buffer.from("absent");
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** @param {string} root @returns {boolean} whether the installation that is there is the one the lock file asks for */
export function isInstalled(root) {
  const file = path.join(root, STAMP_FILE);
  const expected = installationStamp(root);
  return expected !== undefined && existsSync(file) && readFileSync(file, "utf8") === expected;
}

/**
 * The workspace packages, read from the lock file: a YAML parser is not there before the first installation.
 *
 * @param {string} lockfile
 * @returns {{ path: string, hasDependencies: boolean }[]}
 */
export function importers(lockfile) {
  const section = /^importers:\n([\s\S]*?)(?=^\S)/m.exec(lockfile)?.[1] ?? "";
  const found = section.split(/^ {2}(?=\S)/m).slice(1);
  return found.map((block) => {
    const name = block.slice(0, block.indexOf(":")).replace(/^'(.*)'$/, "$1");
    return { path: name, hasDependencies: /^ {4}\w*[dD]ependencies:/m.test(block) };
  });
}
