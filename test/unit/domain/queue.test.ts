// Who leaves a queue: bounds, and the law of the place.

import { describe, expect, test } from "vitest";
import { leaving, type QueueModel, queueModelText, queuePrior, usualQueueModel } from "../../../src/domain/queue.ts";
import { createPrng } from "../../../src/kernel/prng.ts";

const one = (left: bigint, staying = left) => ({ left, staying, count: 1 });
const fitted = (exponent: number): QueueModel => ({ fitted: { ...queuePrior, exponent, fills: 500 } });
const amounts = (
  queue: readonly ReturnType<typeof one>[],
  ...rest: [bigint, QueueModel, Parameters<typeof leaving>[3]?]
) => {
  const left = leaving(queue, ...rest);
  return queue.map((piece) => left.find((each) => each.piece === piece)?.amount ?? 0n);
};

const three = [one(4000n), one(2000n), one(4000n)];

test("the bounds: from the back, and from the front", () => {
  expect(amounts(three, 5000n, "riskAverse")).toEqual([0n, 1000n, 4000n]);
  expect(amounts(three, 5000n, "optimistic")).toEqual([4000n, 1000n, 0n]);
});

describe("a fit", () => {
  test("takes an order that leaves alone to be one of its size, wherever it stands", () => {
    for (const exponent of [-64, 0, 64])
      expect(amounts(three, 2000n, fitted(exponent), { gone: 1 })).toEqual([0n, 2000n, 0n]);
  });

  test("of several of its size expects each by its place", () => {
    expect(amounts(three, 4000n, fitted(0), { gone: 1 })).toEqual([2000n, 0n, 2000n]);
    expect(amounts(three, 4000n, fitted(64), { gone: 1 })[0]).toBeGreaterThan(3990n);
    expect(amounts(three, 4000n, fitted(-64), { gone: 1 })[2]).toBeGreaterThan(3990n);
  });

  test("draws a whole order, each as often as is expected", () => {
    const prng = createPrng(3n);
    const drawn = Array.from({ length: 1000 }, () => amounts(three, 4000n, fitted(0), { gone: 1, draw: prng.float }));
    expect(drawn.every((each) => each.toSorted().join() === "0,0,4000")).toBe(true);
    const first = drawn.filter(([front]) => front === 4000n).length;
    expect(first).toBeGreaterThan(450);
    expect(first).toBeLessThan(550);
  });

  test("nobody leaves more than is there, and of a queue that shrinks to nothing all do", () => {
    expect(amounts(three, 10_000n, fitted(2))).toEqual([4000n, 2000n, 4000n]);
    expect(amounts(three, 99_999n, fitted(2), { gone: 3, draw: createPrng(1n).float })).toEqual([4000n, 2000n, 4000n]);
    expect(leaving([], 5n, fitted(0))).toEqual([]);
  });
});

test("a fit to fewer than 200 fills is not used, and the text says so", () => {
  const of = (fills: number): QueueModel => ({ fitted: { ...queuePrior, fills } });
  expect(usualQueueModel()).toEqual({ queueModel: "riskAverse" });
  expect(usualQueueModel("optimistic")).toEqual({ queueModel: "optimistic" });
  expect(usualQueueModel(of(199))).toEqual({ queueModel: "riskAverse", tooFewFills: 199 });
  expect(usualQueueModel(of(200))).toEqual({ queueModel: of(200) });
  expect(queueModelText("riskAverse", 37)).toBe("riskAverse: 37 fills, fitted needs 200");
  expect(queueModelText("fitted")).toBe("fitted");
});
