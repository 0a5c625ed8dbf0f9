import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchError } from "../harness/error.ts";

/** What the native part offers (native/bench/bench.cc). */
export interface BenchAddon {
  /** Starts threads that push `total` events into a ring, repeating each refused push. */
  startRing(producers: number, total: number): void;
  /** Drains packed records; how many. */
  drainRing(buffer: Uint8Array, recordsMax: number): number;
  joinRing(): void;
  /** Starts threads that make `total` thread-safe-function calls, each with the bytes of one record. */
  startCalls(producers: number, total: number, callback: (record: Uint8Array) => void): void;
  joinCalls(): void;
  /** Nanoseconds that so many callbacks took, and the allocations they made. */
  callbackCost(events: number, full: boolean): [nanoseconds: number, allocations: number];
  /** 1: shows that allocations are counted at all. */
  countOneAllocation(): number;
}

const packageDirectory = fileURLToPath(new URL("../../", import.meta.url));
const native = join(packageDirectory, "..", "..", "native");
const SOURCES = ["record.cc", "record_ring.cc", "event_queue.cc"].map((name) =>
  join(native, "addon/src/runtime", name),
);

const FLAGS = [
  "-std=c++20",
  "-O2",
  "-fPIC",
  "-shared",
  "-fvisibility=hidden",
  "-Wall",
  "-Wextra",
  "-Werror",
  "-pthread",
  "-DNODE_GYP_MODULE_NAME=bench",
  "-DNAPI_VERSION=8",
  "-Wl,-Bsymbolic",
  // Every call of malloc in these sources goes through the counter; operator new is replaced by the source itself.
  "-Wl,--wrap=malloc",
];

/** The folder with Node's own headers: the one a bootstrap names, else the one beside the running Node. */
function nodeHeaders(): string {
  const directory = process.env["npm_config_nodedir"] ?? dirname(dirname(process.execPath));
  return join(directory, "include", "node");
}

function compile(target: string): void {
  const building = `${target}.${process.pid}`;
  const includes = [nodeHeaders(), join(native, "addon/src"), join(native, "abi")].map((path) => `-I${path}`);
  try {
    execFileSync("c++", [...FLAGS, ...includes, "-o", building, join(native, "bench/bench.cc"), ...SOURCES], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (cause) {
    throw new BenchError({
      code: "NOT_BUILT",
      message: `the native part of the benches could not be compiled: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
  renameSync(building, target);
}

function filesBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(directory, name)).isFile()).sort();
}

/**
 * Loads the native part, compiled from the addon's own sources when they have changed.
 *
 * @throws BenchError `NOT_BUILT`
 */
export function loadBenchAddon(): BenchAddon {
  const hash = createHash("sha256").update(FLAGS.join(" ")).update(process.version);
  const directories = [join(native, "bench"), join(native, "abi"), join(native, "addon/src/runtime")];
  for (const directory of directories) {
    for (const file of filesBelow(directory)) hash.update(file).update(readFileSync(join(directory, file)));
  }
  const target = join(packageDirectory, "build", `bench-${hash.digest("hex").slice(0, 16)}.node`);
  if (!existsSync(target)) {
    mkdirSync(dirname(target), { recursive: true });
    compile(target);
  }
  // The shape is that of the source compiled above, which belongs to the same commit.
  return createRequire(import.meta.url)(target) as BenchAddon;
}
