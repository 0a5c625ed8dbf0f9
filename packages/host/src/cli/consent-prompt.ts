import { createInterface } from "node:readline";

import { HostError } from "../error.ts";

/** What is asked before an effect: it can be answered on a terminal or through a pipe. */
export interface ConsentQuestion {
  readonly question: string;
  readonly signal: AbortSignal;
}

/**
 * Asks a person and waits for a line. Only `y` or `yes` grants; anything else, and the end of the input, denies. The
 * question goes to stderr, so that stdout stays what `--json` promises.
 *
 * @throws the abort reason of the signal; HostError `CONSENT_DENIED` is left to the caller, who knows what was denied.
 */
export async function askConsent(options: ConsentQuestion): Promise<boolean> {
  options.signal.throwIfAborted();
  process.stderr.write(`${options.question} [y/N] `);
  const answer = await firstLine(options.signal);
  options.signal.throwIfAborted();
  return /^\s*y(es)?\s*$/iu.test(answer);
}

/** The first line of the standard input, or nothing at its end or on abort. Closing the reader also pauses the input. */
async function firstLine(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const close = (): void => {
    lines.close();
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    signal.removeEventListener("abort", close);
    lines.close();
  }
}

/** The error of a denied consent, which changes nothing. */
export function consentDenied(subject: string): HostError {
  return new HostError({
    code: "CONSENT_DENIED",
    message: `${subject} was not installed: consent was denied. Nothing was changed. Answer y, or pass --yes, to consent.`,
  });
}
