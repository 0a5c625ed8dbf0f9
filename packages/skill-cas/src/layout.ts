import { hash } from "node:crypto";

/** Mode of the root directory, exactly (spec 9.1). */
export const ROOT_MODE = 0o700;

/** Mode of every object, stage and lock, exactly: all twelve bits are compared (spec 9.1). */
export const FILE_MODE = 0o600;

/** Largest object, in bytes: 4 MiB (design D12). The smallest is one byte: zero bytes are what a crash leaves. */
export const OBJECT_BYTES_MAX = 4 * 1024 * 1024;

/** Largest material the install driver takes, in bytes of strict UTF-8 without NUL: 1 MiB (design D12). */
export const MATERIAL_BYTES_MAX = 1024 * 1024;

/** Most stages that one content may have before recovery refuses to choose among them (spec 9.4, 14). */
export const STAGES_MAX = 64;

/** Most hard links that recovery can account for: the object and {@link STAGES_MAX} stages on its inode (spec 14). */
export const LINKS_MAX = STAGES_MAX + 1;

/** Longest wait for a content lock, in milliseconds (spec 8.1). */
export const LOCK_WAIT_MS_MAX = 30_000;

/** Longest pause between two attempts on a busy lock, in milliseconds (spec 8.1); the first pauses are shorter. */
export const LOCK_POLL_MS_MAX = 50;

/** How often a lock that cannot be opened, or that was removed meanwhile, is tried again before it is reported. */
export const LOCK_ATTEMPTS_MAX = 8;

/** Most objects that one merged batch of `putMany` holds at once: each holds a lock and its bytes. */
export const BATCH_OBJECTS_MAX = 128;

/** Name of the private folder in the root that quarantined entries are moved to. */
export const QUARANTINE_NAME = ".mesh-quarantine";

/** Name of the lock under which the entry at the name of a content lock is moved: that one cannot be taken. */
export const QUARANTINE_LOCK_NAME = ".mesh-quarantine.lock";

/** Most bytes that one batch of `putMany` holds at once, in bytes: 16 MiB, or one object. */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;

const DIGEST = /^[0-9a-f]{64}$/;
const STAGE_NAME = /^\.ctx-skill-([0-9a-f]{64})-([0-9a-f]{64})\.pending$/;
const LOCK_NAME = /^([0-9a-f]{64})\.lock$/;

/** What a name in the root means. Everything else in the directory is `other` and never touched. */
export type EntryName =
  | { readonly kind: "object"; readonly digest: string }
  | { readonly kind: "stage"; readonly digest: string; readonly actionDigest: string }
  | { readonly kind: "lock"; readonly digest: string }
  | { readonly kind: "other" };

/** Lower-case hex SHA-256: the name of an object is this of its bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** Whether a text from outside is a digest as this store writes it: 64 lower-case hex digits (spec 2.2). */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/**
 * Name of the stage of one content for one action: a pure function of both, without process id or random part, so that
 * an interrupted attempt is found again by name (spec 9.1).
 */
export function stageName(digest: string, actionDigest: string): string {
  return `${stagePrefix(digest)}${actionDigest}.pending`;
}

/** Start of the name of every stage of one content. */
export function stagePrefix(digest: string): string {
  return `.ctx-skill-${digest}-`;
}

/** Name of the lock file of one content. */
export function lockName(digest: string): string {
  return `${digest}.lock`;
}

/** Reads a directory entry. Names come from the disk: whoever can write there controls them. */
export function parseEntryName(name: string): EntryName {
  if (DIGEST.test(name)) {
    return { kind: "object", digest: name };
  }
  const stage = STAGE_NAME.exec(name);
  if (stage?.[1] !== undefined && stage[2] !== undefined) {
    return { kind: "stage", digest: stage[1], actionDigest: stage[2] };
  }
  const lock = LOCK_NAME.exec(name);
  if (lock?.[1] !== undefined) {
    return { kind: "lock", digest: lock[1] };
  }
  return { kind: "other" };
}

/** The action digest under which a plain `put` stages, so that the next put finds what a crash left. */
export const PUT_ACTION_DIGEST = sha256Hex("mesh-skill-cas-put-v1");

/**
 * The action digest of the n-th copy that recovery makes of an adopted stage. Its own names keep a copy from taking the
 * place of the stage it was made from, and let a later recovery find it in the same namespace.
 */
export function recoveryActionDigest(index: number): string {
  return sha256Hex(`mesh-skill-cas-recovery-v1:${index}`);
}
