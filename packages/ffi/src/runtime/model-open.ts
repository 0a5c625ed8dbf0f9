import { checkCString, invalidArgument } from "./argument.ts";
import type { CapabilityReport } from "./capability.ts";
import { encodeRuntimeConfig, type RuntimeConfig } from "./config.ts";
import { Model } from "./model.ts";
import { nativeRuntime } from "./native.ts";
import { claimQueue, type ModelOpenQueue } from "./queue.ts";
import { type CancelSupport, settle } from "./settle.ts";

/** Files that one model may be split into. */
export const MODEL_PARTS_MAX = 4_096;

interface ModelOpenCommon {
  readonly config?: RuntimeConfig;
  /** Takes the events of this open, and of no other. */
  readonly queue?: ModelOpenQueue;
  readonly signal?: AbortSignal;
}

/** One file, or the parts of a split one in order. */
export type ModelOpenOptions =
  | (ModelOpenCommon & { readonly path: string; readonly parts?: never })
  | (ModelOpenCommon & { readonly parts: readonly string[]; readonly path?: never });

/** Everything is checked before the queue is claimed and before any native call. @internal */
export async function openModel(
  options: ModelOpenOptions,
  cancels: CancelSupport,
  capabilities: CapabilityReport,
): Promise<Model> {
  const paths = modelPaths(options);
  const { bytes, selectedBackendDevice } = encodeRuntimeConfig(options.config);
  const queue = options.queue === undefined ? null : claimQueue(options.queue);
  const withEvents = capabilities.confirmedFamilies.includes("runtime_events");
  const handle = await settle({
    operation: `opening ${paths[0] ?? ""}`,
    failureCode: "MODEL_OPEN_FAILED",
    closedCode: "MODEL_CLOSED",
    signal: options.signal,
    // A plain open has no reporter, and with it no name by which it could be cancelled.
    canCancel: cancels.open && withEvents,
    start: () =>
      nativeRuntime().openModel({
        paths,
        fromParts: options.parts !== undefined,
        config: bytes,
        selectedBackendDevice,
        queue,
      }),
    discard: (late) => {
      // Nobody can see a failure of this any more, and the addon frees the model whatever the runtime answers.
      void nativeRuntime().closeModel(late).settled;
    },
  });
  return new Model({ handle, cancelsSession: cancels.session });
}

function modelPaths(options: ModelOpenOptions): readonly string[] {
  if (options.parts === undefined) return [checkCString("model path", options.path)];
  const { parts } = options;
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MODEL_PARTS_MAX) {
    throw invalidArgument("parts", `1 to ${MODEL_PARTS_MAX} paths of GGUF parts`, parts);
  }
  return options.parts.map((part) => checkCString("part path", part));
}
