import { FfiError } from "../error.ts";

/** The error for an argument that is refused before anything was done. */
export function invalidArgument(argument: string, expected: string, found: unknown): FfiError {
  return new FfiError({
    code: "ARGUMENT_INVALID",
    message: `${argument}: expected ${expected}, found ${describe(found)}.`,
    argument,
    expected,
  });
}

/** An integer in a closed range, or an error that says which. */
export function checkInteger(argument: string, value: number, minimum: number, maximum: number): number {
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw invalidArgument(argument, `an integer from ${minimum} to ${maximum}`, value);
  }
  return value;
}

/**
 * Text that will become a C string. A NUL inside would silently cut it there, and the rest of a path or a prompt would be
 * somebody else's.
 */
export function checkCString(argument: string, value: string): string {
  if (typeof value !== "string" || value.length === 0 || value.includes("\0")) {
    throw invalidArgument(argument, "a non-empty string without a NUL character", value);
  }
  return value;
}

/** Tokens as the ABI takes them: signed 32-bit. */
export function checkTokens(argument: string, tokens: Int32Array | readonly number[]): Int32Array {
  if (tokens instanceof Int32Array) return tokens;
  for (const token of tokens) checkInteger(argument, token, TOKEN_MIN, TOKEN_MAX);
  return Int32Array.from(tokens);
}

const TOKEN_MIN = -0x8000_0000;
const TOKEN_MAX = 0x7fff_ffff;

function describe(value: unknown): string {
  if (typeof value === "string")
    return value.length > 80 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  return value === null ? "null" : typeof value;
}
