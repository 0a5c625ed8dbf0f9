import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commandEnvironment, quote, shellExports } from "../environment.mjs";

const toolchain = {
  binDirectories: ["/clone/.tools/bin", "/clone/.tools/node/bin"],
  nodeDirectory: "/clone/.tools/node",
};

describe("commandEnvironment", () => {
  test("puts the fetched tools first and names the headers of the fetched Node, whatever the caller had", () => {
    const environment = commandEnvironment(toolchain, { PATH: "/usr/bin", npm_config_nodedir: "/usr", HOME: "/home" });
    expect(environment["PATH"]).toBe("/clone/.tools/bin:/clone/.tools/node/bin:/usr/bin");
    expect(environment["npm_config_nodedir"]).toBe("/clone/.tools/node");
    expect(environment["HOME"]).toBe("/home");
  });

  test("turns off whatever would call home", () => {
    const environment = commandEnvironment(toolchain, {});
    expect(environment["TURBO_TELEMETRY_DISABLED"]).toBe("1");
    expect(environment["npm_config_update_notifier"]).toBe("false");
  });

  test("keeps the registry settings and drops what npm run says about itself", () => {
    const environment = commandEnvironment(toolchain, {
      npm_config_registry: "r",
      npm_lifecycle_event: "test",
      npm_package_name: "mesh",
      npm_config_local_prefix: "/elsewhere",
    });
    expect(environment["npm_config_registry"]).toBe("r");
    expect(Object.keys(environment)).not.toEqual(
      expect.arrayContaining(["npm_lifecycle_event", "npm_package_name", "npm_config_local_prefix"]),
    );
    expect(environment["npm_lifecycle_event"]).toBeUndefined();
  });
});

describe("quote", () => {
  test("makes one word of any text, as a real shell reads it", () => {
    // Neither an argument nor a file name can hold a NUL.
    const word = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(word, (text) => {
        const child = spawnSync("/bin/sh", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" });
        expect(child.stdout).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  test("the printed exports set the search path in a shell", () => {
    const odd = { binDirectories: ["/a b/it's"], nodeDirectory: "/a b/$HOME" };
    const script = `${shellExports(odd)}printf '%s|%s' "$PATH" "$npm_config_nodedir"`;
    const child = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8", env: { PATH: "/bin" } });
    expect(child.stdout).toBe("/a b/it's:/bin|/a b/$HOME");
  });
});
