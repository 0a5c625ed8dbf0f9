import { type RingCounters, rejectedCount } from "@mesh/ffi/runtime";
import { RecordDrain, type RecordSource } from "../drain.ts";
import { ACTIVE_INTERVAL_MS, nextDelay } from "./backoff.ts";
import type { StreamItem } from "./bounded-buffer.ts";
import type { EventLoss } from "./loss.ts";

/** The process-wide ring, as far as draining needs it. */
export interface ReporterSource extends RecordSource {
  counters(): RingCounters;
}

/** What a pump needs from its surroundings. */
export interface PumpOptions {
  readonly source: ReporterSource;
  /** Takes each event and each loss in order. Must not throw. */
  readonly deliver: (item: StreamItem) => void;
  /** Takes the error that ended the pumping, when the source gives one. */
  readonly fail: (error: unknown) => void;
  /** Whether something runs that is likely to send events soon, such as a model open. */
  readonly isBusy: () => boolean;
  /** Whether the timer may keep the process alive. */
  readonly keepsAlive: () => boolean;
}

/** Drains the process-wide ring on a timer that slows down when idle. There is one pump while there are subscribers, else none. */
export class Pump {
  readonly #options: PumpOptions;
  readonly #drain: RecordDrain;
  #seen: RingCounters;
  #timer: NodeJS.Timeout | undefined;
  #delayMs = ACTIVE_INTERVAL_MS;
  #stopped = false;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#drain = new RecordDrain(options.source);
    // Losses from before the first subscriber belong to nobody here.
    this.#seen = options.source.counters();
    this.#schedule();
  }

  /** Drains no more. What the ring holds stays there. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Drains soon, because something starts that will send events. */
  wake(): void {
    if (this.#stopped || this.#delayMs === ACTIVE_INTERVAL_MS) return;
    this.#delayMs = ACTIVE_INTERVAL_MS;
    clearTimeout(this.#timer);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#tick();
    }, this.#delayMs);
    if (!this.#options.keepsAlive()) this.#timer.unref();
  }

  #tick(): void {
    try {
      const drained = this.#pass();
      this.#delayMs = nextDelay(this.#delayMs, drained > 0 || this.#options.isBusy());
    } catch (error) {
      this.stop();
      this.#options.fail(error);
    }
    // A consumer may have stopped the pump while it was delivering.
    if (!this.#stopped) this.#schedule();
  }

  /**
   * Delivers the records that were in the ring at one moment, then the losses counted by that moment. That is their place: a
   * full ring drops what comes behind everything it holds, and takes new records only when a drain has made room.
   */
  #pass(): number {
    const now = this.#options.source.counters();
    let left = now.queued;
    while (left > 0) {
      const events = this.#drain.next(left);
      if (events.length === 0) break;
      left -= events.length;
      for (const event of events) this.#options.deliver(event);
    }
    for (const loss of lossesBetween(this.#seen, now)) this.#options.deliver(loss);
    this.#seen = now;
    return now.queued - left;
  }
}

function lossesBetween(before: RingCounters, now: RingCounters): EventLoss[] {
  const losses: EventLoss[] = [
    { kind: "lost", reason: "ring-full", count: now.droppedFull - before.droppedFull },
    { kind: "lost", reason: "ring-closed", count: now.droppedClosed - before.droppedClosed },
    { kind: "lost", reason: "refused", count: rejectedCount(now) - rejectedCount(before) },
  ];
  return losses.filter(({ count }) => count > 0);
}
