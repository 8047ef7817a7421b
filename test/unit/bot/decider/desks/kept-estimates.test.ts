// Estimates over the run of a process: what a start goes on from, what it says of a row that it cannot use, and when rows are written.

import { beforeEach, expect, test } from "vitest";
import type { BotState } from "../../../../../src/bot/account/account-state.ts";
import type { MarketDesk } from "../../../../../src/bot/decider/desks/market-desk.ts";
import type { Turn } from "../../../../../src/bot/decider/turns/turn.ts";
import { EstimatesKeeper } from "../../../../../src/bot/live/estimates-keeper.ts";
import { answerOf, judgeFill } from "../../../../../src/bot/risk/adverse.ts";
import { movesText } from "../../../../../src/bot/strategy/kept-moves.ts";
import { loadStrategy } from "../../../../../src/bot/strategy/loader.ts";
import { type MarkMoves, noMarkMoves, observeMarks } from "../../../../../src/bot/strategy/mark-moves.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { healthyView, lots, market, now, usd } from "../../risk/healthy.ts";
import { account, Desks, money } from "../../service/desks.ts";

let world: Desks;
beforeEach(() => {
  world = new Desks();
});

const MARKETS = 130;
const keeper = (state: { readonly accounts: BotState["accounts"] } = { accounts: new Map() }) =>
  new EstimatesKeeper(world.desks, { chainId: "chain-2", ledger: world.ledger, clock: systemClock, state });
const rows = () => world.ledger.read.estimates(account);
const deskOf = (marketId: number): MarketDesk => world.desk().markets.get(marketId)!;

/** The market is known by its name and its book moves for a while. */
function learn(marketId: number, name = "USA-HPI"): void {
  const view = { ...healthyView, marketId, market: now({ ...market, marketId, name }) };
  deskOf(marketId).last = { view, quotes: noQuotes("a test") } as Turn;
  const level = (at: number) => ({ price: usd(at), size: lots(1000), orderCount: 1 });
  const startMs = systemClock.monotonicMs() - 40_000;
  for (let sec = 0; sec < 40; sec += 1) {
    const book = { marketId, bids: [level(199.9)], asks: [level(200.1 + 0.01 * (sec % 3))] };
    deskOf(marketId).learn({ kind: "book", receivedMs: startMs + sec * 1000, book });
  }
}

const known = (marketId = 1) => deskOf(marketId).estimates.signals.volatilityBps;
const lines = (event: string) => world.lines.filter((line) => line.includes(event));

test("the next run goes on from what was learned; one that learned nothing yet leaves the row alone", () => {
  learn(1);
  keeper().keepAll();
  world.ledger.commit();
  const before = known();
  expect(before).toBeGreaterThan(0);
  world.start();
  expect(known()).toBe(before);
  expect(known(2)).toBe(null);
  expect(deskOf(1).estimates.kept).toMatchObject({ name: "USA-HPI" });
  const [row] = rows();
  keeper().keepAll();
  world.ledger.commit();
  expect(rows()).toEqual([row]);
});

/** Four sales that each lost five half-spreads. */
function lose(marketId: number): void {
  const desk = deskOf(marketId);
  for (const ago of [4, 3, 2, 1]) {
    const atMs = systemClock.monotonicMs() - 60_000 * ago;
    const fill = { side: "sell", phase: "open", contracts: 1, halfSpreadBps: 4, widened: 0, markoutBps: -20 } as const;
    const adverse = judgeFill(desk.observed.adverse, "60s", { ...fill, atMs }, desk.quoted.limits, atMs);
    desk.observed = { ...desk.observed, adverse };
  }
}
const levelOf = (marketId: number, side: "buy" | "sell"): string => {
  const { observed, quoted } = deskOf(marketId);
  return answerOf(observed.adverse, side, "open", quoted.limits, systemClock.monotonicMs()).level;
};

test("a side that fills have stopped stands still in the next run too; the other one, and other markets, do not", () => {
  for (const marketId of [1, 2]) learn(marketId);
  lose(1);
  expect(levelOf(1, "sell")).toBe("stopped");
  keeper().keepAll();
  world.ledger.commit();
  world.start();
  expect([levelOf(1, "sell"), levelOf(1, "buy"), levelOf(2, "sell")]).toEqual(["stopped", "none", "none"]);
  deskOf(1).learn({ kind: "marketRead", receivedMs: 1, askedMs: 1, market: { ...market, name: "OTHER-HPI" } });
  expect(levelOf(1, "sell")).toBe("none");
});

test("what a strategy keeps goes on under the same parameters and limits, and not under others", async () => {
  const strategy = await loadStrategy("flatten", { size: 1 });
  const start = (hash: string) => world.start({}, [1], { strategy, hash });
  start("aaa");
  learn(1);
  const memory = { endsMs: 9, start: 4, startedLeftSec: 3, ratePerSec: null, tookMs: null };
  Object.assign(deskOf(1).strategy.running.memory as object, memory);
  keeper().keepAll();
  world.ledger.commit();
  start("aaa");
  expect(deskOf(1).strategy.running.memory).toEqual(memory);
  start("bbb");
  expect(deskOf(1).strategy.running.memory).toEqual(strategy.start().memory);
});

test.each([
  ["?", "not"],
  ['{"version":0,"chainId":"chain-2"}', "version 0"],
])("a row of %s is dropped with one line, and nothing is halted or held up", (state, why) => {
  learn(1);
  keeper().keepAll();
  world.ledger.keep({ kind: "estimates", estimates: { accountId: account, marketId: 2, state, atMs: 1 } });
  world.ledger.commit();
  world.start();
  expect(lines("estimates.dropped")).toEqual([expect.stringContaining(why)]);
  expect(known(1)).not.toBe(null);
  expect(known(2)).toBe(null);
  expect(world.desk().latches).toEqual([]);
});

test("another market under the same id is known by its name, and learned from nothing", () => {
  learn(1, "OLD-HPI");
  keeper().keepAll();
  world.ledger.commit();
  world.start();
  expect(known()).not.toBe(null);
  deskOf(1).learn({ kind: "marketRead", receivedMs: 1, askedMs: 1, market: { ...market, name: "USA-HPI" } });
  expect(known()).toBe(null);
  expect(deskOf(1).estimates.kept).toBe(null);
  expect(lines("estimates.dropped")).toEqual([expect.stringContaining("OLD-HPI")]);
});

test("how the account's markets move together goes on too; a broken row of that is dropped alone", () => {
  const marks = (at: number) => [1, 2].map((id) => ({ id, usd: 200 + Math.sin(at * id), reach: 1 }));
  const lookEachMinute = (before: MarkMoves<number>, look: number) => observeMarks(before, marks(look), look * 60_000);
  const moves = [0, 1, 2, 3, 4].reduce(lookEachMinute, noMarkMoves as MarkMoves<number>);
  const atMs = systemClock.wallMs();
  const now = { monotonicMs: 240_000, wallMs: atMs };
  const row = { accountId: account, marketId: null, atMs };
  world.ledger.keep({ kind: "estimates", estimates: { ...row, state: movesText(moves, "chain-2", now) } });
  world.ledger.commit();
  world.start();
  expect(world.desk().correlatedRisk.moves).toMatchObject({ ids: [1, 2], products: moves.products });
  keeper().keepAll();
  world.ledger.commit();
  world.start();
  expect(world.desk().correlatedRisk.moves).toMatchObject({ ids: [1, 2], products: moves.products });
  expect(lines("estimates.dropped")).toEqual([]);
  learn(1, "OLD-HPI");
  keeper().keepAll();
  world.ledger.commit();
  world.start();
  deskOf(1).learn({ kind: "marketRead", receivedMs: 1, askedMs: 1, market: { ...market, name: "USA-HPI" } });
  expect(world.desk().correlatedRisk.moves.ids).toEqual([2]);
  world.ledger.keep({ kind: "estimates", estimates: { ...row, state: "{}" } });
  world.ledger.commit();
  world.start();
  expect(world.desk().correlatedRisk.moves).toEqual(noMarkMoves);
  expect(known()).not.toBe(null);
  expect(lines("its markets together")).toHaveLength(1);
});

test("law: each market is written once a minute, a few at a time, and none while the disk fails", () => {
  const ids = Array.from({ length: MARKETS }, (_, at) => at + 1);
  world.start({}, ids);
  for (const marketId of ids) learn(marketId);
  const keep = keeper();
  const written: number[] = [];
  for (let part = 0; part < 60; part += 1) {
    const before = rows().length;
    keep.keepPart();
    world.ledger.commit();
    written.push(rows().length - before);
  }
  expect(written.reduce((sum, count) => sum + count)).toBe(MARKETS);
  expect(Math.max(...written)).toBe(Math.ceil((MARKETS + 1) / 60));
  world.failure = "no space";
  world.ledger.keep({
    kind: "chain",
    accountId: account,
    mark: { createdAtMs: 1, lifetimeVolume: money(0n) },
    atMs: 1,
  });
  world.ledger.commit();
  for (let part = 0; part < 60; part += 1) keep.keepPart();
  expect(world.ledger.health()).toMatchObject({ ok: false, waiting: 1 });
});

test("up to where a market's funding is booked is kept, whatever the size of its index; without one there is none", () => {
  const index = -(2n ** 90n);
  const collateral = { settledSec: new Map([[1, 7200]]), fundingIndex: new Map([[1, index]]) };
  for (const marketId of [1, 2]) learn(marketId);
  keeper({ accounts: new Map([[account, { collateral }]]) as unknown as BotState["accounts"] }).keepAll();
  world.ledger.commit();
  world.start();
  expect([1, 2].map((marketId) => deskOf(marketId).estimates.kept?.funded)).toEqual([{ sec: 7200, index }, null]);
});

test("forbidden: an index that is no whole number", () => {
  learn(1);
  keeper().keepAll();
  world.ledger.commit();
  const [row] = rows();
  const state = row!.state.replace('"funded":null', '"funded":{"sec":7200,"index":"1.5"}');
  world.ledger.keep({ kind: "estimates", estimates: { ...row!, state } });
  world.ledger.commit();
  world.start();
  expect(deskOf(1).estimates.kept).toBe(null);
  expect(lines("estimates.dropped").join("")).toContain("funded.index: ");
});
