import type { AbiVersion } from "../abi/version.ts";
import { toAbiVersion } from "./admission.ts";
import { type CapabilityReport, probeCapabilities } from "./capability.ts";
import { type BackendDevice, toBackendDevice } from "./device.ts";
import type { Model } from "./model.ts";
import { type ModelOpenOptions, openModel } from "./model-open.ts";
import { type LoadedLibraries, nativeRuntime } from "./native.ts";
import { unwrap } from "./outcome.ts";
import { ModelOpenQueue, type ModelOpenQueueOptions } from "./queue.ts";
import { installReporter, type ReporterOptions, type RuntimeReporter } from "./reporter.ts";
import type { CancelSupport } from "./settle.ts";

/**
 * The admitted native runtime of this process. There is one: every environment and both module formats that open the same
 * libraries get the same, and it is never unloaded.
 */
export class Runtime {
  readonly abi: AbiVersion;
  /** The raw bits of `skippy_abi_features()`; 0n when the runtime has no such function. */
  readonly features: bigint;
  readonly capabilities: CapabilityReport;
  /** Absolute paths in load order, the primary library last. */
  readonly libraries: readonly string[];
  readonly cancels: CancelSupport;

  /** @internal Use `openRuntime`. */
  constructor(loaded: LoadedLibraries) {
    this.abi = toAbiVersion(loaded.abi);
    this.capabilities = probeCapabilities(loaded.features, (name) => nativeRuntime().hasSymbol(name));
    this.features = this.capabilities.features;
    this.libraries = loaded.libraries;
    this.cancels = { open: loaded.cancelsOpen, session: loaded.cancelsSession };
  }

  /**
   * A ring for the events of one open.
   *
   * @throws FfiError `ARGUMENT_INVALID`
   */
  createModelOpenQueue(options?: ModelOpenQueueOptions): ModelOpenQueue {
    return new ModelOpenQueue(options);
  }

  /**
   * Opens a model on a thread of its own. With a queue, and when the runtime confirms `runtime_events`, native events go to
   * the queue while the open runs; otherwise the plain entry is called and the queue stays empty.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `QUEUE_ALREADY_USED`, `QUEUE_CLOSED`, `MODEL_OPEN_FAILED`, `RUNTIME_NULL_HANDLE`,
   *   `RUNTIME_THREW`, `RUNTIME_THREAD_UNAVAILABLE`; CancelledError.
   */
  openModel(options: ModelOpenOptions): Promise<Model> {
    return openModel(options, this.cancels, this.capabilities);
  }

  /**
   * The devices on which the runtime can compute.
   *
   * @throws FfiError `RUNTIME_CALL_FAILED`
   */
  async listDevices(): Promise<readonly BackendDevice[]> {
    const outcome = await nativeRuntime().listDevices().settled;
    const context = {
      operation: "listDevices",
      failureCode: "RUNTIME_CALL_FAILED",
      closedCode: "MODEL_CLOSED",
    } as const;
    return unwrap(outcome, context).map(toBackendDevice);
  }

  /**
   * Makes this environment the owner of the one process-wide reporter, whose ring takes the events of kinds 100 and above.
   * Waits for callbacks of an earlier reporter, off the event loop.
   *
   * @throws FfiError `REPORTER_UNSUPPORTED`, `REPORTER_OWNED` (names the owner), `REPORTER_REFUSED`.
   */
  installReporter(options?: ReporterOptions): Promise<RuntimeReporter> {
    return installReporter(this.capabilities, options);
  }

  /** Who owns the process-wide reporter now; undefined when nobody does. */
  reporterOwner(): string | undefined {
    return nativeRuntime().reporterOwner();
  }
}
