import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { BenchError } from "./error.ts";
import { quantile } from "./statistics.ts";

/** The number by which Linux names a file system in memory (statfs(2)). */
const TMPFS_MAGIC = 0x0102_1994;

/** How often the cost of an fsync is taken. */
const FSYNC_SAMPLES = 32;

/** Where and under what conditions the numbers were made. */
export interface BenchEnvironment {
  readonly node: string;
  readonly platform: string;
  readonly processor: string;
  readonly processors: number;
  /** Load of the machine in the last minute when the run began. Above the number of processors, think twice. */
  readonly load: number;
  /** Number of the file system, in hexadecimal (statfs). */
  readonly fileSystem: string;
  readonly fsyncP50Ms: number;
}

function fsyncP50Ms(directory: string): number {
  const file = openSync(join(directory, "fsync"), "w");
  const samples: number[] = [];
  for (let i = 0; i < FSYNC_SAMPLES; i += 1) {
    writeSync(file, "x");
    const start = performance.now();
    fsyncSync(file);
    samples.push(performance.now() - start);
  }
  closeSync(file);
  return quantile(samples, 0.5);
}

/**
 * Looks at the machine and at the folder in which benches may write.
 *
 * @throws BenchError `ON_TMPFS`
 */
export function benchEnvironment(workDirectory: string): BenchEnvironment {
  mkdirSync(workDirectory, { recursive: true });
  const fileSystem = statfsSync(workDirectory).type;
  if (fileSystem === TMPFS_MAGIC) {
    throw new BenchError({
      code: "ON_TMPFS",
      message: `${workDirectory} lies on tmpfs, where a sync costs nothing. Put the clone on a real disk.`,
    });
  }
  const directory = mkdtempSync(join(workDirectory, "environment-"));
  try {
    return {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: cpus()[0]?.model ?? "unknown",
      processors: availableParallelism(),
      load: loadavg()[0] ?? 0,
      fileSystem: `0x${fileSystem.toString(16)}`,
      fsyncP50Ms: fsyncP50Ms(directory),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
