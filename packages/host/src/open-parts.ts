/**
 * Parts that were opened one after another and are closed in reverse order, each exactly once. (Node 22 has no
 * AsyncDisposableStack.)
 */
export class OpenParts implements AsyncDisposable {
  #parts: AsyncDisposable[] = [];

  /** Takes a part that is open. */
  use<Part extends AsyncDisposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /**
   * Closes every part, also when closing another one fails. Closing again does nothing.
   *
   * @throws what the one part threw that could not be closed, or an AggregateError of several.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const parts = this.#parts.reverse();
    this.#parts = [];
    const failures: unknown[] = [];
    for (const part of parts) {
      try {
        await part[Symbol.asyncDispose]();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts could not be closed`);
  }

  /**
   * Runs `open` and keeps what it opened. When it fails, everything is closed again and the first error is thrown;
   * a failure of the clean-up is attached to it and never hides it.
   */
  async opening<Result>(open: () => Promise<Result>): Promise<Result> {
    try {
      return await open();
    } catch (first) {
      await this[Symbol.asyncDispose]().catch((cleanUp: unknown) => {
        if (first instanceof Error) Object.assign(first, { cleanUpError: cleanUp });
      });
      throw first;
    }
  }
}
