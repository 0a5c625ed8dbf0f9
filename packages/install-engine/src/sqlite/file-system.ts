import type { MountStatus } from "@mesh/ffi/fs";
import { InstallEngineError } from "../error.ts";

/**
 * File systems that several machines share. SQLite's log is indexed in memory that the processes of one machine share,
 * and a flock there may hold on one machine alone: two hosts would write one journal at the same time.
 */
const SHARED_BY_MACHINES: ReadonlySet<string> = new Set([
  "afs",
  "ceph",
  "cifs",
  "gfs2",
  "gpfs",
  "lustre",
  "nfs",
  "ocfs2",
  "smb",
  "smb2",
]);

/**
 * Refuses a file system on which a journal cannot keep its promise, by name and before anything is made.
 *
 * @throws InstallEngineError JOURNAL_RUNTIME_UNSUPPORTED.
 */
export function assertFileSystem(path: string, mount: Pick<MountStatus, "name">): void {
  if (SHARED_BY_MACHINES.has(mount.name)) {
    throw new InstallEngineError({
      code: "JOURNAL_RUNTIME_UNSUPPORTED",
      message: `The journal directory ${path} is on ${mount.name}, which several machines can share; expected a local file system, because the journal's locks and its log hold on one machine. Put it on a local disk.`,
      facts: { path, found: mount.name, expected: "a local file system" },
    });
  }
}
