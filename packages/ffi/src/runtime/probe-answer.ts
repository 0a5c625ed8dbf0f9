import { FfiError } from "../error.ts";
import type { LoadOutcome } from "./native.ts";

/** What a probing child says about a runtime. */
export interface ProbeAnswer {
  readonly outcome: LoadOutcome;
  readonly features: bigint | null;
  readonly symbols: readonly string[];
}

const OUTCOME_KINDS: readonly unknown[] = [
  "loaded",
  "refused",
  "already-loaded",
  "other-copy",
  "threw",
  "exiting",
  "no-thread",
];

/**
 * Reads the answer of a child. Foreign code ran in it and could have written to the same descriptor, so the shape is checked
 * as far as it is used.
 *
 * @throws FfiError `PROBE_FAILED`
 */
export function parseProbeAnswer(text: string): ProbeAnswer {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value["outcome"]) || !isStrings(value["symbols"])) throw unreadable(text);
  const { outcome, features, symbols } = value;
  const hasBody =
    (outcome["kind"] !== "loaded" || isLoaded(outcome["loaded"])) &&
    (outcome["kind"] !== "refused" || Array.isArray(outcome["differences"]));
  if (!OUTCOME_KINDS.includes(outcome["kind"]) || !hasBody) throw unreadable(text);
  if (features !== null && (typeof features !== "string" || !/^\d{1,20}$/.test(features))) throw unreadable(text);
  return {
    // Checked above: the kind is one of ours and the parts that are read are there.
    outcome: outcome as unknown as LoadOutcome,
    features: features === null ? null : BigInt(features),
    symbols,
  };
}

function isLoaded(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value["abi"]) && value["abi"].length === 3;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(text);
  }
}

function unreadable(text: string): FfiError {
  return new FfiError({
    code: "PROBE_FAILED",
    message: `the probing child wrote ${text.length} characters that are not its answer. Something else wrote to descriptor 3.`,
  });
}
