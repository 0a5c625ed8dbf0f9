import { LOGIT_BIAS_BYTES, SAMPLING_LOGIT_BIAS_MAX, SAMPLING_CONFIG_LAYOUT as AT } from "../abi/layout.ts";
import { checkInteger, invalidArgument } from "./argument.ts";

/** How the next token is chosen. Leave all of it out for greedy decoding; what is left out of a given one is neutral. */
export interface Sampling {
  /** 0 is greedy; 1 leaves the model's distribution as it is. */
  readonly temperature?: number;
  /** Keep the k likeliest tokens; 0 keeps all. */
  readonly topK?: number;
  /** Keep the likeliest tokens that together reach this probability; 1 keeps all. */
  readonly topP?: number;
  /** Keep tokens at least this fraction as likely as the likeliest; 0 keeps all. */
  readonly minP?: number;
  /** Tokens the penalties look back over; -1 is the whole context, 0 none, 64 unless given. */
  readonly penaltyLastN?: number;
  /** 1 is no penalty. */
  readonly repeatPenalty?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** The same seed gives the same tokens; 0 to 2^32 - 1. Without one the runtime draws its own. */
  readonly seed?: number;
  /** Added to the logit of a token; at most {@link SAMPLING_LOGIT_BIAS_MAX} entries. */
  readonly logitBias?: ReadonlyMap<number, number>;
}

const I32_MAX = 0x7fff_ffff;
const I32_MIN = -0x8000_0000;
const U32_MAX = 0xffff_ffff;
/** What llama.cpp takes as "draw a seed". */
const SEED_RANDOM = U32_MAX;
const SAMPLING_CONFIG_VERSION = 1;
const PENALTY_LAST_N_DEFAULT = 64;
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Writes a sampling config as the 2,096 bytes of ABI 0.1.54.
 *
 * @throws FfiError `ARGUMENT_INVALID`
 */
export function encodeSampling(sampling: Sampling): Uint8Array {
  const bytes = new Uint8Array(AT.size);
  const view = new DataView(bytes.buffer);
  const bias = sampling.logitBias ?? new Map<number, number>();
  if (bias.size > SAMPLING_LOGIT_BIAS_MAX) {
    throw invalidArgument("sampling.logitBias", `at most ${SAMPLING_LOGIT_BIAS_MAX} entries`, bias.size);
  }
  view.setUint32(AT.version, SAMPLING_CONFIG_VERSION, LITTLE_ENDIAN);
  view.setUint32(AT.seed, checkInteger("sampling.seed", sampling.seed ?? SEED_RANDOM, 0, U32_MAX), LITTLE_ENDIAN);
  view.setInt32(AT.topK, checkInteger("sampling.topK", sampling.topK ?? 0, 0, I32_MAX), LITTLE_ENDIAN);
  const lastN = checkInteger("sampling.penaltyLastN", sampling.penaltyLastN ?? PENALTY_LAST_N_DEFAULT, -1, I32_MAX);
  view.setInt32(AT.penaltyLastN, lastN, LITTLE_ENDIAN);
  const setF32 = (offset: number, name: keyof Sampling, value: number, minimum: number, maximum: number): void => {
    view.setFloat32(offset, checkNumber(`sampling.${name}`, value, minimum, maximum), LITTLE_ENDIAN);
  };
  setF32(AT.temperature, "temperature", sampling.temperature ?? 1, 0, F32_MAX);
  setF32(AT.topP, "topP", sampling.topP ?? 1, 0, 1);
  setF32(AT.minP, "minP", sampling.minP ?? 0, 0, 1);
  setF32(AT.repeatPenalty, "repeatPenalty", sampling.repeatPenalty ?? 1, 0, F32_MAX);
  setF32(AT.frequencyPenalty, "frequencyPenalty", sampling.frequencyPenalty ?? 0, -F32_MAX, F32_MAX);
  setF32(AT.presencePenalty, "presencePenalty", sampling.presencePenalty ?? 0, -F32_MAX, F32_MAX);
  view.setUint32(AT.logitBiasCount, bias.size, LITTLE_ENDIAN);
  let offset: number = AT.logitBias;
  for (const [token, value] of bias) {
    view.setInt32(offset, checkInteger("sampling.logitBias token", token, I32_MIN, I32_MAX), LITTLE_ENDIAN);
    setF32(offset + 4, "logitBias", value, -F32_MAX, F32_MAX);
    offset += LOGIT_BIAS_BYTES;
  }
  return bytes;
}

const F32_MAX = 3.4e38;

function checkNumber(argument: string, value: number, minimum: number, maximum: number): number {
  if (!Number.isFinite(value) || value < minimum || value > maximum) {
    throw invalidArgument(argument, `a number from ${minimum} to ${maximum}`, value);
  }
  return value;
}
