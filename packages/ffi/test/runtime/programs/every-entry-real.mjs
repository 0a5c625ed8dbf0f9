// Uses every entry of the runtime face on a real runtime. Arguments: the libraries as JSON, the path of a small model.

import assert from "node:assert/strict";
import { clearInterval, setInterval } from "node:timers";

import { openRuntime, RECORD_BYTES } from "@mesh/ffi/runtime";

const libraries = JSON.parse(process.argv[2]);
const path = process.argv[3];
const buffer = new Uint8Array(2000 * RECORD_BYTES);
const config = { threads: 2, contextSize: 256 };

const runtime = await openRuntime({ libraries });
const reporter = await runtime.installReporter();
assert.ok((await runtime.listDevices()).length > 0);
await assert.rejects(runtime.openModel({ path: `${path}.absent` }), { code: "MODEL_OPEN_FAILED" });

async function open(request) {
  const queue = runtime.createModelOpenQueue();
  let drained = 0;
  const draining = setInterval(() => {
    drained += queue.drainInto(buffer, 2000);
  }, 1);
  const model = await runtime.openModel({ ...request, config, queue });
  clearInterval(draining);
  drained += queue.drainInto(buffer, 2000);
  const { accepted, offered } = queue.counters();
  assert.deepEqual([drained, accepted], [accepted, offered]);
  queue.close();
  return model;
}

const [first, second] = await Promise.all([open({ path }), open({ parts: [path] })]);
const tokens = await first.tokenize("hello");
assert.ok((await first.detokenize(tokens)).length > 0);
assert.equal(typeof (await first.isEndOfGeneration(tokens[0])), "boolean");

async function generate(model, options) {
  const session = await model.createSession();
  let text = "";
  for await (const piece of session.generate(tokens, { tokensMax: 8, ...options })) text += piece;
  await session.reset();
  await session.prefill(tokens);
  assert.equal(session.position, tokens.length);
  await session.close();
  return text;
}
const sampling = { temperature: 0.8, topK: 20, topP: 0.9, seed: 7 };
const texts = await Promise.all([generate(first), generate(second), generate(first, { sampling })]);
assert.equal(texts[0], texts[1]);

const session = await second.createSession();
const long = session.prefill(new Array(200).fill(tokens[0]), { signal: AbortSignal.timeout(5) });
await long.catch((error) => assert.equal(error.code, "CANCELLED"));
await Promise.all([first.close(), second.close(), session.close()]);
assert.ok(reporter.drainInto(buffer, 2000) > 0);
await reporter.clear();
console.log("every entry of the real runtime");
