import { expect, it } from "vitest";
import { GATE_VARIABLE, runNativeGate } from "./native-gate/gate.ts";

it("runtime events native gate", async () => {
  const outcome = await runNativeGate();
  expect(outcome.kind).toBe(process.env[GATE_VARIABLE] === "1" ? "executed" : "blocked-when-ungated");
});
