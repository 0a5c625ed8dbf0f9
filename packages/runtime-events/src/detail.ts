import { trimCutCharacter } from "./utf8.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The free text of an event: bytes from the runtime, at most `DETAIL_BYTES_MAX` of them, never validated by anybody.
 * It may hold an absolute path (a model open starts with one), so treat it as private and as attacker-controlled.
 */
export class EventDetail {
  /** The bytes as they arrived: not NUL-terminated, not necessarily UTF-8, maybe cut inside a character. */
  readonly bytes: Uint8Array;
  /** True when the runtime declared more bytes than arrived (spec 4.2). */
  readonly truncated: boolean;
  #text: string | undefined;

  constructor(bytes: Uint8Array, truncated: boolean) {
    this.bytes = bytes;
    this.truncated = truncated;
  }

  /**
   * The bytes as text, decoded on first use: a character cut by the limit is left off, bytes that are not UTF-8 become
   * U+FFFD, and NULs stay. The bytes keep the truth.
   */
  get text(): string {
    this.#text ??= decoder.decode(this.truncated ? trimCutCharacter(this.bytes) : this.bytes);
    return this.#text;
  }
}
