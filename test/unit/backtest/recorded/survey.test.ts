// How long a premium lasts, from recordings whose premium is made with a known half-life.

import { expect, test } from "vitest";
import type { OpenRecording } from "../../../../src/backtest/recorded/recordings.ts";
import { surveyOf } from "../../../../src/backtest/recorded/survey.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const FROM_MS = 1_790_000_000_000;
const ORACLE = 200_000_000n;

/** A book a second whose mid is the oracle price and a premium that halves in `halfLifeSec`. */
function recordedPremium(seconds: number, halfLifeSec: number, seed: bigint): OpenRecording {
  const prng = createPrng(seed);
  const kept = 0.5 ** (1 / halfLifeSec);
  let premium = 0;
  const events = Array.from({ length: seconds }, (_, nth) => {
    premium = kept * premium + prng.gaussian();
    const mid = ORACLE + BigInt(Math.round(10_000 * premium));
    const level = (price: bigint) => [{ price, size: 1n, orderCount: 1 }];
    const book = { marketId: 1, bids: level(mid - 100n), asks: level(mid + 100n) };
    return { instant: { wallMs: FROM_MS + 1000 * nth, monotonicMs: 1000 * nth }, event: { kind: "book", book } };
  });
  const session = {
    markets: [{ market: { marketId: 1 }, oracle: { price: ORACLE } }],
    accounts: [],
    orders: new Map(),
    fromMs: FROM_MS,
    toMs: FROM_MS + 1000 * seconds,
  };
  return { source: { path: "a", name: "a", hash: "" }, recording: () => events, session } as never;
}

test.each([20, 90])("a premium that halves in %d s is found to within a third, over several recordings", (halfLife) => {
  const recordings = [1n, 2n, 3n].map((seed) => recordedPremium(4000, halfLife, seed));
  const { halfLifeMs, fills } = surveyOf(recordings);
  expect(fills).toEqual([0, 0, 0]);
  expect((halfLifeMs ?? 0) / 1000).toBeGreaterThan((2 / 3) * halfLife);
  expect((halfLifeMs ?? 0) / 1000).toBeLessThan((4 / 3) * halfLife);
});

test("one that is recorded for a moment tells nothing", () => {
  expect(surveyOf([recordedPremium(1, 20, 1n)]).halfLifeMs).toBeNull();
  expect(surveyOf([]).halfLifeMs).toBeNull();
});
