/** One entry of a hand-made archive; any field can be wrong on purpose. */
export interface Entry {
  readonly name: string;
  readonly content?: string;
  readonly type?: string;
  readonly mode?: number;
  /** Written to the header in place of the true size. */
  readonly claimedSize?: number;
  /** Flips a bit of the header after its checksum was made. */
  readonly damaged?: boolean;
}

const BLOCK_BYTES = 512;

/** Builds a ustar archive, with the two zero blocks at its end unless told otherwise. */
export function tarOf(entries: readonly Entry[], { endMark = true } = {}): Buffer {
  const blocks = entries.flatMap(blocksOf);
  return Buffer.concat(endMark ? [...blocks, Buffer.alloc(2 * BLOCK_BYTES)] : blocks);
}

/** One pax record; its length counts its own digits too. */
export function paxRecord(key: string, value: string): string {
  const body = ` ${key}=${value}\n`;
  const digits = [1, 2, 3].find((count) => String(Buffer.byteLength(body) + count).length === count) ?? 0;
  return `${Buffer.byteLength(body) + digits}${body}`;
}

function blocksOf(entry: Entry): Buffer[] {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(entry.name, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 8), 100);
  header.write(octal(entry.claimedSize ?? content.length, 12), 124);
  header.write("        ", 148);
  header.write(entry.type ?? "0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  if (entry.damaged === true) header[0] = (header[0] ?? 0) ^ 1;
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES);
  return [header, content, padding];
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}
