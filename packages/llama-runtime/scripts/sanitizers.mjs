// The C programs of native/llama-runtime/test once more, with the runtime and the programs built with sanitizers. Needs the
// built package. Called by .ci/run; the last line counts what was executed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGE_ROOT as NATIVE } from "@mesh-internal/llama-runtime/packages";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";

const directory = mkdtempSync(join(tmpdir(), "mesh-llama-models-"));
try {
  const path = (name) => join(directory, `${name}.gguf`);
  await writeSampleModel({ path: path("tiny"), preset: "tiny" });
  await writeSampleModel({ path: path("small"), preset: "small" });
  await writeSampleModel({ path: path("bare"), preset: "tiny", withoutTokenizer: true });
  const { status } = spawnSync(
    process.execPath,
    [join(NATIVE, "scripts", "sanitize.mjs"), path("tiny"), path("small"), path("bare")],
    { stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
