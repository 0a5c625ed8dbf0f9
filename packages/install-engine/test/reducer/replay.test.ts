import { expect, test } from "vitest";
import {
  canonicalJson,
  type JournalRecord,
  journalRecordDigest,
  parseEngineState,
  replayRecord,
  type SealedStep,
  sha256Hex,
  streamKeyOf,
} from "../../src/index.ts";
import { collect, grantOne, openBench, SCOPE } from "../support/bench.ts";
import { without } from "../support/without.ts";

async function recordsOfOneInstall(): Promise<JournalRecord[]> {
  const { engine, journal, registry } = await openBench();
  const granted = await grantOne(engine);
  await engine.prepareInstallExecution({ ...granted, registry }).execute();
  return collect(journal.replay(streamKeyOf(SCOPE)));
}

function replay(records: readonly JournalRecord[]): SealedStep | null {
  let step: SealedStep | null = null;
  for (const record of records) {
    step = replayRecord(step, record);
  }
  return step;
}

test("replaying the records of a stream gives every record again, and the state", async () => {
  const records = await recordsOfOneInstall();
  expect(records.map((record) => record.revision)).toEqual([1, 2, 3]);
  const last = records.at(-1);
  const step = replay(records);
  expect(step?.record).toEqual(last);
  expect(step?.state).toEqual(parseEngineState(last?.resultStateText ?? ""));
});

// What somebody who can write the file would change, with the record sealed again so that its own digest is right.
const FORGERIES: readonly (readonly [component: string, change: (record: JournalRecord) => Partial<JournalRecord>])[] =
  [
    [
      "resultStateText",
      (record) => {
        const state = JSON.parse(record.resultStateText) as Record<string, unknown>;
        const resultStateText = canonicalJson({ ...state, installed: [] }, "utf8");
        return { resultStateText, resultStateDigest: sha256Hex(resultStateText) };
      },
    ],
    [
      "transitionText",
      (record) => {
        const transition = JSON.parse(record.transitionText) as Record<string, unknown>;
        const transitionText = canonicalJson({ ...transition, event_id: "another" }, "utf8");
        return { transitionText, transitionDigest: sha256Hex(transitionText) };
      },
    ],
    ["previousRecordDigest", () => ({ previousRecordDigest: sha256Hex("another") })],
    ["eventId", () => ({ eventId: "another" })],
    ["eventContentDigest", () => ({ eventContentDigest: sha256Hex("another") })],
    ["privacyClassification", () => ({ privacyClassification: "public" })],
  ];

test.each(FORGERIES)("a record with another %s diverges, and the component is named", async (component, change) => {
  const records = await recordsOfOneInstall();
  const last = records.pop();
  if (last === undefined) throw new Error("no record");
  const members = without({ ...last, ...change(last) }, "recordDigest");
  const forged = { ...members, recordDigest: journalRecordDigest(members) };
  expect(() => replay([...records, forged])).toThrow(
    expect.objectContaining({ code: "REPLAY_DIVERGED", facts: expect.objectContaining({ component }) as object }),
  );
});

test("a record of another reducer version is not replayed by this one", async () => {
  const [first] = await recordsOfOneInstall();
  if (first === undefined) throw new Error("no record");
  expect(() => replayRecord(null, { ...first, reducerVersion: 2 })).toThrow(
    expect.objectContaining({ code: "REDUCER_VERSION_UNSUPPORTED", facts: { found: 2, expected: 1 } }),
  );
});
