import { FfiError } from "../error.ts";
import { loadAddonFace, locateAddon } from "../loader.ts";

/** The native object that owns one open descriptor. Only the addon can make one or look inside. */
export interface NativeDescriptor {
  readonly __nativeDescriptor: never;
}

/** What a native function answers instead of its value when its system call failed. */
export interface NativeFailure {
  readonly errno: number;
  readonly syscall: string;
}

/** What the addon says of a mount. `typeName` is null where the system knows file systems by number alone. */
export interface NativeMount {
  readonly type: number;
  readonly typeName: string | null;
  readonly readOnly: boolean;
}

/** The native functions. Each makes one system call, but `dropCachedPages`, which looks afterwards; names must be checked before they come here. */
export interface FileSystemBinding {
  close(descriptor: NativeDescriptor): NativeFailure | undefined;
  openRoot(): NativeDescriptor | NativeFailure;
  openDirectory(parent: NativeDescriptor, name: string, forReading: boolean): NativeDescriptor | NativeFailure;
  makeDirectory(parent: NativeDescriptor, name: string): NativeFailure | undefined;
  setDirectoryMode(parent: NativeDescriptor, name: string, mode: number): NativeFailure | undefined;
  createFile(directory: NativeDescriptor, name: string): NativeDescriptor | NativeFailure;
  openFile(directory: NativeDescriptor, name: string): NativeDescriptor | NativeFailure;
  openOrCreateLock(directory: NativeDescriptor, name: string): NativeDescriptor | NativeFailure;
  setMode(file: NativeDescriptor, mode: number): NativeFailure | undefined;
  write(file: NativeDescriptor, bytes: Uint8Array, position: number): number | NativeFailure;
  read(file: NativeDescriptor, buffer: Uint8Array, position: number): number | NativeFailure;
  sync(descriptor: NativeDescriptor): NativeFailure | undefined;
  dropCachedPages(file: NativeDescriptor): boolean | NativeFailure;
  startWriteback(file: NativeDescriptor): NativeFailure | undefined;
  link(
    directory: NativeDescriptor,
    source: string,
    targetDirectory: NativeDescriptor,
    target: string,
  ): NativeFailure | undefined;
  rename(
    directory: NativeDescriptor,
    source: string,
    targetDirectory: NativeDescriptor,
    target: string,
  ): NativeFailure | undefined;
  unlink(directory: NativeDescriptor, name: string): NativeFailure | undefined;
  statName(directory: NativeDescriptor, name: string, fields: BigInt64Array): boolean | NativeFailure;
  statDescriptor(descriptor: NativeDescriptor, fields: BigInt64Array): NativeFailure | undefined;
  openListing(directory: NativeDescriptor): NativeDescriptor | NativeFailure;
  readListing(listing: NativeDescriptor, countMax: number): readonly Buffer[] | NativeFailure;
  tryLock(file: NativeDescriptor): boolean | NativeFailure;
  unlock(file: NativeDescriptor): NativeFailure | undefined;
  statMount(descriptor: NativeDescriptor): NativeMount | NativeFailure;
}

const FUNCTIONS: Readonly<Record<keyof FileSystemBinding, true>> = {
  close: true,
  openRoot: true,
  openDirectory: true,
  makeDirectory: true,
  setDirectoryMode: true,
  createFile: true,
  openFile: true,
  openOrCreateLock: true,
  setMode: true,
  write: true,
  read: true,
  sync: true,
  dropCachedPages: true,
  startWriteback: true,
  link: true,
  rename: true,
  unlink: true,
  statName: true,
  statDescriptor: true,
  openListing: true,
  readListing: true,
  tryLock: true,
  unlock: true,
  statMount: true,
};

let loaded: FileSystemBinding | undefined;

/**
 * The native functions, loaded at the first call.
 *
 * @throws FfiError `ADDON_NOT_FOUND`, `ADDON_LOAD_FAILED` or `ADDON_MISMATCH`.
 */
export function binding(): FileSystemBinding {
  loaded ??= load();
  return loaded;
}

function load(): FileSystemBinding {
  const face = loadAddonFace("fs");
  if (isFileSystemBinding(face)) return face;
  const { path } = locateAddon();
  throw new FfiError({
    code: "ADDON_MISMATCH",
    message: `${path} lacks functions that this version of the package calls. Install or build the package again.`,
    path,
  });
}

/** That each function is there is checked; what it takes and gives is the promise of the sources it is built from. */
function isFileSystemBinding(face: object): face is FileSystemBinding {
  const functions = new Map(Object.entries(face));
  return Object.keys(FUNCTIONS).every((name) => typeof functions.get(name) === "function");
}
