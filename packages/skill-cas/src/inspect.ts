import type { FileStatus } from "@mesh/ffi/fs";
import { type Address, sameStatus, type StoreIdentity } from "./address.ts";
import { type Handle, perform, type Steps } from "./effects.ts";
import { errnoOf } from "./error.ts";
import { withHandle } from "./handle.ts";
import { FILE_MODE, OBJECT_BYTES_MAX, sha256Hex } from "./layout.ts";
import { type Conflict, conflict, modeText, withStatus } from "./reason.ts";

/** What stands at one name, judged against one content. */
export type Inspection =
  | { readonly state: "absent" }
  | {
      readonly state: "exact";
      readonly status: FileStatus;
      readonly bytes: Uint8Array;
      /** Whether no byte of it was in memory when it was read: only where that was asked for, and could be had. */
      readonly pastPageCache: boolean;
    }
  | {
      readonly state: "conflict";
      readonly status: FileStatus | undefined;
      readonly reason: Conflict;
      /** Whether a stage in this condition may be removed (design D7). An object never is. */
      readonly removable: boolean;
    };

/** How to look. */
export interface InspectOptions {
  /** Most hard links that are no conflict. */
  readonly linksMax: number;
  /** Whether to sync the file between reading and judging it, as an object must be before it counts as durable. */
  readonly sync: boolean;
  /** Whether to read what the device holds instead of what memory holds, where the file system allows it. */
  readonly device?: boolean;
}

/**
 * Reads one entry without following links and says whether it is exactly the content: regular, ours, 0600, as many
 * links as allowed, the right bytes, and the same in four looks around the reading (spec 9.4).
 */
export function* inspect(address: Address, name: string, options: InspectOptions): Steps<Inspection> {
  const before = yield* perform({ kind: "stat", name });
  if (before === undefined) {
    return { state: "absent" };
  }
  const unsafe = findUnsafe(address, name, before, options.linksMax);
  if (unsafe !== undefined) {
    return refuse(address.store, before, unsafe);
  }
  let handle: Handle;
  try {
    handle = yield* perform({ kind: "open", name });
  } catch (error) {
    // The name was swapped after the look: gone (ENOENT), a symbolic link (ELOOP), a socket (ENXIO).
    if (["ENOENT", "ELOOP", "ENXIO"].includes(errnoOf(error) ?? "")) {
      return refuse(address.store, undefined, conflict("changed-while-read", name, errnoOf(error) ?? null, "one file"));
    }
    throw error;
  }
  return yield* withHandle(handle, () => readAndJudge(address, name, handle, before, options));
}

/** Whether a stage or lock in this condition is nobody's loss: regular, ours, one link, mode within 0600 (design D7). */
export function isRemovable(store: StoreIdentity, status: FileStatus): boolean {
  return (
    status.kind === "regular" &&
    status.owner === store.owner &&
    status.linkCount === 1 &&
    (status.mode & ~FILE_MODE) === 0
  );
}

function* readAndJudge(
  address: Address,
  name: string,
  handle: Handle,
  before: FileStatus,
  options: InspectOptions,
): Steps<Inspection> {
  const opened = yield* perform({ kind: "statHandle", handle });
  const pastPageCache = options.device === true && (yield* dropCachedPages(handle));
  const bytes = yield* readToEnd(handle, before.size);
  if (options.sync) {
    yield* perform({ kind: "syncFile", handle, name });
  }
  const afterwards = yield* perform({ kind: "statHandle", handle });
  const named = yield* perform({ kind: "stat", name });
  const steady =
    named !== undefined &&
    sameStatus(before, opened) &&
    sameStatus(opened, afterwards) &&
    sameStatus(afterwards, named) &&
    bytes.length === before.size;
  if (!steady) {
    return refuse(
      address.store,
      named,
      conflict("changed-while-read", name, "another state", "the same in four looks"),
    );
  }
  const digest = sha256Hex(bytes);
  if (digest !== address.digest) {
    return refuse(address.store, named, conflict("wrong-bytes", name, digest, address.digest));
  }
  return { state: "exact", status: named, bytes, pastPageCache };
}

/** Advice to the kernel: where it fails, the file is read as the page cache has it, and that is what is said of it. */
function* dropCachedPages(handle: Handle): Steps<boolean> {
  try {
    return yield* perform({ kind: "dropCachedPages", handle });
  } catch {
    return false;
  }
}

/** Reads one byte more than expected, so that a file that grows is seen, and stops there. */
function* readToEnd(handle: Handle, size: number): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let position = 0;
  while (position <= size) {
    const piece = yield* perform({ kind: "read", handle, bytes: size + 1 - position, position });
    if (piece.length === 0) {
      break;
    }
    pieces.push(piece);
    position += piece.length;
  }
  // Nearly always the kernel gives all of it at once, and nothing is copied.
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}

function findUnsafe(address: Address, name: string, status: FileStatus, linksMax: number): Conflict | undefined {
  if (status.kind !== "regular") {
    return conflict("not-a-regular-file", name, status.kind, "regular");
  }
  if (status.owner !== address.store.owner) {
    return conflict("wrong-owner", name, status.owner, address.store.owner);
  }
  if (status.mode !== FILE_MODE) {
    return conflict("wrong-mode", name, modeText(status.mode), modeText(FILE_MODE));
  }
  if (status.linkCount < 1 || status.linkCount > linksMax) {
    return conflict("unexpected-links", name, status.linkCount, linksMax);
  }
  // Zero bytes are what a crash leaves and can never be an object (design D12).
  const fits = status.size >= 1 && status.size <= OBJECT_BYTES_MAX;
  if (!fits || (address.size !== undefined && status.size !== address.size)) {
    return conflict("wrong-size", name, status.size, address.size ?? OBJECT_BYTES_MAX);
  }
  return undefined;
}

function refuse(store: StoreIdentity, status: FileStatus | undefined, reason: Conflict): Inspection {
  return {
    state: "conflict",
    status,
    reason: status === undefined ? reason : withStatus(reason, status),
    removable: status !== undefined && isRemovable(store, status),
  };
}
