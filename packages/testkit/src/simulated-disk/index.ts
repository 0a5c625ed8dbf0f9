export {
  type DirectoryOperation,
  entryKey,
  type PlacedEntry,
  SIMULATED_DEVICE,
  SIMULATED_ROOT_INODE,
  SimulatedDisk,
} from "./disk.ts";
export { SIMULATED_ERRNO, type SimulatedErrnoName, SimulatedSystemError } from "./error.ts";
export type { SimulatedInode, SimulatedKind, SimulatedStatus } from "./inode.ts";
export {
  afterPowerLoss,
  type Choose,
  choosePowerLoss,
  DATA_LOSSES,
  type DataLoss,
  everyPowerLoss,
  type PowerLoss,
  unsyncedData,
  unsyncedModes,
} from "./power-loss.ts";
export { SimulatedProcess, type SimulatedProcessOptions } from "./process.ts";
