// What the bench says about why a maker earns: on paths and flows whose answer is known.
import { describe, expect, it } from "vitest";
import { flowShare, HORIZONS_SECS, markoutsOf, varianceRatio } from "../../../../bench/crowd/causes.ts";
import type { MarketRun, TakerTrade } from "../../../../bench/crowd/market-run.ts";
import { FLOW } from "../../../../src/devnet/crowd/memory.ts";
import { accountId } from "../../../../src/domain/units.ts";

const MAKER = accountId(12n);
const [ANN, BOB] = [accountId(1n), accountId(2n)];
const runOf = (run: Pick<MarketRun, "mids"> | Pick<MarketRun, "mids" | "trades">) => run as MarketRun;
const minutes = (midAt: (minute: number) => number) =>
  runOf({ mids: Float64Array.from({ length: 3601 }, (_, second) => midAt(Math.floor(second / 60))) });

describe("the variance ratio", () => {
  it("of moves that go on is the number of minutes", () =>
    expect(
      varianceRatio(
        minutes((minute) => minute),
        600,
      ),
    ).toBeCloseTo(10, 12));
  it("of moves that return is 0", () =>
    expect(
      varianceRatio(
        minutes((minute) => minute % 2),
        600,
      ),
    ).toBe(0));
});

describe("markouts", () => {
  const trade = (taker: typeof ANN, sign: number, size: number): TakerTrade => ({
    ...{ second: 10, sign, size, price: 100 + 2 * sign, worst: 100 + 2 * sign, midBefore: 100, taker },
    makers: [{ account: MAKER, price: 100 + 2 * sign, size }],
  });
  // The mid stands at 105 from a second after the trades on.
  const mids = Float64Array.from({ length: 700 }, (_, second) => (second > 10 ? 105 : 100));
  const rows = markoutsOf(runOf({ mids, trades: [trade(ANN, 1, 3), trade(BOB, -1, 1)] }), MAKER, (id) => `${id}`);

  it("are what the maker has against the mid, by who took: sold at 102 it is 3 behind, bought at 98 it is 7 ahead", () => {
    expect(rows.find(({ taker }) => taker === "1")).toMatchObject({ fills: 1, edge: 2 });
    expect(rows.find(({ taker }) => taker === "1")?.after[0]).toBe(-3);
    expect(rows.find(({ taker }) => taker === "2")?.after[0]).toBe(7);
  });
  it("of all are weighted by size", () => expect(rows[0]?.after[1]).toBe((3 * -3 + 7) / 4));
  it("are unknown where the horizon lies beyond the end", () =>
    expect(rows[0]?.after[HORIZONS_SECS.indexOf(3600)]).toBeNaN());
});

it("finds the share of its memory in flow that follows it exactly", () => {
  let [flow, impact] = [0, 4];
  const trades = [...Array(20)].map(() => {
    const size = impact * impact;
    flow += FLOW.rate * (impact - flow);
    const trade = { sign: 1, size } as TakerTrade;
    impact = 0.9 * flow;
    return trade;
  });
  const found = flowShare(runOf({ mids: new Float64Array(0), trades }), 1);
  expect(found.share).toBeCloseTo(0.9, 6);
});
