// The laws of the machine's boundary: one input, at most one turn, the order of what comes of it, and that nothing but inputs changes it.

import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { foldBook } from "../../../../src/bot/accounting/account-book.ts";
import type { Input, InputBody } from "../../../../src/bot/decider/input.ts";
import type { Output } from "../../../../src/bot/decider/output.ts";
import { DeskSeries } from "../../../../src/bot/live/desk-series.ts";
import { refreshGauges } from "../../../../src/bot/live/gauges.ts";
import { noShadows } from "../../../../src/bot/live/shadow.ts";
import { exactText } from "../../../../src/bot/recording/exact-text.ts";
import { ValueReader, ValueWriter } from "../../../../src/bot/recording/values.ts";
import { accountLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { showDetail } from "../../../../src/bot/service/operator/detail.ts";
import { previewOf } from "../../../../src/bot/service/operator/preview.ts";
import { keptOrders, notReady, showAccount } from "../../../../src/bot/service/operator/show.ts";
import { loadStrategy } from "../../../../src/bot/strategy/loader.ts";
import { createMetrics } from "../../../../src/bot/telemetry/metrics.ts";
import { loopTiming, riskTiming } from "../../../../src/bot/timing.ts";
import { price, usdc } from "../../../../src/domain/units.ts";
import type { View } from "../../../../src/domain/view.ts";
import { DAY_MS, type Instant } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { plainHeld } from "../../../support/plain-bot.ts";
import { filled } from "../accounting/books.ts";
import { oracle as healthyOracle, healthyView, lots, now, usd } from "../risk/healthy.ts";
import {
  account as accountAs,
  book,
  executedWith,
  execution,
  lost,
  oracle,
  placedEvent,
  pong,
  position,
  rejected,
  USD,
} from "../scene.ts";
import {
  account,
  botConfig,
  other,
  quotedAccount,
  quotedMarket,
  type Read,
  readyWorld,
  World,
} from "../service/desks.ts";

/** `turned 12:1` for a turn, `submit 1` for a command in market 1, else the kind. */
const named = (output: Output): string => {
  if (output.kind === "turned") return `turned ${output.accountId}:${output.marketId}`;
  return output.kind === "submit" ? `submit ${output.command.marketId}` : output.kind;
};
const kinds = (outputs: readonly Output[]): readonly string[] => outputs.map(named);
const bookOf = (marketId: number, bid = 199n, ask = 201n) =>
  ({ kind: "book", book: { ...book(bid, ask), marketId } }) as const;

let world: World;
beforeEach(() => {
  world = new World();
});

const failDisk = (): void => {
  world.failure = "no space";
  const mark = { createdAtMs: 1, lifetimeVolume: usdc(0n) };
  world.ledger.keep({ kind: "chain", accountId: account, mark, atMs: 1 });
  world.ledger.commit();
};

/** Orders may be sent: from now on latches are enforced, accounts resynchronize and facts are read. */
const started = (): void => world.driver.feed({ kind: "start", lastOrderedMs: new Map() });

describe("law: a step takes one input and lets at most one market turn", () => {
  const closed = { kind: "streamClosed", epoch: 1, reason: "gone" } as const;
  const step = (told: InputBody): readonly string[] => kinds(world.step(told));
  /** Without the instants that it asks to be called at. */
  const turnsOf = (told: InputBody): readonly string[] => step(told).filter((kind) => kind !== "wake");

  test("the others turn one a step, each once, for as long as it asks to be called again", () => {
    expect(turnsOf({ kind: "event", event: world.eventOf(closed) })).toEqual(["turned 12:1", "again"]);
    expect(turnsOf({ kind: "again" })).toEqual(["turned 12:2", "again"]);
    expect(turnsOf({ kind: "again" })).toEqual(["turned 13:1"]);
    expect(turnsOf({ kind: "again" })).toEqual([]);
  });

  test("a market that is asked for again before it has turned turns once", () => {
    world.step({ kind: "event", event: world.eventOf(closed) });
    expect(turnsOf({ kind: "event", event: world.eventOf(bookOf(2)) })).toEqual(["turned 12:2", "again"]);
    expect(turnsOf({ kind: "again" })).toEqual(["turned 13:1"]);
  });

  test("what an event wants done is carried out before the turn: that waits for the next step", () => {
    world = readyWorld([1]);
    const event = world.eventOf({ kind: "liquidation", accountId: account, positionsClosed: 1, positionsRemaining: 0 });
    expect(kinds(world.step({ kind: "event", event }))).toContain("tripped");
    world = readyWorld([1]);
    const fill = world.eventOf({ kind: "execution", execution: execution({ mine: 7n }) });
    const outputs = step({ kind: "event", event: fill });
    expect(outputs.slice(-1)).toEqual(["again"]);
    expect(outputs.filter((name) => name.startsWith("turned"))).toEqual([]);
    expect(step({ kind: "again" })).toContain("turned 12:1");
  });

  test("no market turns while the outputs of a step before are carried out", () => {
    const event = world.eventOf(bookOf(1));
    expect(kinds(world.step({ kind: "event", event }, false))).toEqual(["again"]);
    expect(step({ kind: "again" })).toEqual(["turned 12:1", "again"]);
  });

  test("what begins a resync goes first: the market turns once its cancels are sent and heard of", () => {
    world = readyWorld([1]);
    started();
    world.tick();
    world.land();
    const other = accountAs({ positions: [position(2n)] });
    for (let read = 0; read < 2; read += 1) {
      world.advance(1000);
      world.steps.length = 0;
      world.tell({ kind: "accountRead", account: other });
    }
    const [first, ...after] = world.steps.map(({ input, outputs }) => ({ input, outputs: kinds(outputs) }));
    expect(first?.outputs).toEqual(expect.arrayContaining(["resyncWanted", "submit 1"]));
    expect(first?.outputs).not.toContain("turned 12:1");
    expect(after.map(({ input }) => (input.kind === "event" ? input.event.kind : input.kind))).toEqual([
      "sent",
      "again",
    ]);
    expect(after.map(({ outputs }) => outputs.includes("turned 12:1"))).toEqual([false, true]);
  });

  test.each<InputBody>([{ kind: "act", number: 1, act: { kind: "stop" } }, { kind: "abandon" }])(
    "edge: after a stop none turns: %j",
    (body) => {
      step(body);
      expect(step({ kind: "event", event: world.eventOf(closed) })).toEqual([]);
      expect(step({ kind: "tick" })).toEqual([]);
    },
  );
});

test("a tick lets those markets turn that something has changed for since they turned, and no other", () => {
  world = readyWorld([1, 2]);
  const turnedMs = () => [1, 2].map((id) => world.market(id).last?.view.nowMs);
  world.tick();
  world.land();
  world.tick();
  const before = turnedMs();
  world.tick();
  expect(turnedMs()).toEqual(before);
  const [own] = world.machine.view(account, 1).orders;
  if (own?.orderId == null) throw new RangeError("nothing rests");
  const { orderId, side, size } = own;
  const moved = { marketId: 1, orderId, side, size, price: price(own.price - USD) };
  world.tell({ kind: "orderModified", accountId: account, ...moved });
  expect(turnedMs()).toEqual(before);
  world.tick();
  expect(turnedMs()).toEqual([world.nowMs(), before[1]]);
});

test("a sleep is noticed by the first event after it, before that is folded, and once", () => {
  const sleeps = () => world.wanted.filter(({ kind }) => kind === "reconnect").length;
  const read = () => world.tell({ kind: "openOrderCapRead", openOrderCap: 200 });
  world.driver.feed({ kind: "tick" });
  world.advance(loopTiming.tickMs / 2);
  read();
  expect(sleeps()).toBe(0);
  world.aheadMs.wall = 46_000;
  read();
  expect(sleeps()).toBe(1);
  read();
  world.driver.feed({ kind: "tick" });
  expect(sleeps()).toBe(1);
});

describe("a latch that trips in a turn", () => {
  const DAY = 3;
  /** The market at an index of so many USD, with so many contracts held. */
  function see(indexUsd: number, contracts: number): void {
    const view: View = {
      ...healthyView,
      accountId: account,
      marketId: 1,
      oracle: now({ ...healthyOracle, price: usd(indexUsd) }),
      position: now(plainHeld(lots(contracts), usd(200))),
    };
    world.market().observe(view, DAY);
  }

  test("by a loss that reached its limit halts the market in the very turn, and in every later run", () => {
    world = new World(createVirtualClock({ startMs: DAY * DAY_MS }));
    see(200, 0);
    foldBook(world.desk().book, filled({ key: "1", side: "buy", price: usd(200), size: lots(10) }));
    // In steps that no print is unconfirmed for.
    for (let lost = 5; lost < 49; lost += 5) see(200 - lost, 10);
    see(151, 10);
    world.tick();
    expect(world.desk().latches).toEqual([]);
    see(150, 10);
    world.driver.feed({ kind: "turn", accountId: account, marketId: 1, causeMs: null });
    world.advance(1);
    expect(world.desk().latches.map(({ kind, marketId }) => `${kind} ${marketId}`)).toEqual(["loss 1", "drawdown 1"]);
    expect(world.market().last?.readings.find(({ gate }) => gate === "halted")?.closed).not.toBe(null);
    world.start();
    expect(world.desk().latches).toHaveLength(2);
  });

  test("comes before the commands of that turn", () => {
    world = readyWorld([1]);
    world.tick();
    world.land();
    world.desk().rejections = { firstMs: 0, lastMs: riskTiming.rejectedMs, count: 5, error: "signature" };
    world.steps.length = 0;
    world.tell(bookOf(1, 198n));
    const outputs = (world.steps[0]?.outputs ?? []).filter(({ kind }) => kind !== "record" && kind !== "notice");
    expect(kinds(outputs)).toEqual(["tripped", "submit 1", "submit 1", "turned 12:1", "again"]);
  });

  test("puts what its halt cancels before the commands of that turn, too", () => {
    world = readyWorld([1]);
    started();
    world.tick();
    world.land();
    world.desk().rejections = { firstMs: 0, lastMs: riskTiming.rejectedMs, count: 5, error: "signature" };
    world.steps.length = 0;
    world.tell(bookOf(1, 198n));
    const outputs = world.steps[0]?.outputs ?? [];
    const submitted = outputs.flatMap((output) => (output.kind === "submit" ? output.command.kind : []));
    expect(submitted).toEqual(["cancelAll", "cancel", "cancel"]);
    expect(kinds(outputs).indexOf("tripped")).toBeLessThan(kinds(outputs).indexOf("submit null"));
    expect(kinds(outputs).indexOf("turned 12:1")).toBeGreaterThan(kinds(outputs).lastIndexOf("submit 1"));
  });
});

describe("a turn that throws", () => {
  const failMarket1 = (): void => {
    world.market(1).observe = () => {
      throw new Error("of ours");
    };
  };

  test("submits nothing for its market, is reported, halts the market, and the next market turns", () => {
    world = readyWorld();
    failMarket1();
    world.tick();
    const outputs = world.steps.at(-1) === undefined ? [] : world.steps.flatMap((each) => each.outputs);
    expect(outputs).toContainEqual({ kind: "turned", accountId: account, marketId: 1, turn: null });
    expect(outputs).toContainEqual(
      expect.objectContaining({ kind: "tripped", latch: expect.objectContaining({ kind: "fault", marketId: 1 }) }),
    );
    expect(kinds(outputs)).not.toContain("submit 1");
    expect(kinds(outputs)).toContain("submit 2");
    expect(world.lines.join("")).toContain('"event":"turn.fault"');
  });

  test("leaves what was folded before it", () => {
    world = readyWorld();
    failMarket1();
    world.tell(bookOf(1, 198n));
    expect(world.state.markets.get(1)?.book.held?.value.bids[0]?.price).toBe(198n * USD);
  });
});

test("a strategy that takes too long is not called again, until it or its parameters change", () => {
  world = readyWorld([1]);
  world.tick();
  expect(world.market().last?.fault).toBe(null);
  const quote = vi.spyOn(world.market().strategy.running, "quote");
  world.driver.feed({ kind: "slow", accountId: account, marketId: 1, why: "takes 9 ms" });
  world.tick();
  expect(world.market().last?.fault).toMatchObject({ code: "slow", message: "takes 9 ms" });
  expect(quote).not.toHaveBeenCalled();
  world.driver.feed({
    kind: "requote",
    accountId: account,
    quoted: { ...quotedMarket(1), hash: "other" },
    goesOn: false,
  });
  world.tick();
  expect(world.market().last?.fault).toBe(null);
});

describe("a ticket that waited", () => {
  /** Two markets want twenty orders each, and twenty may be under way: the second one's wait, and then a place is free. */
  async function waiting(): Promise<void> {
    const strategy = await loadStrategy("fixed-spread", { halfSpreadBps: 10, size: 0.1, levels: 10 });
    world = readyWorld([1, 2], { strategy });
    world.tick();
    expect(world.machine.sends(account).slots.waiting).toBe(20);
    world.land();
  }
  const start = (): readonly string[] => {
    world.driver.feed({ kind: "slot", accountId: account, lane: "place" });
    return world.wanted.flatMap((wanted) => (wanted.kind === "dropped" ? wanted.reason : named(wanted)));
  };

  test("is sent when its lane lets it start", async () => {
    await waiting();
    expect(start()).toContain("submit 2");
  });

  test("is dropped where the guard denies it on the facts of then", async () => {
    await waiting();
    const at = { accountId: account, marketId: 2, holds: "halted", reason: "a test", numbers: {} } as const;
    world.wanted.length = 0;
    world.driver.feed({ kind: "trip", latch: { kind: "operator", ...at } });
    expect(start().filter((name) => name !== "line")).toEqual(["tripped", "denied"]);
  });
});

describe("an order that closes", () => {
  /** More than one order closes, and what is held in a market that is not quoted. */
  const shown = { positions: [position(9n), position(1n, 200n, { marketId: 9 })] };
  /** What comes of the last answer that it waits for. */
  function closing(before: () => void = () => {}): readonly Output[] {
    world = readyWorld([1]);
    const latch = { kind: "operator", accountId: account, marketId: null, holds: "halted", reason: "a test" } as const;
    world.driver.feed({ kind: "trip", latch: { ...latch, numbers: {} } });
    world.tell({ kind: "adopted", account: accountAs(shown), marketId: null });
    const options = { maxSlippageBps: 10_000, deadlineMs: 1000 };
    world.driver.feed({ kind: "act", number: 1, act: { kind: "flatten", accountId: account, options } });
    world.land();
    const last = () => world.wanted.find((of): of is Read => of.kind === "read" && of.request.kind === "positions");
    while (last() === undefined) {
      world.answerReads(shown);
      world.tick();
    }
    const [positions] = world.wanted.splice(world.wanted.indexOf(last() as Read), 1);
    world.answerReads(shown);
    before();
    return world.step(world.readAnswer(positions as Read, shown));
  }

  test("is the first that the guard passes of those that would do, and in no market that is not quoted", () => {
    const submits = closing().filter(({ kind }) => kind === "submit");
    expect(submits).toMatchObject([{ command: { kind: "place", marketId: 1, reduceOnly: true, maxSlippageBps: 625 } }]);
  });

  test("is judged on the facts of now: where the guard passes none, none is sent", () => {
    expect(kinds(closing(failDisk))).not.toContain("submit 1");
  });

  test("whose check throws is denied, and told like a turn that throws", () => {
    const outputs = closing(() => {
      world.market().pnl.dailyPnl = () => {
        throw new Error("of ours");
      };
    });
    expect(kinds(outputs)).toContain("tripped");
    expect(kinds(outputs)).not.toContain("submit 1");
  });
});

describe("law: what is learned and measured comes after the last market has turned", () => {
  let done: string[];
  beforeEach(() => {
    done = [];
    for (const market of [world.market(1), world.market(2), world.market(1, other)]) {
      vi.spyOn(market, "learn").mockImplementation(() => void done.push(`learn at ${bidUsd()}`));
      vi.spyOn(market, "measure").mockImplementation(() => void done.push("measure"));
    }
    world.carryOut = (wanted) => wanted.kind === "turned" && done.push("turned");
  });
  const bidUsd = (): bigint => (world.state.markets.get(1)?.book.held?.value.bids[0]?.price ?? 0n) / USD;

  test("and before the next event is folded", () => {
    world.tell(bookOf(1, 198n));
    expect(done).toEqual(["turned", "turned"]);
    world.tell(bookOf(1, 197n));
    const [learned, measured] = [Array(2).fill("learn at 198"), Array(2).fill("measure")];
    expect(done).toEqual(["turned", "turned", ...learned, ...measured, "turned", "turned"]);
  });

  test("alone where no other event comes", () => {
    world.tell(bookOf(1, 198n));
    world.advance(0.5);
    expect(done.slice(2)).toEqual(["learn at 198", "learn at 198", "measure", "measure"]);
  });

  test("edge: at once where no market turns", () => {
    world.driver.feed({ kind: "abandon" });
    world.tell(bookOf(1, 198n));
    expect(done).toEqual(["learn at 198", "learn at 198"]);
  });
});

describe("law: what is written down", () => {
  const recordsIn = (outputs: readonly Output[]): readonly string[] =>
    outputs.flatMap((output) => (output.kind === "record" ? output.record.kind : []));

  test("of a halt comes before it acts", () => {
    world = readyWorld([1]);
    const latch = { kind: "operator", accountId: account, marketId: 1, holds: "halted", reason: "a test", numbers: {} };
    const outputs = world.step({ kind: "trip", latch: latch as never });
    expect(kinds(outputs).indexOf("record")).toBeLessThan(kinds(outputs).indexOf("tripped"));
    expect(recordsIn(outputs)[0]).toBe("latch");
  });

  test("of a turn and of a fill comes after the last market has turned", () => {
    world = readyWorld([1]);
    world.tick();
    world.land();
    world.steps.length = 0;
    const event = world.eventOf({ kind: "execution", execution: execution({ mine: 1n }) });
    expect(recordsIn(world.step({ kind: "event", event }))).toEqual([]);
    expect(recordsIn(world.step({ kind: "again" }))).toEqual([]);
    expect(recordsIn(world.step({ kind: "again" }))).toEqual([]);
    expect(recordsIn(world.step({ kind: "wake" }))).toEqual(expect.arrayContaining(["fill", "decision"]));
  });

  test("each second is what has changed since, and nothing while the disk fails", () => {
    world = readyWorld([1]);
    world.tick();
    failDisk();
    expect(recordsIn(world.step({ kind: "results" }))).toEqual([]);
    world.failure = null;
    world.advance(1000);
    world.ledger.commit();
    expect(recordsIn(world.step({ kind: "results" }))).toContain("result");
    expect(recordsIn(world.step({ kind: "results" }))).toEqual([]);
  });
});

test("law: with several markets that want to quote at once, the worst case of all never passes maxGrossNotional", () => {
  const MAX_USD = 450;
  world = readyWorld([1, 2, 3, 4], {}, { limits: accountLimitsSchema.parse({ maxGrossNotional: MAX_USD }) });
  const worst = new Map<string, number>();
  const grossUsd = (): number => {
    const perMarket = new Map<string, number>();
    for (const [name, notional] of worst) {
      const [marketId = ""] = name.split(" ");
      perMarket.set(marketId, Math.max(notional, perMarket.get(marketId) ?? 0));
    }
    return [...perMarket.values()].reduce((sum, each) => sum + each, 0);
  };
  const { carryOut } = world;
  world.carryOut = (wanted) => {
    carryOut(wanted);
    if (wanted.kind !== "submit" || wanted.command.kind !== "place") return;
    const { marketId, side, price: at, size } = wanted.command;
    const name = `${marketId} ${side}`;
    worst.set(name, (worst.get(name) ?? 0) + (Number(at) / Number(USD)) * (Number(size) / 1e6));
    expect(grossUsd()).toBeLessThanOrEqual(MAX_USD);
  };
  for (let tick = 0; tick < 5; tick += 1) world.tick();
  expect(grossUsd()).toBeGreaterThan(MAX_USD / 2);
  expect(new Set([...worst.keys()].map((name) => name.split(" ")[0])).size).toBe(2);
  expect(world.market(3).last?.verdict.denied[0]?.denials).toMatchObject([{ reason: "grossNotional" }]);
});

describe("law: the same inputs end in the same outputs", () => {
  const MARKETS = [1, 2];
  type Act = readonly [what: keyof typeof doers, number: number];
  const marketOf = (number: number): number => 1 + (number % 2);
  const ORACLES = [1, 2].flatMap((marketId) => [199n, 200n].map((at) => oracle({ marketId, price: price(at * USD) })));
  const doers = {
    tick: (bot: World) => bot.tick(),
    pong: (bot: World) => bot.tell(pong(bot)),
    book: (bot: World, number: number) => bot.tell(bookOf(marketOf(number), 199n - BigInt(number % 3), 201n)),
    /** An answer that says the same again is the same object, as the reader of answers has it. */
    oracle: (bot: World, number: number) =>
      bot.tell({ kind: "oracleRead", oracle: ORACLES[number % ORACLES.length] ?? oracle() }),
    /** One of the submits that have no answer yet. */
    answer(bot: World, number: number) {
      const at = bot.wanted.findIndex(({ kind }) => kind === "submit");
      const [of] = at < 0 ? [] : bot.wanted.splice(at, 1);
      if (of?.kind !== "submit") return;
      const { submit, command } = of;
      const events = command.kind === "place" ? [placedEvent(BigInt(submit), command)] : [];
      bot.answer(of, [rejected, lost, lost, lost][number % 20] ?? executedWith(...events));
    },
    /** One of the reads that have not come back, which fails or not. */
    read(bot: World, number: number) {
      const at = bot.wanted.findIndex(({ kind }) => kind === "read");
      const [of] = at < 0 ? [] : bot.wanted.splice(at, 1);
      if (of?.kind !== "read") return;
      const unread = { why: "no answer", isImplausible: number % 2 === 0 };
      bot.driver.feed(number % 10 < 2 ? { kind: "unread", read: of.read, unread } : bot.readAnswer(of));
    },
    /** The exchange answers all that it is asked, for longer than a resync takes. */
    quiet(bot: World) {
      for (let tick = 0; tick < 40; tick += 1) {
        bot.answerReads();
        bot.land();
        bot.tick();
      }
    },
    fill: (bot: World, number: number) =>
      bot.tell({
        kind: "execution",
        execution: { ...execution({ mine: BigInt(number % 6) }), marketId: marketOf(number) },
      }),
    slot: (bot: World, number: number) =>
      bot.driver.feed({ kind: "slot", accountId: account, lane: number % 2 === 0 ? "place" : "modify" }),
    trip(bot: World, number: number) {
      const of = { accountId: account, marketId: marketOf(number), holds: "reducing", reason: "a test" } as const;
      bot.driver.feed({ kind: "trip", latch: { kind: "operator", numbers: {}, ...of } });
    },
    lift: (bot: World, number: number) =>
      bot.driver.lift({ accountId: account, marketId: marketOf(number), latch: null, reason: "a test" }),
    closed: (bot: World) => bot.tell({ kind: "streamClosed", epoch: 1, reason: "gone" }),
  };
  const often = <T>(weight: number, arbitrary: T) => ({ weight, arbitrary: fc.constant(arbitrary) });
  const actsOf = (...more: readonly Act[0][]): fc.Arbitrary<Act[]> =>
    fc.array(
      fc.tuple(
        fc.oneof(
          ...(["tick", "answer", "read"] as const).map((what) => often(16, what)),
          often(8, "book" as const),
          often(4, "oracle" as const),
          ...(["pong", "slot", "trip", "lift", "lift", "fill"] as const).map((what) => often(2, what)),
          { weight: 2, arbitrary: fc.constantFrom("pong" as const, "pong" as const, "closed" as const) },
          ...more.map((what) => often(1, what)),
        ),
        fc.nat(99),
      ),
      { minLength: 10, maxLength: 60 },
    );

  /** What happens to a bot, by its driver; orders are sent, and answered where an act says so. */
  function live(script: readonly Act[]): World {
    const bot = readyWorld(MARKETS);
    bot.driver.feed({ kind: "start", lastOrderedMs: new Map() });
    bot.tick();
    for (const [what, number] of script) doers[what](bot, number);
    return bot;
  }

  /** As a recording holds it: nothing of it is the same object. */
  const copied = ({ readings, ...plain }: Input): Input => {
    const [writer, reader] = [new ValueWriter(), new ValueReader()];
    writer.value(plain, 0);
    reader.read(writer.take());
    const copy = reader.value() as Input;
    return { ...copy, ...(plain.kind === "start" && { lastOrderedMs: plain.lastOrderedMs }), readings };
  };

  /** Another machine takes the inputs of `bot`, is read after every few of them, and must put out what the first did. */
  function expectSame(bot: World, read: (again: World, at: Instant) => void): void {
    const again = new World();
    again.start({}, MARKETS);
    for (const [nth, { input, outputs }] of bot.steps.entries()) {
      expect(exactText(again.machine.step(copied(input)))).toBe(exactText(outputs));
      if (nth % 4 === 0) read(again, (bot.steps[nth + 1] ?? { input }).input.instant);
    }
  }

  test("in another machine", () => {
    const put: Partial<Record<string, number>> = {};
    fc.assert(
      fc.property(actsOf("quiet"), (script) => {
        const bot = live(script);
        for (const output of bot.steps.flatMap(({ outputs }) => outputs)) {
          const what = output.kind === "folded" ? output.event.kind : output.kind;
          put[what] = (put[what] ?? 0) + 1;
        }
        expectSame(bot, () => {});
      }),
      { numRuns: 40 },
    );
    expect(put.submit).toBeGreaterThan(200);
    expect(put.read).toBeGreaterThan(200);
    for (const event of ["adopted", "resolved", "implausibleRead"]) expect(put[event], event).toBeGreaterThan(0);
  });

  test("whatever is read in between: views, the page, metrics and previews", async () => {
    const running = botConfig([quotedAccount(account, MARKETS), quotedAccount(other, [1])]);
    const strategy = await loadStrategy("fixed-spread", { halfSpreadBps: 50, size: 2 });
    const wider = [1, 2].map((id) => ({ ...quotedMarket(id), strategy, hash: "wider" }));
    const wanted = botConfig([{ ...quotedAccount(account, MARKETS), markets: wider }]);
    const shown = { shadows: noShadows, trialOf: () => null };
    const readAll = ({ machine, desks, state, ledger, clock }: World, at: Instant): void => {
      for (const desk of desks.values()) {
        for (const marketId of desk.markets.keys()) machine.view(desk.accountId, marketId, at);
        showAccount(desk, shown);
      }
      notReady(desks.values(), []);
      keptOrders({ desks, state });
      showDetail({ desks, machine });
      const metrics = createMetrics();
      const series = new DeskSeries(metrics, desks.values());
      const gauges = { desks, ledger, machine, metrics, series, shadows: noShadows, state };
      refreshGauges(gauges, { ...clock, monotonicMs: () => at.monotonicMs, wallMs: () => at.wallMs });
      previewOf(running, wanted, { desks, supervise: undefined });
    };
    fc.assert(
      fc.property(actsOf(), (script) => expectSame(live(script), readAll)),
      { numRuns: 20 },
    );
  });
});

test.each([{ halt: "a test" }, { ledgerLost: "the ledger is gone" }])("a machine begins held: %o", (causes) => {
  const begun = readyWorld([1]);
  begun.start(causes);
  expect(begun.machine.begun.filter(({ kind }) => kind === "tripped")).toHaveLength(begun.machine.desks.size);
});
