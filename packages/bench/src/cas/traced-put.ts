import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchError } from "../harness/error.ts";

/** Names that do not exist: asking for them marks the beginning and the end in the trace. */
export const MARKS = { begin: "/mesh-bench-put-begins", end: "/mesh-bench-put-ends" } as const;

/** Calls by which the engine gets memory and wakes its own threads. They come and go and touch no file. */
const ENGINE_CALLS = new Set(["brk", "mmap", "munmap", "mprotect", "madvise", "futex", "sched_yield", "getpid"]);

const CHANGING_CALLS = new Set([
  ...["write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "truncate", "fallocate", "copy_file_range"],
  ...["link", "linkat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "symlink", "symlinkat", "rmdir"],
  ...[
    "mkdir",
    "mkdirat",
    "mknod",
    "mknodat",
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "fchownat",
  ],
  ...["utimensat", "setxattr", "fsetxattr", "removexattr", "creat", "flock"],
]);

const SYNC_CALLS = new Set(["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"]);

/** The calls that one fresh put made, counted by strace. */
export interface PutCalls {
  readonly fileSyncs: number;
  readonly directorySyncs: number;
  /** Calls that change the disk or make a change durable: the changing effects of the store's own vocabulary. */
  readonly changing: number;
  /** All calls but those of the engine itself. */
  readonly all: number;
  readonly engine: number;
  readonly names: readonly string[];
}

/**
 * Runs one put under strace.
 *
 * @throws BenchError `BLOCKED` without strace or where tracing is forbidden.
 */
export function tracePut(folder: string): PutCalls {
  const tried = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"], { encoding: "utf8" });
  if (tried.status !== 0) {
    const found = tried.error?.message ?? tried.stderr.trim();
    throw new BenchError({ code: "BLOCKED", message: `strace, with the right to trace a child (${found})` });
  }
  const log = join(folder, "trace");
  const root = join(folder, "root");
  const program = fileURLToPath(new URL("one-put.ts", import.meta.url));
  const child = ["--disable-warning=ExperimentalWarning", program, root];
  // No -f: the synchronous store works on the main thread, and nothing else of Node's is of interest.
  const ran = spawnSync("strace", ["-y", "-qq", "-o", log, process.execPath, ...child], { encoding: "utf8" });
  if (ran.status !== 0) {
    throw new BenchError({ code: "PEER_FAILED", message: `the traced put ended with ${ran.status}: ${ran.stderr}` });
  }
  return count(readFileSync(log, "utf8"), root);
}

/** Counts what lies between the marks. The lines begin with the name of the call; -y adds the path of each descriptor. */
function count(log: string, root: string): PutCalls {
  const lines = log.split("\n");
  const begin = lines.findIndex((line) => line.includes(MARKS.begin));
  const end = lines.findIndex((line) => line.includes(MARKS.end));
  if (begin === -1 || end === -1) {
    throw new BenchError({ code: "PEER_FAILED", message: "the trace lacks the marks around the put" });
  }
  const calls = lines
    .slice(begin + 1, end)
    .filter((line) => /^\w+\(/.test(line))
    .map((line) => ({ name: line.slice(0, line.indexOf("(")), line }));
  const own = calls.filter(({ name }) => !ENGINE_CALLS.has(name));
  const syncs = own.filter(({ name }) => SYNC_CALLS.has(name));
  const directorySyncs = syncs.filter(({ line }) => line.includes(`<${root}>`)).length;
  const changing = own.filter(
    ({ name, line }) =>
      CHANGING_CALLS.has(name) || SYNC_CALLS.has(name) || (name === "openat" && line.includes("O_CREAT")),
  );
  return {
    fileSyncs: syncs.length - directorySyncs,
    directorySyncs,
    changing: changing.length,
    all: own.length,
    engine: calls.length - own.length,
    names: own.map(({ name }) => name),
  };
}
