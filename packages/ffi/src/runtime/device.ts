import type { NativeDevice } from "./native.ts";

const DEVICE_KINDS = new Map<number, DeviceKind>([
  [0, "cpu"],
  [1, "gpu"],
  [2, "integrated-gpu"],
  [3, "accelerator"],
  [4, "meta"],
]);

export type DeviceKind = "cpu" | "gpu" | "integrated-gpu" | "accelerator" | "meta";

/** A device on which the runtime can compute (spec 1.7). */
export interface BackendDevice {
  /** The name by which `RuntimeConfig.device` selects it. */
  readonly name: string;
  readonly description: string;
  /** The runtime's own id; null when it gives none. A stable hardware id: do not let it leave the host. */
  readonly deviceId: string | null;
  readonly memoryFreeBytes: bigint;
  readonly memoryTotalBytes: bigint;
  readonly kind: DeviceKind | { readonly kind: "unknown"; readonly raw: number };
  /** Bits: 1 asynchronous, 2 host buffer, 4 buffer from a host pointer, 8 events. */
  readonly capabilities: bigint;
}

export function toBackendDevice(device: NativeDevice): BackendDevice {
  return {
    name: device.name ?? "",
    description: device.description ?? "",
    deviceId: device.deviceId,
    memoryFreeBytes: device.memoryFree,
    memoryTotalBytes: device.memoryTotal,
    kind: DEVICE_KINDS.get(device.type) ?? { kind: "unknown", raw: device.type },
    capabilities: device.capabilities,
  };
}
