/** Contents that two processes store in opposite order. */
export function manyBodies(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`content ${index} of many\n`));
}
