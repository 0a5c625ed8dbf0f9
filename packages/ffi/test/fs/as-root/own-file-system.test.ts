import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { openPinnedDirectory } from "../../../src/fs/index.ts";
import { failureOf } from "../errors.ts";
import { scratch } from "../scratch.ts";

/** Mounts a tmpfs for one test, or reports that this machine does not allow it. */
function mountTmpfs(context: TestContext, options: string): string {
  const top = scratch();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", top], { encoding: "utf8" });
  if (mounted.status !== 0) context.skip(`blocked: mount of a tmpfs (${mounted.stderr.trim()})`);
  onTestFinished(() => {
    execFileSync("umount", [top]);
  });
  return top;
}

describe("on a file system of its own", () => {
  it("ENOSPC comes after a partial write, and the bytes written are there", (context) => {
    using directory = openPinnedDirectory(mountTmpfs(context, "size=64k"));
    using file = directory.create("file");
    const written = file.write(Buffer.alloc(100_000, 1), 0);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(100_000);
    expect(failureOf(() => file.write(Buffer.alloc(1), written))).toMatchObject({
      errnoName: "ENOSPC",
      syscall: "pwrite",
    });
    expect(file.status().size).toBe(written);
  });

  it("ENOSPC where no inode is left", (context) => {
    using directory = openPinnedDirectory(mountTmpfs(context, "nr_inodes=3"));
    const fill = (): void => {
      for (let index = 0; index < 5; index += 1) directory.create(`file${index}`).close();
    };
    expect(failureOf(fill)).toMatchObject({ errnoName: "ENOSPC", syscall: "openat" });
  });

  it("EXDEV across two, and EROFS on one that is read-only", (context) => {
    const top = mountTmpfs(context, "size=64k");
    using directory = openPinnedDirectory(top);
    using outside = openPinnedDirectory(scratch());
    directory.create("file").close();
    const across = (): void => {
      directory.linkInto("file", outside, "file");
    };
    expect(failureOf(across)).toMatchObject({ errnoName: "EXDEV", syscall: "linkat" });
    expect(directory.mount()).toMatchObject({ name: "tmpfs", readOnly: false });
    execFileSync("mount", ["-o", "remount,ro", top]);
    expect(failureOf(() => directory.create("other")).errnoName).toBe("EROFS");
    expect(directory.mount()).toMatchObject({ name: "tmpfs", readOnly: true, device: directory.status().device });
  });
});
