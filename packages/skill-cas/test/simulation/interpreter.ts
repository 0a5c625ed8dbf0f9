import {
  SIMULATED_DEVICE,
  SIMULATED_ROOT_INODE,
  type SimulatedDisk,
  SimulatedSystemError,
  type SimulatedProcess,
} from "@mesh/testkit/simulated-disk";
import type { StoreIdentity } from "../../src/address.ts";
import type { Interpreter } from "../../src/interpreters/run.ts";

/** The user every simulated process of the tests is. */
export const OWNER = 1000;

/** The store of the simulated disk. */
export const SIMULATED_STORE: StoreIdentity = {
  owner: OWNER,
  root: { device: SIMULATED_DEVICE, inode: SIMULATED_ROOT_INODE },
};

/** Performs effects on a simulated disk. */
export function createSimulatedInterpreter(disk: SimulatedDisk, process: SimulatedProcess): Interpreter {
  return {
    create: ({ name }) => process.create(name),
    setMode: ({ handle, mode }) => {
      process.setMode(handle, mode);
    },
    write: ({ handle, bytes, position }) => process.write(handle, bytes, position),
    syncFile: ({ handle }) => {
      process.syncFile(handle);
    },
    link: ({ source, target }) => {
      process.link(source, target);
    },
    unlink: ({ name }) => {
      process.unlink(name);
    },
    syncDirectory: () => {
      disk.syncDirectory();
    },
    // The simulated disk has one directory: quarantine is tried on the real one.
    rename: ({ name }) => {
      throw new SimulatedSystemError("EXDEV", "renameat2", name);
    },
    makeDirectory: ({ name }) => {
      throw new SimulatedSystemError("EROFS", "mkdirat", name);
    },
    openDirectory: ({ name }) => {
      throw new SimulatedSystemError("ENOENT", "openat", name);
    },
    createLock: ({ name }) => process.openOrCreateLock(name),
    lock: ({ handle }) => process.tryLock(handle),
    removeLock: ({ name }) => {
      process.unlink(name);
    },
    stat: ({ name }) => process.stat(name),
    statHandle: ({ handle }) => process.statusOf(handle),
    statRoot: () => ({ device: SIMULATED_DEVICE, inode: disk.rootInPlace ? SIMULATED_ROOT_INODE : 99n }),
    open: ({ name }) => process.open(name),
    read: ({ handle, bytes, position }) => process.read(handle, bytes, position),
    list: ({ prefix, limit }) =>
      process
        .names()
        .filter((name) => name.startsWith(prefix))
        .slice(0, limit),
    close: ({ handle }) => {
      process.close(handle);
    },
  };
}
