import type { FileStatus } from "@mesh/ffi/fs";
import type { Inspection } from "../inspect.ts";
import type { Conflict } from "../reason.ts";

/** What stands at the name of an object, seen without reading it. */
export interface ObjectStatus {
  readonly digest: string;
  readonly kind: FileStatus["kind"];
  /** Length in bytes. */
  readonly size: number;
  /** The twelve permission bits; 0600 at rest. */
  readonly mode: number;
  /** 1 at rest. */
  readonly linkCount: number;
  readonly owner: number;
}

/** How `verify` reads. */
export interface VerifyOptions {
  /**
   * Whether to read what the device holds instead of what memory holds. Memory can hold bytes that a failed sync never
   * brought to the disk; only this finds them before the next restart does. Slower: every object is read from the device.
   */
  readonly device?: boolean;
}

/** What `verify` says of one object. */
export type ObjectFinding =
  | {
      readonly digest: string;
      readonly state: "exact";
      /** Length in bytes. */
      readonly size: number;
      /**
       * Whether the bytes came from the device because none of them was in memory. Always false unless `device` was asked
       * for; false then where pages could not be dropped: tmpfs, a file that somebody has mapped, a system other than Linux.
       */
      readonly pastPageCache: boolean;
    }
  | { readonly digest: string; readonly state: "conflict"; readonly reason: Conflict };

/** The public part of a status. */
export function toObjectStatus(digest: string, status: FileStatus | undefined): ObjectStatus | undefined {
  return status === undefined
    ? undefined
    : {
        digest,
        kind: status.kind,
        size: status.size,
        mode: status.mode,
        linkCount: status.linkCount,
        owner: status.owner,
      };
}

/** Undefined where the object went away between the listing and the look. */
export function toFinding(digest: string, inspection: Inspection): ObjectFinding | undefined {
  switch (inspection.state) {
    case "absent":
      return undefined;
    case "exact":
      return { digest, state: "exact", size: inspection.status.size, pastPageCache: inspection.pastPageCache };
    case "conflict":
      return { digest, state: "conflict", reason: inspection.reason };
  }
}
