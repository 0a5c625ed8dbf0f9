import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPinnedDirectory } from "../../src/fs/index.ts";
import { runChild } from "./child.ts";
import { errorOf, failureOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

describe("a new file", () => {
  it("never replaces what is there, whatever it is", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    writeFileSync(join(top, "file"), "kept");
    symlinkSync("nowhere", join(top, "dangling"));
    directory.makeDirectory("directory");
    for (const name of ["file", "dangling", "directory"]) {
      expect(failureOf(() => directory.create(name))).toEqual({
        errnoName: "EEXIST",
        syscall: "openat",
        path: join(top, name),
      });
    }
    expect(readFileSync(join(top, "file"), "utf8")).toBe("kept");
    expect(directory.stat("nowhere")).toBeUndefined();
  });

  it.each(["0777", "0177", "0077", "0000"])("has the set mode under umask %s", (umask) => {
    const body = `
      process.umask(argument.umask);
      const directory = openPinnedDirectory(argument.top);
      const file = directory.create("file");
      const lock = directory.openOrCreateLock("lock");
      const before = [file.status().mode, lock.status().mode];
      file.setMode(0o600);
      lock.setMode(0o600);
      print([before, [directory.stat("file").mode, directory.stat("lock").mode]]);`;
    const mask = Number.parseInt(umask, 8);
    const modes = runChild(body, { top: scratch(), umask: mask });
    const made = 0o600 & ~mask;
    expect(modes).toEqual([
      [made, made],
      [0o600, 0o600],
    ]);
  });

  it("takes only permission bits for a mode, and only whole positions", () => {
    using directory = openPinnedDirectory(scratch());
    using file = directory.create("file");
    for (const mode of [-1, 0o10000, 0.5, Number.NaN]) {
      expect(
        errorOf(() => {
          file.setMode(mode);
        }).code,
      ).toBe("INVALID_ARGUMENT");
    }
    for (const position of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(errorOf(() => file.write(Buffer.from("x"), position)).code).toBe("INVALID_ARGUMENT");
      expect(errorOf(() => file.read(Buffer.alloc(1), position)).code).toBe("INVALID_ARGUMENT");
    }
    for (const mode of [0, 0o7777]) {
      file.setMode(mode);
      expect(file.status().mode).toBe(mode);
    }
    expect(file.status().size).toBe(0);
  });
});

describe("bytes", () => {
  it("are written and read at the position that is named, and nowhere else", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    using file = directory.create("file");
    expect(file.write(Buffer.from("world"), 6)).toBe(5);
    expect(file.write(Buffer.from("hello").subarray(0, 5), 0)).toBe(5);
    expect(readFileSync(join(top, "file"), "latin1")).toBe("hello\0world");
    using opened = directory.open("file");
    const buffer = Buffer.alloc(8, "-");
    expect(opened.read(buffer.subarray(2, 6), 6)).toBe(4);
    expect(buffer.toString()).toBe("--worl--");
    expect(opened.read(buffer, 11)).toBe(0);
    expect(failureOf(() => opened.write(Buffer.from("x"), 0))).toMatchObject({ errnoName: "EBADF", syscall: "pwrite" });
    expect(failureOf(() => file.read(buffer, 0))).toMatchObject({ errnoName: "EBADF", syscall: "pread" });
  });

  it("may be fewer than were given, where a limit is reached", () => {
    const body = `
      process.on("SIGXFSZ", () => {});
      const file = openPinnedDirectory(argument.top).create("file");
      const first = file.write(Buffer.alloc(4096, 7), 0);
      print([first, errnoOf(() => file.write(Buffer.alloc(1), first))]);`;
    // The shell counts file sizes in blocks of 512 bytes.
    expect(runChild(body, { top: scratch() }, { shell: "ulimit -f 5;" })).toEqual([2560, "EFBIG"]);
  });
});

describe("opening never waits and never follows", () => {
  it("a FIFO without a peer opens at once and can be told from a file", () => {
    const top = scratch();
    execFileSync("mkfifo", [join(top, "fifo")]);
    using directory = openPinnedDirectory(top);
    using reading = directory.open("fifo");
    expect(reading.status().kind).toBe("fifo");
    using locking = directory.openOrCreateLock("fifo");
    expect(locking.status().kind).toBe("fifo");
  });

  it("a symbolic link is refused, and is what stat sees", () => {
    const top = scratch();
    writeFileSync(join(top, "file"), "");
    symlinkSync("file", join(top, "link"));
    using directory = openPinnedDirectory(top);
    expect(directory.stat("link")?.kind).toBe("symlink");
    expect(failureOf(() => directory.open("link")).errnoName).toBe("ELOOP");
    expect(failureOf(() => directory.openOrCreateLock("link")).errnoName).toBe("ELOOP");
  });
});

describe("names", () => {
  it("a link is a second name of the entry itself and replaces nothing", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    directory.create("a").close();
    directory.link("a", "b");
    expect(directory.stat("b")).toMatchObject({ inode: directory.stat("a")?.inode, linkCount: 2 });
    symlinkSync("a", join(top, "symlink"));
    directory.link("symlink", "c");
    expect(readlinkSync(join(top, "c"))).toBe("a");
    writeFileSync(join(top, "taken"), "kept");
    expect(
      failureOf(() => {
        directory.link("a", "taken");
      }),
    ).toEqual({ errnoName: "EEXIST", syscall: "linkat", path: join(top, "taken") });
    expect(readFileSync(join(top, "taken"), "utf8")).toBe("kept");
  });

  it("a link may lead into another pinned directory", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    using other = openPinnedDirectory(join(top, "other"), { create: true });
    directory.create("a").close();
    directory.linkInto("a", other, "b");
    expect(other.stat("b")?.inode).toBe(directory.stat("a")?.inode);
  });

  it("renaming moves the entry itself, a directory too, into another pinned directory and replaces nothing", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    using other = openPinnedDirectory(join(top, "other"), { create: true });
    symlinkSync("nowhere", join(top, "symlink"));
    directory.makeDirectory("directory");
    writeFileSync(join(top, "directory", "file"), "kept");
    directory.renameInto("symlink", other, "moved");
    directory.renameInto("directory", other, "directory");
    expect([directory.stat("symlink"), directory.stat("directory")]).toEqual([undefined, undefined]);
    expect(readlinkSync(join(top, "other", "moved"))).toBe("nowhere");
    expect(readFileSync(join(top, "other", "directory", "file"), "utf8")).toBe("kept");
    writeFileSync(join(top, "file"), "new");
    expect(
      failureOf(() => {
        directory.renameInto("file", other, "moved");
      }),
    ).toMatchObject({ errnoName: "EEXIST", path: join(top, "other", "moved") });
    expect(readlinkSync(join(top, "other", "moved"))).toBe("nowhere");
    expect(readFileSync(join(top, "file"), "utf8")).toBe("new");
  });

  it("unlink removes that name alone, and never a directory", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    directory.create("a").close();
    linkSync(join(top, "a"), join(top, "b"));
    directory.unlink("a");
    expect(directory.stat("a")).toBeUndefined();
    expect(directory.stat("b")?.linkCount).toBe(1);
    directory.makeDirectory("directory");
    expect(
      failureOf(() => {
        directory.unlink("directory");
      }).errnoName,
    ).toBe("EISDIR");
    expect(lstatSync(join(top, "directory")).isDirectory()).toBe(true);
  });
});
