import { expect } from "vitest";
import {
  createConsentPolicy,
  describeInstall,
  type EngineState,
  type GrantedInstall,
  type InstallDriverRegistry,
  type InstallExecutionHandle,
  InstallEngineError,
  type InstallSelection,
  type JournalStore,
  parseEngineState,
  type RequestConsentAction,
  replayRecord,
  type SealedStep,
  streamKeyOf,
} from "../../src/index.ts";
import { CATALOG_DIGEST, INSTALLER_ID, SCOPE, shelfRegistry, type TestClock } from "../support/bench.ts";
import type { Shelf } from "../support/shelf.ts";
import { Crash, Incarnation } from "./incarnation.ts";
import { isPending, type Reference } from "./reference.ts";

export const NAMES = ["first", "second", "third"] as const;
const STREAM_KEY = streamKeyOf(SCOPE);

const bodyOf = (name: string): string => `the text of ${name}\n`;

/** The real thing under random commands: engines that come and go over one journal and one shelf. */
export class System {
  readonly journal: JournalStore;
  readonly clock: TestClock;
  readonly shelf: Shelf;
  readonly absenceProves: "not-applied" | "nothing";
  life: Incarnation;
  /** Handles of the present life. */
  handles: { readonly id: string; readonly handle: InstallExecutionHandle }[] = [];
  readonly granted = new Map<string, GrantedInstall>();

  constructor(journal: JournalStore, clock: TestClock, shelf: Shelf, absenceProves: "not-applied" | "nothing") {
    this.journal = journal;
    this.clock = clock;
    this.shelf = shelf;
    this.absenceProves = absenceProves;
    this.life = new Incarnation(journal);
  }

  restart(): void {
    this.life = new Incarnation(this.journal);
    this.handles = [];
  }

  registry(): InstallDriverRegistry {
    const { shelf, absenceProves } = this;
    return shelfRegistry({
      shelf,
      absenceProves,
      faults: this.life.faults,
      bodyOf: (request) => bodyOf(request.action.entityId.slice("skill:".length)),
    });
  }

  selection(name: string): InstallSelection {
    return describeInstall({ capabilityId: `skill:${name}`, body: bodyOf(name), installerId: INSTALLER_ID });
  }

  put(name: string, text: "exact" | "other" | "nothing"): void {
    const { contentSha256 } = this.selection(name).authority.resultMaterial;
    if (text === "nothing") this.shelf.texts.delete(contentSha256);
    else this.shelf.texts.set(contentSha256, text === "exact" ? bodyOf(name) : "something else");
  }

  plan(name: string): Promise<string> {
    const request = {
      scope: SCOPE,
      selection: this.selection(name),
      policy: createConsentPolicy(),
      catalogSnapshotDigest: CATALOG_DIGEST,
    };
    return this.life.engine.planInstall(request).then((offer) => offer.kind);
  }

  async state(): Promise<EngineState | null> {
    const snapshot = await this.journal.snapshot(STREAM_KEY);
    return snapshot === null ? null : parseEngineState(snapshot.stateText);
  }

  async consent(): Promise<RequestConsentAction | null> {
    return (await this.state())?.pendingConsent ?? null;
  }

  /** Notes grants that the stream has and a crash kept from being returned. */
  async noteGrants(): Promise<void> {
    for (const granted of (await this.life.engine.overview(SCOPE))?.pending ?? []) {
      this.granted.set(granted.action.actionId, granted);
    }
  }

  /** Compares everything that is durable with the reference, and checks what must hold always. */
  async compare(reference: Reference): Promise<void> {
    const state = await this.state();
    expect(state === null).toBe(!reference.begun);
    const live = [...reference.actions].filter(([, action]) => isPending(action)).map(([id]) => id);
    expect((state?.pendingEffects ?? []).map((effect) => effect.action.actionId)).toEqual(live);
    expect((state?.waiting ?? []).map((entry) => entry.selection.name)).toEqual(reference.waiting);
    expect(state?.pendingConsent === null || state === null).toBe(reference.requestedAt === null);
    expect(new Map((state?.reofferable ?? []).map((entry) => [entry.planned.selection.name, entry.actionId]))).toEqual(
      reference.reofferable,
    );
    expect(new Set((state?.installed ?? []).map((entry) => entry.material.capabilityId))).toEqual(
      new Set([...reference.installed].map((name) => `skill:${name}`)),
    );
    expect(state?.blockedInstallDescriptorDigests.length ?? 0).toBe(reference.blocked.size);
    await this.compareRows(reference);
    await this.compareReplay(state);
    for (const [id, calls] of this.shelf.appliesByAction) {
      expect(calls, `applies of ${id}`).toBeLessThanOrEqual(1);
    }
  }

  private async compareRows(reference: Reference): Promise<void> {
    for (const [actionId, action] of reference.actions) {
      const status = await this.journal.status({ streamKey: STREAM_KEY, actionId });
      const expected = {
        granted: "unclaimed",
        expired: "unclaimed",
        claimed: "claimed",
        seen: "outcome-recorded",
        settled: "settled",
        abandoned: "abandoned",
      };
      expect(status.state).toBe(expected[action.phase]);
      if (status.state === "outcome-recorded" || status.state === "settled") {
        expect(status.outcome.outcome).toBe(action.outcome);
        // An applied outcome is only there if the driver really saw the exact material for this action. The other way round
        // nothing follows: a run may see it and die, and somebody may take it away before the next one looks.
        if (action.outcome === "applied") expect(this.shelf.exactlySeen.has(actionId)).toBe(true);
      }
    }
  }

  private async compareReplay(state: EngineState | null): Promise<void> {
    let step: SealedStep | null = null;
    const events = new Set<string>();
    for await (const record of this.journal.replay(STREAM_KEY)) {
      step = replayRecord(step, record);
      expect(events.has(record.eventId)).toBe(false);
      events.add(record.eventId);
    }
    expect(step?.state ?? null).toEqual(state);
  }
}

/** What a call came to: its value, or the code it was refused with. A crash is passed on. */
export async function outcomeOf(call: Promise<string>): Promise<string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof InstallEngineError) return error.code;
    throw error;
  }
}

export { Crash };
