import { entryKey, type SimulatedDisk } from "./disk.ts";
import { SimulatedSystemError } from "./error.ts";
import type { SimulatedInode, SimulatedStatus } from "./inode.ts";

/** Who a simulated process is. */
export interface SimulatedProcessOptions {
  readonly name: string;
  readonly owner: number;
  readonly umask: number;
  /** Most bytes that one write takes, so that writes are partial. */
  readonly writeBytesMax: number;
}

/** One process on a simulated disk: its open handles, its locks, and the system calls it can make. */
export class SimulatedProcess {
  readonly disk: SimulatedDisk;
  readonly #options: SimulatedProcessOptions;
  readonly #handles = new Map<number, SimulatedInode>();
  #nextHandle = 1;

  constructor(disk: SimulatedDisk, options: SimulatedProcessOptions) {
    this.disk = disk;
    this.#options = options;
  }

  /** openat(O_WRONLY|O_CREAT|O_EXCL, 0600) */
  create(name: string, directory?: number): number {
    const key = this.#key(name, directory);
    if (this.disk.lookUp(key) !== undefined) {
      throw new SimulatedSystemError("EEXIST", "openat", name);
    }
    return this.#open(this.#newFile(key));
  }

  /** mkdirat(0700) in the root, by a thread without a umask, as the addon makes directories */
  makeDirectory(name: string): void {
    if (this.disk.lookUp(name) !== undefined) {
      throw new SimulatedSystemError("EEXIST", "mkdirat", name);
    }
    this.disk.addName(name, this.disk.allocate("directory", this.#options.owner, 0o700));
  }

  /** openat(O_DIRECTORY|O_NOFOLLOW) */
  openDirectory(name: string): number {
    const inode = this.#find(name);
    if (inode.kind !== "directory") {
      throw new SimulatedSystemError("ENOTDIR", "openat", name);
    }
    this.#demand(inode, 0o500, name);
    return this.#open(inode);
  }

  /** fsync of a directory; of the root where no handle is given */
  syncDirectory(directory?: number): void {
    this.disk.syncDirectory(directory === undefined ? undefined : this.#get(directory).number);
  }

  /** fsync of a directory that fails */
  failToSyncDirectory(directory?: number): void {
    this.disk.failToSyncDirectory(directory === undefined ? undefined : this.#get(directory).number);
  }

  /** openat(O_RDONLY|O_NOFOLLOW|O_NONBLOCK) */
  open(name: string): number {
    const inode = this.#find(name);
    this.#demand(inode, 0o400, name);
    return this.#open(inode);
  }

  /** openat(O_RDWR|O_CREAT|O_NOFOLLOW, 0600) */
  openOrCreateLock(name: string): number {
    if (this.disk.lookUp(name) === undefined) {
      return this.#open(this.#newFile(name));
    }
    const inode = this.#find(name);
    if (inode.kind === "directory") {
      throw new SimulatedSystemError("EISDIR", "openat", name);
    }
    this.#demand(inode, 0o600, name);
    return this.#open(inode);
  }

  /** fchmod */
  setMode(handle: number, mode: number): void {
    const inode = this.#get(handle);
    inode.mode = mode;
    inode.changed = this.disk.tick();
  }

  /** pwrite: at most `writeBytesMax` bytes. */
  write(handle: number, bytes: Uint8Array, position: number): number {
    const inode = this.#get(handle);
    const piece = bytes.subarray(0, this.#options.writeBytesMax);
    const next = new Uint8Array(Math.max(inode.bytes.length, position + piece.length));
    next.set(inode.bytes);
    next.set(piece, position);
    inode.bytes = next;
    // What a failed sync forgot stays forgotten: new bytes beside it do not bring the old ones back.
    inode.data = inode.data === "forgotten" ? "forgotten" : "dirty";
    inode.modified = this.disk.tick();
    inode.changed = inode.modified;
    return piece.length;
  }

  /** pread */
  read(handle: number, bytes: number, position: number): Uint8Array {
    const inode = this.#get(handle);
    if (inode.kind === "directory") {
      throw new SimulatedSystemError("EISDIR", "pread64", "");
    }
    return inode.bytes.slice(position, position + bytes);
  }

  /** fstat */
  statusOf(handle: number): SimulatedStatus {
    return this.disk.status(this.#get(handle));
  }

  /** fstatat(AT_SYMLINK_NOFOLLOW) */
  stat(name: string): SimulatedStatus | undefined {
    const inode = this.disk.lookUp(name);
    return inode === undefined ? undefined : this.disk.status(inode);
  }

  /** fsync of a file */
  syncFile(handle: number): void {
    this.disk.syncFile(this.#get(handle));
  }

  /** fsync of a file that fails: the kernel forgets what it could not write. What is on the disk stays there. */
  failToSyncFile(handle: number): void {
    const inode = this.#get(handle);
    inode.data = inode.data === "clean" ? "clean" : "forgotten";
  }

  /** posix_fadvise(POSIX_FADV_DONTNEED), and whether nothing stayed in memory */
  dropCachedPages(handle: number): boolean {
    return this.disk.dropCachedPages(this.#get(handle));
  }

  /** linkat without following; into the root, or into an open directory */
  link(source: string, target: string, directory?: number): void {
    const inode = this.disk.lookUp(source);
    if (inode === undefined) {
      throw new SimulatedSystemError("ENOENT", "linkat", source);
    }
    if (inode.kind === "directory") {
      throw new SimulatedSystemError("EPERM", "linkat", source);
    }
    const key = this.#key(target, directory);
    if (this.disk.lookUp(key) !== undefined) {
      throw new SimulatedSystemError("EEXIST", "linkat", target);
    }
    this.disk.addName(key, inode);
  }

  /** renameat2(RENAME_NOREPLACE) of a name in the root into an open directory */
  rename(name: string, target: string, directory: number): void {
    const inode = this.disk.lookUp(name);
    if (inode === undefined) {
      throw new SimulatedSystemError("ENOENT", "renameat2", name);
    }
    const key = this.#key(target, directory);
    if (this.disk.lookUp(key) !== undefined) {
      throw new SimulatedSystemError("EEXIST", "renameat2", target);
    }
    this.disk.moveName(name, key, inode);
  }

  /** unlinkat */
  unlink(name: string): void {
    if (this.disk.lookUp(name)?.kind === "directory") {
      throw new SimulatedSystemError("EISDIR", "unlinkat", name);
    }
    this.disk.removeName(name, "unlinkat");
  }

  /** flock(LOCK_EX|LOCK_NB) */
  tryLock(handle: number): boolean {
    const inode = this.#get(handle);
    const holder = this.#holder(handle);
    if (inode.lockedBy !== undefined && inode.lockedBy !== holder) {
      return false;
    }
    inode.lockedBy = holder;
    return true;
  }

  /** close: releases the lock that was taken through this handle. */
  close(handle: number): void {
    const inode = this.#get(handle);
    if (inode.lockedBy === this.#holder(handle)) {
      inode.lockedBy = undefined;
    }
    this.#handles.delete(handle);
    this.disk.countHandle(inode, -1);
  }

  /** The names of the root, sorted. */
  names(): string[] {
    return [...this.disk.names.keys()].filter((key) => !key.includes("/")).sort();
  }

  /** The process dies: the kernel closes what it held. */
  die(): void {
    for (const handle of [...this.#handles.keys()]) {
      this.close(handle);
    }
  }

  #newFile(key: string): SimulatedInode {
    const inode = this.disk.allocate("regular", this.#options.owner, 0o600 & ~this.#options.umask);
    this.disk.addName(key, inode);
    return inode;
  }

  #key(name: string, directory: number | undefined): string {
    return entryKey(name, directory === undefined ? undefined : this.#get(directory).number);
  }

  #find(name: string): SimulatedInode {
    const inode = this.disk.lookUp(name);
    if (inode === undefined) {
      throw new SimulatedSystemError("ENOENT", "openat", name);
    }
    if (inode.kind === "symlink") {
      throw new SimulatedSystemError("ELOOP", "openat", name);
    }
    if (inode.kind === "socket") {
      throw new SimulatedSystemError("ENXIO", "openat", name);
    }
    return inode;
  }

  #demand(inode: SimulatedInode, bits: number, name: string): void {
    if (inode.owner !== this.#options.owner || (inode.mode & bits) !== bits) {
      throw new SimulatedSystemError("EACCES", "openat", name);
    }
  }

  #open(inode: SimulatedInode): number {
    const handle = this.#nextHandle;
    this.#nextHandle += 1;
    this.#handles.set(handle, inode);
    this.disk.countHandle(inode, 1);
    return handle;
  }

  #get(handle: number): SimulatedInode {
    const inode = this.#handles.get(handle);
    if (inode === undefined) {
      throw new SimulatedSystemError("EBADF", "handle", String(handle));
    }
    return inode;
  }

  #holder(handle: number): string {
    return `${this.#options.name}:${handle}`;
  }
}
