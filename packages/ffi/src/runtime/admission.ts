import { isAbsolute } from "node:path";
import { type AbiVersion, formatAbiVersion } from "../abi/version.ts";
import { FfiError } from "../error.ts";
import type { AdmissionDifference, LoadedLibraries, LoadOutcome } from "./native.ts";

/** Libraries that one runtime may consist of. */
export const RUNTIME_LIBRARIES_MAX = 256;

export type { AdmissionDifference } from "./native.ts";

/**
 * Checks a list of libraries before any of them is touched. Paths come from outside (a manifest, a command line): a relative
 * one would be looked up wherever the process happens to stand, and a bare name along the system's search path.
 *
 * @throws FfiError `RUNTIME_LIBRARIES_EMPTY`, `RUNTIME_LIBRARY_PATH_INVALID`.
 */
export function checkLibraryPaths(libraries: readonly string[]): readonly string[] {
  if (libraries.length === 0 || libraries.length > RUNTIME_LIBRARIES_MAX) {
    throw new FfiError({
      code: "RUNTIME_LIBRARIES_EMPTY",
      message: `libraries: expected 1 to ${RUNTIME_LIBRARIES_MAX} absolute paths in load order, the primary library last.`,
    });
  }
  for (const library of libraries) {
    if (typeof library !== "string" || !isAbsolute(library) || library.includes("\0")) {
      throw new FfiError({
        code: "RUNTIME_LIBRARY_PATH_INVALID",
        message: `library ${JSON.stringify(library)}: expected an absolute path without a NUL character.`,
        library,
      });
    }
  }
  return [...libraries];
}

/** What the addon loaded, or the one error that lists everything that is wrong with it. */
export function unwrapLoad(outcome: LoadOutcome, requested: readonly string[]): LoadedLibraries {
  switch (outcome.kind) {
    case "loaded":
      return outcome.loaded;
    case "refused":
      throw refusal(outcome.differences, requested);
    case "already-loaded":
      throw new FfiError({
        code: "RUNTIME_ALREADY_LOADED",
        message:
          `this process already runs the runtime ${outcome.libraries.join(", ")}; a loaded runtime is never closed. ` +
          "Open the same libraries, or use another process for another runtime.",
        libraries: outcome.libraries,
        requested,
      });
    case "other-copy":
      throw new FfiError({
        code: "RUNTIME_OWNED_BY_ANOTHER_COPY",
        message:
          `${outcome.library} is already loaded in this process by ${outcome.owner ?? "something else than this addon"}; ` +
          `this copy of the addon is ${outcome.self}. Two owners would share one runtime's state: make the dependency ` +
          "tree hold one copy of @mesh/ffi.",
        library: outcome.library,
        owner: outcome.owner,
        self: outcome.self,
      });
    case "threw":
      throw new FfiError({
        code: "RUNTIME_THREW",
        message: `${requested.at(-1) ?? ""} threw a C++ exception while it was checked: ${outcome.message}`,
        libraries: requested,
      });
    case "exiting":
      throw new FfiError({ code: "RUNTIME_EXITING", message: "no runtime is loaded while the process exits." });
    case "no-thread":
      throw new FfiError({
        code: "RUNTIME_THREAD_UNAVAILABLE",
        message: `the system gave no thread to load the runtime on (${outcome.message}).`,
      });
    default:
      return unreachable(outcome);
  }
}

/** The code is that of the first rule broken: files, then the version, then the symbols. */
function refusal(differences: readonly AdmissionDifference[], libraries: readonly string[]): FfiError {
  const kinds = new Set(differences.map((difference) => difference.kind));
  const code = kinds.has("library-not-opened")
    ? "RUNTIME_LIBRARY_NOT_OPENED"
    : kinds.has("abi-symbol-missing")
      ? "RUNTIME_ABI_SYMBOL_MISSING"
      : kinds.has("abi-version")
        ? "RUNTIME_ABI_MISMATCH"
        : "RUNTIME_SYMBOLS_MISSING";
  const lines = differences.map((difference) => `- ${describeDifference(difference)}`);
  return new FfiError({
    code,
    message: `the native runtime ${libraries.at(-1) ?? ""} is not admitted:\n${lines.join("\n")}`,
    libraries,
    differences,
  });
}

function describeDifference(difference: AdmissionDifference): string {
  switch (difference.kind) {
    case "library-not-opened": {
      const { library, errno, missingDependency, systemError } = difference;
      const which =
        missingDependency !== null
          ? `its dependency ${missingDependency} is missing`
          : errno !== null
            ? `the file cannot be read (OS error ${errno})`
            : "it or one of its dependencies is at fault";
      return `${library} was not opened: ${which}: ${systemError}`;
    }
    case "abi-symbol-missing":
      return `no library exports ${difference.symbol}`;
    case "abi-version": {
      const found = formatAbiVersion(toAbiVersion(difference.found));
      const required = formatAbiVersion(toAbiVersion(difference.required));
      return `${difference.library} speaks ABI ${found}; required is exactly ${required}`;
    }
    case "symbol-missing":
      return `required symbol ${difference.symbol} is missing`;
    default:
      return unreachable(difference);
  }
}

export function toAbiVersion([major, minor, patch]: readonly [number, number, number]): AbiVersion {
  return { major, minor, patch };
}

function unreachable(value: never): never {
  throw new Error(`the addon reported something of an unknown kind: ${JSON.stringify(value)}`);
}
