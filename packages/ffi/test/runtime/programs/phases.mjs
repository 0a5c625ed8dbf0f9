// What a program is in the middle of when its environment ends. Each phase resolves once it is really in the middle: the
// scripted runtime has touched a file, or records have been drained.

import { mkdtempSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers";
import { openRuntime, RECORD_BYTES } from "@mesh/ffi/runtime";

const POLL_MS = 5;
const DRAIN_RECORDS_MAX = 64;

async function until(isTrue) {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function marker() {
  return join(mkdtempSync(join(tmpdir(), "mesh-ffi-")), "reached");
}

/** An open that has begun and ends only when it is cancelled, if at all. */
async function midOpen(runtime) {
  const reached = marker();
  const queue = runtime.createModelOpenQueue();
  const path = `/fault/script:started;progress=3;touch=${reached};wait-cancel=60000;finished`;
  void runtime.openModel({ path, queue }).catch(() => undefined);
  await until(() => existsSync(reached));
}

/** A decode that has begun and ends only when it is cancelled, if at all. */
async function midDecode(runtime) {
  const reached = marker();
  const model = await runtime.openModel({
    path: `/fault/script:endless;decode-touch=${reached};decode-wait-cancel=60000`,
  });
  const session = await model.createSession();
  await session.prefill([1, 2]);
  void session.decode(3).catch(() => undefined);
  await until(() => existsSync(reached));
}

/** A drain of an open that sends from two threads without end in sight. */
async function midDrain(runtime) {
  const queue = runtime.createModelOpenQueue();
  const buffer = new Uint8Array(DRAIN_RECORDS_MAX * RECORD_BYTES);
  void runtime.openModel({ path: "/fault/script:threads=2:1000000:2;finished", queue }).catch(() => undefined);
  await until(() => queue.drainInto(buffer, DRAIN_RECORDS_MAX) > 0);
  // Timers and immediates in turn, so that the end comes between two drains as well as inside one.
  const drain = () => {
    queue.drainInto(buffer, DRAIN_RECORDS_MAX);
    setImmediate(drain);
  };
  drain();
}

/** A drain of the process-wide reporter, which two threads of an open fill meanwhile. Who does not own it drains its open. */
async function midReporterDrain(runtime, reporter) {
  if (reporter === undefined) return midDrain(runtime);
  const buffer = new Uint8Array(DRAIN_RECORDS_MAX * RECORD_BYTES);
  void runtime.openModel({ path: "/fault/script:reporter-threads=2:1000000:300;finished" }).catch(() => undefined);
  await until(() => reporter.drainInto(buffer, DRAIN_RECORDS_MAX) > 0);
  const drain = () => {
    reporter.drainInto(buffer, DRAIN_RECORDS_MAX);
    setImmediate(drain);
  };
  drain();
}

const PHASES = { open: midOpen, decode: midDecode, drain: midDrain, "reporter-drain": midReporterDrain };

/** Opens the runtime, installs the process-wide reporter where it is free, and gets into the phase. */
export async function enter(phase, libraries) {
  const runtime = await openRuntime({ libraries });
  const reporter = await runtime.installReporter().catch((error) => {
    if (error.code !== "REPORTER_OWNED") throw error;
  });
  await PHASES[phase](runtime, reporter);
  return { runtime, reporter };
}
