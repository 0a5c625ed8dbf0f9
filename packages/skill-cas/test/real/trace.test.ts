import { describe, it } from "vitest";
import { expectTraceOfEffects } from "./expect-trace.ts";
import { makeRoot, publishJob } from "./store-state.ts";
import { needStrace } from "./trace.ts";

describe.runIf(process.platform === "linux")("the kernel sees exactly the effects that were yielded", () => {
  it("by a publication, in order", async (context) => {
    needStrace(context);
    await expectTraceOfEffects(publishJob(makeRoot()));
  });
});
