/**
 * Loads a small real model again and again through node-llama-cpp, and prints how many of the loads reported their progress whole
 * (rising to 1), and how many reported nothing. Arguments: a folder to write in, how many loads.
 */
import { join } from "node:path";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";

const [folder = "", loads = ""] = process.argv.slice(2);
const path = join(folder, "tiny.gguf");
await writeSampleModel({ path, preset: "tiny" });
const options = { gpu: false, build: "never", skipDownload: true, logLevel: LlamaLogLevel.disabled } as const;
const llama = await getLlama(options).catch((error: unknown) => {
  console.log(JSON.stringify({ blocked: error instanceof Error ? error.message : String(error) }));
  process.exit(0);
});

let whole = 0;
let none = 0;
let delivered = 0;
for (let load = 0; load < Number(loads); load += 1) {
  const progress: number[] = [];
  const model = await llama.loadModel({ modelPath: path, onLoadProgress: (share) => progress.push(share) });
  // A turn of the loop more than the load itself needs: what comes late is not lost.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await model.dispose();
  delivered += progress.length;
  if (progress.length === 0) none += 1;
  const rises = progress.every((share, index) => index === 0 || share >= (progress[index - 1] ?? 0));
  if (rises && progress.at(-1) === 1) whole += 1;
}
console.log(JSON.stringify({ whole, none, delivered }));
process.exit(0);
