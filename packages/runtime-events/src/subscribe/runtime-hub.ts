import type { Runtime } from "@mesh/ffi/runtime";
import { hasRunningOpen, onOpenStart } from "./busy.ts";
import { ReporterHub } from "./hub.ts";

const hubs = new WeakMap<Runtime, ReporterHub>();

/** The hub of a runtime in this environment; there is one, made when it is first asked for. */
export function hubOf(runtime: Runtime): ReporterHub {
  let hub = hubs.get(runtime);
  if (hub === undefined) {
    hub = new ReporterHub({
      install: () => runtime.installReporter(),
      isBusy: () => hasRunningOpen(runtime),
      onBusy: (callback) => onOpenStart(runtime, callback),
    });
    hubs.set(runtime, hub);
  }
  return hub;
}
