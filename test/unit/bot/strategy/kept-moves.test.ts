// How markets move together, through a text and another process: as after any gap of that length, and nothing that could not be.

import { expect, test } from "vitest";
import { movesText, readMovesText } from "../../../../src/bot/strategy/kept-moves.ts";
import { KeptError } from "../../../../src/bot/strategy/kept-text.ts";
import { type MarkMoves, noMarkMoves, observeMarks, withoutMarket } from "../../../../src/bot/strategy/mark-moves.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const WALL_MS = 1_790_000_000_000;
const IDS = [7, 1, 3];

/** One look each minute at three markets that move together. */
function looked(from: MarkMoves<number>, startMs: number, byMs: number, seed: bigint): MarkMoves<number> {
  const prng = createPrng(seed);
  let [state, common] = [from, 0];
  for (let look = 0; look < 300; look += 1) {
    common += 0.001 * prng.gaussian();
    const marks = IDS.map((id) => ({ id, usd: 200 * (1 + common + 0.001 * prng.gaussian()), reach: 5 }));
    state = observeMarks(state, marks, startMs + look * MINUTE_MS + byMs);
  }
  return state;
}

const lived = looked(noMarkMoves, 0, 0, 1n);
const diedMs = 300 * MINUTE_MS;
const text = movesText(lived, "chain-2", { monotonicMs: diedMs, wallMs: WALL_MS });

test.each([3 * MINUTE_MS, 5 * HOUR_MS, 900 * HOUR_MS])(
  "law: after %d ms it goes on as if it had run through",
  (downMs) => {
    const againMs = diedMs + downMs;
    const bootedMs = 12_345;
    const read = readMovesText(text, "chain-2", { monotonicMs: bootedMs, wallMs: WALL_MS + downMs });
    const { lastMs: _, ...restarted } = looked(read, againMs, bootedMs - againMs, 2n);
    const { lastMs: _last, ...ranThrough } = looked(lived, againMs, 0, 2n);
    expect(restarted).toEqual(ranThrough);
  },
);

test.each([
  ["cut off", text.slice(0, 50)],
  ["of another version", text.replace('"version":1', '"version":2')],
  ["of another chain", text.replace("chain-2", "chain-3")],
  ["of one market twice", text.replace("[7,1,3]", "[7,7,3]")],
  ["of a market too few", text.replace("[7,1,3]", "[7,1]")],
  ["of looks that are no number", text.replace(/"looks":\[[^,]+/, '"looks":[null')],
  ["of a product beyond both markets", text.replace(/"products":\[\[([^,]+),/, '"products":[[1e-30,')],
  ["of a negative square", text.replace('"products":[[', '"products":[[-')],
])("a text %s is refused", (_what, changed) => {
  expect(changed).not.toBe(text);
  expect(() => readMovesText(changed, "chain-2", { monotonicMs: 0, wallMs: WALL_MS })).toThrow(KeptError);
});

test("what was seen of one market is forgotten, and the others stay", () => {
  const { ids, products, looks } = withoutMarket(lived, 1);
  expect(ids).toEqual([7, 3]);
  expect(looks).toEqual([lived.looks[0], lived.looks[2]]);
  expect(products[0]).toEqual([lived.products[0]?.[0], lived.products[0]?.[2]]);
});
