import { openRuntime, type Runtime } from "@mesh/ffi/runtime";
import { buildFaultRuntime, type FaultVariantName } from "@mesh/testkit";

/** Loads a scripted runtime into this process; a process can have one, so a test file uses one variant. */
export async function loadFaultRuntime(variant: FaultVariantName): Promise<Runtime> {
  return openRuntime(await buildFaultRuntime(variant));
}
