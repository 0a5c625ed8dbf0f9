// Assembles bundle/<id>/ from the native build and the prebuilt libraries of llama.cpp (manifest: schema version 2).
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LLAMA_RELEASE } from "@mesh-internal/llama-runtime/headers";
import {
  dependencyDirectory,
  PACKAGE_ROOT as NATIVE,
  prebuiltLibraryDirectory,
} from "@mesh-internal/llama-runtime/packages";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const OS = { linux: "linux", darwin: "macos", win32: "windows" };
const ARCH = { x64: "x86_64", arm64: "aarch64" };
const PRIMARY = "libmesh-llama-runtime.so";
/** Load order: dependencies first, the library that speaks the ABI last. */
const LOADED = ["libggml-base.so", `libggml.${LLAMA_RELEASE}.so`, `libllama.${LLAMA_RELEASE}.so`, PRIMARY];

const { platform, arch } = process;
const id = `mesh-llama-runtime-${platform}-${ARCH[arch]}-cpu`;
const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
const skippyAbi = abiOf(readFileSync(join(NATIVE, "..", "abi", "skippy", "version.h"), "utf8"));

const bundles = join(PACKAGE, "bundle");
mkdirSync(bundles, { recursive: true });
const stage = mkdtempSync(join(bundles, ".stage-"));
// mkdtemp makes it private; what is installed with the package is for every user of the machine.
chmodSync(stage, 0o755);
try {
  for (const folder of ["lib", "licences"]) mkdirSync(join(stage, folder));
  copyLibraries();
  copyLicences();
  writeFileSync(join(stage, "manifest.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  const target = join(bundles, id);
  rmSync(target, { recursive: true, force: true });
  renameSync(stage, target);
  process.stdout.write(`bundle/${id}: skippy ABI ${skippyAbi}, llama.cpp ${LLAMA_RELEASE}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function copyLibraries() {
  const prebuilt = prebuiltLibraryDirectory();
  // The variants of the CPU backend are not in the load order: ggml itself picks the best one for the processor.
  const variants = readdirSync(prebuilt).filter((name) => /^libggml-cpu-[a-z0-9._]+\.so$/u.test(name));
  for (const name of [...LOADED.filter((library) => library !== PRIMARY), ...variants]) {
    copyFileSync(join(prebuilt, name), join(stage, "lib", name));
  }
  copyFileSync(join(NATIVE, "build", `${platform}-${arch}`, PRIMARY), join(stage, "lib", PRIMARY));
}

function copyLicences() {
  const texts = {
    "llama.cpp-and-ggml.txt": join(NATIVE, "build", `llama.cpp-${LLAMA_RELEASE}`, "LICENSE"),
    "node-llama-cpp-prebuilt-libraries.txt": join(
      dependencyDirectory(`@node-llama-cpp/${platform}-${arch}`),
      "LICENSE",
    ),
    "mesh-llama-runtime.txt": join(PACKAGE, "LICENSE"),
  };
  for (const [name, source] of Object.entries(texts)) {
    if (!existsSync(source))
      throw new Error(`The licence text ${source} is missing; a bundle is not shipped without it.`);
    copyFileSync(source, join(stage, "licences", name));
  }
}

function manifest() {
  const files = ["lib", "licences"].flatMap((folder) =>
    readdirSync(join(stage, folder)).map((name) => `${folder}/${name}`),
  );
  return {
    schema_version: 2,
    runtime: {
      id,
      release_version: version,
      skippy_abi: skippyAbi,
      platform: { os: OS[platform], arch: ARCH[arch] },
      backend: { kind: "cpu" },
      rank: 0,
      libraries: LOADED.map((name) => `lib/${name}`),
      files: Object.fromEntries(files.sort().map((path) => [path, digestOf(path)])),
      tools: {},
    },
    build: { primary_library: `lib/${PRIMARY}`, llama_cpp: LLAMA_RELEASE },
  };
}

function digestOf(path) {
  return createHash("sha256")
    .update(readFileSync(join(stage, path)))
    .digest("hex");
}

/** The version this runtime speaks stands in the header it was compiled with, and nowhere else. */
function abiOf(header) {
  return ["MAJOR", "MINOR", "PATCH"]
    .map((part) => {
      const found = new RegExp(`#define SKIPPY_ABI_VERSION_${part} (\\d+)`, "u").exec(header);
      if (found === null) throw new Error(`native/abi/skippy/version.h does not define SKIPPY_ABI_VERSION_${part}.`);
      return found[1];
    })
    .join(".");
}
