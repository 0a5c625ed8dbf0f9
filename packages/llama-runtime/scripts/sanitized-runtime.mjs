// Builds the llama runtime with sanitizers into a folder, with a small model beside it, for programs of other packages that
// run on it. Usage: sanitized-runtime.mjs FOLDER. Writes FOLDER/runtimes.json: the libraries of each sanitizer in load order,
// and the models.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runMake } from "@mesh-internal/llama-runtime/make";
import { prebuiltLibraryDirectory } from "@mesh-internal/llama-runtime/packages";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";

const SANITIZERS = ["address,undefined", "thread"];
const LOAD_ORDER = ["libggml-base.so", "libggml.v0.4.0.so", "libllama.v0.4.0.so", "libmesh-llama-runtime.so"];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: sanitized-runtime.mjs FOLDER");
const libraries = {};
for (const sanitizer of SANITIZERS) {
  const out = resolve(folder, sanitizer);
  mkdirSync(out, { recursive: true });
  runMake(out, [`SANITIZE=-fsanitize=${sanitizer} -fno-sanitize-recover=all -fno-omit-frame-pointer`]);
  const prebuilt = prebuiltLibraryDirectory();
  for (const name of readdirSync(prebuilt).filter((one) => one.endsWith(".so"))) {
    copyFileSync(join(prebuilt, name), join(out, name));
  }
  libraries[sanitizer] = LOAD_ORDER.map((name) => join(out, name));
}
const tiny = resolve(folder, "tiny.gguf");
await writeSampleModel({ path: tiny, preset: "tiny" });
writeFileSync(join(folder, "runtimes.json"), `${JSON.stringify({ libraries, models: { tiny } }, null, 2)}\n`);
