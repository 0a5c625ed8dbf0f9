import { join } from "node:path";
import { openPinnedDirectory } from "@mesh/ffi/fs";
import { describe, expect, it } from "vitest";
import { performJob } from "./job.ts";
import { expectAtRest, makeRoot, publishJob, reconcileJob } from "./store-state.ts";

/** Linux takes paths of at most 4095 bytes in one call; this one leaves room for a name of the store after it. */
const PATH_BYTES = 4000;

describe("a root works", () => {
  it(`at a path of ${PATH_BYTES} bytes, with spaces and characters beyond ASCII`, () => {
    let root = join(makeRoot(), "mit Leerzeichen", "ünïcödé 漢字 🙂");
    while (Buffer.byteLength(root) < PATH_BYTES - 201) root += `/${"d".repeat(199)}`;
    root += `/${"e".repeat(PATH_BYTES - Buffer.byteLength(root) - 1)}`;
    expect(Buffer.byteLength(root)).toBe(PATH_BYTES);
    openPinnedDirectory(root, { create: true }).close();
    expect(performJob(publishJob(root)).attempts).toEqual([{ state: "exact" }]);
    expectAtRest(root);
    expect(performJob(reconcileJob(root)).attempts).toEqual([{ state: "exact" }]);
  });
});
