import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { layerViolations } from "../layers.ts";
import { SOURCE_LINES_MAX, filesOverCap } from "../size-cap.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "mesh-layers-"));
  manifest("ffi", {});
  manifest("install-engine", { dependencies: { "@mesh/ffi": "workspace:^" } });
  manifest("skill-cas", {
    dependencies: { "@mesh/ffi": "workspace:^", yaml: "catalog:" },
    peerDependencies: { "@mesh/install-engine": "workspace:^" },
    devDependencies: { vitest: "catalog:", "@mesh/testkit": "workspace:*" },
  });
  manifest("host", { dependencies: { "@mesh/skill-cas": "workspace:^" } });
  manifest("testkit", {});
  mkdirSync(path.join(root, "native"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function manifest(name: string, fields: object): void {
  put(`packages/${name}/package.json`, JSON.stringify({ name: `@mesh/${name}`, ...fields }));
}

function put(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

describe("layerViolations", () => {
  test("finds nothing where every edge follows an arrow", () => {
    put(
      "packages/skill-cas/src/store.ts",
      `import "yaml"; import "node:fs"; import "@mesh/ffi/fs"; import "./layout.ts";`,
    );
    put("packages/skill-cas/src/driver/driver.ts", `import type { X } from "@mesh/install-engine";`);
    put("packages/skill-cas/test/store.test.ts", `import "vitest"; import "@mesh/testkit"; import "../src/store.ts";`);
    put("packages/host/src/index.ts", `export * from "@mesh/skill-cas/driver";`);
    expect(layerViolations(root)).toEqual([]);
  });

  const forbidden: [string, string, string][] = [
    ["upwards", "packages/ffi/src/a.ts", `import "@mesh/skill-cas";`],
    ["upwards, in a test", "packages/ffi/test/a.test.ts", `import "@mesh/install-engine";`],
    ["sideways", "packages/install-engine/src/a.ts", `import "@mesh/skill-cas";`],
    [
      "to the engine from outside the driver",
      "packages/skill-cas/src/store.ts",
      `import type { X } from "@mesh/install-engine";`,
    ],
    ["by a dynamic import", "packages/ffi/src/a.ts", `await import("@mesh/host");`],
    ["by require", "packages/ffi/src/a.ts", `const a = require("@mesh/host");`],
    ["by a re-export", "packages/ffi/src/a.ts", `export { a } from "@mesh/host";`],
    ["by a relative path", "packages/host/test/a.test.ts", `import "../../skill-cas/src/store.ts";`],
    ["to the test kit from what is shipped", "packages/skill-cas/src/a.ts", `import "@mesh/testkit";`],
    ["to an undeclared package", "packages/ffi/src/a.ts", `import "yaml";`],
    ["to a package declared for development only", "packages/skill-cas/src/a.ts", `import "vitest";`],
  ];

  test.each(forbidden)("finds an edge %s", (_, file, code) => {
    put(file, code);
    expect(layerViolations(root)).toHaveLength(1);
    expect(layerViolations(root)[0]).toContain(file);
  });

  test.each(["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"])(
    "finds a forbidden edge in %s",
    (field) => {
      manifest("install-engine", { [field]: { "@mesh/host": "workspace:^" } });
      expect(layerViolations(root)).toEqual([
        "packages/install-engine/package.json: @mesh/install-engine must not depend on @mesh/host",
      ]);
    },
  );
});

describe("filesOverCap", () => {
  test("names a source file over the cap, and none at it, nor a test", () => {
    const lines = (count: number): string => "x\n".repeat(count);
    put("packages/ffi/src/at.ts", lines(SOURCE_LINES_MAX));
    put("packages/ffi/src/over.ts", lines(SOURCE_LINES_MAX + 1));
    put("packages/ffi/test/long.test.ts", lines(SOURCE_LINES_MAX + 1));
    put("packages/ffi/dist/made.js", lines(SOURCE_LINES_MAX + 1));
    put("tools/test/runner.ts", lines(SOURCE_LINES_MAX + 1));
    expect(filesOverCap(root).map((line) => line.split(":", 1)[0])).toEqual([
      "packages/ffi/src/over.ts",
      "tools/test/runner.ts",
    ]);
  });
});
