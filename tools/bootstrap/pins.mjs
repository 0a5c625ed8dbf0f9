import { readFileSync } from "node:fs";

/**
 * What the set-up fetches, and how each piece is recognised.
 *
 * @typedef {{ name: string, integrity: string, version?: string }} PinnedPackage
 *   A registry package. `version` is there only where a platform has to take another one than the common one.
 * @typedef {{
 *   node: { version: string, supported: string, packages: Record<string, PinnedPackage> },
 *   pnpm: { version: string, integrity: string },
 * }} Pins
 */

/** @returns {Pins} */
export function readPins() {
  return JSON.parse(readFileSync(new URL("./pins.json", import.meta.url), "utf8"));
}
