import { hash } from "node:crypto";
import { type CanonicalValue, canonicalJson } from "./canonical-json.ts";

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text, or of bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  // In one call: for the short texts that most digests here are made of, three times as fast as a hash object.
  return hash("sha256", data, "hex");
}

/** SHA-256 of the flavour A (ASCII) canonical text of a value (spec 2.1, rows marked A). */
export function digestAscii(value: CanonicalValue): string {
  return sha256Hex(canonicalJson(value, "ascii"));
}

/** SHA-256 of the flavour B (raw UTF-8) canonical text of a value (spec 2.1, rows marked B). */
export function digestUtf8(value: CanonicalValue): string {
  return sha256Hex(canonicalJson(value, "utf8"));
}
