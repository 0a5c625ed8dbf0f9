import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A private directory that is gone when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "mesh-llama-"));
  onTestFinished(async () => {
    await rm(path, { recursive: true, force: true });
  });
  return path;
}
