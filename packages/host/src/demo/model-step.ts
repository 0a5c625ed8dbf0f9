import { stat } from "node:fs/promises";
import { join } from "node:path";

import type { Session } from "@mesh/ffi/runtime";
import { writeSampleModel } from "@mesh/llama-runtime/sample-model";

import type { CommandContext } from "../report/context.ts";
import { kindsText, reportOpen, showOpenProgress } from "../report/model-report.ts";
import { createProgress } from "../report/progress.ts";
import type { HostRuntime } from "../runtime/open-runtime.ts";
import { openModel, type OpenedModel } from "../runtime/open-model.ts";
import { ensurePrivateDirectory } from "../state-directory.ts";
import { demoFailure } from "./demo-failure.ts";
import type { DemoRecord } from "./demo-record.ts";

/** Size of the model that the demo opens, in bytes: large enough to watch, small enough for any machine. */
const MODEL_BYTES = 512 * 1024 * 1024;
const PROMPT = "The capital of France is";
/** Tokens that the demo decodes. */
const DECODED_TOKENS = 16;

/** Makes the model once; a second run finds it. Where the path exists, the whole model does. */
export async function ensureDemoModel({ output, state }: CommandContext): Promise<string> {
  ensurePrivateDirectory(state.models);
  const path = join(state.models, `demo-${MODEL_BYTES / (1024 * 1024)}m.gguf`);
  const known = await stat(path).catch(() => undefined);
  if (known !== undefined) {
    output.step(
      { step: "model.present", path, bytes: known.size },
      { label: "model", text: `${path}, ${known.size} bytes` },
    );
    return path;
  }
  const progress = createProgress(output, "model.write.progress", "writing");
  const written = await writeSampleModel({
    path,
    bytes: MODEL_BYTES,
    onProgress: ({ bytesDone, bytesTotal }) => {
      progress.update(bytesDone, bytesTotal, "a llama model of random weights");
    },
  }).finally(() => {
    progress.stop();
  });
  output.step(
    { step: "model.written", path, bytes: written.bytes, tensors: written.tensors },
    { label: "model", text: `${path}, ${written.bytes} bytes, ${written.tensors} tensors` },
  );
  return path;
}

/** Opens the model while watching it, decodes with it, and closes it. */
export async function runModelStep(
  context: CommandContext,
  { runtime }: HostRuntime,
  path: string,
  record: DemoRecord,
): Promise<void> {
  const { output, signal } = context;
  const progress = createProgress(output, "model.open.progress", "opening");
  const opened = await openModel(runtime, {
    paths: [path],
    spreadProgress: true,
    signal,
    onEvent: showOpenProgress(progress),
  }).finally(() => {
    progress.stop();
  });
  reportOpen(output, opened);
  requireWatched(opened);
  const { observation, kinds } = opened;
  record.add(
    "model-open",
    `events=${observation.drained} while-opening=${observation.drainedWhileOpening} dropped=${observation.dropped} rejected=${observation.rejected}`,
  );
  record.add("model-open-kinds", kindsText(kinds));
  await using model = opened.model;
  const tokens = await model.tokenize(PROMPT);
  await using session = await model.createSession();
  const decoded = await decode(session, tokens);
  const text = new TextDecoder().decode(await model.detokenize(decoded));
  output.step(
    { step: "model.decoded", prompt: PROMPT, promptTokens: tokens.length, tokens: [...decoded], text },
    { label: "prompt", text: `${PROMPT} (${tokens.length} tokens)` },
    { label: "decoded", text: `${decoded.length} tokens: ${[...decoded].join(" ")}` },
  );
  await session.reset();
  if (session.position !== 0) throw demoFailure("reset", `position ${session.position}`, "position 0");
  output.step({ step: "model.reset", position: session.position }, { label: "reset", text: "position 0" });
  record.add("session", `prompt-tokens=${tokens.length} decoded=${decoded.length} reset=ok`);
}

/** The observation must be complete and live, or the demo did not show what it says. */
function requireWatched({ observation }: OpenedModel): void {
  const { lost, drainedWhileOpening, contradictions, sawFinished } = observation;
  if (lost !== 0) throw demoFailure("observation", `${lost} lost events`, "none");
  if (drainedWhileOpening === 0) throw demoFailure("observation", "no event before the open returned", "live events");
  if (!sawFinished || contradictions.length > 0) {
    throw demoFailure("observation", contradictions.join(", ") || "no terminal event", "a finished open");
  }
}

async function decode(session: Session, prompt: Int32Array): Promise<Int32Array> {
  const decoded = new Int32Array(DECODED_TOKENS);
  await session.prefill(prompt.subarray(0, -1));
  let token = prompt.at(-1);
  for (let index = 0; index < decoded.length; index += 1) {
    if (token === undefined) throw demoFailure("tokenize", "no token", "at least one");
    token = await session.decode(token);
    decoded[index] = token;
  }
  return decoded;
}
