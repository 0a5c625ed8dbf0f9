/** What can go wrong in the file-system face. Part of {@link FfiErrorCode}. */
export type FileSystemErrorCode =
  /** A system call failed; the error is a {@link FileSystemError} that carries errno, syscall and path. */
  | "SYSTEM_CALL_FAILED"
  /** A name that is not one single path component. */
  | "INVALID_NAME"
  /** A path that is not absolute, or that holds `.`, `..` or a NUL. */
  | "INVALID_PATH"
  /** An argument outside what the method takes. */
  | "INVALID_ARGUMENT"
  /** A directory or file was used after it had been closed. */
  | "HANDLE_CLOSED";
