import { describe, expect, it } from "vitest";
import { BLOCKS, ratioOf, series } from "../../src/harness/blocks.ts";

describe("a ratio", () => {
  it("alternates the sides after a warm-up of each, and takes turns in beginning", async () => {
    const order: string[] = [];
    const side = (name: string, cost: number) => () => {
      order.push(name);
      return Promise.resolve(cost);
    };
    const ratio = await ratioOf(side("ours", 2), side("peer", 6), { smoke: false });
    expect(BLOCKS).toBeGreaterThanOrEqual(16);
    expect(order).toHaveLength(2 + 2 * BLOCKS);
    expect(order.slice(0, 6)).toEqual(["ours", "peer", "ours", "peer", "peer", "ours"]);
    expect(ratio).toEqual({ value: 3, range: [3, 3], ours: 2, peer: 6 });
  });

  it("is the median of the ratios of neighbours, so that a slow minute of the machine hits both sides", async () => {
    let machine = 1;
    const ours = (): Promise<number> => Promise.resolve(machine);
    const peer = (): Promise<number> => {
      const cost = machine * 4;
      machine *= 1.5;
      return Promise.resolve(cost);
    };
    const { value } = await ratioOf(ours, peer, { smoke: false });
    expect(value).toBeGreaterThan(2.6);
    expect(value).toBeLessThan(4.1);
  });

  it("runs one block a side, without warm-up, for a smoke run", async () => {
    let runs = 0;
    const side = (): Promise<number> => Promise.resolve((runs += 1));
    await ratioOf(side, side, { smoke: true });
    expect(runs).toBe(2);
    await series(side, { smoke: true });
    expect(runs).toBe(3);
  });
});
