/**
 * Opens a small real model again and again through the real runtime, and prints how many of the opens were seen whole: STARTED first,
 * every number from 1 to the last without a gap, FINISHED last. Arguments: a folder to write in, how many opens.
 */
import { join } from "node:path";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { observeModelOpen, type RuntimeEvent } from "@mesh/runtime-events";
import { loadRealRuntime } from "../harness/real-runtime.ts";

const [directory = "", opens = ""] = process.argv.slice(2);
const runtime = await loadRealRuntime();
const path = join(directory, "tiny.gguf");
await writeSampleModel({ path, preset: "tiny" });

function isWhole(events: readonly RuntimeEvent[]): boolean {
  return (
    events[0]?.kind === "model-open-started" &&
    events.at(-1)?.kind === "model-open-finished" &&
    events.every(({ sequence }, index) => sequence === BigInt(index + 1))
  );
}

let whole = 0;
let delivered = 0;
for (let open = 0; open < Number(opens); open += 1) {
  const events: RuntimeEvent[] = [];
  const { result, observation } = await observeModelOpen(runtime, { path }, { onEvent: (event) => events.push(event) });
  if (result.kind !== "opened") throw result.error;
  await result.model.close();
  delivered += events.length;
  if (isWhole(events) && observation.lost === 0) whole += 1;
}
console.log(JSON.stringify({ whole, delivered }));
