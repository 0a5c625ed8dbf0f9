import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NAME_BYTES_MAX, openPinnedDirectory, type PinnedDirectory } from "../../src/fs/index.ts";
import { errorOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

/** Every method that takes a name from outside. */
const METHODS: Readonly<Record<string, (directory: PinnedDirectory, name: string) => unknown>> = {
  stat: (directory, name) => directory.stat(name),
  create: (directory, name) => directory.create(name),
  open: (directory, name) => directory.open(name),
  openOrCreateLock: (directory, name) => directory.openOrCreateLock(name),
  openDirectory: (directory, name) => directory.openDirectory(name),
  linkSource: (directory, name) => {
    directory.link(name, "target");
  },
  linkTarget: (directory, name) => {
    directory.link("source", name);
  },
  linkInto: (directory, name) => {
    directory.linkInto("source", directory, name);
  },
  renameSource: (directory, name) => {
    directory.renameInto(name, directory, "target");
  },
  renameTarget: (directory, name) => {
    directory.renameInto("source", directory, name);
  },
  unlink: (directory, name) => {
    directory.unlink(name);
  },
  makeDirectory: (directory, name) => {
    directory.makeDirectory(name);
  },
};

const notOneComponent = fc.oneof(
  fc.constantFrom("", ".", "..", "/", "a/", "/a", "a/b", "../a", "\0", "a\0", "\uD800", "x\uDC00y"),
  fc.tuple(fc.string(), fc.constantFrom("/", "\0", "\uD83D"), fc.string()).map(([a, b, c]) => `${a}${b} ${c}`),
  fc.integer({ min: NAME_BYTES_MAX + 1, max: 5000 }).map((length) => "n".repeat(length)),
  fc.constant("漢".repeat(86)),
);

describe("a name is one path component", () => {
  it.each(Object.entries(METHODS))("%s refuses anything else before the call", (_, method) => {
    const top = scratch();
    using directory = openPinnedDirectory(`${top}/inner`, { create: true });
    directory.create("source").close();
    fc.assert(
      fc.property(notOneComponent, (name) => {
        expect(errorOf(() => method(directory, name)).code).toBe("INVALID_NAME");
      }),
      { numRuns: 60 },
    );
    expect(directory.list({ limit: 10 }).names).toEqual(["source"]);
  });

  it("and every such name makes, lists, opens and removes exactly one entry", () => {
    using directory = openPinnedDirectory(scratch());
    const component = fc
      .string({ minLength: 1, maxLength: 60, unit: "grapheme" })
      .filter((name) => !/[/\0]/.test(name) && name !== "." && name !== "..")
      .filter((name) => Buffer.byteLength(name) <= NAME_BYTES_MAX);
    fc.assert(
      fc.property(component, (name) => {
        directory.create(name).close();
        expect(directory.list({ limit: 10 }).names).toEqual([name]);
        directory.open(name).close();
        directory.unlink(name);
        expect(directory.stat(name)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("of up to NAME_BYTES_MAX bytes", () => {
    using directory = openPinnedDirectory(scratch());
    const longest = `${"漢".repeat(84)}abc`;
    expect(Buffer.byteLength(longest)).toBe(NAME_BYTES_MAX);
    directory.create(longest).close();
    expect(directory.stat(longest)?.kind).toBe("regular");
    expect(errorOf(() => directory.stat(`${longest}d`)).code).toBe("INVALID_NAME");
  });
});
