/** Codes of every `JournalStore`, and of the SQLite one. */
export type JournalErrorCode =
  /** Another execution of the action held its lock for the whole wait. */
  | "ACTION_LOCK_TIMEOUT"
  /** The clock of expiry gave no timestamp. */
  | "CLOCK_FAILED"
  /** Others kept the journal locked for the whole wait; nothing was changed. */
  | "JOURNAL_BUSY"
  | "JOURNAL_CLOSED"
  /** A row, a link or the schema is not what this package wrote; the facts `subject` and `reason` say which and why. */
  | "JOURNAL_CORRUPT"
  /** The directory is not private to this user, or a symlink is in its path. */
  | "JOURNAL_DIRECTORY_UNSAFE"
  /** The database or a side file of it is not a private regular file. */
  | "JOURNAL_FILE_UNSAFE"
  | "JOURNAL_FORMAT_NEWER"
  /** The head that was expected is not in the journal: its newest rows are lost, or it is another one. */
  | "JOURNAL_HEAD_MISMATCH"
  /** Opened read-only, and there is none. */
  | "JOURNAL_MISSING"
  | "JOURNAL_NOT_A_JOURNAL"
  /** Another copy of SQLite has it open in this process, and neither would see the other's locks. */
  | "JOURNAL_OPEN_IN_ANOTHER_COPY"
  | "JOURNAL_PATH_INVALID"
  | "JOURNAL_READ_FAILED"
  | "JOURNAL_READ_ONLY"
  /** This Node, C library or file system cannot keep the journal. */
  | "JOURNAL_RUNTIME_UNSUPPORTED"
  | "JOURNAL_WRITE_FAILED"
  /** A lock file is not a private regular file, or was replaced. */
  | "LOCK_FILE_UNSAFE";
