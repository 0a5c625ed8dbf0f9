/** What can go wrong in the runtime face. Part of {@link FfiErrorCode}. */
export type RuntimeErrorCode =
  /** An argument of this package's own functions has the wrong type or range; nothing was done. */
  | "ARGUMENT_INVALID"
  /** The list of libraries is empty. */
  | "RUNTIME_LIBRARIES_EMPTY"
  /** A library path is relative, holds a NUL or is not a string. */
  | "RUNTIME_LIBRARY_PATH_INVALID"
  /** The system could not open a library or one of its dependencies. */
  | "RUNTIME_LIBRARY_NOT_OPENED"
  /** No library of the list exports `skippy_abi_version`. */
  | "RUNTIME_ABI_SYMBOL_MISSING"
  /** The runtime speaks another ABI version than the one required. */
  | "RUNTIME_ABI_MISMATCH"
  /** The ABI version is right and a required symbol is missing. */
  | "RUNTIME_SYMBOLS_MISSING"
  /** Another set of libraries is already loaded in this process; a loaded runtime is never closed. */
  | "RUNTIME_ALREADY_LOADED"
  /** Another copy of this addon in this process holds the same primary library. */
  | "RUNTIME_OWNED_BY_ANOTHER_COPY"
  /** The process is on its way out, so no native call is started any more. */
  | "RUNTIME_EXITING"
  /** The system gave no thread for the call (EAGAIN); nothing was started. */
  | "RUNTIME_THREAD_UNAVAILABLE"
  /** A C++ exception crossed the C ABI; it was caught at the boundary. */
  | "RUNTIME_THREW"
  /** The runtime reported success and gave no handle. */
  | "RUNTIME_NULL_HANDLE"
  /** A model could not be opened; facts: `status`, `statusName`. */
  | "MODEL_OPEN_FAILED"
  /** Any other native function returned a status that is not OK; facts: `function`, `status`, `statusName`. */
  | "RUNTIME_CALL_FAILED"
  /** The caller's signal ended the call; facts: `nativeWork` is `stopped` or `running`. */
  | "CANCELLED"
  /** A queue serves one open, and this one has had it. */
  | "QUEUE_ALREADY_USED"
  | "QUEUE_CLOSED"
  | "MODEL_CLOSED"
  | "SESSION_CLOSED"
  /** The runtime does not confirm the family `runtime_event_reporter`. */
  | "REPORTER_UNSUPPORTED"
  /** The process-wide reporter has an owner; facts: `owner`. */
  | "REPORTER_OWNED"
  /** The runtime refused the reporter; fact: `status`. */
  | "REPORTER_REFUSED"
  /** This reporter was cleared and a new one took the ring. */
  | "REPORTER_REPLACED"
  /** A probe in a child process could not be started or did not answer as expected. */
  | "PROBE_FAILED";
