import { createInstallEngine, type InstallEngine, type JournalStore } from "../../src/index.ts";
import type { Shelf, ShelfFaults } from "../support/shelf.ts";

/** Thrown where a process would have died. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/**
 * One life of a process: an engine that dies at the boundary it is told, and does nothing durable from then on. The
 * journal and the shelf live on, as files do.
 */
export class Incarnation {
  readonly engine: InstallEngine;
  private boundariesLeft = Number.POSITIVE_INFINITY;
  dead = false;

  constructor(journal: JournalStore) {
    this.engine = createInstallEngine({ journal: this.mortal(journal) });
  }

  /** Dies at the boundary after the given number of others; Infinity to live. */
  dieAfter(boundaries: number): void {
    this.boundariesLeft = boundaries;
  }

  readonly boundary = (): void => {
    if (this.dead || this.boundariesLeft === 0) {
      this.dead = true;
      throw new Crash();
    }
    this.boundariesLeft -= 1;
  };

  /** Boundaries of the driver: before it connects, around what it writes, before it looks. */
  readonly faults: ShelfFaults = {
    connect: () => {
      this.boundary();
    },
    apply: {
      before: () => {
        this.boundary();
      },
      wrote: true,
      fail: () => {
        this.boundary();
      },
    },
    look: () => {
      this.boundary();
    },
  };

  private mortal(journal: JournalStore): JournalStore {
    return new Proxy(journal, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (name !== "commit" && name !== "claim" && name !== "recordOutcome") return member.bind(target) as unknown;
        return async (...parameters: unknown[]) => {
          this.boundary();
          const result: unknown = await Reflect.apply(member, target, parameters);
          if (changed(result)) this.boundary();
          return result;
        };
      },
    });
  }
}

/** Only a call that made something durable has a boundary after it. */
function changed(result: unknown): boolean {
  const kind = typeof result === "object" && result !== null && "kind" in result ? result.kind : null;
  return kind === "committed" || kind === "claimed" || kind === "recorded";
}

export type { Shelf };
