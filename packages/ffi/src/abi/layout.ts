/**
 * Sizes and offsets, in bytes, of the structs that JavaScript reads or fills itself. The compiled addon reports its own and
 * a test compares every number, so the two cannot drift apart.
 */

/** One drained event: the first 96 bytes are those of the event, the rest replaces its pointers (spec 4.2). */
export const RECORD_LAYOUT = {
  size: 392,
  abiVersion: 0,
  structSize: 4,
  category: 8,
  kind: 12,
  emitter: 16,
  reserved0: 20,
  sequence: 24,
  timestampMonoNs: 32,
  modelId: 40,
  stageId: 48,
  sessionId: 56,
  progressCurrent: 64,
  progressTotal: 72,
  progressUnit: 80,
  failureCode: 84,
  status: 88,
  reserved1: 92,
  numericSummary: 96,
  numericSummaryPresent: 128,
  detailTruncated: 129,
  detailLength: 130,
  detail: 132,
} as const;

/** Bytes of one packed record in a drain buffer. */
export const RECORD_BYTES = RECORD_LAYOUT.size;

/** Detail bytes that one record can hold; what an event carries beyond them is cut and flagged. */
export const RECORD_DETAIL_BYTES_MAX = 256;

/** An event that declares more detail than this is refused, not cut (spec 4.2). */
export const EVENT_DETAIL_BYTES_MAX = 1_048_576;

/** `skippy_runtime_config` of ABI 0.1.54 (spec 1.8). */
export const RUNTIME_CONFIG_LAYOUT = {
  size: 152,
  stageIndex: 0,
  layerStart: 4,
  layerEnd: 8,
  contextSize: 12,
  laneCount: 16,
  batchSize: 20,
  microBatchSize: 24,
  threads: 28,
  batchThreads: 32,
  gpuLayers: 36,
  hasMmapOverride: 40,
  useMmap: 41,
  useMlock: 42,
  cacheTypeK: 44,
  cacheTypeV: 48,
  flashAttention: 52,
  loadMode: 56,
  disableRepack: 60,
  useMmapPrefetch: 61,
  useMmapBuffer: 62,
  filterTensorsOnLoad: 63,
  residentTensorNames: 64,
  residentTensorNameCount: 72,
  includeEmbeddings: 80,
  includeOutput: 81,
  mtpSource: 84,
  selectedBackendDevice: 88,
  glmDsaPolicyProfile: 96,
  flags: 100,
  shortPrefillMaxTokens: 104,
  directSparseDecodeMaxTopK: 108,
  denseSparseMaskMaxBytes: 112,
  compactFlashMinKv: 120,
  kvOffload: 124,
  kvUnified: 128,
  swaFull: 132,
  opOffload: 136,
  noHostBuffer: 140,
  checkTensors: 141,
  useDirectIo: 142,
  hasMainGpuOverride: 143,
  mainGpu: 144,
  splitMode: 148,
} as const;

/** `skippy_sampling_config` of ABI 0.1.54 (spec 1.6). */
export const SAMPLING_CONFIG_LAYOUT = {
  size: 2096,
  version: 0,
  flags: 4,
  seed: 8,
  topK: 12,
  penaltyLastN: 16,
  temperature: 20,
  topP: 24,
  presencePenalty: 28,
  frequencyPenalty: 32,
  repeatPenalty: 36,
  logitBiasCount: 40,
  minP: 44,
  logitBias: 48,
} as const;

/** Tokens whose logit one sampling config can bias. */
export const SAMPLING_LOGIT_BIAS_MAX = 256;

/** Bytes of one entry of the logit-bias list: an i32 token, then an f32 bias. */
export const LOGIT_BIAS_BYTES = 8;
