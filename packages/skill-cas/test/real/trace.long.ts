import { describe, it } from "vitest";
import { expectTraceOfEffects } from "./expect-trace.ts";
import { LEFTOVERS, makeRoot, publishJob, reconcileJob, recoverJob, sweepJob } from "./store-state.ts";
import { needStrace } from "./trace.ts";

describe.runIf(process.platform === "linux")("the kernel sees exactly the effects that were yielded", () => {
  for (const [left, leave] of Object.entries(LEFTOVERS)) {
    it(`where ${left} was left`, async (context) => {
      needStrace(context);
      for (const jobOf of [publishJob, reconcileJob, recoverJob, sweepJob]) {
        const root = makeRoot();
        leave(root);
        await expectTraceOfEffects(jobOf(root));
      }
    });
  }
});
