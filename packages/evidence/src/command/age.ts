import { EvidenceError } from "../error.ts";

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads an age such as "90s", "30m", "12h" or "7d". @returns milliseconds @throws EvidenceError INVALID_POLICY */
export function parseAge(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && (unit === "s" || unit === "m" || unit === "h" || unit === "d")) {
    return Number(count) * UNIT_MS[unit];
  }
  throw new EvidenceError({
    code: "INVALID_POLICY",
    message: `cannot read the age "${text}"; expected a number and a unit: 90s, 30m, 12h or 7d`,
    found: text,
  });
}
