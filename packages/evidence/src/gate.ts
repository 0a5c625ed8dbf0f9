import { EvidenceError } from "./error.ts";
import { Evidence } from "./evidence.ts";
import type { EvidenceSubject } from "./facts.ts";
import { replaceFile } from "./file.ts";
import { formatLine } from "./line.ts";

/** Something a gated run cannot do without. */
export type GateRequirement =
  /** An environment variable that must be set and not empty; its value is handed to the steps. */
  | { readonly kind: "variable"; readonly variable: string; readonly purpose: string }
  /** Anything else: `missing` gives the reason, such as "no prebuilt addon for linux-riscv64", or undefined. */
  | { readonly kind: "probe"; readonly purpose: string; readonly missing: () => string | undefined };

/** How a gated run is asked for and what it needs. */
export interface NativeGate {
  /** Name of the environment variable that asks for the run; only the exact value "1" does. */
  readonly gate: string;
  /** Name of the environment variable that names the evidence file. */
  readonly evidenceFile: string;
  /** Checked in this order; the first that is missing blocks the run. */
  readonly requires: readonly GateRequirement[];
  /** See {@link EvidenceRun}. */
  readonly command: string;
  readonly versions?: Readonly<Record<string, string>>;
  /** Takes the digests of what the run is about, once every requirement is there and before the first step. */
  readonly subjects?: (inputs: GateInputs) => Promise<readonly EvidenceSubject[]>;
  /** Puts back what a failing step may have left in place, before the failure is written. */
  readonly release?: () => void | Promise<void>;
  /** Read once, before any step: native code may change the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where `BLOCKED: …` is said; standard output unless told otherwise. */
  readonly say?: (line: string) => void;
}

/** The values of the required variables, by name. */
export type GateInputs = Readonly<Record<string, string>>;

/** How a gate that did not throw ended. */
export type GateOutcome =
  | { readonly kind: "executed"; readonly file: string }
  | { readonly kind: "blocked-when-ungated"; readonly reason: string };

/**
 * Runs the steps if the gate asks for them, and leaves evidence that says what happened. Nobody asked: passes, says
 * `BLOCKED`, never touches native code, and the evidence says `blocked-when-ungated`. Asked and impossible: fails loudly, and
 * the evidence says `blocked`. A step failed: fails with that failure, and the evidence says `failed`. In every case the file is
 * replaced whole, so no earlier `executed` survives.
 *
 * @param steps records what each step established; throws when one fails
 * @throws EvidenceError GATE_BLOCKED when a requirement is missing; whatever a step throws; the errors of {@link Evidence}
 */
export async function nativeGate(
  options: NativeGate,
  steps: (evidence: Evidence, inputs: GateInputs) => void | Promise<void>,
): Promise<GateOutcome> {
  const environment = { ...(options.environment ?? process.env) };
  const file = nonEmpty(environment[options.evidenceFile]);
  if (environment[options.gate] !== "1") return leaveUngated(options, file);
  if (file === undefined) {
    throw blocked(`${options.gate}=1 requires ${options.evidenceFile} to name the evidence file`, options.evidenceFile);
  }
  const inputs = collectInputs(options, environment, file);
  const subjects = await subjectsOrBlocked(options, inputs, file);
  const { command, versions } = options;
  const evidence = Evidence.start({ file, command, subjects, ...(versions === undefined ? {} : { versions }) });
  try {
    await steps(evidence, inputs);
  } catch (failure) {
    await failWith(evidence, failure, options.release);
    throw failure;
  }
  evidence.flushExecuted();
  return { kind: "executed", file };
}

function leaveUngated(options: NativeGate, file: string | undefined): GateOutcome {
  say(options, `BLOCKED: ${options.gate} unset`);
  const reason = "gate unset, no native symbol was touched";
  if (file !== undefined) replaceFile(file, `${formatLine("blocked-when-ungated", reason)}\n`);
  return { kind: "blocked-when-ungated", reason };
}

function collectInputs(
  options: NativeGate,
  environment: Readonly<Record<string, string | undefined>>,
  file: string,
): GateInputs {
  const inputs: Record<string, string> = {};
  for (const requirement of options.requires) {
    switch (requirement.kind) {
      case "variable": {
        const value = nonEmpty(environment[requirement.variable]);
        if (value === undefined) {
          const reason = `${requirement.variable} unset`;
          leaveBlocked(options, file, reason, `${reason}, required when ${options.gate}=1`);
          throw blocked(
            `${options.gate}=1 requires ${requirement.variable} to ${requirement.purpose}`,
            requirement.variable,
          );
        }
        inputs[requirement.variable] = value;
        break;
      }
      case "probe": {
        const reason = requirement.missing();
        if (reason === undefined) break;
        leaveBlocked(options, file, reason, reason);
        throw blocked(`${options.gate}=1 requires what is not there to ${requirement.purpose}: ${reason}`, reason);
      }
    }
  }
  return inputs;
}

/** A subject that cannot be read is a prerequisite that is missing, not a step that failed. */
async function subjectsOrBlocked(
  options: NativeGate,
  inputs: GateInputs,
  file: string,
): Promise<readonly EvidenceSubject[]> {
  try {
    return (await options.subjects?.(inputs)) ?? [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    leaveBlocked(options, file, reason, reason);
    throw blocked(`${options.gate}=1 requires what it tests to be readable: ${reason}`, reason, cause);
  }
}

function leaveBlocked(options: NativeGate, file: string, said: string, written: string): void {
  say(options, `BLOCKED: ${said}`);
  replaceFile(file, `${formatLine("blocked", written)}\n`);
}

/** The step's failure is what the caller has to see; trouble with writing it down is attached to it, not put in its place. */
async function failWith(evidence: Evidence, failure: unknown, release: NativeGate["release"]): Promise<void> {
  const troubles: unknown[] = [];
  try {
    await release?.();
  } catch (trouble) {
    troubles.push(trouble);
  }
  try {
    evidence.flushFailed(failure);
  } catch (trouble) {
    troubles.push(trouble);
  }
  if (troubles.length === 0) return;
  throw new AggregateError([failure, ...troubles], "a step failed, and so did what follows a failure", {
    cause: failure,
  });
}

function say(options: NativeGate, line: string): void {
  const write = options.say ?? ((text: string) => void process.stdout.write(`${text}\n`));
  write(line);
}

function blocked(message: string, found: string, cause?: unknown): EvidenceError {
  return new EvidenceError({ code: "GATE_BLOCKED", message, found, cause });
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
