import { buildFaultRuntime, openScript } from "@mesh/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { RECORD_BYTES, RECORD_LAYOUT } from "../../src/abi/layout.ts";
import { openRuntime } from "../../src/runtime/open-runtime.ts";
import { REPORTER_RECORDS_MAX, type RuntimeReporter } from "../../src/runtime/reporter.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime(await buildFaultRuntime("good"));
});

/** Kinds of everything on the process-wide ring. */
function drainKinds(reporter: RuntimeReporter): number[] {
  const buffer = new Uint8Array(REPORTER_RECORDS_MAX * RECORD_BYTES);
  const count = reporter.drainInto(buffer, REPORTER_RECORDS_MAX);
  const view = new DataView(buffer.buffer);
  return Array.from({ length: count }, (_, index) => view.getUint32(index * RECORD_BYTES + RECORD_LAYOUT.kind, true));
}

const SCRIPT = openScript([
  { step: "started" },
  { step: "progress", count: 3 },
  { step: "structured" },
  { step: "finished" },
]);

describe("an open without a queue", () => {
  it("leaves its structured events to the reporter of the process, and nothing else", async () => {
    await using reporter = await runtime.installReporter();
    drainKinds(reporter);
    const model = await runtime.openModel({ path: SCRIPT });
    expect(drainKinds(reporter)).toEqual([100, 103]);
    await model.close();
  });

  it("with a queue they go there, and not to the reporter", async () => {
    await using reporter = await runtime.installReporter();
    drainKinds(reporter);
    const queue = runtime.createModelOpenQueue();
    const model = await runtime.openModel({ path: SCRIPT, queue });
    expect(drainKinds(reporter)).toEqual([]);
    expect(queue.counters()).toMatchObject({ accepted: 7, droppedFull: 0 });
    await model.close();
  });

  it("without a reporter they are nobody's, and no counter of the ring moves", async () => {
    const reporter = await runtime.installReporter();
    await reporter.clear();
    const before = reporter.counters();
    const model = await runtime.openModel({ path: SCRIPT });
    expect(reporter.counters()).toEqual(before);
    await model.close();
  });
});
