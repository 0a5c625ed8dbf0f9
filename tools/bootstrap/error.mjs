/**
 * A set-up that cannot go on, said in one line a person can act on. Anything else that escapes is a defect of the
 * set-up itself and is shown with its stack.
 */
export class SetUpError extends Error {
  /**
   * @param {string} message what was found, what was expected and what to do
   * @param {{ cause?: unknown, exitCode?: number }} [options]
   */
  constructor(message, options = {}) {
    super(message, { cause: options.cause });
    this.name = "SetUpError";
    /** Exit status of the command: the failing child's own where there is one. */
    this.exitCode = options.exitCode ?? 1;
  }
}
