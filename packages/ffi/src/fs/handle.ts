import { FfiError, FileSystemError } from "../error.ts";
import { joinPath } from "./name.ts";
import { binding, type NativeDescriptor, type NativeFailure } from "./binding.ts";

/**
 * Throws the failure of a system call as the error that names the entry, or gives back the value. The path of the entry
 * is put together only then: on the way to success that would cost as much as the call.
 */
export function succeed<Value>(result: Value | NativeFailure, directory: string, name?: string): Value {
  if (!isFailure(result)) return result;
  const path = name === undefined ? directory : joinPath(directory, name);
  throw new FileSystemError({ errno: result.errno, syscall: result.syscall, path });
}

function isFailure(result: unknown): result is NativeFailure {
  return typeof result === "object" && result !== null && "errno" in result && "syscall" in result;
}

/**
 * An open descriptor and the path it was opened by. The path is for messages only: nothing is ever looked up by it again.
 */
export class Handle {
  readonly path: string;
  #descriptor: NativeDescriptor | undefined;

  constructor(descriptor: NativeDescriptor, path: string) {
    this.#descriptor = descriptor;
    this.path = path;
  }

  /** @throws FfiError `HANDLE_CLOSED`. */
  get descriptor(): NativeDescriptor {
    if (this.#descriptor === undefined) throw this.#closed();
    return this.#descriptor;
  }

  get isOpen(): boolean {
    return this.#descriptor !== undefined;
  }

  /**
   * Closes the descriptor. It is closed afterwards even where the system reports an error, which can be the last news of
   * a write that went wrong.
   *
   * @throws FfiError `HANDLE_CLOSED`; FileSystemError.
   */
  close(): void {
    const descriptor = this.descriptor;
    this.#descriptor = undefined;
    succeed(binding().close(descriptor), this.path);
  }

  #closed(): FfiError {
    return new FfiError({
      code: "HANDLE_CLOSED",
      message: `${this.path} was used after it had been closed: expected an open handle. Open it again.`,
      path: this.path,
    });
  }
}
