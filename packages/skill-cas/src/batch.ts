import type { Effect, Step, StepResult, Steps } from "./effects.ts";

/** What became of one algorithm of a batch. */
export type Settled<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown };

interface Member<T> {
  readonly steps: Steps<T>;
  readonly settle: (settled: Settled<T>) => void;
}

/** A sync at which the members of a batch wait for each other: of a file, or of the root. */
type Sync = Extract<Effect, { kind: "syncFile" | "syncDirectory" }>;

/** A member that has come to a sync. */
interface Parked<T> {
  readonly member: Member<T>;
  readonly at: Sync;
}

/** Goes on with a member after a step: with what the step gave, or with its failure. */
type Resume = <T>(member: Member<T>) => IteratorResult<Step, T>;

/**
 * Several algorithms as one, with one sync of the root where each would make its own: all advance to their next such
 * sync, it is made once, all go on. A failure of one is its own; a failure of the merged sync is everybody's, because it
 * is everybody's names that may be lost.
 *
 * The syncs of files stay each member's own, but come after all members have written: the kernel was asked to begin
 * writing each file as soon as it was there, and the first sync carries the new names of all.
 *
 * A batch is an algorithm itself: it is interrupted, simulated and traced like any other. Its members must not wait for
 * locks, since each holds some while the others advance.
 */
export function* inStep<T>(algorithms: readonly Steps<T>[]): Steps<readonly Settled<T>[]> {
  const settled: Settled<T>[] = [];
  let parked: readonly Parked<T>[] = yield* advanceAll(
    algorithms.map((steps, index) => ({
      member: {
        steps,
        settle: (result: Settled<T>) => {
          settled[index] = result;
        },
      },
      resume: begin,
    })),
  );
  while (parked.length > 0) {
    const atFiles = parked.filter(({ at }) => at.kind === "syncFile");
    parked = atFiles.length > 0 ? yield* syncFiles(parked) : yield* syncRoot(parked);
  }
  return settled;
}

const begin: Resume = (member) => member.steps.next();

/** Each file by itself; who waits for the root goes on waiting. */
function* syncFiles<T>(parked: readonly Parked<T>[]): Steps<readonly Parked<T>[]> {
  const still: Parked<T>[] = [];
  for (const one of parked) {
    const next = one.at.kind === "syncFile" ? yield* advance(one.member, yield* attempt(one.at)) : one;
    if (next !== undefined) {
      still.push(next);
    }
  }
  return still;
}

/** The root once for all. */
function* syncRoot<T>(parked: readonly Parked<T>[]): Steps<readonly Parked<T>[]> {
  const resume = yield* attempt({ kind: "syncDirectory" });
  return yield* advanceAll(parked.map(({ member }) => ({ member, resume })));
}

function* advanceAll<T>(
  members: readonly { readonly member: Member<T>; readonly resume: Resume }[],
): Steps<readonly Parked<T>[]> {
  const parked: Parked<T>[] = [];
  for (const { member, resume } of members) {
    const next = yield* advance(member, resume);
    if (next !== undefined) {
      parked.push(next);
    }
  }
  return parked;
}

/** Advances one member to its next sync. Undefined once it is settled. */
function* advance<T>(member: Member<T>, resume: Resume): Steps<Parked<T> | undefined> {
  try {
    let state = resume(member);
    while (state.done !== true) {
      const step = state.value;
      if (step.kind === "syncFile" || (step.kind === "syncDirectory" && step.directory === undefined)) {
        yield* prepare(step);
        return { member, at: step };
      }
      state = (yield* attempt(step))(member);
    }
    member.settle({ kind: "returned", value: state.value });
  } catch (error) {
    member.settle({ kind: "failed", error });
  }
  return undefined;
}

/** Advice: where it fails, the sync does all of the work and says what is wrong. */
function* prepare(sync: Sync): Steps<void> {
  if (sync.kind === "syncFile") {
    yield* attempt({ kind: "startWriteback", handle: sync.handle });
  }
}

/** A member's step as a step of the batch: what it is answered with, or fails with, goes to that member alone. */
function* attempt(step: Step): Steps<Resume> {
  let result: StepResult;
  try {
    result = yield step;
  } catch (error) {
    return (member) => member.steps.throw(error);
  }
  return (member) => member.steps.next(result);
}
