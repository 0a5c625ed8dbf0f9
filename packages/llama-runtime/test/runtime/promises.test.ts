import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSampleModel } from "../../src/sample-model/index.ts";
import { runProgram } from "../support/abi-check.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

test("set and clear of the global reporter wait for its callbacks: freed memory is never touched", async () => {
  const { stdout } = await runProgram("reporter_check", [], []);
  expect(JSON.parse(stdout)).toMatchObject({ rounds: 100, late: 0, afterwards: 0 });
});

test("an open and a prefill can be cancelled, and the session is usable afterwards", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "small" });
  expect((await runProgram("cancel_check", [], [path])).stdout).toBe("cancelled\n");
});

test("sampling, trimming, several sessions and calls that fail half way behave as the header says", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "tiny" });
  expect((await runProgram("session_check", [], [path])).stdout).toBe("ok\n");
});

test("tokens, devices and every field of a config are honoured or refused, also without a tokenizer", async () => {
  const directory = await temporaryDirectory();
  const model = await writeSampleModel({ path: join(directory, "model.gguf"), preset: "tiny" });
  const bare = await writeSampleModel({ path: join(directory, "bare.gguf"), preset: "tiny", withoutTokenizer: true });
  expect((await runProgram("model_check", [], [model.path, bare.path])).stdout).toBe("ok\n");
});

test("a model freed while its sessions evaluate waits for them, and they end with an error", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "small" });
  expect((await runProgram("unload_check", [], [path])).stdout).toBe("ok\n");
});

test("a variable that would load a backend from outside the bundle is refused by name", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "tiny" });
  const environment = { ...process.env, GGML_BACKEND_PATH: "/nonexistent.so" };
  const { stdout } = await runProgram("abi_check", [], [path], { environment });
  expect(stdout).toMatch(/"call":"open","status":7,.*GGML_BACKEND_PATH is set/u);
});

test("nothing is written to stderr by an open that fails or succeeds", async () => {
  const path = join(await temporaryDirectory(), "model.gguf");
  await writeSampleModel({ path, preset: "tiny" });
  expect((await runProgram("abi_check", [], [path])).stderr).toBe("");
  expect((await runProgram("abi_check", [], ["/nonexistent.gguf"])).stderr).toBe("");
});
