// Opens everything, closes nothing, and has nothing more to do. Argument: the libraries as JSON.

import { openRuntime } from "@mesh/ffi/runtime";

const runtime = await openRuntime({ libraries: JSON.parse(process.argv[2]) });
const reporter = await runtime.installReporter();
const queue = runtime.createModelOpenQueue();
const model = await runtime.openModel({ path: "/fault/script:started;finished", queue });
const session = await model.createSession();
await session.decode(1);
console.log(`idle with ${reporter.counters().accepted} and ${queue.counters().accepted} events`);
