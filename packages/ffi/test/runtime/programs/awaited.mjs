// Waits for one open and has no timer, no socket and nothing else. Argument: the libraries as JSON.

import { openRuntime } from "@mesh/ffi/runtime";

const runtime = await openRuntime({ libraries: JSON.parse(process.argv[2]) });
const model = await runtime.openModel({ path: "/fault/script:sleep=300;finished" });
await model.close();
console.log("opened");
