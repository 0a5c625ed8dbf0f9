/** Milliseconds that a body takes. */
export async function timed(body: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await body();
  return performance.now() - start;
}

/** The same for a body that blocks. */
export function timedBlocking(body: () => void): number {
  const start = performance.now();
  body();
  return performance.now() - start;
}
