import { z } from "zod";
import { sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import { type JournalRecord, journalRecordDigest } from "../journal/rows.ts";
import { checkCanonicalText } from "../parse.ts";
import { type EngineEvent, engineEventSchema, eventContentDigest } from "../types/event.ts";
import { streamIdOf, streamKeyOf } from "../types/scope.ts";
import { type EngineState, engineStateText } from "../types/state.ts";
import { type Transition, transitionText } from "../types/transition.ts";
import { wireText } from "../wire.ts";
import { REDUCER_VERSION, type ReductionResult, reduce } from "./reduce.ts";

const replayInputSchema = z
  .strictObject({ schema: z.literal("mesh.replay-input-v1"), reducerVersion: z.int().min(1), event: engineEventSchema })
  .readonly();

/** What a journal record keeps so that its step can be made again. */
export type ReplayInput = z.output<typeof replayInputSchema>;

/** A step with the record that makes it durable. */
export interface SealedStep extends ReductionResult {
  readonly record: JournalRecord;
}

/**
 * Reduces an event and seals the record of it.
 *
 * @throws InstallEngineError with the code of the rule that refuses the event.
 */
export function sealStep(
  state: EngineState | null,
  previousRecordDigest: string | null,
  event: EngineEvent,
): SealedStep {
  const result = reduce(state, event);
  const replayText = wireText({ schema: "mesh.replay-input-v1", reducerVersion: REDUCER_VERSION, event }, "utf8");
  return { ...result, record: sealRecord(result, previousRecordDigest, event, replayText) };
}

function sealRecord(
  result: { readonly state: EngineState; readonly transition: Transition },
  previousRecordDigest: string | null,
  event: EngineEvent,
  replayText: string,
): JournalRecord {
  const transition = transitionText(result.transition);
  const resultState = engineStateText(result.state);
  const unsealed = {
    streamKey: streamKeyOf(event.scope),
    stream: streamIdOf(event.scope),
    revision: result.state.revision,
    eventId: event.eventId,
    eventContentDigest: eventContentDigest(event),
    replayText,
    replayDigest: sha256Hex(replayText),
    transitionText: transition,
    transitionDigest: sha256Hex(transition),
    resultStateText: resultState,
    resultStateDigest: sha256Hex(resultState),
    previousRecordDigest,
    privacyClassification: event.privacy.classification,
    retentionClass: event.privacy.retention,
    reducerVersion: REDUCER_VERSION,
  };
  return Object.freeze({ ...unsealed, recordDigest: journalRecordDigest(unsealed) });
}

/**
 * Parses the replay text of a record. Text from a journal is attacker-controlled until its chain is verified.
 *
 * @throws InstallEngineError NOT_CANONICAL, INVALID_VALUE, DIGEST_MISMATCH
 */
export function parseReplayInput(text: string): ReplayInput {
  return checkCanonicalText(replayInputSchema, text, "utf8", "replay input");
}

/**
 * Makes the step of a record again and compares every part with what the record keeps.
 *
 * @throws InstallEngineError REDUCER_VERSION_UNSUPPORTED, or REPLAY_DIVERGED naming the component that differs.
 */
export function replayRecord(before: SealedStep | null, record: JournalRecord): SealedStep {
  if (record.reducerVersion !== REDUCER_VERSION) {
    throw new InstallEngineError({
      code: "REDUCER_VERSION_UNSUPPORTED",
      message: `record ${record.eventId} was reduced by version ${record.reducerVersion}; this engine has ${REDUCER_VERSION}`,
      facts: { found: record.reducerVersion, expected: REDUCER_VERSION },
    });
  }
  const input = parseReplayInput(record.replayText);
  const step = sealStep(before?.state ?? null, before?.record.recordDigest ?? null, input.event);
  for (const component of REPLAYED) {
    if (step.record[component] !== record[component]) {
      throw new InstallEngineError({
        code: "REPLAY_DIVERGED",
        message: `replaying ${record.eventId} gives another ${component} than the record keeps`,
        facts: { component, eventId: record.eventId, revision: record.revision },
      });
    }
  }
  return step;
}

/** Compared in this order, so that the first difference named is the one nearest to the cause. */
const REPLAYED = [
  "streamKey",
  "revision",
  "eventId",
  "eventContentDigest",
  "replayText",
  "replayDigest",
  "transitionText",
  "transitionDigest",
  "resultStateText",
  "resultStateDigest",
  "previousRecordDigest",
  "privacyClassification",
  "retentionClass",
  "recordDigest",
] as const satisfies readonly (keyof JournalRecord)[];
