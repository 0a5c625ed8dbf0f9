// Uses every entry of the runtime face once, well and badly, and closes everything. Argument: the libraries as JSON.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { clearInterval, setInterval } from "node:timers";

import { locateAddon } from "@mesh/ffi";
import { openRuntime, probeInChild, RECORD_BYTES } from "@mesh/ffi/runtime";

const libraries = JSON.parse(process.argv[2]);
const buffer = new Uint8Array(2000 * RECORD_BYTES);
// What JavaScript asks of the addon only in tests.
const addon = createRequire(import.meta.url)(locateAddon().path).runtime;
assert.equal(addon.loaded(), undefined);
assert.equal(addon.layouts().record.size, RECORD_BYTES);

await assert.rejects(openRuntime({ libraries: ["/nowhere/libnothing.so"] }), { code: "RUNTIME_LIBRARY_NOT_OPENED" });
const runtime = await openRuntime({ libraries });
await assert.rejects(openRuntime({ libraries: ["/nowhere/libnothing.so"] }), { code: "RUNTIME_ALREADY_LOADED" });
assert.deepEqual(addon.loaded().libraries, libraries);
assert.equal((await runtime.listDevices()).length, 2);

const reporter = await runtime.installReporter();
await assert.rejects(runtime.installReporter(), { code: "REPORTER_OWNED" });

for (const path of ["/fault/script:fail=6", "/fault/script:return=null-handle"]) {
  await assert.rejects(runtime.openModel({ path }));
}

// Memory that is not what an entry expects is refused, never misread.
for (const name of Object.keys(addon)) {
  for (const wrong of [[], [{}, {}, {}], [new Uint8Array(3), -1, 2 ** 60], [Symbol("x"), 1n, null], ["a", "b", "c"]]) {
    try {
      const answer = addon[name](...wrong);
      await (answer?.settled ?? answer);
    } catch (error) {
      assert.ok(error instanceof TypeError, `${name}: ${error}`);
    }
  }
}

const queue = runtime.createModelOpenQueue({ capacity: 100 });
const steps = "started;progress=500;null-event=3;event=size:8;threads=4:500:2;structured;finished;text=abc%C3%A9";
const opening = runtime.openModel({ path: `/fault/script:${steps}`, queue });
let drained = 0;
const draining = setInterval(() => {
  drained += queue.drainInto(buffer, 10);
}, 1);
const model = await opening;
clearInterval(draining);
drained += queue.drainInto(buffer, 2000);
const counters = queue.counters();
assert.equal(counters.drained, drained);
assert.equal(counters.queued, 0);

const tokens = await model.tokenize("hello");
assert.equal(new TextDecoder().decode(await model.detokenize(tokens)), "hello");
assert.equal(await model.isEndOfGeneration(256), true);
const session = await model.createSession();
let text = "";
for await (const piece of session.generate(tokens, { sampling: { temperature: 0.5, seed: 1 } })) text += piece;
assert.equal(text, "abcé");
await session.reset();
await session.prefill([1, 2, 3]);
assert.equal(session.position, 3);

const waiting = await runtime.openModel({ path: "/fault/script:endless;decode-wait-cancel" });
const stuck = await waiting.createSession();
await assert.rejects(stuck.decode(1, undefined, { signal: AbortSignal.timeout(50) }), { code: "CANCELLED" });
const opened = runtime.openModel({ path: "/fault/script:wait-cancel", signal: AbortSignal.timeout(50) });
await assert.rejects(opened, { code: "CANCELLED" });

await Promise.all([waiting.close(), stuck.close(), model.close(), session.close()]);
await assert.rejects(session.decode(1), { code: "SESSION_CLOSED" });
queue.close();
assert.ok(reporter.drainInto(buffer, 2000) > 0);
assert.equal(reporter.counters().queued, 0);
await reporter.clear();
assert.equal(runtime.reporterOwner(), undefined);
assert.equal((await probeInChild({ libraries })).kind, "admitted");
console.log("every entry");
