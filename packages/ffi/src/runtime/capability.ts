import { FEATURE_BITS, KNOWN_FEATURE_BIT_MAX } from "../abi/features.ts";

/** A capability family: one feature bit and the symbols that must exist for it to be usable (spec 4.1). */
export interface CapabilityFamily {
  readonly name: CapabilityFamilyName;
  readonly bit: number;
  readonly symbols: readonly string[];
}

export type CapabilityFamilyName =
  | "runtime_events"
  | "runtime_event_reporter"
  | "model_load_events_v2"
  | "kv_events"
  | "device_events"
  | "diagnostic_events"
  | "unload_events"
  | "non_chat_workloads"
  | "laya_decisions";

/** The families in the order in which they are probed and their messages appear. */
export const CAPABILITY_FAMILIES: readonly CapabilityFamily[] = [
  {
    name: "runtime_events",
    bit: FEATURE_BITS.RUNTIME_EVENTS,
    symbols: ["skippy_model_open_with_events", "skippy_model_open_from_parts_with_events"],
  },
  {
    name: "runtime_event_reporter",
    bit: FEATURE_BITS.RUNTIME_EVENT_REPORTER,
    symbols: ["skippy_set_runtime_event_reporter", "skippy_clear_runtime_event_reporter"],
  },
  {
    name: "model_load_events_v2",
    bit: FEATURE_BITS.MODEL_LOAD_EVENTS_V2,
    symbols: ["skippy_emit_model_load_event_v2"],
  },
  { name: "kv_events", bit: FEATURE_BITS.KV_EVENTS, symbols: ["skippy_emit_kv_event"] },
  { name: "device_events", bit: FEATURE_BITS.DEVICE_EVENTS, symbols: ["skippy_emit_device_event"] },
  { name: "diagnostic_events", bit: FEATURE_BITS.DIAGNOSTIC_EVENTS, symbols: ["skippy_emit_diagnostic_event"] },
  { name: "unload_events", bit: FEATURE_BITS.UNLOAD_EVENTS, symbols: ["skippy_emit_unload_event"] },
  {
    name: "non_chat_workloads",
    bit: FEATURE_BITS.NON_CHAT_WORKLOADS,
    symbols: [
      "skippy_model_workload_info_v1",
      "skippy_session_embed",
      "skippy_session_rerank",
      "skippy_session_encode_prompt",
    ],
  },
  {
    name: "laya_decisions",
    bit: FEATURE_BITS.LAYA_DECISIONS,
    symbols: [
      "skippy_laya_model_open",
      "skippy_laya_model_free",
      "skippy_laya_model_info_v1",
      "skippy_laya_model_memory_v1",
      "skippy_laya_tokenize",
      "skippy_laya_read",
    ],
  },
];

/**
 * What a runtime can do. `confirmed` means available: the bit is set and every symbol is there. It does not mean covered: a
 * confirmed family may never send an event, which only observing it shows.
 */
export interface CapabilityReport {
  /** The raw bits of `skippy_abi_features()`; 0n when the runtime has no such function. */
  readonly features: bigint;
  /** Mask of the bits of all confirmed families. */
  readonly confirmed: bigint;
  readonly confirmedFamilies: readonly CapabilityFamilyName[];
  /** What is odd about the answers, each said once: reserved bits first, then families in table order. */
  readonly healthMessages: readonly string[];
}

const U64_MASK = 0xffff_ffff_ffff_ffffn;
const KNOWN_FEATURES_MASK = (1n << BigInt(KNOWN_FEATURE_BIT_MAX + 1)) - 1n;

/**
 * Decides what a runtime confirms. Pure: the same answers give the same report. A bit that is clear is skipped without
 * looking at its symbols; a bit whose symbols are incomplete disables that family alone; reserved bits disable nothing.
 *
 * @param features the raw bits, or null when the runtime has no `skippy_abi_features`.
 * @param hasSymbol whether any loaded library exports the name.
 */
export function probeCapabilities(features: bigint | null, hasSymbol: (name: string) => boolean): CapabilityReport {
  const bits = (features ?? 0n) & U64_MASK;
  const healthMessages: string[] = [];
  const reserved = bits & ~KNOWN_FEATURES_MASK;
  if (reserved !== 0n) {
    healthMessages.push(`capability probe: reserved feature bits are set: 0x${reserved.toString(16)}`);
  }
  const confirmedFamilies: CapabilityFamilyName[] = [];
  let confirmed = 0n;
  for (const family of CAPABILITY_FAMILIES) {
    const mask = 1n << BigInt(family.bit);
    if ((bits & mask) === 0n) continue;
    const missing = family.symbols.filter((symbol) => !hasSymbol(symbol));
    if (missing.length > 0) {
      healthMessages.push(
        `capability probe: family '${family.name}' advertises feature bit 0x${mask.toString(16)} and lacks ` +
          `${missing.join(", ")}; only this family is disabled`,
      );
      continue;
    }
    confirmed |= mask;
    confirmedFamilies.push(family.name);
  }
  return { features: bits, confirmed, confirmedFamilies, healthMessages };
}
