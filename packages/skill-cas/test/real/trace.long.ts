import { describe, it } from "vitest";
import { expectTraceOfEffects } from "./expect-trace.ts";
import {
  LEFTOVERS,
  makeRoot,
  placeForeign,
  publishJob,
  putManyJob,
  quarantineJob,
  reconcileJob,
  recoverJob,
  sweepJob,
} from "./store-state.ts";
import { needStrace } from "./trace.ts";

describe.runIf(process.platform === "linux")("the kernel sees exactly the effects that were yielded", () => {
  for (const [left, leave] of Object.entries(LEFTOVERS)) {
    it(`where ${left} was left`, async (context) => {
      needStrace(context);
      for (const jobOf of [publishJob, reconcileJob, recoverJob, sweepJob, putManyJob]) {
        const root = makeRoot();
        leave(root);
        await expectTraceOfEffects(jobOf(root));
      }
    });
  }

  it("by a quarantine", async (context) => {
    needStrace(context);
    const root = makeRoot();
    placeForeign(root);
    await expectTraceOfEffects(quarantineJob(root));
  });
});
