/** Name of the journal's own format (design D6). A later one gets another name and a higher format version. */
export const FORMAT = "mesh.install-journal-v1";
/** Directory beside the database that holds one lock file for each action that was ever executed (spec 5.1). */
export const ACTION_LOCKS_DIRECTORY = "install-execution-locks";
/** What SQLite names its side files: the write-ahead log, and the shared memory that indexes it. */
export const SIDE_FILE_SUFFIXES = ["-wal", "-shm"] as const;

/** The file whose flock is held during every write transaction (design D8). */
export function writeLockName(name: string): string {
  return `${name}.lock`;
}

/** The name under which a new database is written before it gets its own. Only the holder of the write lock uses it. */
export function creationName(name: string): string {
  return `${name}.creating`;
}

/** What the names of the files begin with that say who has the journal open. */
export function leasePrefix(name: string): string {
  return `${name}.open-`;
}
