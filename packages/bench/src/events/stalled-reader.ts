/**
 * Stands still while native threads send events to the process-wide reporter of the real addon, and prints how many MiB the process
 * has grown by after the first tenth of them. Argument: how many events.
 */
import { openRuntime } from "@mesh/ffi/runtime";
import { buildFaultRuntime, openScript } from "@mesh/testkit";

const THREADS = 4;
const LOOK_EVERY_MS = 5;
/** Looking makes a little garbage: the pages of the heap that it fills are filled before the measurement begins. */
const LOOKS_BEFOREHAND = 20_000;

const events = Number(process.argv[2]);
const runtime = await openRuntime(await buildFaultRuntime("good"));
const reporter = await runtime.installReporter();
const before = reporter.counters().offered;
const fields = { threads: THREADS, countPerThread: Math.ceil(events / THREADS), kind: 401 };
const opening = runtime.openModel({ path: openScript([{ step: "reporter-threads", fields }]) });

/** Holds the main thread, event loop and all, until so many events have been offered. */
function standStillUntil(offered: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (reporter.counters().offered - before < offered) Atomics.wait(cell, 0, 0, LOOK_EVERY_MS);
}

for (let look = 0; look < LOOKS_BEFOREHAND; look += 1) reporter.counters();
standStillUntil(events / 10);
const resident = process.memoryUsage.rss();
standStillUntil(events);
console.log((process.memoryUsage.rss() - resident) / 2 ** 20);
await (await opening).close();
await reporter.clear();
