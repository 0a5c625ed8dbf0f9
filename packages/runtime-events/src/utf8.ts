/** Length that a UTF-8 sequence starting with this byte declares; 0 for a byte that cannot start one. */
function declaredLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

/**
 * The bytes without an incomplete character at their end. Only a sequence that the cut itself can have broken is left
 * off: a lead byte with fewer continuation bytes than it declares, at the very end. Anything else that is not UTF-8 was
 * so before the cut, and stays to be seen.
 */
export function trimCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return declaredLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
