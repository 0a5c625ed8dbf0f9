import type { Steps } from "../effects.ts";
import { effectFailed } from "../error.ts";
import { type EffectObserver, type HeldStep, type Interpreter, pauseBlocking, Run } from "./run.ts";

/** What became of one run of a batch. */
export type Settled<T> =
  | { readonly kind: "returned"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown };

interface Member<T> {
  readonly run: Run<T>;
  readonly settle: (settled: Settled<T>) => void;
}

/**
 * Runs several algorithms in step and gives them one directory sync where each would make its own: all advance to their
 * next directory sync, it is performed once, all go on. A failure of one run is its own; a failure of the merged sync is
 * everybody's, because it is everybody's names that may be lost.
 *
 * Algorithms in a batch must not wait for locks: each holds some while the others advance.
 */
export function runBatch<T>(
  algorithms: readonly Steps<T>[],
  interpreter: Interpreter,
  onEffect?: EffectObserver,
): readonly Settled<T>[] {
  const settled: Settled<T>[] = [];
  const tell = counted(onEffect);
  let waiting: Member<T>[] = [];
  for (const [index, steps] of algorithms.entries()) {
    const run = new Run(steps, interpreter, tell, "merged");
    const member: Member<T> = {
      run,
      settle: (result) => {
        settled[index] = result;
      },
    };
    waiting.push(...advance(member, () => run.start()));
  }
  while (waiting.length > 0) {
    const failure = syncOnce(interpreter, tell);
    waiting = waiting.flatMap((member) =>
      advance(member, () => (failure === undefined ? member.run.resume(undefined) : member.run.fail(failure))),
    );
  }
  return settled;
}

/** Advances one run to its next directory sync. Returns it while it waits there, and nothing once it is settled. */
function advance<T>(member: Member<T>, begin: () => IteratorResult<HeldStep, T>): Member<T>[] {
  try {
    let state = begin();
    while (state.done !== true && state.value.kind === "pause") {
      pauseBlocking(state.value.milliseconds);
      state = member.run.resume(undefined);
    }
    if (state.done === true) {
      member.settle({ kind: "returned", value: state.value });
      return [];
    }
    return [member];
  } catch (error) {
    member.settle({ kind: "failed", error });
    return [];
  }
}

function syncOnce(interpreter: Interpreter, onEffect: EffectObserver | undefined): unknown {
  const effect = { kind: "syncDirectory" } as const;
  try {
    interpreter.syncDirectory(effect);
  } catch (cause) {
    return effectFailed(effect, cause);
  }
  onEffect?.({ index: 0, effect });
  return undefined;
}

/** Effects of a batch are counted over all of its runs. */
function counted(onEffect: EffectObserver | undefined): EffectObserver | undefined {
  let index = 0;
  return onEffect === undefined
    ? undefined
    : ({ effect }) => {
        onEffect({ index, effect });
        index += 1;
      };
}
