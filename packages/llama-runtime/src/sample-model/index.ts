export {
  CONTEXT_TOKENS_MAX,
  MODEL_BYTES_MAX,
  SAMPLE_MODEL_PRESETS,
  type SampleModelOptions,
  type SampleModelPreset,
  type SampleModelShape,
  SPLITS_MAX,
} from "./options.ts";
export { type SampleModel, type SampleModelProgress, writeSampleModel } from "./write.ts";
