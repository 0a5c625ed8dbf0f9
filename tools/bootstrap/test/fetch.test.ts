import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WORK_PREFIX, fetchPackage, removeInterruptedFetches } from "../fetch.mjs";

// The real npm packs a real package from a folder: the same way a registry package comes in, without a network.
let directory: string;
let source: string;
let destination: string;
let integrity: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), "mesh fetch-")));
  source = path.join(directory, "source");
  destination = path.join(directory, "tools", "package-1.0.0");
  mkdirSync(path.join(source, "bin"), { recursive: true });
  mkdirSync(path.dirname(destination));
  writeFileSync(path.join(source, "package.json"), JSON.stringify({ name: "packed", version: "1.0.0" }));
  writeFileSync(path.join(source, "bin", "tool"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
  integrity = packedIntegrity();
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function packedIntegrity(): string {
  const child = spawnSync("npm", ["pack", source, "--pack-destination", directory], { cwd: directory });
  expect(child.status).toBe(0);
  const archive = readFileSync(path.join(directory, "packed-1.0.0.tgz"));
  return `sha512-${createHash("sha512").update(archive).digest("base64")}`;
}

function fetchIt(pin = integrity): void {
  fetchPackage({ spec: source, integrity: pin, destination, entry: "bin/tool" });
}

describe("fetchPackage", () => {
  test("unpacks the pinned package, executables executable, and leaves no work folder", () => {
    fetchIt();
    expect(spawnSync(path.join(destination, "bin/tool"), { encoding: "utf8" }).stdout).toBe("ran\n");
    expect(readdirSync(path.dirname(destination))).toEqual(["package-1.0.0"]);
  });

  test("another integrity than the pinned one is refused and leaves nothing behind", () => {
    const pin = `sha512-${createHash("sha512").update("another package").digest("base64")}`;
    expect(() => {
      fetchIt(pin);
    }).toThrow(new RegExp("is not the pinned package: expected sha512-.*, found sha512-"));
    expect(readdirSync(path.dirname(destination))).toEqual([]);
  });

  test("a package that cannot be fetched is refused with what npm said, and leaves nothing behind", () => {
    rmSync(path.join(source, "package.json"));
    expect(() => {
      fetchIt();
    }).toThrow(/npm could not fetch/);
    expect(readdirSync(path.dirname(destination))).toEqual([]);
  });

  test("is not repeated while the package is whole", () => {
    fetchIt();
    const before = statSync(destination).ino;
    rmSync(source, { recursive: true });
    fetchIt();
    expect(statSync(destination).ino).toBe(before);
  });

  test("is repeated when the pin changed, the entry is gone, or the mark is missing", () => {
    fetchIt();
    rmSync(path.join(destination, "bin/tool"));
    fetchIt();
    expect(existsSync(path.join(destination, "bin/tool"))).toBe(true);
    rmSync(path.join(destination, ".verified"));
    writeFileSync(path.join(destination, "left-over"), "");
    fetchIt();
    expect(existsSync(path.join(destination, "left-over"))).toBe(false);
  });

  test("what an interrupted run left in its work folder is removed by the next one", () => {
    const tools = path.dirname(destination);
    mkdirSync(path.join(tools, `${WORK_PREFIX}abc`, "unpacked"), { recursive: true });
    fetchIt();
    removeInterruptedFetches(tools);
    expect(readdirSync(tools)).toEqual(["package-1.0.0"]);
  });
});
