import { join } from "node:path";
import type { Model } from "@mesh/ffi/runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";
import { subscribeRuntimeEvents } from "@mesh/runtime-events";
import { loadRealRuntime } from "../harness/real-runtime.ts";

/** Tokens of one generation: fits into the context of the model. */
const TOKENS = 200;

/** A model under work, as a host would have it: text is read piece by piece and the events of the runtime are followed. */
export interface Decoding extends AsyncDisposable {
  /** Generates text until so many milliseconds are over; how many tokens were made. */
  run(milliseconds: number): Promise<number>;
}

/** Opens the small sample model in the real runtime with the default threads. */
export async function openDecoding(folder: string): Promise<Decoding> {
  const runtime = await loadRealRuntime();
  const path = join(folder, "small.gguf");
  await writeSampleModel({ path, preset: "small" });
  const events = await subscribeRuntimeEvents(runtime, { onItem: () => undefined });
  const model: Model = await runtime.openModel({ path });
  const prompt = await model.tokenize("Once upon a time");
  const session = await model.createSession();
  const run = async (milliseconds: number): Promise<number> => {
    const end = performance.now() + milliseconds;
    let tokens = 0;
    while (performance.now() < end) {
      const onToken = (): void => {
        tokens += 1;
      };
      for await (const text of session.generate(prompt, { tokensMax: TOKENS, onToken })) {
        if (text === "" || performance.now() >= end) break;
      }
      await session.reset();
    }
    return tokens;
  };
  const close = async (): Promise<void> => {
    await session.close();
    await model.close();
    await events.close();
  };
  return { run, [Symbol.asyncDispose]: close };
}
