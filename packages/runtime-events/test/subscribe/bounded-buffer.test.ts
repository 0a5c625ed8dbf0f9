import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeRecords, type RuntimeEvent } from "../../src/index.ts";
import { BoundedBuffer, type StreamItem } from "../../src/subscribe/bounded-buffer.ts";
import { encodeRecords, rawRecord } from "../record.ts";

function event(sequence: number): RuntimeEvent {
  const [decoded] = decodeRecords(encodeRecords([rawRecord({ sequence: BigInt(sequence) })]));
  if (decoded === undefined) throw new Error("no event");
  return decoded;
}

/** The stream as its reader sees it: sequence numbers, and negative counts for losses. */
const seen = (item: StreamItem): number => (item.kind === "lost" ? -item.count : Number(item.sequence));

describe("a bounded buffer", () => {
  it("keeps the oldest, drops the newest, and marks the loss between them and what comes next", () => {
    const buffer = new BoundedBuffer(3);
    for (let i = 1; i <= 5; i += 1) buffer.push(event(i));
    const first = [buffer.shift(), buffer.shift()].map((item) => item && seen(item));
    buffer.push(event(6));
    const rest = [buffer.shift(), buffer.shift(), buffer.shift(), buffer.shift()].map((item) => item && seen(item));
    expect([...first, ...rest]).toEqual([1, 2, 3, -2, 6, undefined]);
    expect(buffer.lost).toBe(2);
  });

  it("tells a reader that has caught up at once, without waiting for another event", () => {
    const buffer = new BoundedBuffer(1);
    buffer.push(event(1));
    buffer.push(event(2));
    expect([buffer.shift(), buffer.shift(), buffer.shift()].map((item) => item && seen(item))).toEqual([
      1,
      -1,
      undefined,
    ]);
  });

  it("accounts for every event at its place, for any pushes and reads over any capacity", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("push" as const, "push" as const, "read" as const), { maxLength: 100 }),
        fc.integer({ min: 1, max: 6 }),
        (plan, capacity) => {
          const buffer = new BoundedBuffer(capacity);
          const read: number[] = [];
          let pushed = 0;
          for (const step of plan) {
            if (step === "push") {
              pushed += 1;
              buffer.push(event(pushed));
              expect(buffer.size).toBeLessThanOrEqual(capacity);
            } else {
              const item = buffer.shift();
              if (item !== undefined) read.push(seen(item));
            }
          }
          for (let item = buffer.shift(); item !== undefined; item = buffer.shift()) read.push(seen(item));
          // Walking along the stream, a loss of n stands exactly where n numbers are missing.
          let next = 1;
          for (const value of read) {
            if (value < 0) {
              next -= value;
            } else {
              expect(value).toBe(next);
              next += 1;
            }
          }
          expect(next - 1).toBe(pushed);
        },
      ),
      { numRuns: 500 },
    );
  });
});
