// Loads the package as ES module and as CommonJS in one process. Argument: the libraries as JSON.

import { createRequire } from "node:module";
import * as asModule from "@mesh/ffi/runtime";

const asCommonJs = createRequire(import.meta.url)("@mesh/ffi/runtime");
const libraries = JSON.parse(process.argv[2]);
const first = await asModule.openRuntime({ libraries });
const second = await asCommonJs.openRuntime({ libraries });
const reporter = await first.installReporter({ owner: "the module" });
const refused = await second.installReporter().then(
  () => "not refused",
  (error) => `${error.code} ${error.facts.owner}`,
);
const model = await second.openModel({ path: "/fault/script:structured;finished" });
await model.close();
const seen = reporter.counters().accepted;
await reporter.clear();
const taken = await second.installReporter({ owner: "CommonJS" });
const stale = (() => {
  try {
    return reporter.drainInto(new Uint8Array(392), 1);
  } catch (error) {
    return error.code;
  }
})();
console.log(
  JSON.stringify({
    refused,
    seen: seen > 0,
    owner: first.reporterOwner(),
    stale,
    kept: taken.counters().accepted === seen,
  }),
);
