import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { readEvidence } from "@mesh/evidence";
import { describe, expect, it } from "vitest";
import { inFolder, mesh, type Step } from "../mesh-command.ts";

function indexOf(steps: readonly Step[], matches: (step: Step) => boolean): number {
  const index = steps.findIndex(matches);
  expect(index).toBeGreaterThanOrEqual(0);
  return index;
}

describe("the demo", () => {
  it("runs the whole host twice on real parts, under a umask that lets the group write", () =>
    inFolder(async (folder) => {
      const state = join(folder, "state");
      for (const run of [1, 2]) {
        const { status, error, steps } = await mesh(["demo", "--state", state], { umask: "002" });
        expect(error).toBeUndefined();
        expect(status).toBe(0);
        expect(steps.some(({ step }) => step === (run === 1 ? "model.written" : "model.present"))).toBe(true);
        expectLiveEvents(steps);
        expect(
          steps.filter(({ step, outcome }) => step === "skill.install.report" && outcome === "applied"),
        ).toHaveLength(3);
        expect(steps.some(({ step }) => step === "skill.unchanged")).toBe(true);
        const killed = indexOf(steps, ({ step }) => step === "skill.killed");
        expect(steps[killed]).toMatchObject({ signal: "SIGKILL", stagesLeft: 1 });
        expect(steps[killed + 1]).toMatchObject({ outcome: "applied", claimWasNew: false, settled: true });
        const file = join(state, "evidence", "demo.txt");
        expect(readEvidence(file).state).toBe("executed");
        expect((await readFile(file, "utf8")).split("\n", 1)).toEqual(["executed"]);
      }
      expect((await mesh(["skill", "verify", "--state", state])).status).toBe(0);
    }));
});

/** Progress was printed, from native events, before the open was known to have finished. */
function expectLiveEvents(steps: readonly Step[]): void {
  const observed = indexOf(steps, ({ step }) => step === "model.open.observation");
  const progress = steps.slice(0, observed).filter(({ step }) => step === "model.open.progress");
  const live = progress.filter(({ opening, percent }) => opening === true && percent !== 100);
  expect(live.length).toBeGreaterThan(1);
  expect(steps[observed]).toMatchObject({ dropped: 0, rejected: 0, contradictions: [] });
}
