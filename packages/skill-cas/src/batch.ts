import type { Step, StepResult, Steps } from "./effects.ts";

/** What became of one algorithm of a batch. */
export type Settled<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown };

interface Member<T> {
  readonly steps: Steps<T>;
  readonly settle: (settled: Settled<T>) => void;
}

/**
 * Several algorithms as one, with one sync of the root where each would make its own: all advance to their next such
 * sync, it is made once, all go on. A failure of one is its own; a failure of the merged sync is everybody's, because it
 * is everybody's names that may be lost.
 *
 * A batch is an algorithm itself: it is interrupted, simulated and traced like any other. Its members must not wait for
 * locks, since each holds some while the others advance.
 */
export function* inStep<T>(algorithms: readonly Steps<T>[]): Steps<readonly Settled<T>[]> {
  const settled: Settled<T>[] = [];
  let waiting: Member<T>[] = [];
  for (const [index, steps] of algorithms.entries()) {
    const member: Member<T> = {
      steps,
      settle: (result) => {
        settled[index] = result;
      },
    };
    if (yield* advance(member, () => steps.next())) {
      waiting.push(member);
    }
  }
  while (waiting.length > 0) {
    const resume = yield* syncForAll();
    const still: Member<T>[] = [];
    for (const member of waiting) {
      if (yield* advance(member, () => resume(member))) {
        still.push(member);
      }
    }
    waiting = still;
  }
  return settled;
}

/** Advances one member to its next sync of the root. False once it is settled. */
function* advance<T>(member: Member<T>, begin: () => IteratorResult<Step, T>): Steps<boolean> {
  try {
    let state = begin();
    while (state.done !== true) {
      if (state.value.kind === "syncDirectory" && state.value.directory === undefined) {
        return true;
      }
      state = yield* passOn(member, state.value);
    }
    member.settle({ kind: "returned", value: state.value });
  } catch (error) {
    member.settle({ kind: "failed", error });
  }
  return false;
}

/** A member's step as a step of the batch: what it is answered with, or fails with, goes to that member alone. */
function* passOn<T>(member: Member<T>, step: Step): Steps<IteratorResult<Step, T>> {
  let result: StepResult;
  try {
    result = yield step;
  } catch (error) {
    return member.steps.throw(error);
  }
  return member.steps.next(result);
}

type Resume = <T>(member: Member<T>) => IteratorResult<Step, T>;

function* syncForAll(): Steps<Resume> {
  try {
    yield { kind: "syncDirectory" };
  } catch (error) {
    return (member) => member.steps.throw(error);
  }
  return (member) => member.steps.next(undefined);
}
