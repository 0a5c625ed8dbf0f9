// Runs every C program of test/ against runtimes that are built with sanitizers. Called by .ci/run; prints what it counted.
// Only this project's code is instrumented: the prebuilt libraries of llama.cpp are taken as they are.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runMake } from "./make.mjs";
import { PACKAGE_ROOT, prebuiltLibraryDirectory } from "./packages.mjs";

const SANITIZERS = {
  "address,undefined": { ASAN_OPTIONS: "detect_leaks=1:exitcode=66", UBSAN_OPTIONS: "halt_on_error=1:exitcode=66" },
  thread: { TSAN_OPTIONS: "exitcode=66:halt_on_error=1" },
};

const [tiny, small, bare] = process.argv.slice(2);
if (bare === undefined) throw new Error("usage: sanitize.mjs TINY_MODEL SMALL_MODEL MODEL_WITHOUT_TOKENIZER");
const PROGRAMS = {
  abi_check: ["--fill", tiny],
  cancel_check: [small],
  model_check: [tiny, bare],
  reporter_check: [],
  session_check: [tiny],
  unload_check: [tiny],
};

const work = mkdtempSync(join(tmpdir(), "mesh-llama-sanitizers-"));
let passed = 0;
let failed = 0;
try {
  for (const [sanitizer, environment] of Object.entries(SANITIZERS)) {
    const libraries = buildRuntime(join(work, sanitizer), sanitizer);
    for (const [name, words] of Object.entries(PROGRAMS)) {
      const { status, stderr } = run(name, sanitizer, libraries, words, environment);
      if (status === 0) passed += 1;
      else failed += 1;
      process.stdout.write(
        `${status === 0 ? "passed" : "FAILED"}  ${sanitizer}  ${name}\n${status === 0 ? "" : stderr}`,
      );
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;

function buildRuntime(out, sanitizer) {
  mkdirSync(out, { recursive: true });
  // Sanitizers add symbols of their own that are resolved when the program is started: -z defs would refuse them.
  runMake(out, [`SANITIZE=-fsanitize=${sanitizer} -fno-sanitize-recover=all -fno-omit-frame-pointer`]);
  for (const name of readdirSync(prebuiltLibraryDirectory())) {
    if (name.endsWith(".so")) copyFileSync(join(prebuiltLibraryDirectory(), name), join(out, name));
  }
  return ["libggml-base.so", "libggml.v0.4.0.so", "libllama.v0.4.0.so", "libmesh-llama-runtime.so"].map((name) =>
    join(out, name),
  );
}

function run(name, sanitizer, libraries, words, environment) {
  const program = join(work, sanitizer, name);
  execFileSync("gcc", [
    ...["-std=c11", "-g", "-O1", "-pthread", `-fsanitize=${sanitizer}`, `-I${join(PACKAGE_ROOT, "..", "abi")}`],
    ...["-o", program, join(PACKAGE_ROOT, "test", `${name}.c`), "-ldl"],
  ]);
  const options = words.filter((word) => word.startsWith("--"));
  const models = words.filter((word) => !word.startsWith("--"));
  return spawnSync(program, [...options, ...libraries, "--", ...models], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
}
