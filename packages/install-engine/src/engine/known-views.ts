import { KNOWN_VIEWS_MAX } from "../limits.ts";
import type { EngineState } from "../types/state.ts";

/** A stream as an operation found it. */
export interface StreamView {
  readonly streamKey: string;
  readonly state: EngineState | null;
  readonly recordDigest: string | null;
}

/**
 * What one engine saw last of each stream, or made of it itself. Another engine may have moved the stream since, so a view
 * from here never decides anything: it only lets an operation begin whose commit or claim names the head that it was made
 * for, and which the journal refuses when that is not the head any more.
 */
export class KnownViews {
  /** The one that was seen longest ago comes first. */
  readonly #views = new Map<string, StreamView>();
  /** Actions that were granted here and that no run has begun with since. */
  readonly #newGrants = new Set<string>();

  of(streamKey: string): StreamView | undefined {
    return this.#views.get(streamKey);
  }

  remember(view: StreamView): void {
    this.#views.delete(view.streamKey);
    const [oldest] = this.#views.keys();
    if (this.#views.size >= KNOWN_VIEWS_MAX && oldest !== undefined) {
      this.#views.delete(oldest);
    }
    this.#views.set(view.streamKey, view);
  }

  forget(streamKey: string): void {
    this.#views.delete(streamKey);
  }

  /** Notes that this engine has just granted an action. */
  noteGrant(actionId: string): void {
    const [oldest] = this.#newGrants;
    if (this.#newGrants.size >= KNOWN_VIEWS_MAX && oldest !== undefined) {
      this.#newGrants.delete(oldest);
    }
    this.#newGrants.add(actionId);
  }

  /** Whether an action was granted here and this is the first run of it: most likely nobody has claimed it. */
  takeGrant(actionId: string): boolean {
    return this.#newGrants.delete(actionId);
  }
}
