import { formatAbiVersion, openRuntime, REQUIRED_ABI_VERSION, type Runtime } from "@mesh/ffi/runtime";
import { materializeBundle, type MaterializeProgress, readBundle, type RuntimeBundle } from "@mesh/llama-runtime";

/** Which native runtime a host loads. */
export interface HostRuntimeOptions {
  /** Cache of materialised bundles; used unless `bundleDirectory` is given. */
  readonly cacheDirectory: string;
  /** A bundle of somebody else's, used where it lies. */
  readonly bundleDirectory?: string;
  readonly onProgress?: (progress: MaterializeProgress) => void;
}

/** The one native runtime of this process, and the verified bundle that it came from. */
export interface HostRuntime {
  readonly bundle: RuntimeBundle;
  readonly runtime: Runtime;
}

/**
 * Verifies a bundle, every digest of it, and admits its libraries. Nothing is loaded from a bundle that does not verify.
 *
 * @throws LlamaRuntimeError for a bundle that is missing or not intact; FfiError for libraries that are not admitted.
 */
export async function openHostRuntime(options: HostRuntimeOptions): Promise<HostRuntime> {
  const bundle = await verifiedBundle(options);
  return { bundle, runtime: await openRuntime({ libraries: [...bundle.libraries] }) };
}

function verifiedBundle(options: HostRuntimeOptions): Promise<RuntimeBundle> {
  const { bundleDirectory, cacheDirectory, onProgress } = options;
  if (bundleDirectory !== undefined) return readBundle(bundleDirectory);
  return materializeBundle({ cacheDirectory, ...(onProgress === undefined ? {} : { onProgress }) });
}

/** The ABI that this build of the host speaks, as people write it. */
export const REQUIRED_ABI: string = formatAbiVersion(REQUIRED_ABI_VERSION);
