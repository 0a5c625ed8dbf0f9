import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { defaultStateDirectory, openStateDirectory } from "../src/state-directory.ts";
import { inFolder, mesh } from "./mesh-command.ts";

describe("the state directory", () => {
  it("is below XDG_STATE_HOME, and a relative one is ignored", () => {
    expect(defaultStateDirectory({ XDG_STATE_HOME: "/var/state" })).toBe("/var/state/mesh");
    expect(defaultStateDirectory({ XDG_STATE_HOME: "state" })).toMatch(/\/\.local\/state\/mesh$/);
    expect(defaultStateDirectory({})).toMatch(/\/\.local\/state\/mesh$/);
  });

  it("gives one host one identity, also when several processes make it at once", () =>
    inFolder(async (folder) => {
      const state = join(folder, "new", "state");
      await Promise.all(Array.from({ length: 4 }, () => mesh(["skill", "list", "--state", state])));
      const id = await readFile(join(state, "host-id"), "latin1");
      expect(id).toMatch(/^[0-9a-f]{64}\n$/);
      expect(openStateDirectory(state).hostIdentityDigest).toBe(openStateDirectory(state).hostIdentityDigest);
      expect((await readdir(state)).filter((name) => name.startsWith(".host-id"))).toEqual([]);
    }));

  it("refuses a damaged identity instead of making another one", () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, "host-id"), "not an id\n");
      expect(() => openStateDirectory(folder)).toThrow(expect.objectContaining({ code: "HOST_IDENTITY_INVALID" }));
      expect(await readFile(join(folder, "host-id"), "latin1")).toBe("not an id\n");
    }));

  it("refuses a symbolic link on the way", () =>
    inFolder(async (folder) => {
      await mkdir(join(folder, "real"));
      await symlink(join(folder, "real"), join(folder, "link"));
      expect(() => openStateDirectory(join(folder, "link", "state"))).toThrow(
        expect.objectContaining({ code: "STATE_DIRECTORY_INVALID" }),
      );
      expect(await readdir(join(folder, "real"))).toEqual([]);
    }));
});
