import { droppedCount, type RingCounters, rejectedCount } from "@mesh/ffi/runtime";
import type { RuntimeEvent } from "../event.ts";
import type { ModelOpenContradiction, ModelOpenObservation } from "./observation.ts";
import type { ModelOpenResult } from "./open-result.ts";

/** Keeps what the observation will say while the events of one open pass by. Memory does not grow with their number. */
export class StreamRecord {
  #drained = 0;
  #drainedWhileOpening = 0;
  #sawFinished = false;
  #sawFailedHandled = false;
  #first: bigint | undefined;
  #last: bigint | undefined;
  #highest = 0n;
  #orderBroken = false;
  #consumerErrors = 0;
  #firstConsumerError: unknown;

  /** Notes one drained event; `opening` says that the open had not returned yet. */
  add(event: RuntimeEvent, opening: boolean): void {
    this.#drained += 1;
    if (opening) this.#drainedWhileOpening += 1;
    if (event.kind === "model-open-finished") this.#sawFinished = true;
    if (event.kind === "model-open-failed-handled") this.#sawFailedHandled = true;
    this.#first ??= event.sequence;
    this.#orderBroken ||= event.sequence <= this.#highest;
    if (event.sequence > this.#highest) this.#highest = event.sequence;
    this.#last = event.sequence;
  }

  /** Notes that the consumer threw over the event it was given. */
  addConsumerError(error: unknown): void {
    if (this.#consumerErrors === 0) this.#firstConsumerError = error;
    this.#consumerErrors += 1;
  }

  /** What was seen, laid beside the counters after the last drain and the result of the open. */
  conclude(counters: RingCounters, result: ModelOpenResult<unknown>): ModelOpenObservation {
    const dropped = droppedCount(counters);
    const rejected = rejectedCount(counters);
    return {
      drained: this.#drained,
      drainedWhileOpening: this.#drainedWhileOpening,
      dropped,
      rejected,
      lost: dropped + rejected,
      sawFinished: this.#sawFinished,
      sawFailedHandled: this.#sawFailedHandled,
      missingTerminal: !this.#sawFinished && !this.#sawFailedHandled,
      firstSequence: this.#first,
      lastSequence: this.#last,
      missingSequences: this.#missing(),
      contradictions: this.#contradictions(dropped + rejected, result),
      consumerErrors: this.#consumerErrors,
      firstConsumerError: this.#firstConsumerError,
    };
  }

  /** Only where the order held does each drained event stand for one number of its own; else the count says nothing. */
  #missing(): bigint {
    return this.#orderBroken ? 0n : this.#highest - BigInt(this.#drained);
  }

  #contradictions(lost: number, result: ModelOpenResult<unknown>): ModelOpenContradiction[] {
    const found: ModelOpenContradiction[] = [];
    if (this.#sawFinished && result.kind === "failed") found.push("finished-but-failed");
    if (this.#sawFailedHandled && result.kind === "opened") found.push("failed-handled-but-opened");
    if (this.#missing() > BigInt(lost)) found.push("gap-without-loss");
    if (this.#orderBroken) found.push("order-broken");
    return found;
  }
}
