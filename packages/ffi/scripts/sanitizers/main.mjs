// The plain Node programs of test/runtime/programs once more, with the addon and the fault runtimes built with sanitizers:
// AddressSanitizer with LeakSanitizer and UndefinedBehaviorSanitizer in one build, ThreadSanitizer in the other. Node itself
// is taken as it is. Called by .ci/jobs; the last line counts what was executed.
//
// Usage: main.mjs [FOLDER [NAME]]
//   FOLDER: what packages/llama-runtime/scripts/sanitized-runtime.mjs built, for the program that runs on a real runtime
//   NAME: only the programs of that name
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { locateAddon } from "@mesh/ffi";
import { buildFaultRuntime } from "@mesh/testkit";
import { buildAddon, PACKAGE_ROOT, sanitizerFlags } from "./builds.mjs";
import { programs } from "./programs.mjs";

/** Far more than any program takes, also on a busy machine: one that takes this long hangs. */
const PROGRAM_MS_MAX = 300_000;
/** What a finding ends the process with; no program ends so by itself. */
const FOUND = 66;

const LEAKS_OF_NODE = fileURLToPath(new URL("./leaks-of-node.supp", import.meta.url));
const SANITIZERS = {
  "address,undefined": {
    preloaded: ["libasan.so", "libubsan.so"],
    environment: {
      ASAN_OPTIONS: `detect_leaks=1:exitcode=${FOUND}`,
      LSAN_OPTIONS: `suppressions=${LEAKS_OF_NODE}:print_suppressions=0`,
      UBSAN_OPTIONS: `halt_on_error=1:print_stacktrace=1:exitcode=${FOUND}`,
    },
  },
  thread: {
    preloaded: ["libtsan.so"],
    environment: {
      // What only Node itself touches is not looked at: V8's threads hand memory to each other by means that nobody sees in
      // code that is not instrumented. What Node locks and starts is seen all the same.
      // A process that exits in the middle of a call leaves the threads of that call as they are; that is meant.
      TSAN_OPTIONS: `ignore_noninstrumented_modules=1:report_thread_leaks=0:halt_on_error=1:exitcode=${FOUND}`,
    },
  },
};

const [folder, only] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "mesh-ffi-sanitizers-"));
let passed = 0;
let failed = 0;
try {
  for (const [sanitizer, settings] of Object.entries(SANITIZERS)) {
    const copy = await packageWithAddon(sanitizer);
    for (const program of await selected(sanitizer)) {
      const what = [program.name, ...program.parameters.filter((word) => !/^[[/]/.test(word))].join(" ");
      const ended = await run(join(copy, "test/runtime/programs", `${program.name}.mjs`), program, settings);
      const good = ended.exitCode === program.exitCode && ended.signal === null && !ended.output.includes("Sanitizer:");
      if (good) passed += 1;
      else failed += 1;
      process.stdout.write(`${good ? "passed" : "FAILED"}  ${sanitizer}  ${what}\n`);
      if (!good) process.stdout.write(`ended with ${ended.exitCode ?? ended.signal}\n${ended.output}\n`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** A copy of the built package with the sanitized addon in the place of its own, and the programs that use it by name. */
async function packageWithAddon(sanitizer) {
  const copy = join(work, sanitizer, "ffi");
  for (const part of ["package.json", "dist", "test/runtime/programs"]) {
    cpSync(join(PACKAGE_ROOT, part), join(copy, part), { recursive: true });
  }
  const addon = locateAddon().path.slice(PACKAGE_ROOT.length);
  process.stdout.write(`building the addon with ${sanitizer}\n`);
  await buildAddon(sanitizer, join(work, sanitizer, "objects"), join(copy, addon));
  return copy;
}

async function selected(sanitizer) {
  const flags = [...sanitizerFlags(sanitizer), "-g", "-fno-omit-frame-pointer"];
  const libraries = async (variant) => JSON.stringify((await buildFaultRuntime(variant, { flags })).libraries);
  const all = await programs(libraries, realRuntime(sanitizer));
  return only === undefined ? all : all.filter(({ name }) => name === only);
}

function realRuntime(sanitizer) {
  if (folder === undefined || folder === "") return undefined;
  const { models, libraries } = JSON.parse(readFileSync(join(folder, "runtimes.json"), "utf8"));
  return { libraries: JSON.stringify(libraries[sanitizer]), model: models.tiny };
}

/** The sanitizer's own run time has to be in the process before anything else is, since Node was not linked with it. */
function preload(names) {
  return names.map((name) => {
    const path = execFileSync("g++", [`-print-file-name=${name}`], { encoding: "utf8" }).trim();
    if (!existsSync(path))
      throw new Error(`g++ has no ${name}: install the sanitizers of GCC (Debian: libgcc-12-dev).`);
    return path;
  });
}

function run(path, { parameters }, { preloaded, environment }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, ...parameters], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment, NODE_OPTIONS: "", LD_PRELOAD: preload(preloaded).join(" ") },
      timeout: PROGRAM_MS_MAX,
      killSignal: "SIGKILL",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        output += chunk;
      });
    }
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, output }));
  });
}
