import { RECORD_BYTES, type RingCounters } from "@mesh/ffi/runtime";
import type { HeldReporter, HubSource } from "../../src/subscribe/hub.ts";
import { encodeRecords, rawRecord } from "../record.ts";

/**
 * The ring of the process in JavaScript, filled at the moment a test wants: the native one cannot be made to overflow between two
 * chosen drains. Bounded, newest dropped, counted, and a drain makes room.
 */
export class SimulatedReporter implements HeldReporter {
  readonly #capacity: number;
  readonly #ring: bigint[] = [];
  readonly #counters = { offered: 0, accepted: 0, droppedFull: 0, droppedClosed: 0, rejectedNull: 0, drained: 0 };
  cleared = 0;
  drains = 0;
  failure: Error | undefined;
  /** Runs once, right after the next drain: what the runtime does meanwhile. */
  afterDrain: (() => void) | undefined;
  /** What clearing waits for. */
  clearing: Promise<void> = Promise.resolve();

  constructor(capacity = 1_024) {
    this.#capacity = capacity;
  }

  push(sequence: bigint): void {
    this.#counters.offered += 1;
    if (this.#ring.length >= this.#capacity) {
      this.#counters.droppedFull += 1;
      return;
    }
    this.#counters.accepted += 1;
    this.#ring.push(sequence);
  }

  /** An event that comes while nobody has the reporter installed. */
  pushLate(): void {
    this.#counters.offered += 1;
    this.#counters.droppedClosed += 1;
  }

  reject(): void {
    this.#counters.offered += 1;
    this.#counters.rejectedNull += 1;
  }

  drainInto(buffer: Uint8Array, recordsMax: number): number {
    if (this.failure !== undefined) throw this.failure;
    this.drains += 1;
    const sequences = this.#ring.splice(0, recordsMax);
    const records = sequences.map((sequence) => rawRecord({ kind: 401, category: 7, sequence }));
    buffer.set(encodeRecords(records).subarray(0, records.length * RECORD_BYTES));
    this.#counters.drained += records.length;
    this.afterDrain?.();
    this.afterDrain = undefined;
    return records.length;
  }

  counters(): RingCounters {
    return {
      ...this.#counters,
      rejectedShortStruct: 0,
      rejectedAbiVersion: 0,
      rejectedOversizedDetail: 0,
      truncatedDetail: 0,
      queued: this.#ring.length,
    };
  }

  async clear(): Promise<void> {
    await this.clearing;
    this.cleared += 1;
  }
}

/** A hub's surroundings over such a ring. */
export function simulatedSource(reporter: SimulatedReporter): HubSource & { installs: number; busy: boolean } {
  return {
    installs: 0,
    busy: false,
    install() {
      this.installs += 1;
      return Promise.resolve(reporter);
    },
    isBusy() {
      return this.busy;
    },
    onBusy: () => () => undefined,
  };
}
