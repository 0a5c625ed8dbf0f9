import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { inFolder, mesh } from "../mesh-command.ts";
import { expectWorkingHost, writeSkill } from "../skill-folder.ts";

describe("a place that cannot be trusted", () => {
  it("is refused when the store root is a symbolic link, and nothing is written where it leads", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const elsewhere = join(folder, "elsewhere");
      await mkdir(elsewhere, { mode: 0o700 });
      await mkdir(state, { mode: 0o700 });
      await symlink(elsewhere, join(state, "skills"));
      const file = await writeSkill(folder, "refused");
      const run = await mesh(["skill", "install", file, "--yes", "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "ROOT_UNSAFE" });
      expect(run.error?.["message"]).toContain(join(state, "skills"));
      expect(run.error?.["message"]).toContain("symlink");
      expect(await readdir(elsewhere)).toEqual([]);
      // The root is authenticated before a journal exists, so a refusal leaves no state behind (spec 12).
      expect(await readdir(state)).toEqual(["host-id", "skills"]);
      await rm(join(state, "skills"));
      await expectWorkingHost(folder, state);
    }));

  it("is refused under a group-writable ancestor, which the error names together with the command that repairs it", () =>
    inFolder(async (folder) => {
      const shared = join(folder, "shared");
      await mkdir(shared);
      await chmod(shared, 0o775);
      const state = join(shared, "state");
      const file = await writeSkill(folder, "refused");
      const run = await mesh(["skill", "install", file, "--yes", "--state", state], { umask: "002" });
      expect(run.status).toBe(1);
      expect(run.error).toMatchObject({ code: "ROOT_UNSAFE" });
      expect(run.error?.["message"]).toContain(`${shared}: `);
      expect(run.error?.["message"]).toContain(`chmod go-w ${shared}`);
      await chmod(shared, 0o755);
      await expectWorkingHost(folder, state);
    }));

  it("is made private whatever the umask is", () =>
    inFolder(async (folder) => {
      for (const umask of ["000", "002", "077", "0177"]) {
        const state = join(folder, `state-${umask}`);
        const file = await writeSkill(folder, "private");
        const run = await mesh(["skill", "install", file, "--yes", "--state", state], { umask });
        expect(run.error).toBeUndefined();
        expect((await lstat(state)).mode & 0o7777).toBe(0o700);
        for (const entry of await readdir(state, { recursive: true })) {
          const status = await lstat(join(state, entry));
          expect([entry, status.mode & 0o7777]).toEqual([entry, status.isDirectory() ? 0o700 : 0o600]);
        }
      }
    }));
});

describe("a journal file that is no journal", () => {
  const damages: readonly (readonly [name: string, bytes: Uint8Array])[] = [
    ["text", Buffer.from("this is a diary, not a database\n".repeat(64))],
    ["nothing", Buffer.alloc(0)],
  ];

  it.each(damages)("is refused by name and left as it was: %s", (_name, bytes) =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      const file = await writeSkill(folder, "first");
      expect((await mesh(["skill", "install", file, "--yes", "--state", state])).status).toBe(0);
      const journal = join(state, "journal", "install.sqlite3");
      const kept = join(folder, "kept.sqlite3");
      await rename(journal, kept);
      await writeFile(journal, bytes, { mode: 0o600 });
      const run = await mesh(["skill", "list", "--state", state]);
      expect(run.status).toBe(1);
      expect(run.error?.["code"]).toMatch(/^JOURNAL_/);
      expect(run.error?.["message"]).toContain(journal);
      expect(Buffer.compare(await readFile(journal), bytes)).toBe(0);
      await rename(kept, journal);
      const list = await mesh(["skill", "list", "--state", state]);
      expect(list.steps).toContainEqual(expect.objectContaining({ step: "skill.installed", name: "first" }));
      await expectWorkingHost(folder, state);
    }),
  );
});
