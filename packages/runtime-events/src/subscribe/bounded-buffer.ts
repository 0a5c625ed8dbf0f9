import type { RuntimeEvent } from "../event.ts";
import type { EventLoss } from "./loss.ts";

/** What a subscriber gets: events, and the places where some are missing. */
export type StreamItem = RuntimeEvent | EventLoss;

/**
 * The bounded memory of one slow reader: the newest events are dropped when it is full, and the loss takes its place in the
 * stream as soon as there is room. A loss never waits for another event: a reader that has caught up is told at once.
 */
export class BoundedBuffer {
  readonly #capacity: number;
  readonly #items: StreamItem[] = [];
  #pendingLoss = 0;
  #lost = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Events that this buffer had no room for, ever. */
  get lost(): number {
    return this.#lost;
  }

  /** Items that wait for the reader. */
  get size(): number {
    return this.#items.length;
  }

  /** Adds an item, or counts it as lost. Once something was lost, the mark goes in before anything else does. */
  push(item: StreamItem): void {
    // After a loss two places are needed: one for the mark and one for the item behind it.
    const needed = this.#pendingLoss > 0 ? 2 : 1;
    if (this.#items.length + needed > this.#capacity) {
      this.#lose(item);
      return;
    }
    this.#markLoss();
    this.#items.push(item);
  }

  /** The oldest item, or undefined when nothing waits. */
  shift(): StreamItem | undefined {
    if (this.#items.length === 0) this.#markLoss();
    return this.#items.shift();
  }

  clear(): void {
    this.#items.length = 0;
    this.#pendingLoss = 0;
  }

  #lose(item: StreamItem): void {
    // A mark that finds no room stands for the events it counts.
    const count = item.kind === "lost" ? item.count : 1;
    this.#lost += count;
    this.#pendingLoss += count;
  }

  #markLoss(): void {
    if (this.#pendingLoss === 0) return;
    this.#items.push({ kind: "lost", reason: "subscriber-full", count: this.#pendingLoss });
    this.#pendingLoss = 0;
  }
}
