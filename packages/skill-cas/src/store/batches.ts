import { BATCH_BYTES_MAX, BATCH_OBJECTS_MAX } from "../layout.ts";

/**
 * Cuts a stream into batches of at most `BATCH_OBJECTS_MAX` items and about `BATCH_BYTES_MAX` bytes, in order. The next
 * batch is begun only when it is asked for, so a slow reader holds the writer back.
 */
export async function* batchesOf(
  items: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += item instanceof Uint8Array ? item.length : 0;
    if (batch.length >= BATCH_OBJECTS_MAX || bytes >= BATCH_BYTES_MAX) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}
