import { InstallEngineError } from "./error.ts";

/**
 * `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, UTC only, the fraction without trailing zeros and without a dot when empty
 * (spec 2.2). A text, because a JavaScript date loses everything below a millisecond.
 */
export type Timestamp = string;

/** A source of the current time. */
export type Clock = () => Timestamp;

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{0,8}[1-9])?Z$/;

/** Whether a text is a timestamp of a real instant in its one spelling. */
export function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) {
    return false;
  }
  const date = new Date(`${text.slice(0, 19)}Z`);
  // Date accepts the 30th of February by rolling over; the round trip does not.
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === text.slice(0, 19);
}

/** The timestamp of an instant given in milliseconds since the epoch. */
export function timestampOf(milliseconds: number): Timestamp {
  const text = new Date(milliseconds).toISOString();
  const fraction = text.slice(20, 23).replace(/0+$/, "");
  return fraction === "" ? `${text.slice(0, 19)}Z` : `${text.slice(0, 19)}.${fraction}Z`;
}

/**
 * Adds milliseconds to a timestamp and keeps what it has below a millisecond.
 *
 * @throws InstallEngineError INVALID_VALUE if the text is no timestamp.
 */
export function addMilliseconds(timestamp: Timestamp, milliseconds: number): Timestamp {
  if (!isTimestamp(timestamp)) {
    throw new InstallEngineError({
      code: "INVALID_VALUE",
      message: `expected a UTC timestamp such as 2026-08-01T12:00:00Z, found ${JSON.stringify(timestamp)}`,
    });
  }
  const fraction = timestamp.slice(20, -1);
  const seconds = Date.parse(`${timestamp.slice(0, 19)}Z`);
  const below = fraction.slice(3);
  const shifted = new Date(seconds + Number(fraction.slice(0, 3).padEnd(3, "0")) + milliseconds).toISOString();
  const digits = `${shifted.slice(20, 23)}${below}`.replace(/0+$/, "");
  return digits === "" ? `${shifted.slice(0, 19)}Z` : `${shifted.slice(0, 19)}.${digits}Z`;
}

/** Orders two timestamps by instant: negative when the first is earlier, zero when they are the same. */
export function compareTimestamps(left: Timestamp, right: Timestamp): number {
  const a = comparable(left);
  const b = comparable(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparable(timestamp: Timestamp): string {
  return timestamp.slice(0, 19) + timestamp.slice(20, -1).padEnd(9, "0");
}

/** The time of this machine. */
export const systemClock: Clock = () => timestampOf(Date.now());
