import { describe, it } from "vitest";
import { publishAtOnce } from "./contention.ts";

describe("processes that publish the same and different contents at once", () => {
  it("both succeed with everything", async () => {
    await publishAtOnce([undefined, undefined]);
  });

  it("one of two is killed while it holds a lock, and the other goes on", async () => {
    await publishAtOnce([5, undefined]);
  });
});
