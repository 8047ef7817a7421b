// When a market turns: something that its last turn stood on is another, or an instant has come that the turn named. A market that is idle
// would have found what its last turn found.

import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { GateId } from "../../../../../src/bot/risk/gates/gate.ts";
import { marketLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import type { RunningStrategy } from "../../../../../src/bot/strategy/loader.ts";
import { ageTiming, deskTiming, loopTiming, marketTiming } from "../../../../../src/bot/timing.ts";
import type { Level } from "../../../../../src/domain/book.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import type { Latch } from "../../../../../src/domain/latch.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import { DAY_MS } from "../../../../../src/kernel/clock.ts";
import {
  account as accountAs,
  book,
  CHAIN_OFFSET_MS,
  CONTRACT,
  execution,
  feeTier,
  funding,
  type Loose,
  listed,
  makeReady,
  market,
  oracle,
  pong,
  publicTrade,
  rejected,
  USD,
} from "../../scene.ts";
import { account, MARKET_LIMITS, quotedMarket, readyWorld, type World } from "../../service/desks.ts";

let world: World;
beforeEach(() => {
  world = settledWorld();
});

/** Everything that is wanted rests, and nothing is left to do. */
function settledWorld(): World {
  const ready = readyWorld([1]);
  for (let count = 0; count < 3; count += 1) {
    ready.tick();
    ready.land();
  }
  ready.tick();
  return ready;
}

const closed = (): readonly GateId[] =>
  world.market().last?.readings.flatMap(({ gate, closed }) => (closed === null ? [] : gate)) ?? [];

/** How many turns the market took meanwhile. */
function turnsIn(run: () => void): number {
  world.steps.length = 0;
  run();
  return world.steps.flatMap(({ outputs }) => outputs).filter((of) => of.kind === "turned" && of.accountId === account)
    .length;
}

const turnsWithin = (ms: number): number =>
  turnsIn(() => {
    for (let count = 0; count < ms / loopTiming.tickMs; count += 1) world.tick();
  });

/** Turns at once, and by the next tick. */
const turnsOf = (event: Loose): readonly [number, number] => [
  turnsIn(() => world.tell(event)),
  turnsIn(() => world.tick()),
];

/** Our orders as the book shows them, and others behind. */
function bookWith(...others: readonly { readonly side: "bids" | "asks"; readonly usd: number }[]) {
  const own = world.machine.view(account, 1).orders;
  const level = (at: bigint, contracts: bigint): Level => ({ price: price(at), size: size(contracts), orderCount: 1 });
  const side = (of: "bids" | "asks"): readonly Level[] =>
    [
      ...own
        .filter((order) => (order.side === "buy") === (of === "bids"))
        .map((order) => level(order.price, order.size)),
      ...others
        .filter((other) => other.side === of)
        .map(({ usd }) => level(BigInt(Math.round(usd * 100)) * (USD / 100n), 5n * CONTRACT)),
    ].sort((a, b) => (of === "bids" ? Number(b.price - a.price) : Number(a.price - b.price)));
  return { kind: "book", book: { marketId: 1, bids: side("bids"), asks: side("asks") } } as const;
}

const ownOrder = () => world.machine.view(account, 1).orders[0];

/** What the exchange says of the account: what we know of it. */
const restingAccount = () =>
  accountAs({
    openOrders: world.machine.view(account, 1).orders.map((order) =>
      listed(order.orderId ?? 0n, {
        side: order.side,
        price: order.price,
        size: order.size,
        remainingSize: order.remainingSize,
      }),
    ),
  });

const outside = [
  { side: "bids", usd: 190 },
  { side: "asks", usd: 210 },
] as const;

describe("law: a market turns for what its last turn stood on, and for nothing else", () => {
  const nothing = [0, 0] as const;

  test("not for a book that differs by our own orders alone, nor for levels behind the best", () => {
    world.tell(bookWith(...outside));
    world.tick();
    world.land();
    world.tick();
    expect(turnsOf(bookWith(...outside))).toEqual(nothing);
    expect(turnsOf(bookWith(...outside, { side: "bids", usd: 180 }))).toEqual(nothing);
    expect(turnsOf(bookWith(...outside, { side: "bids", usd: 191 }))[0]).toBe(1);
  });

  test("a strategy that does not say what it reads is asked for every book", () => {
    world.market().strategy.running = { quote: () => noQuotes("a test"), memory: null };
    world.tick();
    expect(turnsOf({ kind: "book", book: book() })[0]).toBe(1);
    expect(turnsOf({ kind: "book", book: book() })[0]).toBe(1);
  });

  test("not for a mark price, nor for what is said again", () => {
    expect(turnsOf({ kind: "oracleRead", oracle: oracle() })).toEqual(nothing);
    expect(turnsOf({ kind: "marketRead", market: market({ markPrice: price(201n * USD) }) })).toEqual(nothing);
    expect(turnsOf({ kind: "accountRead", account: restingAccount() })).toEqual(nothing);
    expect(turnsOf({ kind: "fundingRead", funding: funding({ fundingRate: 5n }) })).toEqual(nothing);
    expect(turnsOf(pong(world))).toEqual(nothing);
    expect(turnsOf({ kind: "trade", trade: publicTrade(execution()) })).toEqual(nothing);
  });

  test.each<readonly [string, () => Loose]>([
    ["a print", () => ({ kind: "oracleRead", oracle: oracle({ validUntilSec: oracle().validUntilSec + 1 }) })],
    ["another tick", () => ({ kind: "marketRead", market: market({ tickSize: price(2_000_000n) }) })],
    ["another status", () => ({ kind: "marketRead", market: market({ status: "Paused" }) })],
    ["a fill", () => ({ kind: "execution", execution: execution({ mine: ownOrder()?.orderId ?? 0n }) })],
  ])("at once for %s", (_, event) => {
    expect(turnsOf(event())[0]).toBe(1);
  });

  test.each<readonly [string, () => Loose]>([
    ["another fee", () => ({ kind: "feeTiersRead", feeTiers: [{ ...feeTier, makerFeeBps: 3 }] })],
    ["another cap of orders", () => ({ kind: "openOrderCapRead", openOrderCap: 199 })],
    [
      "a budget that is short",
      () => ({
        kind: "rateLimitRead",
        accountId: account,
        rateLimit: { requestsUsed: 9_999n, requestsCap: 10_000n, requestsRemaining: 1n },
      }),
    ],
  ])("by the next tick for %s", (_, event) => {
    expect(turnsOf(event())).toEqual([0, 1]);
  });

  test.each<readonly [string, () => void, GateId | null]>([
    ["the wall clock is set back", () => ahead(0, -5000), "clock"],
    ["the key gets no nonce", () => refuseNonces(), "nonce"],
    ["the disk fails", () => failDisk(), "journal"],
    ["the process stands still", () => ahead(2500), "eventLoop"],
    ["a latch trips", () => trip(), "reducing"],
    [
      "another key runs",
      () => world.driver.feed({ kind: "rekey", accountId: account, publicKey: "bb".repeat(32) }),
      "agentKey",
    ],
    ["the limits are others", () => requote(), null],
    [
      "the strategy is too slow",
      () => world.driver.feed({ kind: "slow", accountId: account, marketId: 1, why: "slow" }),
      null,
    ],
  ])("by the next tick for what no event tells of: %s", (_, happens, gate) => {
    happens();
    expect(turnsIn(() => world.tick())).toBe(1);
    if (gate !== null) expect(closed()).toContain(gate);
  });

  test("a gate that opens is met likewise", () => {
    world.nonceRefusal = { code: "notReserved" };
    world.tick();
    expect(closed()).toEqual(["nonce"]);
    expect(turnsWithin(900)).toBe(0);
    world.nonceRefusal = null;
    expect(turnsIn(() => world.tick())).toBe(1);
    expect(closed()).toEqual([]);
  });
});

describe("law: what time alone changes is met at its instant", () => {
  /** When the gate closes, monotonic ms. */
  function closesMs(gate: GateId, untilMs = 60_000): number {
    for (let ms = 0; ms < untilMs; ms += 1) {
      world.advance(1);
      if (ms % loopTiming.tickMs === 0) world.driver.feed({ kind: "tick" });
      if (closed().includes(gate)) return world.market().last?.view.nowMs ?? Number.NaN;
    }
    throw new Error(`${gate} never closed`);
  }
  const expectWithinMs = (atMs: number, dueMs: number): void => {
    expect(atMs).toBeGreaterThanOrEqual(dueMs);
    expect(atMs).toBeLessThanOrEqual(dueMs + 1);
  };

  test("a stream that fell silent", () => {
    expectWithinMs(closesMs("stream"), world.state.stream.lastFrameMs + ageTiming.streamMs);
  });

  test("a market, and an oracle, that no read answers for", () => {
    const { market: held, oracle: told } = world.state.markets.get(1) ?? {};
    const [marketMs, oracleMs] = [held?.askedMs ?? 0, told?.readMs ?? 0];
    world.tell(pong(world));
    expectWithinMs(closesMs("marketStatus"), marketMs + ageTiming.marketMs);
    expectWithinMs(closesMs("oracleStatus"), oracleMs + ageTiming.oracleMs);
  });

  test("a book that a read contradicts", () => {
    world.tell({ kind: "bookRead", book: book(150n) });
    const dueMs = world.nowMs() + marketTiming.bookLagMs;
    expectWithinMs(closesMs("book"), dueMs);
  });

  test("a print that is about to expire, and a key", () => {
    const validUntilSec = Math.floor((CHAIN_OFFSET_MS + world.nowMs()) / 1000) + 8;
    world.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec }) });
    const { oracleGuardMs, agentExpiryMarginMs } = world.market().quoted.limits;
    const dueMs = validUntilSec * 1000 - CHAIN_OFFSET_MS - oracleGuardMs - world.state.chain.blockMs;
    expectWithinMs(closesMs("oracleExpiry"), dueMs);
    world = settledWorld();
    const expiresAtSec = Math.ceil((CHAIN_OFFSET_MS + world.nowMs() + agentExpiryMarginMs) / 1000) + 5;
    const read = restingAccount();
    const agents = read.agents.map((agent) => ({ ...agent, expiresAtSec }));
    world.tell({ kind: "accountRead", account: { ...read, agents } });
    expectWithinMs(closesMs("agentKey"), expiresAtSec * 1000 - CHAIN_OFFSET_MS - agentExpiryMarginMs);
  });

  test("a side whose orders do not come to rest", () => {
    world.tell({
      kind: "oracleRead",
      oracle: oracle({ price: price(202n * USD), lastUpdateTimestampMs: CHAIN_OFFSET_MS + 1000 }),
    });
    world.tell(bookWith({ side: "bids", usd: 198 }, { side: "asks", usd: 206 }));
    const sentMs = world.nowMs();
    for (const submit of world.taken("submit")) world.answer(submit, rejected);
    expectWithinMs(closesMs("cannotAct"), sentMs + deskTiming.lacksMaxMs);
  });

  test("a day that begins", () => {
    const midnightMs = Math.ceil(CHAIN_OFFSET_MS / DAY_MS) * DAY_MS - CHAIN_OFFSET_MS;
    ahead(midnightMs - world.nowMs() - 60_000);
    world.advance(55_000);
    world.tick();
    makeReady(world, [1]);
    world.tick();
    world.land();
    world.tick();
    world.advance(midnightMs - world.nowMs() - 1);
    expect(turnsIn(() => world.advance(2))).toBe(1);
    expect(turnsIn(() => world.advance(100))).toBe(0);
  });
});

describe("a strategy that nothing has changed for", () => {
  const running = (changes: Partial<RunningStrategy>): RunningStrategy => ({
    quote: () => noQuotes("a test"),
    memory: null,
    ...changes,
  });

  test("is asked each second where it does not say what drifts", () => {
    world.market().strategy.running = running({ reads: () => [] });
    world.tick();
    expect(turnsWithin(5 * loopTiming.lookMs)).toBe(5);
  });

  test("is looked at each second where it does, and asked where that is another", () => {
    const { quote } = world.market().strategy.running;
    world.market().strategy.running = running({ quote, reads: () => [], drifts: () => [] });
    world.driver.feed({ kind: "turn", accountId: account, marketId: 1, causeMs: null });
    expect(turnsWithin(3 * loopTiming.lookMs)).toBe(0);
    world.market().strategy.running = running({
      quote,
      reads: () => [],
      drifts: (view) => [Math.floor(view.nowMs / 2500)],
    });
    world.driver.feed({ kind: "turn", accountId: account, marketId: 1, causeMs: null });
    expect(turnsWithin(6 * loopTiming.lookMs)).toBe(3);
  });

  test("its quote uptime goes on", () => {
    const before = world.market().fills.quotedSeconds;
    expect(turnsWithin(5 * loopTiming.lookMs)).toBe(0);
    expect(world.market().fills.quotedSeconds - before).toBeGreaterThanOrEqual(4);
    const seenMs = world.market().last?.view.nowMs ?? 0;
    expect(world.nowMs() - seenMs, "age of the view that others look at").toBeLessThan(1200);
  });

  test("is asked where what it says it reads throws", () => {
    world.market().strategy.running = running({
      reads: () => {
        throw new Error("of a strategy");
      },
      drifts: () => [],
    });
    world.tick();
    expect(turnsOf(bookWith(...outside))[0]).toBe(1);
  });
});

/**
 * The driver of the second world lets every market turn after every input, as the input `turn` does for another configuration: the commands are
 * those of the rule.
 */
describe("property: turns that the rule leaves out would have sent nothing", () => {
  type Happening = (of: World) => void;
  const usdPrice = (usd: number) => price(BigInt(Math.round(usd * 100)) * (USD / 100n));
  const bookOf = (bid: number, ask: number) => {
    const level = (usd: number): Level => ({ price: usdPrice(usd), size: size(5n * CONTRACT), orderCount: 1 });
    return { marketId: 1, bids: [level(bid), level(bid - 1)], asks: [level(ask), level(ask + 1)] };
  };
  const happenings: readonly Happening[] = [
    (of) => of.tell({ kind: "book", book: bookOf(199, 201) }),
    (of) => of.tell({ kind: "book", book: bookOf(198, 200) }),
    (of) => of.tell({ kind: "book", book: bookOf(199, 201.5) }),
    (of) => of.tell({ kind: "bookRead", book: bookOf(190, 220) }),
    (of) => of.tell({ kind: "marketRead", market: market({ markPrice: price(203n * USD) }) }),
    (of) => of.tell({ kind: "marketRead", market: market({ status: "Paused" }) }),
    (of) => of.tell({ kind: "marketRead", market: market() }),
    (of) => of.tell({ kind: "oracleRead", oracle: oracle() }),
    (of) => of.tell({ kind: "oracleRead", oracle: oracle({ price: price(200n * USD + 50_000_000n) }) }),
    (of) => of.tell({ kind: "fundingRead", funding: funding() }),
    (of) => of.tell({ kind: "feeTiersRead", feeTiers: [{ ...feeTier, makerFeeBps: 2 }] }),
    (of) => of.tell({ kind: "openOrderCapRead", openOrderCap: 199 }),
    (of) => of.tell({ kind: "openOrderCapRead", openOrderCap: 200 }),
    (of) => of.tell(pong(of)),
    (of) => of.tell(pong(of, { blockTimeMs: CHAIN_OFFSET_MS + of.nowMs() + 4000 })),
    (of) => of.tell({ kind: "streamClosed", epoch: 1, reason: "gone" }),
    (of) => makeReady(of, [1]),
    (of) => of.land(),
    (of) => {
      for (const submit of of.taken("submit")) of.answer(submit, rejected);
    },
    (of) => of.tell({ kind: "trade", trade: publicTrade(execution({ side: "buy" })) }),
    (of) => {
      const [own] = of.machine.view(account, 1).orders;
      if (own?.orderId != null)
        of.tell({ kind: "execution", execution: execution({ mine: own.orderId, side: own.side }) });
    },
    (of) => {
      of.nonceRefusal = of.nonceRefusal === null ? { code: "notReserved" } : null;
    },
    (of) => {
      of.aheadMs.wall = of.aheadMs.wall === 0 ? 900 : 0;
    },
  ];
  /** Let the inputs that come while the machine is idle be followed by a turn of the market. */
  const forced = (of: World): void => of.driver.feed({ kind: "turn", accountId: account, marketId: 1, causeMs: null });
  const sentBy = (of: World): readonly string[] =>
    of.steps
      .flatMap(({ outputs }) => outputs)
      .flatMap((output) =>
        output.kind === "submit" && output.accountId === account ? [commandText(output.command)] : [],
      );
  const commandText = (command: Command): string =>
    JSON.stringify(command, (_, value) => (typeof value === "bigint" ? `${value}` : value));

  test("after each of random happenings, and the next tick", () => {
    const step = fc.record({ happens: fc.nat(happenings.length - 1), ticks: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
        const [rule, other] = [settledWorld(), settledWorld()];
        for (const { happens, ticks } of steps) {
          happenings[happens]?.(rule);
          happenings[happens]?.(other);
          forced(other);
          for (let tick = 0; tick < ticks; tick += 1) {
            rule.tick();
            other.tick();
            forced(other);
          }
          expect(sentBy(rule)).toEqual(sentBy(other));
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** Nothing ran meanwhile. */
function ahead(ms: number, wallMs = ms): void {
  world.aheadMs.monotonic += ms;
  world.aheadMs.wall += wallMs;
}

function refuseNonces(): void {
  world.nonceRefusal = { code: "notReserved" };
}

function requote(): void {
  const limits = marketLimitsSchema.parse({ ...MARKET_LIMITS, maxOrderSize: 1.5 });
  world.driver.feed({ kind: "requote", accountId: account, quoted: { ...quotedMarket(1), limits }, goesOn: true });
}

function failDisk(): void {
  world.failure = "no disk";
  world.ledger.commit();
  world.ledger.keep({
    kind: "order",
    order: {
      accountId: account,
      orderId: orderId(1n),
      marketId: 1,
      side: "buy",
      price: null,
      size: null,
      isOver: false,
    },
  });
  world.ledger.commit();
}

function trip(): void {
  const latch = {
    kind: "operator",
    accountId: account,
    marketId: null,
    holds: "reducing",
    reason: "a test",
    numbers: {},
  };
  world.driver.feed({ kind: "trip", latch: latch as Latch });
}
