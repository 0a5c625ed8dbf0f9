import { isMainThread } from "node:worker_threads";
import { checkLibraryPaths, unwrapLoad } from "./admission.ts";
import { nativeRuntime } from "./native.ts";
import { Runtime } from "./runtime.ts";

export interface OpenRuntimeOptions {
  /** Absolute paths in load order: dependencies first, the primary library last. */
  readonly libraries: readonly string[];
}

let exitIsWatched = false;

/**
 * Loads a native runtime into this process and admits it only when its ABI is exactly the required one. Opening the same
 * libraries again, from any thread or module format, gives the same runtime.
 *
 * Loading runs foreign constructors in this process before anything can be checked; `probeInChild` tries a runtime where a
 * crash costs only a child.
 *
 * @throws FfiError `RUNTIME_LIBRARIES_EMPTY`, `RUNTIME_LIBRARY_PATH_INVALID`, `RUNTIME_LIBRARY_NOT_OPENED`,
 *   `RUNTIME_ABI_SYMBOL_MISSING`, `RUNTIME_ABI_MISMATCH`, `RUNTIME_SYMBOLS_MISSING` (all with `differences`),
 *   `RUNTIME_ALREADY_LOADED`, `RUNTIME_OWNED_BY_ANOTHER_COPY`.
 */
export async function openRuntime({ libraries }: OpenRuntimeOptions): Promise<Runtime> {
  const paths = checkLibraryPaths(libraries);
  const native = nativeRuntime();
  if (!exitIsWatched && isMainThread) {
    exitIsWatched = true;
    // Native calls are cancelled and joined here, before the process tears down what they stand on (design D4).
    process.on("exit", (code) => {
      native.noteExit(code);
    });
  }
  return new Runtime(unwrapLoad(await native.load(paths), paths));
}
