import type { Runtime } from "@mesh/ffi/runtime";

/** Opens that run now on one runtime, and who wants to know when one starts. */
interface Activity {
  opens: number;
  readonly onStart: Set<() => void>;
}

const activities = new WeakMap<Runtime, Activity>();

function activityOf(runtime: Runtime): Activity {
  let activity = activities.get(runtime);
  if (activity === undefined) {
    activity = { opens: 0, onStart: new Set() };
    activities.set(runtime, activity);
  }
  return activity;
}

/** Whether an observed open runs on this runtime. */
export function hasRunningOpen(runtime: Runtime): boolean {
  return activityOf(runtime).opens > 0;
}

/** Calls back whenever an observed open starts, until the returned function is called. */
export function onOpenStart(runtime: Runtime, callback: () => void): () => void {
  const { onStart } = activityOf(runtime);
  onStart.add(callback);
  return () => onStart.delete(callback);
}

/** Marks the runtime as busy for as long as the work runs. */
export async function whileOpening<Value>(runtime: Runtime, work: () => Promise<Value>): Promise<Value> {
  const activity = activityOf(runtime);
  activity.opens += 1;
  for (const callback of activity.onStart) callback();
  try {
    return await work();
  } finally {
    activity.opens -= 1;
  }
}
