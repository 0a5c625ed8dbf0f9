import { InstallEngineError } from "../error.ts";
import type { JournalErrorCode } from "../journal-error-code.ts";
import { isBusy, sqliteCode } from "./connection.ts";
import { FORMAT } from "./layout.ts";

/** What the journal was doing when SQLite refused. */
export type JournalOperation = "open" | "read" | "write";

/**
 * Gives an error of SQLite a code of the journal. SQLite's own code stays a fact and the error itself the cause. Every
 * other error is returned as it is.
 */
export function journalFailure(error: unknown, path: string, operation: JournalOperation): unknown {
  const code = sqliteCode(error);
  if (code === undefined) {
    return error;
  }
  const { journalCode, advice } = classify(error, code, operation);
  return new InstallEngineError({
    code: journalCode,
    message: `SQLite refused to ${operation} the journal ${path}: ${code}, ${error instanceof Error ? error.message : ""}. ${advice}`,
    cause: error,
    facts: { path, operation, sqliteCode: code },
  });
}

function classify(
  error: unknown,
  code: string,
  operation: JournalOperation,
): { journalCode: JournalErrorCode; advice: string } {
  if (isBusy(error)) {
    return { journalCode: "JOURNAL_BUSY", advice: "Another process holds its lock; try again." };
  }
  if (code.startsWith("SQLITE_NOTADB")) {
    return {
      journalCode: "JOURNAL_NOT_A_JOURNAL",
      advice: `Expected a database of format ${FORMAT}; the file is left as it is.`,
    };
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return {
      journalCode: "JOURNAL_CORRUPT",
      advice: "The file is damaged or cut short and is left as it is; restore it from a backup.",
    };
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return {
      journalCode: "JOURNAL_READ_ONLY",
      advice: "Make the file and its directory writable, or open it read-only.",
    };
  }
  return operation === "write"
    ? {
        journalCode: "JOURNAL_WRITE_FAILED",
        advice: "Nothing of this change was kept. Check the disk, then try again.",
      }
    : { journalCode: "JOURNAL_READ_FAILED", advice: "Check the disk and the file's permissions, then try again." };
}
