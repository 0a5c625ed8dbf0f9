import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { STAMP_FILE, importers, installationStamp, isInstalled } from "../stamp.mjs";

const LOCKFILE = `lockfileVersion: '9.0'

importers:

  .:
    devDependencies:
      vitest:
        specifier: 'catalog:'
        version: 5.1.2

  packages/empty: {}

  packages/one:
    dependencies:
      yaml:
        specifier: 'catalog:'
        version: 2.9.1

packages:

  yaml@2.9.1:
    resolution: {integrity: sha512-x}
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "mesh-stamp-"));
  for (const folder of ["node_modules", "packages/one/node_modules", "packages/empty"]) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
  put("pnpm-lock.yaml", LOCKFILE);
  put("pnpm-workspace.yaml", "packages: [packages/*]\n");
  for (const folder of [".", "packages/one", "packages/empty"]) put(`${folder}/package.json`, "{}");
  put("node_modules/.modules.yaml", "layoutVersion: 5\n");
  put(STAMP_FILE, installationStamp(root) ?? "none");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(file: string, content: string): void {
  writeFileSync(path.join(root, file), content);
}

describe("isInstalled", () => {
  test("holds right after an installation was stamped", () => {
    expect(isInstalled(root)).toBe(true);
  });

  const changes: [string, () => void][] = [
    [
      "the lock file changed",
      () => {
        put("pnpm-lock.yaml", `${LOCKFILE}\n`);
      },
    ],
    [
      "the settings changed",
      () => {
        put("pnpm-workspace.yaml", "packages: []\n");
      },
    ],
    [
      "a package.json changed",
      () => {
        put("packages/one/package.json", '{"name":"x"}');
      },
    ],
    [
      "a package.json is gone",
      () => {
        rmSync(path.join(root, "packages/empty/package.json"));
      },
    ],
    [
      "somebody else installed",
      () => {
        put("node_modules/.modules.yaml", "layoutVersion: 6\n");
      },
    ],
    [
      "the installation was interrupted before its stamp",
      () => {
        rmSync(path.join(root, STAMP_FILE));
      },
    ],
    [
      "the stamp is cut",
      () => {
        put(STAMP_FILE, "abc");
      },
    ],
    [
      "node_modules is gone",
      () => {
        rmSync(path.join(root, "node_modules"), { recursive: true });
      },
    ],
    [
      "a package's node_modules is gone",
      () => {
        rmSync(path.join(root, "packages/one/node_modules"), { recursive: true });
      },
    ],
    [
      "pnpm's own mark is gone",
      () => {
        rmSync(path.join(root, "node_modules/.modules.yaml"));
      },
    ],
  ];

  test.each(changes)("does not hold when %s", (_, change) => {
    change();
    expect(isInstalled(root)).toBe(false);
  });
});

describe("importers", () => {
  test("gives every workspace package and whether it has dependencies", () => {
    expect(importers(LOCKFILE)).toEqual([
      { path: ".", hasDependencies: true },
      { path: "packages/empty", hasDependencies: false },
      { path: "packages/one", hasDependencies: true },
    ]);
  });

  test("reads this repository's own lock file", () => {
    const found = importers(readFileSync(new URL("../../../pnpm-lock.yaml", import.meta.url), "utf8"));
    expect(found.map((one) => one.path)).toEqual(expect.arrayContaining([".", "packages/ffi", "packages/host"]));
  });
});
