import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { materializeBundle } from "@mesh/llama-runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";

// `npm run gate`: prepares what the native gate needs, runs it as CI would, and prints the path of the evidence last.
const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(root, "build", "native-gate");
mkdirSync(folder, { recursive: true, mode: 0o700 });
const bundle = await materializeBundle({ cacheDirectory: join(folder, "runtimes") });
const model = await writeSampleModel({ path: join(folder, "model.gguf"), preset: "tiny" });
const evidence = join(folder, "evidence.txt");
const { status } = spawnSync("pnpm", ["exec", "vitest", "run", "test/native-gate.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    GGML_NO_BACKTRACE: "1",
    MESH_LLM_RUNTIME_EVENTS_NATIVE_TEST: "1",
    MESH_LLM_NATIVE_RUNTIME_BUNDLE_DIR: bundle.directory,
    MESH_LLM_RUNTIME_EVENTS_MODEL: model.path,
    MESH_LLM_RUNTIME_EVENTS_EVIDENCE_FILE: evidence,
  },
});
process.exitCode = status ?? 1;
process.stdout.write(`${relative(process.cwd(), evidence)}\n`);
