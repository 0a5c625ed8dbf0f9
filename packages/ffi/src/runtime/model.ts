import { checkCString, checkInteger, checkTokens } from "./argument.ts";
import { type ModelHandle, nativeRuntime, type NativeCall } from "./native.ts";
import { afterEarlierCalls, type CallContext, closedError, unwrap } from "./outcome.ts";
import { Session } from "./session.ts";

/** What a model knows about the runtime it came from. @internal */
export interface ModelOrigin {
  readonly handle: ModelHandle;
  readonly cancelsSession: boolean;
}

const I32_MIN = -0x8000_0000;
const I32_MAX = 0x7fff_ffff;

export interface TokenizeOptions {
  /** Adds the tokens that the model wants at the beginning of a text; true unless given. */
  readonly addSpecial?: boolean;
}

/**
 * An open model. Every call runs on a thread of the model's own, one after another, never on the event loop and never in the
 * thread pool of libuv. Sessions keep their model alive: after `close` it is freed with the last of them.
 */
export class Model implements AsyncDisposable, Disposable {
  readonly #origin: ModelOrigin;
  #closing: Promise<void> | undefined;

  /** @internal Use `Runtime.openModel`. */
  constructor(origin: ModelOrigin) {
    this.#origin = origin;
  }

  /**
   * The tokens of a text.
   *
   * @throws FfiError `ARGUMENT_INVALID` (a NUL would cut the text), `MODEL_CLOSED`, `RUNTIME_CALL_FAILED`.
   */
  async tokenize(text: string, { addSpecial = true }: TokenizeOptions = {}): Promise<Int32Array> {
    if (text === "" && !addSpecial) return new Int32Array();
    const checked = text === "" ? text : checkCString("text", text);
    return this.#call("tokenize", (model) => nativeRuntime().tokenize(model, checked, addSpecial));
  }

  /**
   * The bytes of some tokens. Raw, because a token may hold a part of a character; `TextDecoder` makes text of them.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `MODEL_CLOSED`, `RUNTIME_CALL_FAILED`.
   */
  async detokenize(tokens: Int32Array | readonly number[]): Promise<Uint8Array> {
    const checked = checkTokens("tokens", tokens);
    return this.#call("detokenize", (model) => nativeRuntime().detokenize(model, checked));
  }

  /**
   * Whether a token ends a generation.
   *
   * @throws FfiError `ARGUMENT_INVALID`, `MODEL_CLOSED`, `RUNTIME_CALL_FAILED`.
   */
  async isEndOfGeneration(token: number): Promise<boolean> {
    checkInteger("token", token, I32_MIN, I32_MAX);
    return this.#call("isEndOfGeneration", (model) => nativeRuntime().tokenIsEog(model, token));
  }

  /**
   * A session of its own: a position and a cache over this model.
   *
   * @throws FfiError `MODEL_CLOSED`, `RUNTIME_CALL_FAILED`, `RUNTIME_NULL_HANDLE`.
   */
  async createSession(): Promise<Session> {
    const handle = await this.#call("createSession", (model) => nativeRuntime().createSession(model));
    return new Session({ handle, cancels: this.#origin.cancelsSession });
  }

  /**
   * Waits for the calls that run, then gives the model up. Without open sessions it is freed when the promise resolves, so
   * that unload events are on the ring by then; with some, it is freed when the last of them closes. Closing again is the
   * same closing.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    unwrap(await nativeRuntime().closeModel(this.#origin.handle).settled, context("close"));
    await afterEarlierCalls();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Starts closing and does not wait. */
  [Symbol.dispose](): void {
    void this.close().catch(() => undefined);
  }

  async #call<Value>(operation: string, start: (model: ModelHandle) => NativeCall<Value>): Promise<Value> {
    if (this.#closing !== undefined) throw closedError("MODEL_CLOSED", operation);
    return unwrap(await start(this.#origin.handle).settled, context(operation));
  }
}

function context(operation: string): CallContext {
  return { operation, failureCode: "RUNTIME_CALL_FAILED", closedCode: "MODEL_CLOSED" };
}
