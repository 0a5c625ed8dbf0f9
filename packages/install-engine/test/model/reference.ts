/**
 * What installs mean, without any of the engine's code: about a hundred lines that a person can check against section 4
 * of the specification. `boundary` is called where the engine may die; it throws there.
 */
export interface ModelAction {
  readonly name: string;
  readonly expiresAt: number;
  phase: "granted" | "claimed" | "seen" | "settled" | "expired" | "abandoned";
  claimedAt: number;
  outcome: "applied" | "failed" | null;
  seenAt: number;
}

export const HOUR = 3_600_000;

export class Reference {
  now: number;
  readonly absenceProves: "not-applied" | "nothing";
  waiting: string[] = [];
  /** When the outstanding request was made; null without one. */
  requestedAt: number | null = null;
  readonly actions = new Map<string, ModelAction>();
  readonly reofferable = new Map<string, string>();
  readonly installed = new Set<string>();
  readonly blocked = new Set<string>();
  readonly shelf = new Map<string, "exact" | "other">();
  /** Whether the stream has any record. */
  begun = false;

  constructor(now: number, absenceProves: "not-applied" | "nothing") {
    this.now = now;
    this.absenceProves = absenceProves;
  }

  pendingOf(name: string): ModelAction | undefined {
    return [...this.actions.values()].find((action) => action.name === name && isPending(action));
  }

  /** Every event that leaves something waiting asks anew. */
  private committed(at = this.now): void {
    this.begun = true;
    this.requestedAt = this.waiting.length > 0 ? at : null;
  }

  plan(name: string, boundary: () => void): string {
    if (this.pendingOf(name) !== undefined) return "pending";
    if (this.blocked.has(name)) return "blocked";
    const standing = this.requestedAt !== null && this.waiting[0] === name && this.now < this.requestedAt + HOUR;
    if (!standing) {
      boundary();
      this.waiting = [...this.waiting.filter((other) => other !== name), name];
      this.reofferable.delete(name);
      this.committed();
      boundary();
    }
    return this.waiting[0] === name ? "consent-required" : "waiting";
  }

  decide(answer: "granted" | "denied", actionId: () => string, boundary: () => void): string {
    const [name] = this.waiting;
    if (name === undefined || this.requestedAt === null) return "no-request";
    const expiresAt = this.requestedAt + HOUR;
    if (this.now < this.requestedAt || this.now >= expiresAt) return "CONSENT_EXPIRED";
    boundary();
    this.waiting = this.waiting.slice(1);
    if (answer === "denied") this.blocked.add(name);
    else
      this.actions.set(actionId(), {
        name,
        expiresAt: this.now + HOUR,
        phase: "granted",
        claimedAt: 0,
        outcome: null,
        seenAt: 0,
      });
    this.committed();
    boundary();
    return answer;
  }

  expireConsent(boundary: () => void): string {
    if (this.requestedAt === null) return "no-request";
    if (this.now < this.requestedAt + HOUR) return "CONSENT_NOT_EXPIRED";
    boundary();
    this.waiting = this.waiting.slice(1);
    this.committed();
    boundary();
    return "retired";
  }

  expireAction(id: string, boundary: () => void): string {
    const action = this.action(id);
    if (!isPending(action)) return "ACTION_NOT_PENDING";
    if (this.now < action.expiresAt) return "ACTION_NOT_EXPIRED";
    boundary();
    if (action.phase !== "granted") return "ACTION_CLAIMED";
    action.phase = "expired";
    this.reofferable.set(action.name, id);
    this.committed();
    boundary();
    return "expired";
  }

  reoffer(id: string, boundary: () => void): string {
    const { name } = this.action(id);
    if (this.reofferable.get(name) !== id) return "NOT_RETRYABLE";
    if (this.blocked.has(name)) return "DESCRIPTOR_BLOCKED";
    boundary();
    this.reofferable.delete(name);
    this.waiting = [...this.waiting.filter((other) => other !== name), name];
    this.committed();
    boundary();
    return this.waiting[0] === name ? "consent-required" : "waiting";
  }

  abandon(id: string, boundary: () => void): string {
    const action = this.action(id);
    if (!isPending(action)) return "ACTION_NOT_PENDING";
    boundary();
    if (action.phase === "granted") return "CLAIM_REQUIRED";
    if (action.phase === "seen") return "ABANDON_REFUSED";
    action.phase = "abandoned";
    this.blocked.add(action.name);
    this.committed();
    boundary();
    return "abandoned";
  }

  execute(id: string, boundary: () => void): string {
    const action = this.action(id);
    if (action.phase === "settled") return String(action.outcome);
    if (action.phase === "expired") return "ACTION_NOT_PENDING";
    if (action.phase === "granted") {
      boundary();
      if (this.now >= action.expiresAt) return "ACTION_EXPIRED";
      action.phase = "claimed";
      action.claimedAt = this.now;
      boundary();
      return this.finish(id, true, boundary);
    }
    return this.finish(id, false, boundary);
  }

  /** From a claim to its end; recovery starts here. */
  finish(id: string, won: boolean, boundary: () => void): string {
    const action = this.action(id);
    if (action.phase === "abandoned") return "indeterminate";
    if (action.phase === "claimed") {
      boundary();
      if (won) {
        boundary();
        this.shelf.set(action.name, "exact");
        boundary();
      }
      boundary();
      const seen = this.shelf.get(action.name);
      if (seen === "other") return "indeterminate";
      boundary();
      if (this.now < action.claimedAt) return "indeterminate";
      action.phase = "seen";
      action.outcome = seen === "exact" ? "applied" : "failed";
      action.seenAt = this.now;
      boundary();
    }
    boundary();
    action.phase = "settled";
    if (action.outcome === "applied") this.installed.add(action.name);
    else if (this.absenceProves === "not-applied") this.reofferable.set(action.name, id);
    else this.blocked.add(action.name);
    this.committed(action.seenAt);
    boundary();
    return String(action.outcome);
  }

  action(id: string): ModelAction {
    const action = this.actions.get(id);
    if (action === undefined) throw new Error(`the reference knows no action ${id}`);
    return action;
  }
}

export function isPending(action: ModelAction): boolean {
  return action.phase === "granted" || action.phase === "claimed" || action.phase === "seen";
}
