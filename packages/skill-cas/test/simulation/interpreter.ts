import {
  SIMULATED_DEVICE,
  SIMULATED_ROOT_INODE,
  type SimulatedDisk,
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
    create: ({ name, directory }) => process.create(name, directory),
    setMode: ({ handle, mode }) => {
      process.setMode(handle, mode);
    },
    write: ({ handle, bytes, position }) => process.write(handle, bytes, position),
    syncFile: ({ handle }) => {
      process.syncFile(handle);
    },
    link: ({ source, target, directory }) => {
      process.link(source, target, directory);
    },
    unlink: ({ name }) => {
      process.unlink(name);
    },
    syncDirectory: ({ directory }) => {
      process.syncDirectory(directory);
    },
    rename: ({ name, target, directory }) => {
      process.rename(name, target, directory);
    },
    makeDirectory: ({ name }) => {
      process.makeDirectory(name);
    },
    openDirectory: ({ name }) => process.openDirectory(name),
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
    dropCachedPages: ({ handle }) => process.dropCachedPages(handle),
    // What was begun may be done or not when the power goes: as if it had not been asked for.
    startWriteback: () => undefined,
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
