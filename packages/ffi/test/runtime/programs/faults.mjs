// What a defective runtime of each kind costs: an error, never the process. Arguments: the libraries as JSON, the variant.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

import { openRuntime, probeInChild, RECORD_BYTES } from "@mesh/ffi/runtime";

const libraries = JSON.parse(process.argv[2]);
const variant = process.argv[3];
const buffer = new Uint8Array(100 * RECORD_BYTES);

/** Events of a thread of the runtime come when they come. A program that waits for ever is ended by who runs it. */
async function until(isTrue) {
  while (!isTrue()) await setTimeout(5);
}

async function refused(code) {
  await assert.rejects(openRuntime({ libraries }), { code });
  const probe = await probeInChild({ libraries });
  assert.deepEqual([probe.kind, probe.error?.code], ["refused", code]);
}

/** A script of one open that fails, and what the failure is called. */
const FAILING_OPENS = [
  ["started;fail=4", "MODEL_OPEN_FAILED"],
  ["started;without-error;return=7", "MODEL_OPEN_FAILED"],
  ["started;return=1", "MODEL_OPEN_FAILED"],
  ["started;return=null-handle", "RUNTIME_NULL_HANDLE"],
];

/** Events that are broken in every way, late ones, and a model that is closed while its sessions decode. */
async function survivesBrokenEvents() {
  const runtime = await openRuntime({ libraries });
  const reporter = await runtime.installReporter();
  for (const [script, code] of FAILING_OPENS) {
    await assert.rejects(runtime.openModel({ path: `/fault/script:${script}` }), { code });
  }
  const broken = [
    "size:8",
    "size:112",
    "size:120",
    "size:160",
    "abi:2",
    "length:1048577",
    "length:18446744073709551615",
  ];
  const details = ["fill:256", "fill:257", "fill:70000", "null-detail,length:5"];
  const events = [...broken, ...details].flatMap((fields) => [`event=${fields}`, `reporter-event=kind:300,${fields}`]);
  const queue = runtime.createModelOpenQueue({ capacity: 4 });
  const script = `started;null-event=2;${events.join(";")};reporter-null-event;late=200:20;finished;finished;endless`;
  const model = await runtime.openModel({ path: `/fault/script:${script}`, queue });
  const sessions = await Promise.all([model.createSession(), model.createSession()]);
  const steps = sessions.flatMap((session) => [session.decode(1), session.decode(2), session.decode(3)]);
  await Promise.all([model.close(), ...steps, ...sessions.map((session) => session.close())]);
  await until(() => queue.counters().droppedClosed > 0);
  const { offered, accepted, droppedFull } = queue.counters();
  assert.ok(offered > accepted && droppedFull > 0);
  queue.drainInto(buffer, 100);
  queue.close();
  await reporter.clear();
  reporter.drainInto(buffer, 100);
}

async function countsWhatComesAfterClear() {
  const runtime = await openRuntime({ libraries });
  const reporter = await runtime.installReporter();
  await reporter.clear();
  await until(() => reporter.counters().droppedClosed > 0);
}

async function throws() {
  const runtime = await openRuntime({ libraries });
  await assert.rejects(runtime.openModel({ path: "/any" }), { code: "RUNTIME_THREW" });
  await assert.rejects(runtime.openModel({ parts: ["/any", "/other"] }), { code: "RUNTIME_THREW" });
}

async function refusesReporter() {
  const runtime = await openRuntime({ libraries });
  await assert.rejects(runtime.installReporter(), { code: "REPORTER_REFUSED" });
}

const RUNS = {
  "abi-and-symbols": () => refused("RUNTIME_ABI_MISMATCH"),
  "missing-dependency": () => refused("RUNTIME_LIBRARY_NOT_OPENED"),
  "throws-on-open": throws,
  "setter-refuses": refusesReporter,
  "events-after-clear": countsWhatComesAfterClear,
  good: survivesBrokenEvents,
};
await RUNS[variant]();
console.log(`survived ${variant}`);
