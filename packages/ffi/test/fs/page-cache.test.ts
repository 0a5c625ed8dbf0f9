import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openPinnedDirectory, type PinnedDirectory } from "../../src/fs/index.ts";
import { scratch } from "./scratch.ts";

const BYTES = Buffer.alloc(1_000_000, "page");

let directory: PinnedDirectory | undefined;

afterEach(() => {
  directory?.close();
  directory = undefined;
});

function write(top: string, sync: boolean): PinnedDirectory {
  directory = openPinnedDirectory(top);
  using file = directory.create("file");
  let position = 0;
  while (position < BYTES.length) position += file.write(BYTES.subarray(position), position);
  if (sync) file.sync();
  return directory;
}

/** Bytes that this thread caused to be read from a device since it began (`/proc`, Linux). */
function bytesFromDevice(): number {
  return Number(/read_bytes: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

it("beginning to write changes no byte, makes no promise, and is an error once the file is closed", () => {
  const top = scratch();
  const file = write(top, false).open("file");
  file.startWriteback();
  expect(readFileSync(join(top, "file")).equals(BYTES)).toBe(true);
  file.close();
  expect(() => {
    file.startWriteback();
  }).toThrow(expect.objectContaining({ code: "HANDLE_CLOSED" }) as Error);
});

describe.runIf(process.platform === "linux")("dropping the cached pages of a file", () => {
  it("makes the next read come from the device, and changes no byte", (context) => {
    const top = scratch();
    using file = write(top, true).open("file");
    if (directory?.mount().name === "tmpfs") context.skip("blocked: the temporary folder is on no device");
    expect(file.dropCachedPages()).toBe(true);
    const before = bytesFromDevice();
    const buffer = new Uint8Array(BYTES.length);
    expect(file.read(buffer, 0)).toBe(BYTES.length);
    expect(BYTES.equals(buffer)).toBe(true);
    expect(bytesFromDevice() - before).toBeGreaterThanOrEqual(BYTES.length);
  });

  it("is no claim where there is no device behind the file", (context) => {
    let top: string;
    try {
      top = mkdtempSync(join(realpathSync("/dev/shm"), "ffi-fs-"));
    } catch {
      return context.skip("blocked: no /dev/shm");
    }
    onTestFinished(() => {
      rmSync(top, { recursive: true, force: true });
    });
    using file = write(top, true).open("file");
    expect(file.dropCachedPages()).toBe(false);
    expect(readFileSync(join(top, "file")).equals(BYTES)).toBe(true);
  });

  it("is nothing for an empty file, and an error once the file is closed", () => {
    directory = openPinnedDirectory(scratch());
    const file = directory.create("empty");
    expect(file.dropCachedPages()).toBe(true);
    file.close();
    expect(() => file.dropCachedPages()).toThrow(expect.objectContaining({ code: "HANDLE_CLOSED" }) as Error);
  });
});
