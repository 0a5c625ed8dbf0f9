import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/layout.ts";
import { manyBodies } from "./put-many.ts";
import { expectNoFalseObject, makeRoot } from "./store-state.ts";

const COUNT = 1000;
const PROGRAM = join(import.meta.dirname, "put-many-program.ts");

async function putMany(root: string, direction: string): Promise<unknown> {
  const args = ["--disable-warning=ExperimentalWarning", PROGRAM, root, String(COUNT), direction];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout);
}

describe("two processes that store the same contents in opposite order", () => {
  it("never wait for each other's batch, and both end right, in the order of their input", async () => {
    const root = makeRoot();
    const digests = manyBodies(COUNT).map((body) => sha256Hex(body));
    const [forwards, backwards] = await Promise.all([putMany(root, "forwards"), putMany(root, "backwards")]);
    const expected = digests.map((digest) => ({
      digest,
      status: expect.stringMatching(/^(created|present)$/) as unknown,
    }));
    expect(forwards).toEqual(expected);
    expect(backwards).toEqual(expected.reverse());
    expectNoFalseObject(root);
    expect(readdirSync(root).filter((name) => name.endsWith(".pending"))).toEqual([]);
    expect(readdirSync(root).filter((name) => digests.includes(name)).length).toBe(COUNT);
  });
});
