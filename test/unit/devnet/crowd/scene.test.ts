// How much an order tells: the more, the more of those who send one know something.
import { describe, expect, it } from "vitest";
import { impactPpmOf } from "../../../../src/devnet/crowd/scene.ts";

describe("the impact of a typical order", () => {
  const of = (informedShare: number) => impactPpmOf({ impactBps: 2, informedShare });

  it("is impactBps while a tenth of takers know", () => expect(of(0.1)).toBe(200));
  it("is a quarter of it where nobody knows", () => expect(of(0)).toBe(50));
  it("grows with the share of those who know, up to a fifth", () => {
    const impacts = [0, 0.05, 0.1, 0.15, 0.2].map(of);
    expect(impacts).toEqual([...new Set(impacts)].toSorted((a, b) => a - b));
    expect(of(0.6)).toBe(of(0.2));
  });
  it("is nothing where impactBps is 0", () => expect(impactPpmOf({ impactBps: 0, informedShare: 0.2 })).toBe(0));
});
