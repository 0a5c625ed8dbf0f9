import type { Writable } from "node:stream";

import pc from "picocolors";

import { printable } from "./output.ts";

/** Exit status of a command that could not do what it was asked. 2 is commander's, for wrong arguments. */
export const EXIT_FAILED = 1;
/** Exit status of a command that was interrupted: 128 and the number of SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;
/** A chain of causes is followed this far, so that a cycle ends. */
const CAUSES_MAX = 8;

/** What is known of an error, whichever package it comes from: its own enumerable facts and its chain of causes. */
export interface FailureFacts {
  readonly step: "error";
  readonly code: string;
  readonly message: string;
  readonly [fact: string]: unknown;
}

function ownFacts(error: Error): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error)) {
    if (name !== "name" && name !== "code" && value !== undefined) facts[name] = value;
  }
  return facts;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "UNEXPECTED";
}

/** Turns anything that was thrown into one flat object for programs. */
export function failureFacts(thrown: unknown): FailureFacts {
  if (!(thrown instanceof Error)) return { step: "error", code: "UNEXPECTED", message: String(thrown) };
  const causes: { code: string; message: string }[] = [];
  let cause: unknown = thrown.cause;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    causes.push({ code: codeOf(cause), message: cause.message });
    cause = cause.cause;
  }
  return {
    ...ownFacts(thrown),
    step: "error",
    code: codeOf(thrown),
    message: thrown.message,
    ...(causes.length > 0 ? { causes } : {}),
  };
}

/** Writes one error for a person: its code and message on one line, and each cause below it. */
export function writeFailure(thrown: unknown, stream: Writable): void {
  const facts = failureFacts(thrown);
  stream.write(`${pc.red(`error ${facts.code}`)}: ${printable(facts.message)}\n`);
  const causes = facts["causes"];
  if (!Array.isArray(causes)) return;
  for (const cause of causes) {
    const { code, message } = cause as { code: string; message: string };
    if (!facts.message.includes(message)) stream.write(`  caused by ${code}: ${printable(message)}\n`);
  }
}
