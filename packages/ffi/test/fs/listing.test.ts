import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LISTING_PIECE_NAMES_MAX, openPinnedDirectory } from "../../src/fs/index.ts";
import { errorOf } from "./errors.ts";
import { scratch } from "./scratch.ts";

function fill(top: string, count: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `entry-${index}`);
  for (const name of names) writeFileSync(join(top, name), "");
  return names.sort();
}

describe("a listing", () => {
  it.each([0, 1, LISTING_PIECE_NAMES_MAX - 1, LISTING_PIECE_NAMES_MAX, LISTING_PIECE_NAMES_MAX + 1])(
    "of %i entries is whole at its limit and says so, and is partial one below it",
    (count) => {
      const top = scratch();
      const names = fill(top, count);
      using directory = openPinnedDirectory(top);
      for (const limit of [count, count + 1]) {
        const listing = directory.list({ limit });
        expect({ ...listing, names: [...listing.names].sort() }).toEqual({ names, notUtf8Count: 0, complete: true });
      }
      if (count > 0) {
        const partial = directory.list({ limit: count - 1 });
        expect(partial.complete).toBe(false);
        expect(new Set(partial.names).size).toBe(count - 1);
      }
    },
  );

  it("streams every entry once, and two streams do not disturb each other", () => {
    const top = scratch();
    const names = fill(top, 2 * LISTING_PIECE_NAMES_MAX + 3);
    using directory = openPinnedDirectory(top);
    const other = directory.entries();
    other.next();
    const seen = [...directory.entries()].map((entry) => (entry.kind === "name" ? entry.name : "?"));
    expect(seen.sort()).toEqual(names);
    expect([...other].length).toBe(names.length - 1);
  });

  it("does not turn a name that is not UTF-8 into another name", () => {
    const top = scratch();
    writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0x61, 0xff, 0x62])]), "");
    // What decoding the bytes above would give is a file of its own.
    writeFileSync(join(top, "a\uFFFDb"), "");
    using directory = openPinnedDirectory(top);
    expect(directory.list({ limit: 2 })).toEqual({ names: ["a\uFFFDb"], notUtf8Count: 1, complete: true });
    const bytes = [...directory.entries()].flatMap((entry) => (entry.kind === "not-utf8" ? [...entry.bytes] : []));
    expect(bytes).toEqual([0x61, 0xff, 0x62]);
  });

  it("names directories, links and everything else alike, without . and ..", () => {
    const top = scratch();
    mkdirSync(join(top, "directory"));
    writeFileSync(join(top, ".hidden"), "");
    writeFileSync(join(top, "..."), "");
    using directory = openPinnedDirectory(top);
    expect([...directory.list({ limit: 9 }).names].sort()).toEqual(["...", ".hidden", "directory"]);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d as a limit", (limit) => {
    using directory = openPinnedDirectory(scratch());
    expect(errorOf(() => directory.list({ limit })).code).toBe("INVALID_ARGUMENT");
  });
});
