import { RecordDrain } from "../drain.ts";
import type { StreamItem } from "./bounded-buffer.ts";
import { Pump, type ReporterSource } from "./pump.ts";

/** One who gets everything that the ring delivers. */
export interface Subscriber {
  /** Takes one item; never throws. */
  offer(item: StreamItem): void;
  /** Learns that no further item will come, because of this error. */
  fail(error: unknown): void;
  readonly keepAlive: boolean;
}

/** The installed reporter, as far as the hub needs it. */
export interface HeldReporter extends ReporterSource {
  clear(): Promise<void>;
}

/** What a hub needs to know of its runtime. */
export interface HubSource {
  install(): Promise<HeldReporter>;
  isBusy(): boolean;
  onBusy(callback: () => void): () => void;
}

/** What runs while the reporter is installed. */
interface Running {
  readonly reporter: HeldReporter;
  readonly pump: Pump;
  readonly stopListening: () => void;
}

/** One time that the reporter is installed: from the first subscriber to the last. */
interface Generation {
  readonly subscribers: Set<Subscriber>;
  readonly running: Promise<Running>;
}

/** What is alive in a hub, for whoever wants to be sure that nothing was left behind. */
export interface HubCounters {
  readonly subscribers: number;
  /** How often the reporter was installed. */
  readonly generations: number;
  /** Whether the reporter is installed, or about to be. */
  readonly installed: boolean;
}

/**
 * Shares the one reporter of the process among the subscribers of this environment. The first subscriber installs it, the last
 * one clears it and waits until no callback runs; a subscriber belongs to the generation it came in with and gets nothing of
 * another one.
 */
export class ReporterHub {
  readonly #source: HubSource;
  #generation: Generation | undefined;
  #generations = 0;
  #cleared: Promise<void> = Promise.resolve();

  constructor(source: HubSource) {
    this.#source = source;
  }

  counters(): HubCounters {
    return {
      subscribers: this.#generation?.subscribers.size ?? 0,
      generations: this.#generations,
      installed: this.#generation !== undefined,
    };
  }

  /** Adds a subscriber; resolves, with the function that removes it, when events flow. */
  async add(subscriber: Subscriber): Promise<() => Promise<void>> {
    this.#generation ??= this.#begin();
    const generation = this.#generation;
    generation.subscribers.add(subscriber);
    try {
      await generation.running;
    } catch (error) {
      generation.subscribers.delete(subscriber);
      if (this.#generation === generation) this.#generation = undefined;
      throw error;
    }
    return () => this.#remove(generation, subscriber);
  }

  #begin(): Generation {
    const subscribers = new Set<Subscriber>();
    this.#generations += 1;
    return { subscribers, running: this.#install(subscribers) };
  }

  async #install(subscribers: ReadonlySet<Subscriber>): Promise<Running> {
    // Whoever closed last hears of a clear that failed; the next one only waits for its end.
    await this.#cleared.catch(() => undefined);
    const reporter = await this.#source.install();
    discardQueued(reporter);
    const pump = new Pump({
      source: reporter,
      deliver: (item) => {
        for (const subscriber of subscribers) subscriber.offer(item);
      },
      fail: (error) => {
        for (const subscriber of [...subscribers]) subscriber.fail(error);
      },
      isBusy: () => this.#source.isBusy(),
      keepsAlive: () => [...subscribers].some(({ keepAlive }) => keepAlive),
    });
    const stopListening = this.#source.onBusy(() => {
      pump.wake();
    });
    return { reporter, pump, stopListening };
  }

  async #remove(generation: Generation, subscriber: Subscriber): Promise<void> {
    generation.subscribers.delete(subscriber);
    if (generation.subscribers.size > 0 || this.#generation !== generation) return;
    this.#generation = undefined;
    this.#cleared = this.#end(generation);
    await this.#cleared;
  }

  async #end(generation: Generation): Promise<void> {
    const { reporter, pump, stopListening } = await generation.running;
    pump.stop();
    stopListening();
    await reporter.clear();
    discardAfterClear(reporter);
  }
}

/**
 * Throws away what the ring holds at this moment. Before the first subscriber it is what an owner has left behind that died without
 * clearing, maybe a full ring, in which the first events of the new one would find no room; after the last it is nobody's.
 */
function discardQueued(reporter: HeldReporter): void {
  const drain = new RecordDrain(reporter);
  let left = reporter.counters().queued;
  while (left > 0) {
    const discarded = drain.next(left).length;
    if (discarded === 0) return;
    left -= discarded;
  }
}

/** After a clear another environment may have installed its reporter already: what is in the ring then is its own. */
function discardAfterClear(reporter: HeldReporter): void {
  try {
    discardQueued(reporter);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "REPORTER_REPLACED")) throw error;
  }
}
