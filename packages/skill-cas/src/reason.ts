import type { FileStatus } from "@mesh/ffi/fs";
import { type Facts, SkillCasError } from "./error.ts";

/** Why something in the store is not what it should be. */
export type ConflictCode =
  | "not-a-regular-file"
  | "wrong-owner"
  | "wrong-mode"
  | "unexpected-links"
  | "wrong-size"
  | "wrong-bytes"
  | "changed-while-read"
  | "too-many-stages"
  | "unsafe-lock"
  | "publication-collided"
  | "root-changed";

/** A conflict with everything an operator needs to look for himself. Holds no content. */
export interface Conflict {
  readonly code: ConflictCode;
  readonly facts: Facts;
}

/** A finding that compares what is there with what should be there. */
export function conflict(code: ConflictCode, name: string, found: Facts[string], expected: Facts[string]): Conflict {
  return { code, facts: { name, found, expected } };
}

/** The conflict with the identity of the file beside it, so that the operator finds the same one. */
export function withStatus(reason: Conflict, status: FileStatus): Conflict {
  return {
    code: reason.code,
    facts: {
      ...reason.facts,
      kind: status.kind,
      device: status.device.toString(),
      inode: status.inode.toString(),
      owner: status.owner,
      mode: modeText(status.mode),
      linkCount: status.linkCount,
      size: status.size,
    },
  };
}

/** A mode as people write it: four octal digits. */
export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** A conflict as an error: the code of the conflict becomes the fact `reason`. */
export function conflictError(reason: Conflict): SkillCasError {
  const { name, found, expected } = reason.facts;
  return new SkillCasError({
    code: "OBJECT_CONFLICT",
    message: `${name ?? "entry"}: ${reason.code}: found ${found ?? "nothing"}; expected ${expected ?? "nothing"}. Nothing was touched: look at it and quarantine it`,
    facts: { ...reason.facts, reason: reason.code },
  });
}
