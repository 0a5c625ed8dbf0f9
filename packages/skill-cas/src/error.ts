import type { Effect } from "./effects.ts";

/** What can go wrong in this package. Switch on the code, never on the message. */
export type SkillCasErrorCode =
  /** An argument outside what the function takes. */
  | "INVALID_ARGUMENT"
  /** The configured root does not exist and `create` was not asked for. */
  | "ROOT_MISSING"
  /** The root could not be opened; the facts hold errno, errnoName, syscall and path. */
  | "ROOT_UNAVAILABLE"
  /** The root or one of its ancestors is not private enough; the facts name the directory and the repair. */
  | "ROOT_UNSAFE"
  /** The path of the root leads to another directory than the one that was opened. */
  | "ROOT_CHANGED"
  /** What stands at the name of the root's random id is not one. */
  | "ROOT_ID_INVALID"
  /** Somebody else held the content lock for the whole of `LOCK_WAIT_MS_MAX`. */
  | "LOCK_BUSY"
  /** What stands at the name of a content lock is not a lock file of this user. */
  | "LOCK_UNSAFE"
  /** There is no object of that digest. */
  | "OBJECT_MISSING"
  /** What stands at the name of the object is not that object; nothing was touched. */
  | "OBJECT_CONFLICT"
  /** There is no conflict of that content that could be moved. */
  | "NOTHING_TO_QUARANTINE"
  /** A sync failed: what was written may not be on the disk. Nobody may repair this by syncing again (design D7). */
  | "SYNC_FAILED"
  /** Any other step on the disk failed; the facts hold errno, errnoName, syscall, effect and name. */
  | "EFFECT_FAILED"
  /** The file system refuses hard links, without which an object cannot be published exclusively. */
  | "HARD_LINKS_UNSUPPORTED"
  /** The file system cannot keep the promise of this store. */
  | "FILE_SYSTEM_UNSUPPORTED"
  /** The body is not the material that was authorised. */
  | "BODY_REJECTED"
  /** The install request is not one this driver may serve (spec 9.5). */
  | "NOT_ELIGIBLE"
  /** The store was closed. */
  | "STORE_CLOSED"
  /** The worker thread of the store ended although nobody asked it to. */
  | "WORKER_FAILED"
  /** A SKILL.md that does not follow the strict profile; the facts hold line and column. */
  | "SKILL_INVALID";

/** A fact of an error or reason: plain data, never content. */
export type Fact = string | number | boolean | null;

/** Named facts. */
export type Facts = Readonly<Record<string, Fact>>;

/** What a {@link SkillCasError} is made from. */
export interface SkillCasErrorInput {
  readonly code: SkillCasErrorCode;
  /** What was found, what was expected, what to do. */
  readonly message: string;
  readonly cause?: unknown;
  readonly facts?: Facts;
}

/** The one error class of this package (design D9). The facts are the values that the message speaks of, as data. */
export class SkillCasError extends Error {
  override readonly name = "SkillCasError";
  readonly code: SkillCasErrorCode;
  readonly facts: Facts;

  constructor(input: SkillCasErrorInput) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.facts = Object.freeze({ ...input.facts });
  }
}

/** What a failed system call carries, whoever made it: the addon's `FileSystemError` or the simulated disk's. */
interface SystemFailure {
  readonly errno: number;
  readonly errnoName: string;
  readonly syscall: string;
}

/** The failed step and its errno as one error; errno, name and system call are passed on as they came. */
export function effectFailed(effect: Effect, cause: unknown): SkillCasError {
  if (cause instanceof SkillCasError) {
    return cause;
  }
  const name = effectName(effect);
  const where = name === undefined ? effect.kind : `${effect.kind} of ${name}`;
  const failure = systemFailure(cause);
  const facts = {
    effect: effect.kind,
    name: name ?? null,
    errno: failure?.errno ?? null,
    errnoName: failure?.errnoName ?? null,
    syscall: failure?.syscall ?? null,
  };
  const found = failure === undefined ? String(cause) : `${failure.errnoName} from ${failure.syscall}`;
  if (effect.kind === "syncFile" || effect.kind === "syncDirectory") {
    const message = `${where} failed with ${found}: it is unknown what reached the disk; a fresh handle decides`;
    return new SkillCasError({ code: "SYNC_FAILED", message, cause, facts });
  }
  return new SkillCasError({ code: "EFFECT_FAILED", message: `${where} failed with ${found}`, cause, facts });
}

/** A failed system call on the way to the root; errno, name and system call are passed on as they came. */
export function rootUnavailable(root: string, cause: unknown): SkillCasError {
  if (cause instanceof SkillCasError) {
    return cause;
  }
  const failure = systemFailure(cause);
  const path: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "path") : undefined;
  const where = typeof path === "string" ? path : root;
  const found = failure === undefined ? String(cause) : `${failure.errnoName} from ${failure.syscall}`;
  return new SkillCasError({
    code: "ROOT_UNAVAILABLE",
    message: `${root}: opening it failed with ${found} at ${where}; expected a directory that this user can reach`,
    cause,
    facts: {
      path: where,
      errno: failure?.errno ?? null,
      errnoName: failure?.errnoName ?? null,
      syscall: failure?.syscall ?? null,
    },
  });
}

/** The errno name of a failed step, or undefined when the error is something else. */
export function errnoOf(error: unknown): string | undefined {
  const name = error instanceof SkillCasError ? error.facts["errnoName"] : undefined;
  return typeof name === "string" ? name : undefined;
}

function effectName(effect: Effect): string | undefined {
  if ("name" in effect) {
    return effect.name;
  }
  return effect.kind === "link" ? effect.target : undefined;
}

function systemFailure(cause: unknown): SystemFailure | undefined {
  if (typeof cause !== "object" || cause === null) {
    return undefined;
  }
  const errno: unknown = Reflect.get(cause, "errno");
  const errnoName: unknown = Reflect.get(cause, "errnoName");
  const syscall: unknown = Reflect.get(cause, "syscall");
  return typeof errno === "number" && typeof errnoName === "string" && typeof syscall === "string"
    ? { errno, errnoName, syscall }
    : undefined;
}
