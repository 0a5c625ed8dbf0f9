import { describe, expect, it } from "vitest";
import { openPinnedDirectory } from "../../src/fs/index.ts";
import { runChild } from "./child.ts";
import { errorOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

describe("a closed handle", () => {
  it("says so, whatever is asked of it, and when it is closed again", () => {
    using directory = openPinnedDirectory(scratch());
    const file = directory.create("file");
    file.close();
    const uses: readonly (() => unknown)[] = [
      () => file.status(),
      () => file.write(Buffer.from("x"), 0),
      () => file.read(Buffer.alloc(1), 0),
      () => {
        file.setMode(0o600);
      },
      () => {
        file.sync();
      },
      () => file.tryLock(),
      () => {
        file.unlock();
      },
      () => {
        file.close();
      },
    ];
    for (const use of uses) expect(errorOf(use)).toMatchObject({ code: "HANDLE_CLOSED", facts: { path: file.path } });
    file[Symbol.dispose]();
  });

  it("of a directory as well, as the target of a link too", () => {
    using open = openPinnedDirectory(scratch());
    open.create("file").close();
    const closed = openPinnedDirectory(open.path);
    closed.close();
    const uses: readonly (() => unknown)[] = [
      () => closed.status(),
      () => closed.stat("file"),
      () => closed.create("x"),
      () => closed.open("file"),
      () => closed.openOrCreateLock("x"),
      () => closed.openDirectory("x"),
      () => {
        closed.link("file", "x");
      },
      () => {
        open.linkInto("file", closed, "x");
      },
      () => {
        closed.unlink("file");
      },
      () => {
        closed.makeDirectory("x");
      },
      () => {
        closed.sync();
      },
      () => closed.list({ limit: 1 }),
      () => [...closed.entries()],
      () => closed.mount(),
      () => {
        closed.close();
      },
    ];
    for (const use of uses) expect(errorOf(use).code).toBe("HANDLE_CLOSED");
    closed[Symbol.dispose]();
    expect(open.list({ limit: 2 }).names).toEqual(["file"]);
  });
});

describe.runIf(process.platform === "linux")("descriptors", () => {
  const COUNT = `
    import { readdirSync, readlinkSync } from "node:fs";
    const open = () => readdirSync("/proc/self/fd").filter((descriptor) => {
      try { return readlinkSync("/proc/self/fd/" + descriptor).startsWith(argument.top); } catch { return false; }
    }).length;`;

  it("are closed when their objects are collected", () => {
    const body = `${COUNT}
      const before = open();
      (() => {
        const directory = openPinnedDirectory(argument.top);
        for (let index = 0; index < 50; index += 1) directory.openOrCreateLock("lock");
        const entries = directory.entries();
        entries.next();
      })();
      const held = open();
      for (let round = 0; round < 20 && open() > before; round += 1) {
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
      }
      print([before, held, open()]);`;
    expect(runChild(body, { top: scratch() }, { nodeOptions: ["--expose-gc"] })).toEqual([0, 52, 0]);
  });

  it("are never inherited by a child", () => {
    const body = `
      import { execFileSync } from "node:child_process";
      const directory = openPinnedDirectory(argument.top);
      const held = [directory.create("file"), directory.open("file"), directory.openOrCreateLock("lock")];
      const entries = directory.entries();
      entries.next();
      const seen = execFileSync("/bin/sh", ["-c", "ls -l /proc/self/fd"], { encoding: "utf8" });
      const own = execFileSync("/bin/sh", ["-c", "ls -l /proc/" + process.pid + "/fd"], { encoding: "utf8" });
      const count = (text) => text.split("\\n").filter((line) => line.includes(argument.top)).length;
      print([count(own), count(seen), held.length]);`;
    expect(runChild(body, { top: scratch() })).toEqual([5, 0, 3]);
  });

  it("are all closed after every kind of failure", () => {
    const body = `${COUNT}
      const directory = openPinnedDirectory(argument.top);
      directory.create("file").close();
      for (const act of [
        () => openPinnedDirectory(argument.top + "/file/inner"),
        () => openPinnedDirectory(argument.top + "/absent"),
        () => openPinnedDirectory(argument.top + "/file/inner", { create: true }),
        () => statComponents(argument.top + "/file/inner"),
        () => directory.openDirectory("file"),
        () => directory.create("file"),
      ]) errnoOf(act);
      directory.list({ limit: 0 });
      for (const entry of directory.entries()) { void entry; break; }
      openPinnedDirectory(argument.top + "/a/b", { create: true }).close();
      print(open());`;
    expect(runChild(body, { top: scratch() })).toBe(1);
  });
});
