import { InstallEngineError } from "../error.ts";

/** Which part of a journal is damaged, and how that shows. */
export interface Damage {
  /** The damaged thing in words, for example `claim of action-… in stream …`. */
  readonly subject: string;
  /** What is wrong with it. */
  readonly reason: string;
  /** Its place in the journal, where it has one. */
  readonly sequence?: number;
}

/** The error for a journal that is not what this package wrote. Nothing is ever repaired: the file stays evidence. */
export function corruption(path: string, damage: Damage): InstallEngineError {
  const place = damage.sequence === undefined ? "" : ` (row ${damage.sequence})`;
  return new InstallEngineError({
    code: "JOURNAL_CORRUPT",
    message: `The journal ${path} is damaged: ${damage.subject}${place}: ${damage.reason}. It was not changed; keep it for inspection and restore a backup.`,
    facts: {
      path,
      subject: damage.subject,
      reason: damage.reason,
      ...(damage.sequence === undefined ? {} : { sequence: damage.sequence }),
    },
  });
}
