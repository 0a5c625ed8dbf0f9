import { EvidenceError } from "./error.ts";
import { isName, type Marker } from "./line.ts";

/** How a marker's value is compared. Order is for numbers alone. */
export type Comparison = ">=" | "<=" | "==" | "!=" | ">" | "<";

/** One condition on the steps of a run. */
export interface EvidenceRequirement {
  /** The condition as it was written. */
  readonly text: string;
  /** Name of the marker it is about. */
  readonly marker: string;
  /** A `key=` inside the marker's value; undefined for the whole value. */
  readonly key: string | undefined;
  /** Undefined when the marker only has to be there. */
  readonly comparison: { readonly operator: Comparison; readonly expected: string } | undefined;
}

const FORM = /^\s*([a-z0-9-]+)(?:\.([A-Za-z0-9_-]+))?\s*(?:(>=|<=|==|!=|>|<)\s*(\S(?:.*\S)?)\s*)?$/u;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Reads a condition such as `unload-callbacks >= 1`, `open-with-events.dropped == 0`, `reporter-install == true` or
 * `reporter-clear`.
 *
 * @throws EvidenceError INVALID_POLICY
 */
export function parseRequirement(text: string): EvidenceRequirement {
  const [, marker = "", key, operator, expected] = FORM.exec(text) ?? [];
  if (!isName(marker)) {
    throw invalid(text, "MARKER, MARKER OPERATOR VALUE or MARKER.KEY OPERATOR VALUE (operators: >= <= == != > <)");
  }
  if (!isOperator(operator) || expected === undefined) return { text, marker, key, comparison: undefined };
  if (isOrder(operator) && !NUMBER.test(expected)) throw invalid(text, `a decimal number after ${operator}`);
  return { text, marker, key, comparison: { operator, expected } };
}

/**
 * Judges a condition over the steps of a run. It holds when the marker is there and each marker of that name meets it.
 *
 * @returns undefined when it holds, otherwise what was found instead
 */
export function unmetBecause(requirement: EvidenceRequirement, steps: readonly Marker[]): string | undefined {
  const named = steps.filter((one) => one.name === requirement.marker);
  if (named.length === 0) return `no marker "${requirement.marker}"`;
  for (const { value } of named) {
    const found = requirement.key === undefined ? value : valueOfKey(value, requirement.key);
    if (found === undefined) return `no "${requirement.key ?? ""}=" in "${requirement.marker}: ${value}"`;
    const { comparison } = requirement;
    if (comparison === undefined) continue;
    if (isOrder(comparison.operator) && !NUMBER.test(found)) return `"${found}", which is not a number`;
    if (!holds(found, comparison.operator, comparison.expected)) return `"${found}"`;
  }
  return undefined;
}

/** Values are written as `key=value key="value with spaces" …`. */
function valueOfKey(value: string, key: string): string | undefined {
  for (const [, name, quoted, plain] of value.matchAll(/(?<=^|\s)([A-Za-z0-9_-]+)=(?:"([^"]*)"|(\S*))/gu)) {
    if (name === key) return quoted ?? plain;
  }
  return undefined;
}

function holds(found: string, operator: Comparison, expected: string): boolean {
  switch (operator) {
    case "==":
      return isEqual(found, expected);
    case "!=":
      return !isEqual(found, expected);
    case ">=":
      return Number(found) >= Number(expected);
    case "<=":
      return Number(found) <= Number(expected);
    case ">":
      return Number(found) > Number(expected);
    case "<":
      return Number(found) < Number(expected);
  }
}

/** Two numbers are equal by value, so that 1 == 1.0; anything else by its text. */
function isEqual(found: string, expected: string): boolean {
  return NUMBER.test(found) && NUMBER.test(expected) ? Number(found) === Number(expected) : found === expected;
}

function isOrder(operator: Comparison): boolean {
  return operator !== "==" && operator !== "!=";
}

function isOperator(text: string | undefined): text is Comparison {
  return text !== undefined && [">=", "<=", "==", "!=", ">", "<"].includes(text);
}

function invalid(text: string, expected: string): EvidenceError {
  return new EvidenceError({
    code: "INVALID_POLICY",
    message: `cannot read the requirement "${text}"; expected ${expected}`,
    found: text,
    expected,
  });
}
