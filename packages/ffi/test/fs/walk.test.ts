import fc from "fast-check";
import { lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPinnedDirectory, PATH_BYTES_MAX, statComponents } from "../../src/fs/index.ts";
import { runChild } from "./child.ts";
import { errorOf, failureOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

describe("a walk never follows a symbolic link", () => {
  it("at any depth, whatever it points to", () => {
    const top = scratch();
    let run = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(), fc.boolean(), (depth, position, create) => {
        run += 1;
        const names = Array.from({ length: depth }, (_, index) => `c${index}`);
        const real = join(top, `${run}`, "real");
        mkdirSync(join(real, ...names), { recursive: true });
        const linked = join(top, `${run}`, "linked");
        const at = position % depth;
        mkdirSync(join(linked, ...names.slice(0, at)), { recursive: true });
        const link = join(linked, ...names.slice(0, at + 1));
        symlinkSync(join(real, ...names.slice(0, at + 1)), link);
        // The same directory is there through the link, and without it the walk succeeds.
        expect(lstatSync(join(linked, ...names)).isDirectory()).toBe(at !== depth - 1);
        openPinnedDirectory(join(real, ...names)).close();
        expect(failureOf(() => openPinnedDirectory(join(linked, ...names), { create }))).toEqual({
          errnoName: "ENOTDIR",
          syscall: "openat",
          path: link,
        });
      }),
      { numRuns: 50 },
    );
  });

  it("and its components can be looked at one by one", () => {
    const top = scratch();
    mkdirSync(join(top, "a"));
    symlinkSync("a", join(top, "link"));
    const kinds = (path: string): unknown[] =>
      statComponents(path)
        .slice(top.split("/").length)
        .map((component) => [component.path, component.status?.kind]);
    expect(kinds(join(top, "a", "b"))).toEqual([
      [join(top, "a"), "directory"],
      [join(top, "a", "b"), undefined],
    ]);
    expect(kinds(join(top, "link", "b"))).toEqual([[join(top, "link"), "symlink"]]);
    expect(statComponents("/").map((component) => component.path)).toEqual(["/"]);
  });
});

describe("a path is taken as it is written", () => {
  it.each(["", "relative", "./a", "/a/../b", "/a/./b", "//a", "/a//b", "/a/", "/a\0b", "/\uD800"])("not %j", (path) => {
    for (const open of [openPinnedDirectory, statComponents]) {
      expect(errorOf(() => open(path)).code).toBe("INVALID_PATH");
    }
  });

  it("up to PATH_BYTES_MAX bytes, with any characters", () => {
    const top = scratch();
    let path = join(top, "ä ö 漢字 🙂");
    while (Buffer.byteLength(path) < PATH_BYTES_MAX - 201) path += `/${"d".repeat(199)}`;
    path += `/${"e".repeat(PATH_BYTES_MAX - Buffer.byteLength(path) - 1)}`;
    expect(Buffer.byteLength(path)).toBe(PATH_BYTES_MAX);
    using made = openPinnedDirectory(path, { create: true });
    using again = openPinnedDirectory(path);
    expect(again.status().inode).toBe(made.status().inode);
    expect(errorOf(() => openPinnedDirectory(`${path}x`)).code).toBe("INVALID_PATH");
  });
});

describe("a pinned directory", () => {
  it("stays the same directory when it is renamed away and replaced", () => {
    const top = scratch();
    using pinned = openPinnedDirectory(join(top, "parent", "root"), { create: true });
    renameSync(join(top, "parent"), join(top, "moved"));
    mkdirSync(join(top, "parent", "root"), { recursive: true });
    using file = pinned.create("written");
    file.write(Buffer.from("through the descriptor"), 0);
    expect(readFileSync(join(top, "moved", "root", "written"), "utf8")).toBe("through the descriptor");
    using replacement = openPinnedDirectory(join(top, "parent", "root"));
    expect(replacement.stat("written")).toBeUndefined();
    expect(replacement.status().inode).not.toBe(pinned.status().inode);
  });

  it("opens a directory in it, and nothing else", () => {
    const top = scratch();
    using pinned = openPinnedDirectory(top);
    pinned.makeDirectory("inner");
    symlinkSync("inner", join(top, "link"));
    writeFileSync(join(top, "file"), "");
    using inner = pinned.openDirectory("inner");
    expect(inner.status().inode).toBe(pinned.stat("inner")?.inode);
    expect(failureOf(() => pinned.openDirectory("link")).errnoName).toBe("ENOTDIR");
    expect(failureOf(() => pinned.openDirectory("file")).errnoName).toBe("ENOTDIR");
  });
});

describe("a made directory", () => {
  it("is a missing one: without create nothing is made", () => {
    const top = scratch();
    expect(failureOf(() => openPinnedDirectory(join(top, "a", "b")))).toEqual({
      errnoName: "ENOENT",
      syscall: "openat",
      path: join(top, "a"),
    });
    using pinned = openPinnedDirectory(top);
    expect(pinned.list({ limit: 1 })).toEqual({ names: [], notUtf8Count: 0, complete: true });
  });

  it.each(["0777", "0277", "0177", "0077", "0000"])("is 0700 at every component under umask %s", (umask) => {
    const top = scratch();
    const body = `
      process.umask(argument.umask);
      openPinnedDirectory(argument.top + "/a/b/c", { create: true }).close();
      const inner = openPinnedDirectory(argument.top + "/a/b/c");
      inner.makeDirectory("d");
      print([...statComponents(argument.top + "/a/b/c/d").slice(-4).map((component) => component.status.mode),
             process.umask()]);`;
    const modes = runChild(body, { top, umask: Number.parseInt(umask, 8) });
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o700, Number.parseInt(umask, 8)]);
  });
});
