import type { Options } from "tsup";

/**
 * The one way in which every package of this workspace is built: ES modules, CommonJS and types for both, from one
 * source. Code that two entries share goes into a chunk, so that a class has one identity whichever entry it is
 * imported through.
 */
export function library(entry: Record<string, string>, overrides: Options = {}): Options {
  return {
    entry,
    format: ["esm", "cjs"],
    platform: "node",
    target: "node22",
    dts: true,
    clean: true,
    splitting: true,
    shims: true,
    sourcemap: true,
    silent: true,
    outExtension: ({ format }) => ({ js: format === "cjs" ? ".cjs" : ".js" }),
    ...overrides,
  };
}

/** A command is started by Node itself and never required: ES module only, so that it may await at its top level. */
export function command(entry: Record<string, string>): Options {
  return library(entry, { format: ["esm"], dts: false, clean: false, shims: false });
}
