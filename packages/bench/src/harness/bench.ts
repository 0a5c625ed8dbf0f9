import type { BenchEnvironment } from "./environment.ts";
import type { Goal, Summary } from "./statistics.ts";

/** How a run is made. */
export interface RunOptions {
  /** One small block a side: shows that the bench works, and measures nothing. */
  readonly smoke: boolean;
}

/** What a bench has measured. */
export interface Measurement extends Summary {
  /** The peer it was measured against, where there is one. */
  readonly peer?: string;
  /** Whatever a reader needs to judge the number. */
  readonly detail?: Readonly<Record<string, number | string>>;
}

/** One bench: an id that stays, a unit, what the value has to be, and how to measure it. */
export interface Bench {
  readonly id: string;
  readonly unit: string;
  /** Left out where the number is for information. */
  readonly goal?: Goal;
  /** @throws BenchError `BLOCKED` where the machine lacks what it needs. */
  measure(options: RunOptions): Promise<Measurement>;
}

/** One line of the result file. */
export interface BenchResult {
  /** Null where the bench was blocked. */
  readonly value: number | null;
  readonly unit: string;
  readonly goal: Goal | null;
  readonly holds: boolean | null;
  readonly range: readonly [number, number] | null;
  /** What the machine lacks for this bench; null where it ran. */
  readonly blocked: string | null;
  readonly peer: string | null;
  readonly detail: Readonly<Record<string, number | string>>;
  /** Where and under what conditions it was measured. */
  readonly environment: BenchEnvironment;
}
