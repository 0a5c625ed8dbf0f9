import { join } from "node:path";
import { openRuntime, type Runtime } from "@mesh/ffi/runtime";
import { materializeBundle } from "@mesh/llama-runtime";
import { BUILD_DIRECTORY } from "./folder.ts";

/** Loads the real runtime into this process, where it stays. The bundle is verified each time and written once. */
export async function loadRealRuntime(): Promise<Runtime> {
  const { libraries } = await materializeBundle({ cacheDirectory: join(BUILD_DIRECTORY, "runtimes") });
  return openRuntime({ libraries });
}
