import { checkInteger, checkTokens, invalidArgument } from "./argument.ts";
import { type GenerateOptions, generateText } from "./generate.ts";
import { nativeRuntime, type NativeCall, type NativeStep, type SessionHandle } from "./native.ts";
import { afterEarlierCalls, closedError, unwrap } from "./outcome.ts";
import { encodeSampling, type Sampling } from "./sampling.ts";
import { settle } from "./settle.ts";

/** What a session knows about the runtime it came from. @internal */
export interface SessionOrigin {
  readonly handle: SessionHandle;
  readonly cancels: boolean;
}

/** A call that a signal may end. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What one decode step gave. */
export interface DecodedStep {
  readonly token: number;
  /** Whether the token ends the generation. */
  readonly endOfGeneration: boolean;
  /** What the token adds to the text, in raw bytes: a character may be spread over several tokens. */
  readonly bytes: Uint8Array;
}

const I32_MIN = -0x8000_0000;
const I32_MAX = 0x7fff_ffff;

/**
 * One sequence over a model: its position and its cache. Calls run on a thread of the session's own in the order in which
 * they were made. A session keeps its model alive.
 */
export class Session implements AsyncDisposable, Disposable {
  readonly #origin: SessionOrigin;
  #position = 0;
  #closing: Promise<void> | undefined;

  /** @internal Use `Model.createSession`. */
  constructor(origin: SessionOrigin) {
    this.#origin = origin;
  }

  /** Tokens evaluated so far, as the last finished call left it. Undefined in meaning after a cancelled call until `reset`. */
  get position(): number {
    return this.#position;
  }

  /**
   * Evaluates tokens at the current position, without choosing a next one.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `SESSION_CLOSED`, `RUNTIME_CALL_FAILED`; CancelledError.
   */
  async prefill(tokens: Int32Array | readonly number[], { signal }: CallOptions = {}): Promise<void> {
    const checked = checkTokens("tokens", tokens);
    if (checked.length === 0) throw invalidArgument("tokens", "at least one token", 0);
    await this.#call("prefill", signal, (session) => nativeRuntime().prefill(session, checked));
  }

  /**
   * Evaluates one token and chooses the next. Greedy unless `sampling` is given.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `SESSION_CLOSED`, `RUNTIME_CALL_FAILED`; CancelledError.
   */
  async decode(token: number, sampling?: Sampling, options: CallOptions = {}): Promise<number> {
    return (await this.decodeStep(token, sampling, options)).token;
  }

  /**
   * As `decode`, and says in the same call whether the chosen token ends the generation and which bytes it adds.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `SESSION_CLOSED`, `RUNTIME_CALL_FAILED`; CancelledError.
   */
  async decodeStep(token: number, sampling?: Sampling, { signal }: CallOptions = {}): Promise<DecodedStep> {
    checkInteger("token", token, I32_MIN, I32_MAX);
    const encoded = sampling === undefined ? null : encodeSampling(sampling);
    const step = await this.#call("decode", signal, (session) => nativeRuntime().decode(session, token, encoded));
    return { token: step.token, endOfGeneration: step.endOfGeneration, bytes: step.bytes };
  }

  /**
   * Generates text after a prompt, one token for each piece that is asked for: a reader that waits holds the generation back.
   * Every yielded string is whole in UTF-8. Leaving the loop stops it; the session stays usable.
   *
   * @throws FfiError as `prefill` and `decode`.
   */
  generate(prompt: Int32Array | readonly number[], options: GenerateOptions = {}): AsyncGenerator<string, void, void> {
    return generateText(this, checkTokens("prompt", prompt), options);
  }

  /**
   * Forgets everything evaluated so far.
   *
   * @throws FfiError `SESSION_CLOSED`, `RUNTIME_CALL_FAILED`.
   */
  async reset(): Promise<void> {
    await this.#call("reset", undefined, (session) => nativeRuntime().resetSession(session));
  }

  /** Waits for the calls that run, then frees the session, and its model too when that is closed and this was its last one. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    unwrap(await nativeRuntime().closeSession(this.#origin.handle).settled, {
      operation: "close",
      failureCode: "RUNTIME_CALL_FAILED",
      closedCode: "SESSION_CLOSED",
    });
    await afterEarlierCalls();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Starts closing and does not wait. */
  [Symbol.dispose](): void {
    void this.close().catch(() => undefined);
  }

  async #call<Value extends Pick<NativeStep, "position">>(
    operation: string,
    signal: AbortSignal | undefined,
    start: (session: SessionHandle) => NativeCall<Value>,
  ): Promise<Value> {
    if (this.#closing !== undefined) throw closedError("SESSION_CLOSED", operation);
    const state = await settle({
      operation,
      failureCode: "RUNTIME_CALL_FAILED",
      closedCode: "SESSION_CLOSED",
      signal,
      canCancel: this.#origin.cancels,
      start: () => start(this.#origin.handle),
      discard: () => undefined,
    });
    this.#position = state.position;
    return state;
  }
}
