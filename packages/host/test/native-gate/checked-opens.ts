import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { FfiError, type Model, RECORD_BYTES, rejectedCount, type Runtime } from "@mesh/ffi/runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { decodeRecords, kindRuns, type RuntimeEvent } from "@mesh/runtime-events";

/** How long after the return of a failed open a late event is waited for, in milliseconds (spec 6, step 5). */
const WATCH_MS = 200;
/** Files of the split model that is opened from its parts. */
const PARTS = 3;
const EVENT_STRUCT_BYTES_MIN = 112;

/** What the checks of the opens work with. */
export interface CheckedOpens {
  readonly runtime: Runtime;
  readonly modelPath: string;
  readonly folder: string;
  /** Told of every event: the structured ones of an open go to its own reporter, and count for their family there. */
  readonly onEvent: (event: RuntimeEvent) => void;
  readonly record: (name: string, value: string) => void;
}

/** Steps (a) and (b): an open from one file and one from three parts, each watched through its own queue. */
export async function checkSuccessfulOpens(run: CheckedOpens): Promise<void> {
  run.record("open-with-events", await successLine(await openWatched(run, { path: run.modelPath })));
  const { paths } = await writeSampleModel({ path: join(run.folder, "parts.gguf"), preset: "tiny", splits: PARTS });
  run.record("open-from-parts-with-events", await successLine(await openWatched(run, { parts: paths })));
}

/** Step (c): opens that must fail, and after which no event may come any more. */
export async function checkFailedOpens(run: CheckedOpens): Promise<void> {
  const garbage = join(run.folder, "invalid.gguf");
  await writeFile(garbage, "this is not a GGUF model\0\u0001\u0002\u0003");
  run.record("failed-open-garbage-gguf", failureLine(await openWatched(run, { path: garbage })));
  const missing = join(run.folder, "does-not-exist.gguf");
  run.record("failed-open-missing-path", failureLine(await openWatched(run, { path: missing })));
}

interface WatchedOpen {
  readonly model: Model | undefined;
  readonly error: unknown;
  readonly events: readonly RuntimeEvent[];
  readonly dropped: number;
  readonly rejected: number;
  /** Records that came in after the return, while the queue was watched. */
  readonly late: number;
}

type ModelFiles = { readonly path: string } | { readonly parts: readonly string[] };

async function openWatched({ runtime, onEvent }: CheckedOpens, files: ModelFiles): Promise<WatchedOpen> {
  const queue = runtime.createModelOpenQueue();
  let model: Model | undefined;
  let error: unknown;
  try {
    model = await runtime.openModel({ ...files, queue });
  } catch (thrown) {
    error = thrown;
  }
  const buffer = new Uint8Array(queue.counters().queued * RECORD_BYTES);
  const drained = buffer.length === 0 ? 0 : queue.drainInto(buffer, buffer.length / RECORD_BYTES);
  const events = decodeRecords(buffer.subarray(0, drained * RECORD_BYTES));
  events.forEach(onEvent);
  // Everything was drained, so whatever is there after the pause came later than the return.
  if (model === undefined) await pause(WATCH_MS);
  const counters = queue.counters();
  queue.close();
  const dropped = counters.droppedFull + counters.droppedClosed;
  return { model, error, events, dropped, rejected: rejectedCount(counters), late: counters.queued };
}

async function successLine(open: WatchedOpen): Promise<string> {
  if (open.model === undefined) throw open.error;
  await open.model.close();
  assertHeaders(open.events);
  assert(open.events.length > 0, "a successful open must send events");
  assert.equal(open.events[0]?.kind, "model-open-started", "the first event must be STARTED");
  const last = open.events.filter(({ category }) => category === "model-open").at(-1);
  assert.equal(last?.kind, "model-open-finished", "the last event of the category MODEL_OPEN must be FINISHED");
  assert(
    !open.events.some(({ kind }) => kind === "model-open-failed-handled"),
    "a successful open sent FAILED_HANDLED",
  );
  assert.equal(open.dropped + open.rejected, 0, "no event may be lost");
  return `ok ${eventsText(open)} dropped=0 rejected=0 abi_version=1 struct_size>=${EVENT_STRUCT_BYTES_MIN}`;
}

function failureLine(open: WatchedOpen): string {
  assert.equal(open.model, undefined, "the open must fail");
  assertHeaders(open.events);
  assert.equal(open.late, 0, "no event may come after the return");
  assert.equal(open.dropped + open.rejected, 0, "no event may be lost");
  assert(!open.events.some(({ kind }) => kind === "model-open-finished"), "a failed open sent FINISHED");
  const handled = open.events.some(({ kind }) => kind === "model-open-failed-handled");
  return `err="${nativeError(open.error)}" ${eventsText(open)} post-return-len-after-200ms=${open.late} failed-handled-observed=${handled}`;
}

/** The first line of what the runtime said: our own message would put the path of a temporary file into the evidence. */
function nativeError(error: unknown): string {
  assert(error instanceof FfiError && error.code === "MODEL_OPEN_FAILED", "the open must fail in the runtime");
  const { statusName, nativeMessage } = error.facts;
  return `${String(statusName)}: ${String(nativeMessage).split("\n", 1).join("")}`;
}

function assertHeaders(events: readonly RuntimeEvent[]): void {
  let last = 0n;
  for (const event of events) {
    assert.equal(event.abiVersion, 1, "every event must be of event ABI 1");
    assert(event.structSize >= EVENT_STRUCT_BYTES_MIN, `an event of ${event.structSize} bytes is too small`);
    assert(
      event.sequence > last,
      `sequence ${event.sequence} after ${last}: the stream of one open must rise strictly`,
    );
    last = event.sequence;
  }
}

function eventsText({ events }: WatchedOpen): string {
  const sequences = `${events[0]?.sequence ?? 0n}..${events.at(-1)?.sequence ?? 0n}`;
  const kinds = kindRuns(events).map(({ kind, count }) => (count === 1 ? titled(kind) : `${titled(kind)}x${count}`));
  return `records=${events.length} seq=${sequences} kinds=[${kinds.join(",")}]`;
}

/** `model-open-progress` as the evidence writes it: `ModelOpenProgress`. */
function titled(kind: string): string {
  return kind.replace(/(?:^|-)([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
}
