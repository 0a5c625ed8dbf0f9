import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locateAddon } from "../../src/index.ts";
import { readLibc } from "../../src/libc.ts";

const requireNodeGypBuild: (name: string) => { resolve(directory: string): string } = createRequire(import.meta.url);
const packageDirectory = resolve(import.meta.dirname, "../..");

/** Runs a program in a fresh Node and returns what it printed as JSON. */
function runNode(directory: string, file: string, source: string): unknown {
  const path = join(directory, file);
  writeFileSync(path, source);
  return JSON.parse(execFileSync(process.execPath, [path], { cwd: directory, encoding: "utf8" }));
}

const PRINT_LOCATION = "process.stdout.write(JSON.stringify(locateAddon()));";
const PRINT_ERROR =
  "try { locateAddon(); } catch (error) {" +
  " process.stdout.write(JSON.stringify({ code: error.code, message: error.message, facts: error.facts," +
  " cause: error.cause?.code })); }";

describe("the addon is found", () => {
  it("in the same file that node-gyp-build finds", () => {
    // The peer would prefer a build/Release folder over the prebuilds; the variable is how it is told not to.
    process.env["PREBUILDS_ONLY"] = "1";
    const nodeGypBuild = requireNodeGypBuild("node-gyp-build");
    expect(locateAddon().path).toBe(nodeGypBuild.resolve(packageDirectory));
  });

  it("and the diagnostic report's network switch is as it was before", () => {
    const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
    for (const before of [true, false]) {
      report.excludeNetwork = before;
      readLibc();
      expect(report.excludeNetwork).toBe(before);
    }
  });
});

describe("in an installed copy of the packed package", () => {
  let consumer: string;
  let installed: string;

  beforeAll(() => {
    consumer = realpathSync(mkdtempSync(join(tmpdir(), "ffi-packed-")));
    installed = join(consumer, "node_modules/@mesh/ffi");
    mkdirSync(installed, { recursive: true });
    const packed = execFileSync("pnpm", ["pack", "--pack-destination", consumer], {
      cwd: packageDirectory,
      encoding: "utf8",
    });
    const tarball = packed.trim().split("\n").at(-1) ?? "";
    execFileSync("tar", ["-xzf", resolve(consumer, tarball), "-C", installed, "--strip-components=1"]);
  });

  afterAll(() => {
    rmSync(consumer, { recursive: true, force: true });
  });

  it("ES modules and CommonJS load the same addon, through every entry", () => {
    const path = join(installed, "prebuilds", `${process.platform}-${process.arch}`, prebuildName());
    const expected = { platform: process.platform, arch: process.arch, libc: readLibc(), path };
    expect(runNode(consumer, "a.mjs", `import { locateAddon } from "@mesh/ffi"; ${PRINT_LOCATION}`)).toEqual(expected);
    expect(runNode(consumer, "a.cjs", `const { locateAddon } = require("@mesh/ffi"); ${PRINT_LOCATION}`)).toEqual(
      expected,
    );
  });

  it("holds the addon and the builds, and nothing that is needed only to build", () => {
    expect(existsSync(join(installed, "prebuilds"))).toBe(true);
    expect(existsSync(join(installed, "dist/index.cjs"))).toBe(true);
    for (const absent of ["src", "scripts", "binding.gyp", "node_modules"]) {
      expect(existsSync(join(installed, absent)), absent).toBe(false);
    }
    const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("scripts.install");
    expect(manifest).not.toHaveProperty("dependencies");
  });

  it("an absent addon is one error that lists everything that was searched", () => {
    const bare = join(consumer, "bare");
    cpSync(installed, join(bare, "node_modules/@mesh/ffi"), { recursive: true });
    rmSync(join(bare, "node_modules/@mesh/ffi/prebuilds"), { recursive: true });
    const found = runNode(bare, "a.mjs", `import { locateAddon } from "@mesh/ffi"; ${PRINT_ERROR}`);
    expect(found).toMatchObject({ code: "ADDON_NOT_FOUND" });
    for (const platform of ["linux-x64-glibc", "linux-arm64-musl", "darwin-arm64-none"]) {
      expect(found).toHaveProperty("message", expect.stringContaining(platform));
    }
  });

  it("an addon that is there and cannot be loaded is not taken for an absent one", () => {
    const broken = join(consumer, "broken");
    cpSync(installed, join(broken, "node_modules/@mesh/ffi"), { recursive: true });
    const path = join(
      broken,
      "node_modules/@mesh/ffi/prebuilds",
      `${process.platform}-${process.arch}`,
      prebuildName(),
    );
    writeFileSync(path, "not a shared library");
    const found = runNode(broken, "a.mjs", `import { locateAddon } from "@mesh/ffi"; ${PRINT_ERROR}`);
    expect(found).toMatchObject({ code: "ADDON_LOAD_FAILED", cause: "ERR_DLOPEN_FAILED", facts: { path } });
    expect(found).toHaveProperty("message", expect.stringContaining("or one of its dependencies"));
  });
});

function prebuildName(): string {
  const libc = readLibc();
  return libc === "none" ? "@mesh+ffi.node" : `@mesh+ffi.${libc}.node`;
}
