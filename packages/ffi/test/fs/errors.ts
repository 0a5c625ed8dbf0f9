import { FfiError, FileSystemError } from "../../src/index.ts";

/** The error that an act must end in; a test whose act succeeds fails here. */
export function errorOf(act: () => unknown): FfiError {
  try {
    act();
  } catch (error) {
    if (error instanceof FfiError) return error;
    throw error;
  }
  throw new Error("expected an FfiError, and nothing was thrown");
}

/** What a system call's error says. */
export function failureOf(act: () => unknown): { errnoName: string; syscall: string; path: string } {
  const error = errorOf(act);
  if (!(error instanceof FileSystemError)) throw error;
  return { errnoName: error.errnoName, syscall: error.syscall, path: error.path };
}
