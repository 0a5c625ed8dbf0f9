import { availableParallelism } from "node:os";
import { RUNTIME_CONFIG_LAYOUT as AT } from "../abi/layout.ts";
import { checkCString, checkInteger, invalidArgument } from "./argument.ts";

/** A choice that the runtime makes itself unless the host insists. */
export type TriState = "auto" | "off" | "on";

/** How a model is to be opened. Everything left out is the runtime's own choice, except the threads. */
export interface RuntimeConfig {
  /** Tokens of context. */
  readonly contextSize?: number;
  /** Sequences that can be evaluated side by side. */
  readonly laneCount?: number;
  /** Tokens of one logical batch. */
  readonly batchSize?: number;
  /** Tokens of one physical batch. */
  readonly microBatchSize?: number;
  /** Threads of a decode; by default all processors but one, at least one, so that the event loop keeps its own. */
  readonly threads?: number;
  /** Threads of a prefill; the default is that of `threads`. */
  readonly batchThreads?: number;
  /** Layers that are kept on the selected device. */
  readonly gpuLayers?: number;
  /** false reads the file instead of mapping it, which spreads the progress events over the read. */
  readonly useMmap?: boolean;
  /** Locks the model in memory. */
  readonly useMlock?: boolean;
  /** ggml type number of the key cache. */
  readonly cacheTypeK?: number;
  /** ggml type number of the value cache. */
  readonly cacheTypeV?: number;
  readonly flashAttention?: TriState;
  /** Name of a device of `Runtime.listDevices`, or `CPU` for none. */
  readonly device?: string;
  readonly kvOffload?: TriState;
  readonly kvUnified?: TriState;
  readonly swaFull?: TriState;
  readonly opOffload?: TriState;
  readonly noHostBuffer?: boolean;
  /** Reads every tensor and refuses invalid numbers. */
  readonly checkTensors?: boolean;
  readonly useDirectIo?: boolean;
  readonly disableRepack?: boolean;
  readonly mainGpu?: number;
}

const I32_MAX = 0x7fff_ffff;
const TRI_STATES: Readonly<Record<TriState, number>> = { auto: -1, off: 0, on: 1 };

/** Where -1 means that the runtime decides, since 0 would be a real choice, as `skippy_runtime_config_defaults` in native/abi/skippy/data.h says. */
const UNDECIDED = [
  AT.stageIndex,
  AT.gpuLayers,
  AT.flashAttention,
  AT.kvOffload,
  AT.kvUnified,
  AT.swaFull,
  AT.opOffload,
];

/** ggml's number of the type in which llama.cpp keeps a cache unless told otherwise. */
const CACHE_TYPE_F16 = 1;

/** llama.cpp's number of "a model is spread over devices by its layers". */
const SPLIT_MODE_LAYER = 1;

/** Processors that a native call may use, so that JavaScript keeps one (design D3). */
export function defaultThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}

/** The packed struct with its pointers zero, and the text that the addon points it at. */
export interface EncodedRuntimeConfig {
  readonly bytes: Uint8Array;
  readonly selectedBackendDevice: string | null;
}

/**
 * Writes a config as the 152 bytes of ABI 0.1.54 in this machine's byte order.
 *
 * @throws FfiError `ARGUMENT_INVALID`
 */
export function encodeRuntimeConfig(config: RuntimeConfig = {}): EncodedRuntimeConfig {
  const bytes = new Uint8Array(AT.size);
  const view = new DataView(bytes.buffer);
  const setI32 = (offset: number, value: number): void => {
    view.setInt32(offset, value, LITTLE_ENDIAN);
  };
  for (const offset of UNDECIDED) setI32(offset, -1);
  setI32(AT.cacheTypeK, CACHE_TYPE_F16);
  setI32(AT.cacheTypeV, CACHE_TYPE_F16);
  setI32(AT.splitMode, SPLIT_MODE_LAYER);
  bytes[AT.includeEmbeddings] = 1;
  bytes[AT.includeOutput] = 1;

  const threads = config.threads ?? defaultThreads();
  const counts = { ...config, threads, batchThreads: config.batchThreads ?? threads };
  for (const name of COUNTS) {
    const value = counts[name];
    if (value !== undefined) setI32(AT[name], checkInteger(`config.${name}`, value, MINIMUM[name] ?? 0, I32_MAX));
  }
  for (const name of TRI_STATE_FIELDS) {
    const value = config[name];
    if (value !== undefined) setI32(AT[name], triState(name, value));
  }
  for (const name of FLAGS) {
    const value = config[name];
    if (value !== undefined) bytes[AT[name]] = flag(name, value);
  }
  if (config.useMmap !== undefined) bytes[AT.hasMmapOverride] = 1;
  if (config.mainGpu !== undefined) bytes[AT.hasMainGpuOverride] = 1;
  const device = config.device === undefined ? null : checkCString("config.device", config.device);
  return { bytes, selectedBackendDevice: device };
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const COUNTS = [
  "contextSize",
  "laneCount",
  "batchSize",
  "microBatchSize",
  "threads",
  "batchThreads",
  "gpuLayers",
  "cacheTypeK",
  "cacheTypeV",
  "mainGpu",
] as const;

/** What 0 would not mean: zero threads or an empty context cannot be asked for. */
const MINIMUM: Partial<Record<(typeof COUNTS)[number], number>> = {
  contextSize: 1,
  laneCount: 1,
  batchSize: 1,
  microBatchSize: 1,
  threads: 1,
  batchThreads: 1,
};

const TRI_STATE_FIELDS = ["flashAttention", "kvOffload", "kvUnified", "swaFull", "opOffload"] as const;

const FLAGS = ["useMmap", "useMlock", "noHostBuffer", "checkTensors", "useDirectIo", "disableRepack"] as const;

function triState(name: string, value: TriState): number {
  if (!Object.hasOwn(TRI_STATES, value)) throw invalidArgument(`config.${name}`, "auto, off or on", value);
  return TRI_STATES[value];
}

function flag(name: string, value: boolean): number {
  if (typeof value !== "boolean") throw invalidArgument(`config.${name}`, "true or false", value);
  return value ? 1 : 0;
}
