export { TestkitError, type TestkitErrorCode, type TestkitErrorFacts } from "./error.ts";
export { buildFaultRuntime, type FaultRuntime } from "./fault-runtime/build.ts";
export {
  type EmitFields,
  type OpenStep,
  openScript,
  type RawEventFields,
  type ThreadFields,
} from "./fault-runtime/open-script.ts";
export { type FaultVariantName, faultRuntimeVariants } from "./fault-runtime/variants.ts";
