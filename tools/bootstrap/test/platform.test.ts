import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readPins } from "../pins.mjs";
import { platformKey, satisfies } from "../platform.mjs";

const ROOT = new URL("../../../", import.meta.url);
const { node, pnpm } = readPins();

describe("satisfies", () => {
  const range = "^22.22.2 || ^24.15.0 || >=26.0.0";

  test.each(["22.22.2", "22.23.0", "24.15.0", "24.21.0", "26.0.0", "27.1.0"])("%s is in the range", (version) => {
    expect(satisfies(version, range)).toBe(true);
  });

  test.each(["18.0.0", "20.20.2", "22.22.1", "22.9.9", "23.11.0", "24.14.9", "25.9.9"])("%s is not", (version) => {
    expect(satisfies(version, range)).toBe(false);
  });

  test("a range it cannot read is an error and not a guess", () => {
    expect(() => satisfies("24.0.0", "~24.0.0")).toThrow(/cannot read the Node range/);
  });
});

describe("the pins agree with the rest of the repository", () => {
  test("the pinned Node is in the range every package asks for", () => {
    expect(satisfies(node.version, node.supported)).toBe(true);
    for (const name of readdirSync(new URL("packages/", ROOT))) {
      const manifest: unknown = JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, ROOT), "utf8"));
      expect(manifest).toMatchObject({ engines: { node: node.supported } });
    }
  });

  test("the pinned pnpm is the one package.json names, or pnpm would fetch another", () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
    expect(manifest).toMatchObject({ packageManager: `pnpm@${pnpm.version}` });
  });

  test("this platform is recognised", () => {
    expect(platformKey().split("-").slice(0, 2)).toEqual([process.platform, process.arch]);
  });
});
