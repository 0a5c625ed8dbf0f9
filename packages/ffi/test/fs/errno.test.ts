import { chmodSync, mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FfiError, FileSystemError } from "../../src/index.ts";
import { openPinnedDirectory } from "../../src/fs/index.ts";
import { runChild } from "./child.ts";
import { errorOf, failureOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

/** A child that is nobody: its modules are loaded while it may still read them, then it gives its rights away. */
const BECOME_NOBODY = `
  if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }`;

describe("the kernel's errno arrives as it is", () => {
  it("with number, name, system call and path", () => {
    const top = scratch();
    using directory = openPinnedDirectory(top);
    const error = errorOf(() => directory.open("absent"));
    expect(error).toBeInstanceOf(FileSystemError);
    expect(error).toBeInstanceOf(FfiError);
    expect(error).toMatchObject({
      name: "FileSystemError",
      code: "SYSTEM_CALL_FAILED",
      errno: constants.errno.ENOENT,
      errnoName: "ENOENT",
      syscall: "openat",
      path: join(top, "absent"),
      message: `openat failed with ENOENT (${constants.errno.ENOENT}) on ${join(top, "absent")}`,
    });
  });

  it("a number that Node has no name for keeps its number", () => {
    expect(new FileSystemError({ errno: 9999, syscall: "openat", path: "/a" }).errnoName).toBe("E9999");
  });

  it("ENOENT and ENOTDIR", () => {
    using directory = openPinnedDirectory(scratch());
    directory.create("file").close();
    const unlinkAbsent = (): void => {
      directory.unlink("absent");
    };
    const linkAbsent = (): void => {
      directory.link("absent", "target");
    };
    expect(failureOf(unlinkAbsent)).toMatchObject({ errnoName: "ENOENT", syscall: "unlinkat" });
    expect(failureOf(linkAbsent)).toMatchObject({ errnoName: "ENOENT", syscall: "linkat" });
    expect(failureOf(() => directory.openDirectory("file"))).toMatchObject({ errnoName: "ENOTDIR" });
  });

  it("EACCES, for one who is not root", () => {
    const top = scratch();
    mkdirSync(join(top, "hidden"), { mode: 0o000 });
    chmodSync(top, 0o555);
    const body = `${BECOME_NOBODY}
      const closed = openPinnedDirectory(argument.top);
      print([errnoOf(() => closed.create("x")), errnoOf(() => openPinnedDirectory(argument.top + "/hidden"))]);`;
    const found = runChild(body, { top });
    // Otherwise the scratch folder could not be removed by one who is not root.
    for (const name of [".", "hidden"]) chmodSync(join(top, name), 0o755);
    expect(found).toEqual(["EACCES", "EACCES"]);
  });

  it("walking asks for search permission alone", () => {
    const top = scratch();
    mkdirSync(join(top, "searchable", "inner"), { recursive: true });
    for (const name of ["searchable/inner", "."]) chmodSync(join(top, name), 0o755);
    chmodSync(join(top, "searchable"), 0o311);
    const body = `${BECOME_NOBODY}
      print([errnoOf(() => openPinnedDirectory(argument.top + "/searchable/inner").close()),
             errnoOf(() => openPinnedDirectory(argument.top + "/searchable"))]);`;
    const found = runChild(body, { top });
    chmodSync(join(top, "searchable"), 0o755);
    expect(found).toEqual(["none", "EACCES"]);
  });

  it("EMFILE, and nothing is left open by the failure", () => {
    const body = `
      const directory = openPinnedDirectory(argument.top);
      directory.create("file").close();
      const files = [];
      let found;
      for (;;) {
        found = errnoOf(() => files.push(directory.open("file")));
        if (found !== "none") break;
      }
      const others = [errnoOf(() => directory.list({ limit: 1 })), errnoOf(() => openPinnedDirectory(argument.top)),
                      errnoOf(() => statComponents(argument.top))];
      for (const file of files) file.close();
      print([found, others, files.length > 3, directory.list({ limit: 2 }).names]);`;
    const found = runChild(body, { top: scratch() }, { shell: "ulimit -n 60;" });
    expect(found).toEqual(["EMFILE", ["EMFILE", "EMFILE", "EMFILE"], true, ["file"]]);
  });
});
