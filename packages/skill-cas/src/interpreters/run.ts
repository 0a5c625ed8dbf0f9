import type { Effect, HostStep, Step, StepResult, StepResults, Steps } from "../effects.ts";
import { effectFailed } from "../error.ts";

/** Performs effects on some disk, one method a kind; each throws what its system call failed with. */
export type Interpreter = {
  readonly [K in Effect["kind"]]: (effect: Extract<Effect, { kind: K }>) => StepResults[K];
};

/** Performs one effect. */
export function performEffect(interpreter: Interpreter, effect: Effect): StepResult {
  // The type of Interpreter promises for each kind that its method takes that effect and gives that result.
  const method = interpreter[effect.kind] as (effect: Effect) => StepResult;
  return method(effect);
}

/** An effect that was completed, and its place in the run, counted from 0. */
export interface CompletedEffect {
  readonly index: number;
  readonly effect: Effect;
}

/** Told of every completed effect, before the algorithm goes on. It may block, and it may throw to stop the run. */
export type EffectObserver = (step: CompletedEffect) => void;

/** One run of an algorithm, advanced from outside: up to a step of the host, or to the end. */
export class Run<T> {
  readonly #steps: Steps<T>;
  readonly #interpreter: Interpreter;
  readonly #onEffect: EffectObserver | undefined;
  #index = 0;

  constructor(steps: Steps<T>, interpreter: Interpreter, onEffect?: EffectObserver) {
    this.#steps = steps;
    this.#interpreter = interpreter;
    this.#onEffect = onEffect;
  }

  /** Performs effects until the algorithm wants something that no disk can answer, or is done. */
  start(): IteratorResult<HostStep, T> {
    return this.#advance(this.#steps.next());
  }

  /** Answers the step that the run stopped at. */
  resume(result: StepResult): IteratorResult<HostStep, T> {
    return this.#advance(this.#steps.next(result));
  }

  /** Lets the step that the run stopped at fail. */
  fail(error: unknown): IteratorResult<HostStep, T> {
    return this.#advance(this.#steps.throw(error));
  }

  #advance(first: IteratorResult<Step, T>): IteratorResult<HostStep, T> {
    let state = first;
    for (;;) {
      if (state.done === true) {
        return state;
      }
      const step = state.value;
      if (step.kind === "pause" || step.kind === "loadBody") {
        return { done: false, value: step };
      }
      state = this.#performOne(step);
    }
  }

  #performOne(effect: Effect): IteratorResult<Step, T> {
    let result: StepResult;
    try {
      result = performEffect(this.#interpreter, effect);
    } catch (cause) {
      return this.#steps.throw(effectFailed(effect, cause));
    }
    const index = this.#index;
    this.#index += 1;
    this.#onEffect?.({ index, effect });
    return this.#steps.next(result);
  }
}

/** Blocks this thread. */
export function pauseBlocking(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Runs an algorithm to its end on this thread, blocking it in pauses. The body, where asked for, must be at hand. A simulated
 * run gives a `pause` of its own, because time is simulated there too.
 */
export function runBlocking<T>(run: Run<T>, body?: () => Uint8Array, pause = pauseBlocking): T {
  let state = run.start();
  while (state.done !== true) {
    switch (state.value.kind) {
      case "pause":
        pause(state.value.milliseconds);
        state = run.resume(undefined);
        break;
      case "loadBody":
        state = answer(run, body);
        break;
    }
  }
  return state.value;
}

/** Runs an algorithm to its end without blocking in pauses or while the body is being loaded. */
export async function runWaiting<T>(run: Run<T>, body?: () => Promise<Uint8Array>): Promise<T> {
  let state = run.start();
  while (state.done !== true) {
    switch (state.value.kind) {
      case "pause":
        await delay(state.value.milliseconds);
        state = run.resume(undefined);
        break;
      case "loadBody":
        state = await answerLater(run, body);
        break;
    }
  }
  return state.value;
}

function answer<T>(run: Run<T>, body: (() => Uint8Array) | undefined): IteratorResult<HostStep, T> {
  let bytes: Uint8Array;
  try {
    bytes = requireBody(body)();
  } catch (error) {
    return run.fail(error);
  }
  return run.resume(bytes);
}

async function answerLater<T>(
  run: Run<T>,
  body: (() => Promise<Uint8Array>) | undefined,
): Promise<IteratorResult<HostStep, T>> {
  let bytes: Uint8Array;
  try {
    bytes = await requireBody(body)();
  } catch (error) {
    return run.fail(error);
  }
  return run.resume(bytes);
}

function requireBody<B>(body: B | undefined): B {
  if (body === undefined) {
    throw new TypeError("the algorithm asked for a body and none was offered");
  }
  return body;
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
