import { FfiError } from "../error.ts";
import { loadAddonFace, locateAddon } from "../loader.ts";

/** An object that lives in the addon. JavaScript can only hand it back; the addon checks its type tag. */
export interface NativeHandle<Kind extends string> {
  readonly nativeHandleKind: Kind;
}

export type QueueHandle = NativeHandle<"queue">;
export type ModelHandle = NativeHandle<"model">;
export type SessionHandle = NativeHandle<"session">;
export type OperationHandle = NativeHandle<"operation">;

/** Why a native call gave no value. The addon reports facts; words are made in `outcome.ts`. */
export type NativeFailure =
  | { readonly kind: "status"; readonly function: string; readonly status: number; readonly message: string | null }
  | { readonly kind: "null-handle"; readonly function: string }
  | { readonly kind: "threw"; readonly function: string; readonly message: string }
  | { readonly kind: "cancelled"; readonly function: string; readonly status: number | null }
  | { readonly kind: "closed" }
  | { readonly kind: "exiting" }
  | { readonly kind: "no-thread"; readonly message: string };

/** What the promise of an off-thread call is resolved with; it is never rejected. */
export type NativeOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: NativeFailure };

/** A call that runs on a thread of the addon, and the handle by which it can be cancelled meanwhile. */
export interface NativeCall<Value> {
  readonly operation: OperationHandle;
  readonly settled: Promise<NativeOutcome<Value>>;
}

/** One way in which a set of libraries is not what is required. */
export type AdmissionDifference =
  | {
      readonly kind: "library-not-opened";
      readonly library: string;
      /** The text of the system's loader. */
      readonly systemError: string;
      /** errno of reading the file itself; null when the file is readable, so that a dependency is at fault. */
      readonly errno: number | null;
      /** The library that the loader names, when it is another one than the file itself. */
      readonly missingDependency: string | null;
    }
  | { readonly kind: "abi-symbol-missing"; readonly symbol: string }
  | {
      readonly kind: "abi-version";
      readonly library: string;
      readonly found: readonly [number, number, number];
      readonly required: readonly [number, number, number];
    }
  | { readonly kind: "symbol-missing"; readonly symbol: string };

export interface LoadedLibraries {
  readonly libraries: readonly string[];
  readonly abi: readonly [number, number, number];
  readonly features: bigint | null;
  readonly cancelsOpen: boolean;
  readonly cancelsSession: boolean;
}

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly loaded: LoadedLibraries }
  | { readonly kind: "refused"; readonly differences: readonly AdmissionDifference[] }
  | { readonly kind: "already-loaded"; readonly libraries: readonly string[] }
  | { readonly kind: "other-copy"; readonly library: string; readonly owner: string | null; readonly self: string }
  | { readonly kind: "threw"; readonly message: string }
  | { readonly kind: "exiting" }
  | { readonly kind: "no-thread"; readonly message: string };

export interface NativeOpenRequest {
  readonly paths: readonly string[];
  readonly fromParts: boolean;
  /** The packed `skippy_runtime_config` with its pointers zero; the addon fills those in. */
  readonly config: Uint8Array;
  readonly selectedBackendDevice: string | null;
  readonly queue: QueueHandle | null;
}

export interface NativeDevice {
  readonly name: string | null;
  readonly description: string | null;
  readonly deviceId: string | null;
  readonly memoryFree: bigint;
  readonly memoryTotal: bigint;
  readonly type: number;
  readonly capabilities: bigint;
}

/** What every call on a session reports beside its own value. */
export interface NativeSessionState {
  readonly position: number;
}

/** One decode step, with what a generation wants to know about the chosen token, in one hop. */
export interface NativeStep extends NativeSessionState {
  readonly token: number;
  readonly endOfGeneration: boolean;
  readonly bytes: Uint8Array;
}

export type ReporterOutcome =
  | { readonly kind: "installed"; readonly generation: number }
  | { readonly kind: "owned"; readonly owner: string }
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "unsupported" }
  | { readonly kind: "threw"; readonly message: string }
  | { readonly kind: "exiting" }
  | { readonly kind: "no-thread"; readonly message: string };

/** Counter names in the order in which the addon writes them into a `BigUint64Array`. */
export const COUNTER_NAMES = [
  "offered",
  "accepted",
  "droppedFull",
  "droppedClosed",
  "rejectedNull",
  "rejectedShortStruct",
  "rejectedAbiVersion",
  "rejectedOversizedDetail",
  "truncatedDetail",
  "drained",
  "queued",
] as const;

/** The `runtime` face of the addon. */
export interface NativeRuntime {
  load(libraries: readonly string[]): Promise<LoadOutcome>;
  loaded(): LoadedLibraries | undefined;
  hasSymbol(name: string): boolean;
  layouts(): Readonly<Record<string, Readonly<Record<string, number>>>>;
  noteExit(code: number): void;

  createQueue(capacity: number): QueueHandle;
  drainQueue(queue: QueueHandle, buffer: Uint8Array, recordsMax: number): number;
  readQueueCounters(queue: QueueHandle, counters: BigUint64Array): void;
  closeQueue(queue: QueueHandle): void;

  openModel(request: NativeOpenRequest): NativeCall<ModelHandle>;
  closeModel(model: ModelHandle): NativeCall<null>;
  tokenize(model: ModelHandle, text: string, addSpecial: boolean): NativeCall<Int32Array>;
  detokenize(model: ModelHandle, tokens: Int32Array): NativeCall<Uint8Array>;
  tokenIsEog(model: ModelHandle, token: number): NativeCall<boolean>;
  listDevices(): NativeCall<readonly NativeDevice[]>;

  createSession(model: ModelHandle): NativeCall<SessionHandle>;
  closeSession(session: SessionHandle): NativeCall<null>;
  resetSession(session: SessionHandle): NativeCall<NativeSessionState>;
  prefill(session: SessionHandle, tokens: Int32Array): NativeCall<NativeSessionState>;
  decode(session: SessionHandle, token: number, sampling: Uint8Array | null): NativeCall<NativeStep>;
  cancel(operation: OperationHandle): void;

  installReporter(owner: string): Promise<ReporterOutcome>;
  clearReporter(generation: number): Promise<boolean>;
  reporterOwner(): string | undefined;
  drainReporter(generation: number, buffer: Uint8Array, recordsMax: number): number;
  readReporterCounters(counters: BigUint64Array): void;
}

const FUNCTIONS: readonly (keyof NativeRuntime)[] = [
  "load",
  "loaded",
  "hasSymbol",
  "layouts",
  "noteExit",
  "createQueue",
  "drainQueue",
  "readQueueCounters",
  "closeQueue",
  "openModel",
  "closeModel",
  "tokenize",
  "detokenize",
  "tokenIsEog",
  "listDevices",
  "createSession",
  "closeSession",
  "resetSession",
  "prefill",
  "decode",
  "cancel",
  "installReporter",
  "clearReporter",
  "reporterOwner",
  "drainReporter",
  "readReporterCounters",
];

let checked: NativeRuntime | undefined;

/**
 * The runtime face, checked once: an addon of another build is named as such instead of failing in the middle of a call.
 *
 * @throws FfiError `ADDON_NOT_FOUND`, `ADDON_LOAD_FAILED` or `ADDON_MISMATCH`.
 */
export function nativeRuntime(): NativeRuntime {
  checked ??= checkFace(loadAddonFace("runtime"));
  return checked;
}

function checkFace(face: object): NativeRuntime {
  const functions = face as Readonly<Record<string, unknown>>;
  const missing = FUNCTIONS.filter((name) => typeof functions[name] !== "function");
  if (missing.length > 0) {
    const { path } = locateAddon();
    throw new FfiError({
      code: "ADDON_MISMATCH",
      message: `${path} lacks the functions ${missing.join(", ")}: it was built from another version. Install the package again.`,
      path,
      missing,
    });
  }
  // Checked above as far as a value can be: every function is there. Their shapes are those of the same commit.
  return face as NativeRuntime;
}
