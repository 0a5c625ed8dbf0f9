import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import {
  lockName,
  PUT_ACTION_DIGEST,
  QUARANTINE_NAME,
  recoveryActionDigest,
  sha256Hex,
  stageName,
} from "../../src/layout.ts";
import { type Ended, runJob } from "./child.ts";
import { type Job, quarantineStem, type Report } from "./job.ts";
import { OTHER_ACTION } from "./store-state.ts";

/** A changing system call that strace saw: its name, the entry it was about, and how it ended. */
export interface TracedCall {
  readonly syscall: string;
  readonly line: string;
}

/**
 * Every system call that could change a directory or a file's bytes, so that one we forgot would be seen too. Not
 * `sync_file_range`, which begins to write what was written before and promises nothing (the effect `startWriteback`).
 */
const CHANGING_CALLS = [
  ...["openat", "open", "creat", "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range"],
  ...["truncate", "ftruncate", "fallocate", "fsync", "fdatasync", "sync", "syncfs", "msync"],
  ...["link", "linkat", "symlink", "symlinkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir"],
  ...["mkdir", "mkdirat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"],
  ...["utime", "utimes", "utimensat", "futimesat", "setxattr", "fsetxattr", "lsetxattr", "removexattr", "flock"],
];

/** Skips the test, with the reason, on a machine without strace or where tracing is forbidden. */
export function needStrace(context: TestContext): void {
  const tried = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"], { encoding: "utf8" });
  if (tried.status !== 0) context.skip(`blocked: strace (${tried.error?.message ?? tried.stderr.trim()})`);
}

/** What strace saw of a job. */
export interface TracedJob {
  readonly ended: Ended;
  /** The changing calls on entries of the root, in order. */
  readonly calls: readonly TracedCall[];
  /** Which ones of all openings those are that may create; counted from 1, as an injection counts. */
  readonly openings: readonly number[];
}

/** Does a job under strace. `inject` is what is done to its calls, in strace's own words. */
export async function traceJob(job: Job, inject: readonly string[] = []): Promise<TracedJob> {
  const folder = mkdtempSync(join(tmpdir(), "skill-cas-trace-"));
  const log = join(folder, "trace");
  try {
    const ended = await runJob(job, [
      ...["strace", "-f", "-y", "-qq", "-o", log, "-e", `trace=${CHANGING_CALLS.join(",")}`],
      ...pathsOf(job).flatMap((path) => ["-P", path]),
      ...inject.flatMap((what) => ["-e", `inject=${what}`]),
    ]);
    const all = readCalls(readFileSync(log, "utf8"));
    const opened = all.filter(({ syscall }) => syscall === "openat");
    const openings = opened.flatMap((call, index) => (isChangingCall(call) ? [index + 1] : []));
    return { ended, calls: all.filter(isChangingCall), openings };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An injection is counted over the calls that name one of these paths, so nothing else of Node's is ever hit. */
function pathsOf({ root, bodies, tag }: Job): string[] {
  const actions = [PUT_ACTION_DIGEST, OTHER_ACTION, recoveryActionDigest(0), recoveryActionDigest(1)];
  const folder = join(root, QUARANTINE_NAME);
  return bodies
    .map(sha256Hex)
    .reduce(
      (paths, digest) => [
        ...paths,
        ...actions.map((action) => join(root, stageName(digest, action))),
        ...[lockName(digest), digest].map((name) => join(root, name)),
        ...[".json", "-0"].map((end) => join(folder, `${quarantineStem(digest, tag)}${end}`)),
      ],
      [root, folder],
    );
}

function readCalls(log: string): TracedCall[] {
  return log
    .split("\n")
    .map((line) => line.replace(/^\d+\s+/, ""))
    .filter((line) => /^\w+\(/.test(line))
    .map((line) => ({ syscall: line.slice(0, line.indexOf("(")), line }));
}

/** Opening changes something only where it may create. Releasing a lock is done by close, which is not traced. */
function isChangingCall({ syscall, line }: TracedCall): boolean {
  return syscall === "openat" ? line.includes("O_CREAT") : true;
}

/** The one system call that each effect is, as strace shows it. */
export function expectedCalls(changing: Report["changing"]): string[] {
  return changing.map(({ kind }) => {
    switch (kind) {
      case "create":
      case "createLock":
        return "openat";
      case "setMode":
        return "fchmod";
      case "write":
        return "pwrite64";
      case "syncFile":
      case "syncDirectory":
        return "fsync";
      case "link":
        return "linkat";
      case "rename":
        return "renameat2";
      case "unlink":
      case "removeLock":
        return "unlinkat";
      case "lock":
        return "flock";
      case "makeDirectory":
        return "mkdirat";
    }
  });
}
