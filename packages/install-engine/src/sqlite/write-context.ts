import type { Timestamp } from "../timestamp.ts";
import type { Appender } from "./append.ts";
import type { JournalTables } from "./journal-tables.ts";
import type { VerifiedRows } from "./verified-rows.ts";

/** What a change of the journal works with, inside its transaction. */
export interface WriteContext {
  readonly tables: JournalTables;
  readonly rows: VerifiedRows;
  readonly appender: Appender;
  /** The trusted time, read under the write lock. */
  now(): Timestamp;
}
