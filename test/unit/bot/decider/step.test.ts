// What a turn does beside quoting: numbers that trip a latch trip it, and a ticket that waited is asked about again.

import { beforeEach, describe, expect, test } from "vitest";
import type { AccountOptions } from "../../../../src/bot/account/account-state.ts";
import { createBotState } from "../../../../src/bot/account/account-state.ts";
import { createAccountBook, foldBook } from "../../../../src/bot/accounting/account-book.ts";
import { StallDetector } from "../../../../src/bot/decider/stall-detector.ts";
import { type LoopModules, TradingLoop } from "../../../../src/bot/decider/step.ts";
import { LiveEntries } from "../../../../src/bot/service/loop/entries.ts";
import { createMetrics } from "../../../../src/bot/telemetry/metrics.ts";
import { loopTiming } from "../../../../src/bot/timing.ts";
import type { AccountId } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import type { Clock } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { plainHeld, plainRead } from "../../../support/plain-bot.ts";
import { filled } from "../accounting/books.ts";
import { healthyView, lots, now, oracle, order, place, usd } from "../risk/healthy.ts";
import { account, other, World } from "../service/desks.ts";

const DAY = 3;
const knownAs = (accountId: AccountId): AccountOptions => ({
  accountId,
  agentPubkey: "ab".repeat(32),
  knownOrders: [],
  book: createAccountBook(),
});
let world: World;
let loop: TradingLoop;
let clock: VirtualClock;
let sleeps: number;
let turnFaults: { desk: unknown; market: unknown; error: unknown }[];
beforeEach(() => {
  clock = createVirtualClock({ startMs: DAY * 86_400_000 });
  world = new World();
  turnFaults = [];
  sleeps = 0;
  loop = loopOver(clock, () => {});
});

const loopOver = (over: Clock, submit: LoopModules["submit"], onEffect = (): void => {}): TradingLoop =>
  new TradingLoop({
    state: createBotState({ readLagMaxMs: 3000, markets: [1, 2], accounts: [knownAs(account), knownAs(other)] }),
    desks: world.desks,
    ledger: world.ledger,
    clock: over,
    entries: new LiveEntries(over, null),
    metrics: createMetrics(),
    stalls: new StallDetector(),
    submit,
    onEffect,
    onStrategyFault: () => {},
    onQuotesLeftOut: () => {},
    onTurnFault: (desk, market, error) => turnFaults.push({ desk, market, error }),
    nonceRefusal: () => null,
    isSending: true,
    onSlept: () => {
      sleeps += 1;
    },
  });

/** The market at an index of so many USD, with so many contracts held. */
function see(marketId: number, indexUsd: number, contracts: number): void {
  const view: View = {
    ...healthyView,
    accountId: account,
    marketId,
    oracle: now({ ...oracle, price: usd(indexUsd) }),
    position: now(plainHeld(lots(contracts), usd(200))),
  };
  world.desk().markets.get(marketId)?.observe(view, DAY);
}

/** Ten contracts, of which each loses so many USDC. */
function lose(each: number): void {
  see(1, 200, 0);
  foldBook(world.desk().book, filled({ key: "1", side: "buy", price: usd(200), size: lots(10) }));
  // In steps that no print is unconfirmed for.
  for (let lost = 5; lost < each; lost += 5) see(1, 200 - lost, 10);
  see(1, 200 - each, 10);
}

test("a sleep is noticed by the first event after it, before that is folded, and once", () => {
  let sleptMs = 0;
  loop = loopOver({ ...clock, wallMs: () => clock.wallMs() + sleptMs }, () => {});
  const read = (): void => {
    const nowMs = clock.monotonicMs();
    loop.apply({ kind: "openOrderCapRead", openOrderCap: 200, askedMs: nowMs, receivedMs: nowMs });
  };
  loop.tick();
  clock.advanceSync(loopTiming.tickMs / 2);
  read();
  expect(sleeps).toBe(0);
  sleptMs = 46_000;
  read();
  expect(sleeps).toBe(1);
  read();
  loop.tick();
  expect(sleeps).toBe(1);
});

test("a loss that reached its limit halts the market in the very turn, and in every later run", () => {
  lose(49);
  loop.tick();
  expect(world.desk().latches).toEqual([]);
  clock.advanceSync(loopTiming.tickMs);
  see(1, 150, 10);
  loop.tick();
  expect(world.desk().latches.map(({ kind, marketId }) => `${kind} ${marketId}`)).toEqual(["loss 1", "drawdown 1"]);
  expect(
    world
      .desk()
      .markets.get(1)
      ?.last?.readings.find(({ gate }) => gate === "halted")?.closed,
  ).not.toBe(null);
  world.start();
  expect(world.desk().latches).toHaveLength(2);
});

test("a turn that throws is told, and the next one turns all the same", () => {
  const fault = new Error("of ours");
  const desk = world.desk();
  const market = desk.markets.get(1);
  if (market === undefined) throw new Error("market 1 is quoted");
  market.observe = () => {
    throw fault;
  };
  loop.tick();
  expect(turnFaults).toEqual([{ desk, market, error: fault }]);
  expect(desk.markets.get(2)?.last).not.toBe(null);
  clock.advanceSync(loopTiming.tickMs);
  loop.tick();
  expect(turnFaults).toHaveLength(2);
});

test("a ticket whose check throws is denied, and told like a turn that throws", () => {
  const estimates = {
    get: () => {
      throw new Error("of ours");
    },
  };
  Object.defineProperty(world.desk().markets.get(1), "estimates", estimates);
  expect(loop.recheck(place("buy", 199, 1))).toBe(null);
  expect(turnFaults).toHaveLength(1);
});

test("a ticket that waited is sent as the guard says now: not at all, where nothing is known", () => {
  expect(loop.recheck(place("buy", 199, 1))).toBe(null);
  expect(loop.recheck(place("buy", 199, 1, { marketId: 9 }))).toBe(null);
  const cancel = { kind: "cancel", accountId: account, marketId: 1, orderId: order(1, "buy", 199, 1).orderId } as const;
  expect(loop.recheck(cancel as never)).toBe(cancel);
});

test("the timer lets a market turn that no event let turn lately, and no other", () => {
  const turnedMs = (marketId: number) => world.desk().markets.get(marketId)?.last?.view.nowMs;
  clock.advanceSync(60);
  const index = { ...oracle, marketId: 1 };
  loop.apply({ kind: "oracleRead", oracle: index, askedMs: 60, receivedMs: 60 });
  clock.advanceSync(40);
  loop.tick();
  expect([turnedMs(1), turnedMs(2)]).toEqual([60, 100]);
  clock.advanceSync(loopTiming.tickMs);
  loop.tick();
  expect([turnedMs(1), turnedMs(2)]).toEqual([200, 200]);
});

test("turns that take long make the others wait until the event loop has yielded, each once", () => {
  let aheadMs = 0;
  const turned: string[] = [];
  loop = loopOver({ ...clock, monotonicMs: () => clock.monotonicMs() + aheadMs }, (accountId, _, { marketId }) => {
    turned.push(`${accountId}:${marketId}`);
    aheadMs += 1.5;
  });
  for (let told = 0; told < 3; told += 1) loop.apply({ kind: "streamClosed", epoch: 1, reason: "gone", receivedMs: 0 });
  expect(turned).toEqual(["12:1", "12:2"]);
  clock.advanceSync(1);
  expect(turned.slice(2)).toEqual(["13:1", "12:1", "12:2"]);
});

describe("what an event brought to light is recorded", () => {
  const read = () =>
    ({
      kind: "adopted",
      account: plainRead({ accountId: account }),
      marketId: null,
      askedMs: 0,
      receivedMs: 0,
    }) as const;
  let done: string[];
  beforeEach(() => {
    done = [];
    const submit = () => done.push("commands");
    loop = loopOver(clock, submit, () => loop.later(() => done.push("record")));
  });

  test("after the commands of the turns that react to it, and before the next event", () => {
    loop.apply(read());
    expect(new Set(done)).toEqual(new Set(["commands"]));
    loop.apply({ kind: "openOrderCapRead", openOrderCap: null, askedMs: 0, receivedMs: 0 });
    expect(done.indexOf("record")).toBeGreaterThan(done.lastIndexOf("commands"));
  });

  test("alone where no other event comes", () => {
    loop.apply(read());
    clock.advanceSync(1);
    expect(done).toContain("record");
  });

  test("edge: at once where no turn follows", () => {
    loop.stop();
    loop.apply(read());
    expect(new Set(done)).toEqual(new Set(["record"]));
  });
});
