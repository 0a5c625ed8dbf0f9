import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds, quantile, summarise } from "../../src/harness/statistics.ts";

const samples = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

describe("quantiles", () => {
  it("are the values that the definition gives", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5], 0.9)).toBe(5);
    expect(summarise([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).toEqual({ value: 6, range: [2, 10] });
  });

  it("lie among the samples, rise with the share, and do not depend on the order", () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const value = quantile(values, share);
        expect(value).toBeGreaterThanOrEqual(Math.min(...values));
        expect(value).toBeLessThanOrEqual(Math.max(...values));
        expect(quantile([...values].reverse(), share)).toBe(value);
        expect(value).toBeLessThanOrEqual(quantile(values, 1));
      }),
    );
  });
});

describe("a goal", () => {
  it("is undecided exactly while it lies inside the range", () => {
    expect(holds({ value: 2.1, range: [1.9, 2.3] }, { atLeast: 2 })).toBeNull();
    expect(holds({ value: 2.1, range: [2.05, 2.3] }, { atLeast: 2 })).toBe(true);
    expect(holds({ value: 1.8, range: [1.7, 1.9] }, { atLeast: 2 })).toBe(false);
    expect(holds({ value: 1.8, range: [1.7, 1.9] }, { atMost: 2 })).toBe(true);
    expect(holds({ value: 2.1, range: [1.9, 2.3] }, { atMost: 2 })).toBeNull();
    expect(holds({ value: 0, range: [0, 0] }, { exactly: 0 })).toBe(true);
    expect(holds({ value: Number.NaN, range: [0, 0] }, { exactly: 0 })).toBe(false);
  });
});
