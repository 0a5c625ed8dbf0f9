/** Which of the fault runtime's sources a library is made of. */
export type FaultSources = "all" | "all-but-tokenizer" | "tokenizer" | "dependency" | "throwing";

/** One library of a variant. */
export interface FaultLibrary {
  /** File name without prefix and extension. */
  readonly name: string;
  readonly sources: FaultSources;
  /** Macros of `native/fault-runtime/src/variant.h`. */
  readonly defines?: Readonly<Record<string, string>>;
  /** Functions that the library does not export. */
  readonly absent?: readonly string[];
  /** Names of libraries of this variant that this one needs, found in its own folder. */
  readonly needs?: readonly string[];
}

/** What a variant is made of, and what becomes of its files afterwards. */
export interface FaultVariant {
  /** In load order, the primary last. Libraries that others need come first and are not loaded by the host. */
  readonly libraries: readonly FaultLibrary[];
  /** Names of libraries that are not given to the host: the system finds them. */
  readonly unlisted?: readonly string[];
  /** What happens to the built files: a file removed, cut, or replaced by text. */
  readonly spoil?: { readonly library: string; readonly how: "remove" | "truncate" | "replace-by-text" };
}

/** The cancel extension is optional: a runtime is without it unless its variant says otherwise. */
const CANCEL = ["mesh_cancel_open_v1", "mesh_cancel_session_v1"] as const;

function one(
  defines: Readonly<Record<string, string>> = {},
  absent: readonly string[] = [],
  withCancel = false,
): FaultVariant {
  return {
    libraries: [{ name: "fault", sources: "all", defines, absent: withCancel ? absent : [...absent, ...CANCEL] }],
  };
}

const dependent: FaultVariant = {
  libraries: [
    { name: "fault-dependency", sources: "dependency" },
    {
      name: "fault",
      sources: "all",
      defines: { FAULT_DEPENDENCY: "1" },
      absent: CANCEL,
      needs: ["fault-dependency"],
    },
  ],
  unlisted: ["fault-dependency"],
};

/** Every scripted runtime by name. What a single open or session does is no variant but a script in the model path. */
export const FAULT_VARIANTS = {
  /** A sound runtime without the cancel extension. */
  good: one(),
  /** A sound runtime with the cancel extension. */
  cancellable: one({}, [], true),
  /** Has the cancel extension, says "requested", and never stops. */
  "cancel-ignored": one({ FAULT_CANCEL_IGNORED: "1" }, [], true),

  "abi-patch-plus-1": one({ FAULT_ABI_PATCH: "55" }),
  "abi-patch-minus-1": one({ FAULT_ABI_PATCH: "53" }),
  "abi-patch-60": one({ FAULT_ABI_PATCH: "60" }),
  "abi-minor-plus-1": one({ FAULT_ABI_MINOR: "2" }),
  "abi-major-plus-1": one({ FAULT_ABI_MAJOR: "1" }),
  /** Another ABI and a missing function at once: the error has to name both. */
  "abi-and-symbols": one({ FAULT_ABI_PATCH: "53" }, ["skippy_prefill_chunk"]),
  "no-abi-symbol": one({}, ["skippy_abi_version"]),
  "missing-required-symbol": one({}, ["skippy_tokenize"]),
  "missing-three-symbols": one({}, ["skippy_tokenize", "skippy_model_free", "skippy_backend_device_at"]),

  /** No skippy_abi_features at all. */
  "no-features": one({}, ["skippy_abi_features"]),
  "features-zero": one({ FAULT_FEATURES: "0" }),
  /** The entry points exist, bit 24 is clear: the legacy entry has to be taken. */
  "events-bit-clear": one({ FAULT_FEATURES_REMOVED: "SKIPPY_FEATURE_RUNTIME_EVENTS" }),
  /** The same with the cancel extension, which has no name for an open without a reporter. */
  "events-bit-clear-cancellable": one({ FAULT_FEATURES_REMOVED: "SKIPPY_FEATURE_RUNTIME_EVENTS" }, [], true),
  "events-without-single-open": one({}, ["skippy_model_open_with_events"]),
  "events-without-parts-open": one({}, ["skippy_model_open_from_parts_with_events"]),
  "reporter-bit-clear": one({ FAULT_FEATURES_REMOVED: "SKIPPY_FEATURE_RUNTIME_EVENT_REPORTER" }),
  "reporter-without-set": one({}, ["skippy_set_runtime_event_reporter"]),
  "reporter-without-clear": one({}, ["skippy_clear_runtime_event_reporter"]),
  "family-without-symbol": one({}, ["skippy_emit_kv_event"]),
  /** Bits beyond the highest known one, set by a newer runtime. */
  "reserved-bits": one({ FAULT_FEATURES_ADDED: "((uint64_t)7 << 60)" }),
  /** Named bits that are no event family. */
  "named-bits": one({ FAULT_FEATURES_ADDED: "(SKIPPY_FEATURE_NAMED_BIT_38 | SKIPPY_FEATURE_NAMED_BIT_39)" }),
  "workloads-without-symbols": one({ FAULT_FEATURES_ADDED: "SKIPPY_FEATURE_NON_CHAT_WORKLOADS" }),

  "setter-refuses": one({ FAULT_SETTER_REFUSES: "1" }),
  /** Clearing the reporter takes half a second. */
  "clear-slow": one({ FAULT_CLEAR_SLEEP_MS: "500" }),
  /** Calls the reporter twice while its clear runs. */
  "events-in-clear": one({ FAULT_EVENTS_IN_CLEAR: "2" }),
  /** Calls the reporter three more times after its clear returned, from a thread of its own. */
  "events-after-clear": one({ FAULT_EVENTS_AFTER_CLEAR: "3" }),

  "constructor-crash": one({ FAULT_CONSTRUCTOR: "FAULT_CONSTRUCTOR_CRASH" }),
  "constructor-exit": one({ FAULT_CONSTRUCTOR: "FAULT_CONSTRUCTOR_EXIT" }),
  "constructor-slow": one({ FAULT_CONSTRUCTOR: "FAULT_CONSTRUCTOR_SLOW" }),
  "constructor-setenv": one({ FAULT_CONSTRUCTOR: "FAULT_CONSTRUCTOR_SETENV" }),
  /** Refers to a function that no library has. */
  "undefined-symbol": one({ FAULT_UNDEFINED: "1" }),

  /** The tokenizer functions are in the first library, everything else in the primary. */
  "split-symbols": {
    libraries: [
      { name: "fault-tokenizer", sources: "tokenizer" },
      { name: "fault", sources: "all-but-tokenizer", absent: CANCEL },
    ],
  },
  /** Both libraries have every function; the first reports another ABI. The last one counts. */
  "shadowed-abi": {
    libraries: [
      { name: "fault-older", sources: "all", defines: { FAULT_ABI_PATCH: "53" }, absent: CANCEL },
      { name: "fault", sources: "all", absent: CANCEL },
    ],
  },
  /** Needs a library of its own folder that the host does not name. */
  "with-dependency": dependent,
  /** Uses a function of the library before it without needing that library: only a global binding would let it find it. */
  "needs-global-binding": {
    libraries: [
      { name: "fault-dependency", sources: "dependency" },
      { name: "fault", sources: "all", defines: { FAULT_DEPENDENCY: "1" }, absent: CANCEL },
    ],
  },
  "missing-dependency": { ...dependent, spoil: { library: "fault-dependency", how: "remove" } },
  "not-a-library": { ...one(), spoil: { library: "fault", how: "replace-by-text" } },
  /** Cut in its middle: the system maps it and the process dies of SIGBUS. */
  "truncated-library": { ...one(), spoil: { library: "fault", how: "truncate" } },
  "missing-library": { ...one(), spoil: { library: "fault", how: "remove" } },
  /** Opening a model throws a C++ exception through the C boundary. */
  "throws-on-open": {
    libraries: [
      {
        name: "fault",
        sources: "throwing",
        absent: [
          ...CANCEL,
          "skippy_model_open",
          "skippy_model_open_from_parts",
          "skippy_model_open_with_events",
          "skippy_model_open_from_parts_with_events",
        ],
      },
    ],
  },
} as const satisfies Record<string, FaultVariant>;

/** Name of a scripted runtime. */
export type FaultVariantName = keyof typeof FAULT_VARIANTS;

/** The names of all scripted runtimes. */
export const faultRuntimeVariants: readonly FaultVariantName[] = Object.keys(FAULT_VARIANTS).filter(
  (name): name is FaultVariantName => name in FAULT_VARIANTS,
);
