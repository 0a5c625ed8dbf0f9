/** Tests of this folder wait for processes, and machines that run them have two cores. */
const PARALLEL_MAX = 2;

/** Does something with every item, a few at a time. The first failure is the failure of all. */
export async function forEachParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const workers = Array.from({ length: PARALLEL_MAX }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  });
  await Promise.all(workers);
}

/** The numbers from 1 to `last`. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
