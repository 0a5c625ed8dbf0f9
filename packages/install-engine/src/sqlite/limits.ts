/** Shortest pause between two attempts to get a lock, in milliseconds (design D8). */
export const LOCK_PAUSE_MS_MIN = 1;
/** Longest pause between two attempts to get a lock, in milliseconds (design D8). */
export const LOCK_PAUSE_MS_MAX = 20;
/** Most attempts to see a side file of the database hold still while another process makes or removes it (spec 5.1). */
export const SIDE_FILE_ATTEMPTS_MAX = 16;
/** Lowest Node-API version the SQLite driver runs on; with less, loading it ends the process (toolchain 4, rule a). */
export const DRIVER_NODE_API_MIN = 10;
/** Mode of every file of the journal (spec 5.1). */
export const PRIVATE_FILE_MODE = 0o600;
/** Mode bits that nobody but the owner may have on the journal's directory (spec 5.1). */
export const PRIVATE_DIRECTORY_BITS_FORBIDDEN = 0o077;
/** Mode bits the owner must have on the journal's directory (spec 5.1). */
export const PRIVATE_DIRECTORY_BITS_REQUIRED = 0o700;
/** Longest text of a lease, in bytes: a path. */
export const LEASE_BYTES_MAX = 4096;
/** Most rows that are verified, or read for a replay, without giving the event loop back. */
export const PIECE_ROWS_MAX = 64;
/** Most rows between the checkpoint and the newest row before a write moves the checkpoint: what an open verifies. */
export const CHECKPOINT_INTERVAL_ROWS = 64;
