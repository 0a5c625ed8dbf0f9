import type { RuntimeEvent } from "@mesh/runtime-events";

import type { KindCount, SeenOpen } from "../runtime/open-model.ts";
import type { Line, Output } from "./output.ts";
import type { Progress } from "./progress.ts";

/** Progress events arrive in thousandths when the unit is STEPS; the bar shows whatever total the runtime gives. */
export function showOpenProgress(progress: Progress): (event: RuntimeEvent, opening: boolean) => void {
  let live = 0;
  let late = 0;
  return (event, opening) => {
    if (opening) live += 1;
    else late += 1;
    if (event.kind !== "model-open-progress") return;
    const { current, total } = event.progress;
    if (total === 0n) return;
    const note = opening
      ? `native event ${live}, the open still runs`
      : `native event ${live + late}, the open has returned`;
    // Both numbers are thousandths or tensors: far below 2^53.
    progress.update(Number(current), Number(total), note, { opening, events: live + late });
  };
}

/** Kinds as people read them: `model-open-progress x344`. */
export function kindsText(kinds: readonly KindCount[]): string {
  return kinds.map(({ kind, count }) => (count === 1 ? kind : `${kind} x${count}`)).join(", ");
}

/** Reports what was seen of one open: kinds, counters, and any contradiction. */
export function reportOpen(output: Output, seen: SeenOpen): void {
  const { observation, kinds } = seen;
  const lines: Line[] = [
    { label: "events", text: kindsText(kinds) === "" ? "none" : kindsText(kinds) },
    {
      label: "counters",
      text:
        `drained ${observation.drained} (${observation.drainedWhileOpening} while the open ran), ` +
        `dropped ${observation.dropped}, rejected ${observation.rejected}`,
      tone: observation.lost === 0 ? "good" : "bad",
    },
    ...observation.contradictions.map((text): Line => ({ label: "contradicts", text, tone: "bad" })),
  ];
  output.step(
    {
      step: "model.open.observation",
      kinds,
      drained: observation.drained,
      drainedWhileOpening: observation.drainedWhileOpening,
      dropped: observation.dropped,
      rejected: observation.rejected,
      firstSequence: observation.firstSequence,
      lastSequence: observation.lastSequence,
      missingSequences: observation.missingSequences,
      contradictions: observation.contradictions,
    },
    ...lines,
  );
}
