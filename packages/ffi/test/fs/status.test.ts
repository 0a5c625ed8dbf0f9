import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, statfsSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPinnedDirectory, type FileStatus } from "../../src/fs/index.ts";
import { scratch } from "./scratch.ts";

/** What Node's own lstat says, in our words. */
function expected(path: string): Omit<FileStatus, "kind"> {
  const status = lstatSync(path, { bigint: true });
  return {
    device: status.dev,
    inode: status.ino,
    mode: Number(status.mode & 0o7777n),
    owner: Number(status.uid),
    group: Number(status.gid),
    linkCount: Number(status.nlink),
    size: Number(status.size),
    modifiedNs: status.mtimeNs,
    changedNs: status.ctimeNs,
  };
}

describe("a status", () => {
  it("is what the kernel says of every kind of entry", async () => {
    const top = scratch();
    writeFileSync(join(top, "regular"), "bytes");
    chmodSync(join(top, "regular"), 0o4751);
    mkdirSync(join(top, "directory"));
    symlinkSync("regular", join(top, "symlink"));
    execFileSync("mkfifo", [join(top, "fifo")]);
    const server = createServer().listen(join(top, "socket"));
    onTestFinished(() => {
      server.close();
    });
    await new Promise((resolve) => server.once("listening", resolve));
    using directory = openPinnedDirectory(top);
    for (const kind of ["regular", "directory", "symlink", "fifo", "socket"]) {
      const status = directory.stat(kind);
      expect(status).toEqual({ kind, ...expected(join(top, kind)) });
      expect(typeof status?.inode).toBe("bigint");
    }
    using dev = openPinnedDirectory("/dev");
    expect(dev.stat("null")).toEqual({ kind: "character-device", ...expected("/dev/null") });
    expect(directory.status()).toEqual({ kind: "directory", ...expected(top) });
    using file = directory.open("regular");
    expect(file.status()).toEqual(directory.stat("regular"));
    expect(directory.stat("absent")).toBeUndefined();
  });

  it("has sizes beyond 32 bits", () => {
    const top = scratch();
    writeFileSync(join(top, "large"), "");
    truncateSync(join(top, "large"), 5 * 2 ** 32 + 1);
    using directory = openPinnedDirectory(top);
    expect(directory.stat("large")?.size).toBe(5 * 2 ** 32 + 1);
  });
});

describe("a mount", () => {
  it("has the number that the kernel gives, and its name", () => {
    using directory = openPinnedDirectory(scratch());
    const mount = directory.mount();
    expect(mount.type).toBe(statfsSync(directory.path).type);
    expect(mount.device).toBe(directory.status().device);
    expect(mount.name).not.toBe("unknown");
  });

  it.runIf(process.platform === "linux")("is told apart by name", () => {
    using proc = openPinnedDirectory("/proc");
    expect(proc.mount()).toMatchObject({ name: "proc", type: 0x9fa0 });
    using shared = openPinnedDirectory("/dev");
    expect(["tmpfs", "devtmpfs"]).toContain(shared.mount().name);
  });
});
