import type { InstallDriverRequest, MaterialIdentity } from "@mesh/install-engine";
import { readMaterialFile } from "../material-file.ts";

/** Where the driver gets a body from. What it returns is authenticated: a source is trusted with nothing. */
export interface SkillBodySource {
  /** Called only after the claim is durable, at most once in the life of an action, under the content lock. */
  load(request: InstallDriverRequest, material: MaterialIdentity): Promise<Uint8Array> | Uint8Array;
}

/** A body at hand. */
export function memoryBodySource(body: Uint8Array | string): SkillBodySource {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : Uint8Array.from(body);
  return { load: () => bytes };
}

/** A body in a file, read when it is needed, as `readMaterialFile` reads it: no link followed, the size bounded. */
export function fileBodySource(path: string): SkillBodySource {
  return { load: () => readMaterialFile(path) };
}
