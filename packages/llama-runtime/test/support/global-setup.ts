import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const NATIVE = fileURLToPath(new URL("../../../../native/", import.meta.url));
const PROGRAMS = [
  ...["abi_check", "cancel_check", "model_check", "reporter_check", "session_check", "unload_check"],
] as const;

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the compiled C programs of native/llama-runtime/test. */
    programs: string;
  }
}

/** Compiles the C programs once for the whole run. They know the runtime by its header alone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = await mkdtemp(join(tmpdir(), "mesh-llama-programs-"));
  for (const name of PROGRAMS) {
    execFileSync(process.env["CC"] ?? "gcc", [
      ...["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g", "-pthread"],
      `-I${join(NATIVE, "abi")}`,
      ...["-o", join(programs, name), join(NATIVE, "llama-runtime", "test", `${name}.c`), "-ldl"],
    ]);
  }
  project.provide("programs", programs);
  return async () => {
    await rm(programs, { recursive: true, force: true });
  };
}
