import type { StateDirectory } from "../state-directory.ts";
import type { Output } from "./output.ts";

/** What every command and every step of the demo gets: where to report, where the state is, and when to stop. */
export interface CommandContext {
  readonly output: Output;
  readonly state: StateDirectory;
  /** Aborted by SIGINT and SIGTERM. A second signal ends the process at once. */
  readonly signal: AbortSignal;
}
