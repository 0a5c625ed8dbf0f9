/** What can be wrong, as a stable code. */
export type LlamaRuntimeErrorCode =
  /** This package holds no bundle for the running platform, or the named directory is no bundle. */
  | "BUNDLE_MISSING"
  /** manifest.json is not a manifest of schema version 2, or breaks one of its rules. */
  | "BUNDLE_MANIFEST_INVALID"
  /** The files are not those of the manifest: another digest, a missing file, an unexpected one, a symlink. */
  | "BUNDLE_CORRUPT"
  /** The cache directory cannot hold a bundle safely: not absolute, of another owner, writable by others. */
  | "CACHE_DIRECTORY_UNSAFE"
  /** The options of a sample model contradict each other or leave their bounds. */
  | "SAMPLE_MODEL_OPTIONS_INVALID";

/** The facts an error carries beside its message. Absent ones do not apply. */
export interface LlamaRuntimeErrorFacts {
  /** The file or directory the error is about. */
  readonly path?: string;
  /** What should have been there, e.g. a digest. */
  readonly expected?: string;
  /** What was there instead. */
  readonly found?: string;
}

/**
 * Every error this package makes itself. Errors of the file system are passed on as Node made them, with their errno.
 */
export class LlamaRuntimeError extends Error {
  override readonly name = "LlamaRuntimeError";
  readonly code: LlamaRuntimeErrorCode;
  readonly path: string | undefined;
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor(
    options: {
      readonly code: LlamaRuntimeErrorCode;
      readonly message: string;
      readonly cause?: unknown;
    } & LlamaRuntimeErrorFacts,
  ) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.path = options.path;
    this.expected = options.expected;
    this.found = options.found;
  }
}
