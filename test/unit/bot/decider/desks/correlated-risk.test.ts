// What positions elsewhere amount to in a market: found in prints, bounded by the market's limit, none while nothing is known.

import { expect, test } from "vitest";
import { CorrelatedRisk } from "../../../../../src/bot/decider/desks/correlated-risk.ts";
import { nowcastErrorBps, observePrint } from "../../../../../src/bot/strategy/nowcast.ts";
import { readSignals, startSignals } from "../../../../../src/bot/strategy/signals.ts";
import { createPrng } from "../../../../../src/kernel/prng.ts";
import { bookOf, positionRead } from "../../accounting/books.ts";
import { lots } from "../../risk/healthy.ts";

const DAY_SEC = 86_400;
type Desks = Parameters<CorrelatedRisk["contractsIn"]>[1];

/** A nation and a metro whose prints move by the same shocks, the metro's twice as far; each may hold 20 contracts. */
function desksAfter(days: number, markets = 2): Desks {
  const prng = createPrng(21n);
  const desks = Array.from({ length: markets }, (_, at) => ({
    marketId: at + 1,
    quoted: { limits: { maxPosition: lots(20) } },
    estimates: { state: startSignals(at + 1), signals: readSignals(startSignals(at + 1)) },
    orderContracts: 1,
    calmMidUsd: null as number | null,
    usd: 200,
  }));
  for (let day = 0; day < days; day += 1) {
    const shock = 0.0005 * prng.gaussian();
    for (const desk of desks) {
      desk.usd *= Math.exp(shock * desk.marketId + 0.0001 * prng.gaussian());
      const { state } = desk.estimates;
      desk.estimates.state = { ...state, nowcast: observePrint(state.nowcast, desk.usd, day * DAY_SEC) };
    }
  }
  return new Map(desks.map((desk) => [desk.marketId, desk])) as unknown as Desks;
}

const holding = (marketId: number, contracts: number) =>
  bookOf(positionRead({ marketId, inventory: BigInt(contracts * 1e6), entryPrice: 20_000_000_000n }));

/** What the others come to in market 1, after a look at `nowMs`. */
function lookedAt(risk: CorrelatedRisk, desks: Desks, book: ReturnType<typeof holding>, nowMs: number): number {
  risk.look(desks, nowMs);
  return risk.contractsIn(1, desks, book);
}

test("a long metro counts for more of the nation, whose prints move half as far, and the nation for less of a metro", () => {
  const desks = desksAfter(120);
  const risk = new CorrelatedRisk();
  expect(risk.contractsIn(1, desks, holding(2, 3)), "before the first look").toBe(0);
  risk.look(desks, 0);
  expect(risk.contractsIn(1, desks, holding(2, 3))).toBeGreaterThan(3);
  expect(risk.contractsIn(1, desks, holding(2, 3))).toBeLessThan(6);
  expect(risk.contractsIn(2, desks, holding(1, -4))).toBeLessThan(-1);
  expect(risk.contractsIn(2, desks, holding(1, -4))).toBeGreaterThan(-2);
  expect(nowcastErrorBps(desks.get(2)?.estimates.state.nowcast ?? startSignals(2).nowcast)).toBeGreaterThan(8);
});

test("its own position is not elsewhere", () => {
  expect(lookedAt(new CorrelatedRisk(), desksAfter(120), holding(1, 5), 0)).toBe(0);
});

test("it never counts for more than the market may hold", () => {
  expect(lookedAt(new CorrelatedRisk(), desksAfter(120), holding(2, 1000), 0)).toBe(20);
});

test("too few prints, one market alone or very many: each counts alone", () => {
  expect(lookedAt(new CorrelatedRisk(), desksAfter(8), holding(2, 3), 0)).toBe(0);
  expect(lookedAt(new CorrelatedRisk(), desksAfter(120, 1), holding(2, 3), 0)).toBe(0);
  expect(lookedAt(new CorrelatedRisk(), desksAfter(12, 33), holding(2, 3), 0)).toBe(0);
});

test("prints are looked at once a minute; a market that came since has no part until then", () => {
  const risk = new CorrelatedRisk();
  expect(lookedAt(risk, desksAfter(120), holding(2, 3), 0)).toBeGreaterThan(0);
  expect(lookedAt(risk, desksAfter(120, 3), holding(2, 3), 59_999)).toBe(0);
  expect(lookedAt(risk, desksAfter(120, 3), holding(2, 3), 60_000)).toBeGreaterThan(0);
});

/** Looks at each minute of so many hours while the mids move with this correlation, the metro's twice as far. */
function lookAt(risk: CorrelatedRisk, desks: Desks, correlation: number, hours: number): number {
  const prng = createPrng(5n);
  const mids = [...desks.values()] as unknown as { marketId: number; calmMidUsd: number | null }[];
  for (const mid of mids) mid.calmMidUsd = 200;
  for (let minute = 0; minute < 60 * hours; minute += 1) {
    const shared = prng.gaussian();
    for (const mid of mids) {
      const shock = Math.sqrt(correlation) * shared + Math.sqrt(1 - correlation) * prng.gaussian();
      mid.calmMidUsd = (mid.calmMidUsd ?? 0) * Math.exp(0.0001 * mid.marketId * shock);
    }
    risk.look(desks, minute * 60_000);
  }
  return lookedAt(risk, desks, holding(2, 3), hours * 3_600_000) / 3;
}

test("marks that move on their own unmake, in days, the hedge that prints promised; within hours they hardly do", () => {
  expect(lookAt(new CorrelatedRisk(), desksAfter(120), 0, 0)).toBeGreaterThan(1);
  expect(lookAt(new CorrelatedRisk(), desksAfter(120), 0, 2)).toBeGreaterThan(0.8);
  expect(lookAt(new CorrelatedRisk(), desksAfter(120), 0, 240)).toBeLessThan(0.5);
});

test("marks that move together make a hedge where prints are too few to tell: r s_j / (s_i + s_j sqrt(1 - r^2)), less what is assumed", () => {
  const wanted = (0.8 * 2) / (1 + 2 * 0.6);
  const found = lookAt(new CorrelatedRisk(), desksAfter(2), 0.8, 240);
  expect(found).toBeGreaterThan(0.6 * wanted);
  expect(found).toBeLessThan(wanted);
});
