export { LlamaRuntimeError, type LlamaRuntimeErrorCode, type LlamaRuntimeErrorFacts } from "./error.ts";
export { embeddedBundleDirectory, embeddedBundleId } from "./embedded.ts";
export {
  BUNDLE_DIRECTORY_DEPTH_MAX,
  BUNDLE_FILES_MAX,
  MANIFEST_BYTES_MAX,
  RELATIVE_PATH_BYTES_MAX,
  STAGE_AGE_MS_MAX,
} from "./bundle/limits.ts";
export { type MaterializeOptions, type MaterializeProgress, materializeBundle } from "./bundle/materialize.ts";
export { readBundle, type RuntimeBundle } from "./bundle/read-bundle.ts";
