// Loads a second copy of the whole package in one process. Arguments: the libraries as JSON, the entry of the copy.

import { openRuntime } from "@mesh/ffi/runtime";

const libraries = JSON.parse(process.argv[2]);
const copy = await import(process.argv[3]);
await openRuntime({ libraries });
const refused = await copy.openRuntime({ libraries }).then(
  () => ({ code: "not refused" }),
  (error) => ({ code: error.code, ...error.facts }),
);
console.log(JSON.stringify(refused));
