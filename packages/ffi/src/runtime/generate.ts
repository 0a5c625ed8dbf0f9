import { checkInteger, invalidArgument } from "./argument.ts";
import type { Sampling } from "./sampling.ts";
import type { Session } from "./session.ts";

/** Tokens one generation makes unless told otherwise. */
export const GENERATED_TOKENS_DEFAULT = 256;

/** Tokens one generation can be asked for. */
export const GENERATED_TOKENS_MAX = 1_048_576;

export interface GenerateOptions {
  /** Stops after so many tokens; 1 to {@link GENERATED_TOKENS_MAX}, by default {@link GENERATED_TOKENS_DEFAULT}. */
  readonly tokensMax?: number;
  readonly sampling?: Sampling;
  readonly signal?: AbortSignal;
  /** Called with every chosen token, also the one that ends the generation and adds no text. */
  readonly onToken?: (token: number) => void;
}

/** The loop behind `Session.generate`; it holds nothing that a `return()` in the middle would have to free. */
export async function* generateText(
  session: Session,
  prompt: Int32Array,
  { tokensMax = GENERATED_TOKENS_DEFAULT, sampling, signal, onToken }: GenerateOptions,
): AsyncGenerator<string, void, void> {
  checkInteger("tokensMax", tokensMax, 1, GENERATED_TOKENS_MAX);
  let token = prompt.at(-1);
  if (token === undefined) throw invalidArgument("prompt", "at least one token", 0);
  if (prompt.length > 1) await session.prefill(prompt.subarray(0, -1), { signal });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let count = 0; count < tokensMax; count += 1) {
    const step = await session.decodeStep(token, sampling, { signal });
    token = step.token;
    onToken?.(token);
    if (step.endOfGeneration) break;
    const text = decoder.decode(step.bytes, { stream: true });
    if (text !== "") yield text;
  }
  // What is left is a character that the last token did not finish: it becomes one U+FFFD, visible instead of lost.
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}
