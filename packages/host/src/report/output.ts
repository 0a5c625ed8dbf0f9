import type { Writable } from "node:stream";

import pc from "picocolors";

/** What one step of a command reports: a name, and facts that JSON can carry. */
export interface StepFacts {
  /** Dotted name of the step, stable for programs that read `--json`: `doctor.node`, `model.open.progress`. */
  readonly step: string;
  readonly [fact: string]: unknown;
}

/** One line for a person: a short label in the first column, and what is said of it. */
export interface Line {
  readonly label: string;
  readonly text: string;
  readonly tone?: "good" | "bad" | "plain";
}

/** Where a command reports its steps. There is one writer for people and one for programs. */
export interface Output {
  /** True where the reader is a program: nothing but one JSON object a line is written. */
  readonly json: boolean;
  /** True where a bar may be redrawn in place. */
  readonly interactive: boolean;
  /** Reports one step; `lines` is what a person reads of it, and may be empty. */
  step(facts: StepFacts, ...lines: readonly Line[]): void;
  /** Text of a model as it is made: written as it comes for a person, one object a piece for a program. */
  text(step: string, text: string): void;
  /** A heading between steps, for people alone. */
  heading(text: string): void;
}

/** Width of the first column, in characters. */
const LABEL_WIDTH = 12;

/** Control characters other than tab and line feed: a model writes lines, but must not steer the terminal. */
const UNPRINTABLE_IN_TEXT = /(?![\t\n])\p{Cc}/gu;

/** BigInt has no JSON form: 64-bit values are written as decimal strings, so that no reader rounds them. */
function jsonValue(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/**
 * Takes every control character out of a text. Names and messages come from files and from native code
 * (attacker-controlled), and must not be able to move the cursor, change colours or forge another line.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, "\u{fffd}");
}

const TONES: Readonly<Record<NonNullable<Line["tone"]>, (text: string) => string>> = {
  good: pc.green,
  bad: pc.red,
  plain: (text) => text,
};

function paint(line: Line): string {
  const label = pc.dim(printable(line.label).padEnd(LABEL_WIDTH));
  const text = printable(line.text);
  return `${label}${TONES[line.tone ?? "plain"](text)}`;
}

/** Makes the output of a command over a stream; `terminal` only where that stream is one. */
export function createOutput(options: {
  readonly json: boolean;
  readonly stream: Writable;
  readonly terminal: boolean;
}): Output {
  const write = (text: string): void => {
    options.stream.write(`${text}\n`);
  };
  if (options.json) {
    return {
      json: true,
      interactive: false,
      step: (facts) => {
        write(JSON.stringify(facts, jsonValue));
      },
      text: (step, text) => {
        write(JSON.stringify({ step, text }));
      },
      heading: () => undefined,
    };
  }
  return {
    json: false,
    interactive: options.terminal,
    step: (_facts, ...lines) => {
      for (const line of lines) write(paint(line));
    },
    text: (_step, text) => {
      options.stream.write(text.replace(UNPRINTABLE_IN_TEXT, "\u{fffd}"));
    },
    heading: (text) => {
      write(`\n${pc.bold(printable(text))}`);
    },
  };
}
