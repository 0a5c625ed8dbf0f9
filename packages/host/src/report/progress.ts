import { Presets, SingleBar } from "cli-progress";

import type { Output, StepFacts } from "./output.ts";

/** Without a terminal, progress is a line for each of these steps, so that a log stays readable. */
const LOGGED_STEP_PERCENT = 10;

/** Progress of one long piece of work. */
export interface Progress {
  /** `current` of `total`, in whatever unit; `facts` go into the JSON form, `note` behind the bar. */
  update(current: number, total: number, note: string, facts?: Readonly<Record<string, unknown>>): void;
  /** Takes the bar off the line. Must be called on every way out, or the terminal keeps a hidden cursor. */
  stop(): void;
}

function percentOf(current: number, total: number): number {
  return total > 0 ? Math.min(100, Math.floor((current * 100) / total)) : 0;
}

function jsonProgress(output: Output, step: string): Progress {
  let last = -1;
  return {
    update: (current, total, _note, facts) => {
      const percent = percentOf(current, total);
      if (percent === last) return;
      last = percent;
      const report: StepFacts = { step, percent, ...facts };
      output.step(report);
    },
    stop: () => undefined,
  };
}

function loggedProgress(output: Output, step: string, label: string): Progress {
  let next = 0;
  return {
    update: (current, total, note) => {
      const percent = percentOf(current, total);
      if (percent < next) return;
      next = Math.floor(percent / LOGGED_STEP_PERCENT) * LOGGED_STEP_PERCENT + LOGGED_STEP_PERCENT;
      output.step({ step, percent }, { label, text: `${String(percent).padStart(3)} %  ${note}` });
    },
    stop: () => undefined,
  };
}

function barProgress(label: string): Progress {
  const bar = new SingleBar(
    { format: `${label.padEnd(12)}{bar} {percentage} %  {note}`, hideCursor: true, clearOnComplete: false },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update: (current, total, note) => {
      if (!started) {
        started = true;
        bar.start(total, current, { note });
      }
      bar.update(current, { note });
    },
    stop: () => {
      if (started) bar.stop();
    },
  };
}

/** Picks the form of progress that the reader of this output can use. */
export function createProgress(output: Output, step: string, label: string): Progress {
  if (output.json) return jsonProgress(output, step);
  return output.interactive ? barProgress(label) : loggedProgress(output, step, label);
}
