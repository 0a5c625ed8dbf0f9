import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { evaluate } from "./child.ts";
import { scratch } from "./scratch.ts";

const CHANGING =
  "openat,mkdir,mkdirat,pwrite64,sync_file_range,fsync,fdatasync,linkat,unlinkat,flock,fchmod,fchmodat,renameat2,ftruncate";

/** Runs a child under strace and returns what it printed, with the calls that touch `top` in order. */
function trace(
  context: TestContext,
  body: string,
  top: string,
  inject: readonly string[] = [],
  calls = CHANGING,
): Traced {
  const log = join(top, "..", `${top.split("/").at(-1) ?? ""}.trace`);
  const node = [process.execPath, ...evaluate(body, { top })];
  const flags = ["-f", "-y", "-qq", "-o", log, "-e", `trace=${calls}`, ...inject];
  const ended = spawnSync("strace", [...flags, ...node], { encoding: "utf8" });
  if (ended.error !== undefined) context.skip(`blocked: strace (${ended.error.message})`);
  if (ended.status !== 0) throw new Error(`the child ended with ${ended.status ?? ended.signal}: ${ended.stderr}`);
  const lines = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes(top));
  spawnSync("rm", ["-f", log]);
  return { printed: JSON.parse(ended.stdout), calls: lines.map((line) => line.replace(/^\d+\s+/, "")) };
}

interface Traced {
  readonly printed: unknown;
  readonly calls: readonly string[];
}

const names = (calls: readonly string[]): string[] => calls.map((call) => call.slice(0, call.indexOf("(")));

describe.runIf(process.platform === "linux")("under strace", () => {
  it("each method is one call, with the flags that keep it safe", (context) => {
    const top = scratch();
    const body = `
      const directory = openPinnedDirectory(argument.top);
      const file = directory.create("stage");
      file.setMode(0o600);
      file.write(Buffer.from("bytes"), 0);
      file.startWriteback();
      file.sync();
      directory.link("stage", "object");
      directory.unlink("stage");
      directory.sync();
      const lock = directory.openOrCreateLock("lock");
      lock.tryLock();
      lock.unlock();
      directory.open("object");
      directory.makeDirectory("inner");
      directory.renameInto("object", directory.openDirectory("inner"), "moved");
      print(true);`;
    const { calls } = trace(context, body, top);
    const own = calls.slice(calls.findIndex((call) => call.includes('"stage"')));
    expect(names(own)).toEqual([
      ...["openat", "fchmod", "pwrite64", "sync_file_range", "fsync", "linkat", "unlinkat", "fsync"],
      ...["openat", "flock", "flock", "openat", "mkdirat", "openat", "renameat2"],
    ]);
    expect(own.at(-1)).toContain("RENAME_NOREPLACE");
    // Neither of the flags that wait: they would take the error that the sync has to report.
    expect(own[3]).toMatch(/, 0, 0, SYNC_FILE_RANGE_WRITE\)/);
    const opened = own.filter((call) => call.startsWith("openat"));
    expect(opened[0]).toContain("O_WRONLY|O_CREAT|O_EXCL|O_NONBLOCK|O_NOFOLLOW|O_CLOEXEC, 0600");
    expect(opened[1]).toContain("O_RDWR|O_CREAT|O_NONBLOCK|O_NOFOLLOW|O_CLOEXEC, 0600");
    expect(opened[2]).toContain("O_RDONLY|O_NONBLOCK|O_NOFOLLOW|O_CLOEXEC");
  });

  it("a made component's entry is synced before anything is made in it", (context) => {
    const top = scratch();
    const body = `
      openPinnedDirectory(argument.top + "/a/b", { create: true }).close();
      print(true);`;
    const changes = trace(context, body, top).calls.filter((call) => !call.startsWith("openat"));
    const plain = changes.map((call) =>
      call
        .replaceAll(top, "TOP")
        .replace(/\d+</g, "<")
        .replace(/\s+= 0$/, ""),
    );
    expect(plain).toEqual([
      'mkdirat(<TOP>, "a", 0700)',
      "fsync(<TOP>)",
      'mkdirat(<TOP/a>, "b", 0700)',
      "fsync(<TOP/a>)",
    ]);
  });

  it("a signal that interrupts any call makes it run again", (context) => {
    const top = scratch();
    const body = `
      const directory = openPinnedDirectory(argument.top);
      const file = directory.create("stage");
      file.setMode(0o600);
      const written = file.write(Buffer.from("bytes"), 0);
      file.sync();
      const opened = directory.open("stage");
      const read = opened.read(Buffer.alloc(9), 0);
      opened.status();
      directory.stat("stage");
      const locked = opened.tryLock();
      opened.unlock();
      directory.link("stage", "object");
      directory.unlink("stage");
      directory.sync();
      directory.makeDirectory("inner");
      directory.renameInto("object", directory.openDirectory("inner"), "moved");
      directory.mount();
      statComponents(argument.top + "/inner");
      print([written, read, locked, directory.list({ limit: 9 }).names.sort()]);`;
    const calls = [
      ...["openat", "fchmod", "pwrite64", "pread64", "fsync", "newfstatat", "fstat", "flock", "linkat", "unlinkat"],
      ...["renameat2", "mkdirat", "fstatfs"],
    ];
    const inject = [
      ...["-P", top, "-P", join(top, "stage"), "-P", join(top, "inner")],
      ...calls.flatMap((call) => ["-e", `inject=${call}:error=EINTR:when=1+2`]),
    ];
    const traced = trace(context, body, top, inject, calls.join(","));
    expect(traced.printed).toEqual([5, 5, true, ["inner"]]);
    const interrupted = traced.calls.filter((call) => call.includes("EINTR") && call.includes("(INJECTED)"));
    expect(new Set(names(interrupted))).toEqual(new Set(calls.filter((call) => names(traced.calls).includes(call))));
    for (const call of [
      "openat",
      "fchmod",
      "pwrite64",
      "pread64",
      "fsync",
      "newfstatat",
      "flock",
      "linkat",
      "unlinkat",
      "renameat2",
    ]) {
      expect(names(interrupted), call).toContain(call);
    }
  });
});
