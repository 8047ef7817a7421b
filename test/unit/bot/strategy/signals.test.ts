// Estimates against series whose true figures are known, and the events that they are folded from.

import { describe, expect, test } from "vitest";
import { foldSignals, readSignals, type SignalState, startSignals } from "../../../../src/bot/strategy/signals.ts";
import {
  forgetAwaited,
  noToxicity,
  observeFill,
  observeMidAfter,
  type Toxicity,
  toxicityOf,
} from "../../../../src/bot/strategy/toxicity.ts";
import {
  dayVolatilityBps,
  noVolatility,
  observeMid,
  slowVolatilityBps,
  volatilityBps,
} from "../../../../src/bot/strategy/volatility.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import type { OwnOrders } from "../../../../src/domain/others-book.ts";
import { orderId, type Side } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { lots, market, oracle, order, usd } from "../risk/healthy.ts";
import { noSignals } from "../scene.ts";

describe("volatility", () => {
  const walk = (bpsPerRootSec: number, stepMs: number, steps: number) => {
    const prng = createPrng(3n);
    let state = noVolatility;
    let mid = 200;
    for (let step = 0; step <= steps; step += 1) {
      state = observeMid(state, mid, step * stepMs);
      mid *= 1 + (bpsPerRootSec / 10_000) * Math.sqrt(stepMs / 1000) * prng.gaussian();
    }
    return volatilityBps(state);
  };

  test.each([
    [2, 1000],
    [2, 5000],
    [2, 100],
    [0.05, 2000],
  ])("finds %d bps per root second in a walk seen each %d ms", (bps, stepMs) => {
    expect((walk(bps, stepMs, 100_000) ?? 0) / bps).toBeCloseTo(1, 1);
  });

  test("a bounce between samples is not seen, twenty samples are needed, a quiet mid is quiet", () => {
    let state = noVolatility;
    for (let ms = 0; ms < 20_000; ms += 500) state = observeMid(state, ms % 1000 === 0 ? 200 : 201, ms);
    expect(volatilityBps(state)).toBe(null);
    expect(volatilityBps(observeMid(state, 200, 20_000))).toBe(0);
  });

  test("forgets: an hour halves the weight of what was, and a day that of the day", () => {
    let state = noVolatility;
    for (let sec = 0; sec <= 3600; sec += 10) state = observeMid(state, sec % 20 === 0 ? 200 : 200.2, sec * 1000);
    const wild = volatilityBps(state) ?? 0;
    for (let sec = 3610; sec <= 7200; sec += 10) state = observeMid(state, 200, sec * 1000);
    expect((volatilityBps(state) ?? 0) / wild).toBeCloseTo(Math.sqrt(1 / 3), 1);
    expect((dayVolatilityBps(state) ?? 0) / wild).toBeCloseTo(Math.sqrt(1 / 2), 1);
  });

  test("what is usual is known after an hour, and hardly moves in one wild one", () => {
    let state = noVolatility;
    const swing = (fromSec: number, toSec: number, usd: number) => {
      for (let sec = fromSec; sec < toSec; sec += 10)
        state = observeMid(state, sec % 20 === 0 ? 200 : 200 + usd, sec * 1000);
    };
    swing(0, 3600, 0.02);
    expect(slowVolatilityBps(state)).toBe(null);
    swing(3600, 200_000, 0.02);
    const usual = slowVolatilityBps(state) ?? 0;
    expect(usual / (volatilityBps(state) ?? 0)).toBeCloseTo(1, 3);
    swing(200_000, 203_600, 0.2);
    expect((volatilityBps(state) ?? 0) / usual).toBeGreaterThan(6);
    expect((slowVolatilityBps(state) ?? 0) / usual).toBeLessThan(2);
  });

  test("a leap there and back is no volatility, moves that go on are", () => {
    const seen = (midAt: (sec: number) => number) => {
      let state = noVolatility;
      for (let sec = 0; sec <= 60; sec += 1) state = observeMid(state, midAt(sec), sec * 1000);
      return volatilityBps(state) ?? 0;
    };
    const quiet = (sec: number) => (sec % 2 === 0 ? 200 : 200.2);
    expect(seen((sec) => (sec > 40 && sec <= 50 ? 250 : quiet(sec)))).toBeLessThan(2.1 * seen(quiet));
    expect(seen((sec) => (sec > 40 && sec % 2 === 0 ? 210 : quiet(sec)))).toBeGreaterThan(100);
  });

  test("what is no price is not taken", () => {
    expect(observeMid(noVolatility, Number.NaN, 0)).toBe(noVolatility);
    expect(observeMid(noVolatility, 0, 0)).toBe(noVolatility);
  });
});

describe("toxicity", () => {
  /** Fills a minute and a half apart, each with the mid 60 s later. */
  const seen = (fills: number, moveBps: (fill: number) => number, from: Toxicity = noToxicity) => {
    let state = from;
    for (let fill = 0; fill < fills; fill += 1) {
      const startMs = fill * 90_000;
      const side = fill % 2 === 0 ? "buy" : "sell";
      const sign = side === "buy" ? 1 : -1;
      state = observeFill(state, side, 200 * (1 - (sign * 4) / 10_000), 200, startMs);
      state = observeMidAfter(state, 200 * (1 - (sign * moveBps(fill)) / 10_000), startMs + 60_000);
    }
    return toxicityOf(state);
  };

  test("nothing seen is none", () => {
    expect(toxicityOf(noToxicity)).toEqual({ adverseBps: 0, markoutBps: 0 });
  });

  test("many fills that the mid moves 3 bps against, bought or sold 4 bps inside: 3 adverse, 1 kept", () => {
    const { adverseBps, markoutBps } = seen(1000, () => 3);
    expect(adverseBps).toBeCloseTo(3, 2);
    expect(markoutBps).toBeCloseTo(1, 2);
  });

  test("the prior of fifty fills without a move is half gone after seventy, and little is left of it after three hundred", () => {
    const shares = [10, 70, 300].map((fills) => seen(fills, () => 3).adverseBps / 3);
    expect(shares[0]).toBeCloseTo(9.6 / (9.6 + 45.3), 2);
    expect(shares[1]).toBeCloseTo(50.7 / (50.7 + 25), 2);
    expect(shares[2]).toBeGreaterThan(0.97);
  });

  test("law: one fill beside a wrong book does not speak for all", () => {
    expect(seen(1, () => 5000).adverseBps).toBeLessThan(0.5);
    const usual = seen(200, () => 2).adverseBps;
    expect(seen(200, (fill) => (fill === 199 ? 5000 : 2)).adverseBps).toBeLessThan(usual + 0.2);
    expect(seen(2000, (fill) => (fill < 1999 ? 0 : 5000)).adverseBps).toBeLessThan(0.1);
    expect(seen(5000, (fill) => (fill < 2000 ? 0 : 3)).adverseBps).toBeCloseTo(3, 1);
  });

  test("a mid that comes too late, and a print in between, teach nothing", () => {
    const filled = observeFill(noToxicity, "buy", 200, 200, 0);
    expect(toxicityOf(observeMidAfter(filled, 190, 66_000))).toEqual({ adverseBps: 0, markoutBps: 0 });
    expect(observeMidAfter(filled, 190, 59_999)).toBe(filled);
    expect(forgetAwaited(filled).awaited).toEqual([]);
  });
});

describe("events", () => {
  const level = (at: number) => ({ price: usd(at), size: lots(1), orderCount: 1 });
  const book = (bid: number, ask: number, receivedMs: number): VenueEvent => ({
    kind: "book",
    receivedMs,
    book: { marketId: 1, bids: [level(bid)], asks: [level(ask)] },
  });
  const trade = (id: number, takerSide: Side, at: number, receivedMs: number, marketId = 1): VenueEvent => ({
    kind: "trade",
    receivedMs,
    trade: {
      marketId,
      price: usd(at),
      size: lots(1),
      takerSide,
      takerOrderId: orderId(BigInt(id)),
      makerOrderId: orderId(1n),
      txHash: "",
      timestampMs: null,
    },
  });
  const own = { orders: [], vacated: [], orderSize: lots(1), chainTimeMs: null };
  const fold = (events: readonly VenueEvent[], from: SignalState = startSignals(1)) =>
    events.reduce((state, event) => foldSignals(state, event, own), from);

  test("nothing seen, nothing estimated", () => {
    expect(readSignals(startSignals(1))).toEqual({
      ...noSignals,
      nowcastErrorBps: expect.closeTo((5 * 2.4) / 1.96, 9),
    });
  });

  test("books, trades and prints of the market, from frames and from reads, become all four signals", () => {
    // The touch is at 0.1 or 0.2 from the mid; a quarter of those that reach the one reach the other.
    const seen = Array.from({ length: 160 }, (_, sec) => {
      const [mid, half] = [200 + 0.01 * (sec % 3), sec % 2 === 0 ? 0.1 : 0.2];
      const taken = sec % 2 === 0 || sec % 8 === 1 ? [trade(sec, "buy", mid + half, sec * 1000 + 1)] : [];
      return [book(mid - half, mid + half, sec * 1000), ...taken];
    }).flat();
    const prints: readonly VenueEvent[] = [
      { kind: "oracleRead", receivedMs: 1, askedMs: 0, oracle: { ...oracle, price: usd(200), validUntilSec: 1 } },
      ...[200.1, 200.2, 200.3].map(
        (at, day): VenueEvent => ({
          kind: "oracleUpdate",
          receivedMs: 2,
          marketId: 1,
          price: usd(at),
          previousPrice: usd(at),
          validUntilSec: day + 2,
        }),
      ),
    ];
    const signals = readSignals(fold([...seen, ...prints]));
    expect(signals.volatilityBps).toBeGreaterThan(0);
    // Of both sides: a buyer a second at 0.1, where exp(-k 0.1) reach.
    expect(signals.intensityK).toBeCloseTo(Math.log(4) / 0.1, 0);
    expect(signals.intensityA).toBeCloseTo(0.5 * 4, 0);
    expect(signals.nowcastUsd).toBeGreaterThan(200.3);
  });

  test("the last mid is held while the book is thin, at the weight that it had beside the print, and until the next print", () => {
    const printed = (at: number, validUntilSec: number): VenueEvent => ({
      kind: "oracleRead",
      receivedMs: 0,
      askedMs: 0,
      oracle: { ...oracle, price: usd(at), validUntilSec },
    });
    const thin = { ...book(0, 0, 11_000), book: { marketId: 1, bids: [], asks: [level(202)] } } as VenueEvent;
    // One size on each side weighs a quarter.
    const state = fold([printed(200, 1), book(201, 203, 500), book(201, 203, 10_500), thin]);
    expect(readSignals(fold([printed(200, 1), book(201, 203, 501), book(201, 203, 10_500), thin])).heldMidUsd).toBe(
      null,
    );
    expect(state.midUsd).toBe(null);
    expect(readSignals(state).heldMidUsd).toBeCloseTo(200.5, 9);
    expect(readSignals(fold([printed(200, 1)], state)).heldMidUsd).toBeCloseTo(200.5, 9);
    expect(readSignals(fold([printed(200.1, 2)], state)).heldMidUsd).toBe(null);
  });

  test("the next print is due as a read and a frame say, and as the configuration does", () => {
    const publishedMs = Date.parse("2026-06-01T13:05:00Z");
    const next = publishedMs / 1000 + 90_000;
    const read = (validUntilSec: number): VenueEvent => ({
      kind: "oracleRead",
      receivedMs: 0,
      askedMs: 0,
      oracle: { ...oracle, lastUpdateTimestampMs: publishedMs, validUntilSec },
    });
    const at = { marketId: 1, price: oracle.price, previousPrice: oracle.price };
    const frame: VenueEvent = { kind: "oracleUpdate", receivedMs: 1, ...at, validUntilSec: next + 9 };
    const due = (events: readonly VenueEvent[]) => readSignals(fold(events)).nextPrint?.atMs;
    expect([due([read(next)]), due([read(next), read(next + 9), frame])]).toEqual([next * 1000, (next + 9) * 1000]);
    const printTimes = { timeZone: "America/New_York", at: "09:05", skip: ["2026-06-02"] };
    const given = foldSignals(foldSignals(startSignals(1), read(next), { ...own, printTimes }), frame, {
      ...own,
      printTimes,
    });
    expect(readSignals(given).nextPrint?.atMs).toBe(Date.parse("2026-06-03T13:05:00Z"));
  });

  test("other markets leave it as it is", () => {
    const start = fold([book(199.9, 200.1, 0)]);
    const others: readonly VenueEvent[] = [
      trade(1, "buy", 201, 5, 2),
      { kind: "book", receivedMs: 9, book: { marketId: 2, bids: [level(1)], asks: [level(2)] } },
      { kind: "oracleRead", receivedMs: 1, askedMs: 0, oracle: { ...oracle, marketId: 2 } },
      { kind: "oracleUpdate", receivedMs: 2, marketId: 2, price: usd(1), previousPrice: usd(1), validUntilSec: 2 },
      { kind: "streamOpened", receivedMs: 3, epoch: 1 },
    ];
    expect(fold(others, start)).toBe(start);
  });

  describe("past prints", () => {
    const DAY = 86_400;
    const noon = 20_000 * DAY + 43_200;
    const read: VenueEvent = {
      kind: "oracleRead",
      receivedMs: 0,
      askedMs: 0,
      oracle: { ...oracle, price: usd(200), lastUpdateTimestampMs: noon * 1000, validUntilSec: noon + 1.25 * DAY },
    };
    /** Rises by 10 bps a day to 200 of today; the points carry the midnight of their day. */
    const rising = (days: number, at: (day: number) => number = (day) => 200 * 1.001 ** day) => ({
      kind: "oracleHistoryRead" as const,
      receivedMs: 1,
      askedMs: 0,
      history: {
        marketId: 1,
        prices: Array.from({ length: days + 1 }, (_, index) => ({
          timeSec: 20_000 * DAY + (index - days) * DAY,
          price: usd(Number(at(index - days).toFixed(6))),
        })),
      },
    });

    test("teach the nowcast and the schedule at the start, today's own point none of them", () => {
      const signals = readSignals(fold([read, rising(100)]));
      expect(signals.nowcastUsd).toBeCloseTo(200.2, 1);
      expect(signals.nextPrint).toEqual({
        atMs: (noon + DAY) * 1000,
        earliestMs: (noon + DAY) * 1000,
        lastMs: noon * 1000,
        everyMs: DAY * 1000,
      });
      expect(fold([read, rising(100)]).nowcast.prints).toBe(101);
    });

    test("with a day missing teach no return of that step", () => {
      const { history, ...event } = rising(100);
      const gapped = { ...event, history: { ...history, prices: history.prices.filter((_, day) => day !== 60) } };
      const whole = fold([read, rising(100)]).nowcast.returns;
      const { returns, prints } = fold([read, gapped]).nowcast;
      expect({ prints, seen: returns.seen }).toEqual({ prints: 100, seen: whole.seen - 2 });
      expect(returns.deviation).toBeLessThan(1.1 * whole.deviation);
    });

    test("never teach the guard: its print deviation is of prints that the bot saw", () => {
      const wild = rising(100, (day) => (day % 2 === 0 ? 200 : 199));
      const { printDeviationBps, nowcastErrorBps: errorBps } = readSignals(fold([read, wild]));
      expect(printDeviationBps).toBe(20);
      expect(errorBps).toBeGreaterThan(readSignals(fold([read])).nowcastErrorBps);
    });

    test.each([
      ["before the print of now is known", [rising(100)]],
      [
        "once a second print of this run is known",
        [read, { ...read, oracle: { ...read.oracle, validUntilSec: noon + 2 * DAY } }, rising(100)],
      ],
      ["of another market", [read, { ...rising(100), history: { ...rising(100).history, marketId: 2 } }]],
      ["that the print of now does not follow", [read, rising(100, (day) => 300 * 1.001 ** day)]],
      ["too short for a rhythm", [read, rising(1)]],
      [
        "of a slower rhythm than the market's",
        [{ ...read, oracle: { ...read.oracle, validUntilSec: noon + 90 } }, rising(100)],
      ],
    ] as const)("teach nothing %s", (_name, events) => {
      const untaught = fold(events.filter(({ kind }) => kind !== "oracleHistoryRead"));
      expect(fold(events)).toEqual(untaught);
    });
  });

  test("the market's word on prints moves the nowcast once it was right of ten, and funding tells its own pull", () => {
    const DAY = 86_400;
    const startSec = 1_790_000_000;
    const funding = {
      marketId: 1,
      fundingRate: 0n,
      cumulativeFunding: 0n,
      lastFundingTimestampSec: startSec,
      fundingIntervalSecs: 3600,
      maxFundingRateBps: 400,
    };
    const hands = (at: number) => [1, 2, 3].map((size) => ({ price: usd(at), size: lots(size), orderCount: 1 }));
    const printOf = (day: number) => 200 + (day % 2 === 0 ? 0.1 : 0);
    let state = startSignals(1);
    const hear = (event: VenueEvent, sec: number) => {
      state = foldSignals(state, event, { ...own, chainTimeMs: (startSec + sec) * 1000 });
    };
    hear({ kind: "fundingRead", receivedMs: 0, askedMs: 0, funding }, 0);
    for (let day = 0; day < 16; day += 1) {
      const [publishedSec, at] = [startSec + day * DAY, { receivedMs: day * DAY * 1000, askedMs: day * DAY * 1000 }];
      const validUntilSec = publishedSec + DAY;
      const printed = {
        ...oracle,
        price: usd(printOf(day)),
        lastUpdateTimestampMs: publishedSec * 1000,
        validUntilSec,
      };
      hear({ kind: "oracleRead", oracle: printed, ...at }, day * DAY);
      const mid = printOf(day + 1);
      for (let sec = day * DAY + 20 * 3600; sec < (day + 1) * DAY; sec += 20) {
        const receivedMs = sec * 1000;
        const seen = { ...market, oraclePrice: usd(printOf(day)), markPrice: usd(mid) };
        hear({ kind: "marketRead", market: seen, receivedMs, askedMs: receivedMs }, sec);
        const sides = { bids: hands(mid - 0.01), asks: hands(mid + 0.01) };
        hear({ kind: "book", receivedMs, book: { marketId: 1, ...sides } }, sec);
        if (sec % 3600 === 3580)
          hear(
            {
              kind: "fundingUpdate",
              receivedMs,
              marketId: 1,
              fundingRate: BigInt(Math.round(((mid / printOf(day) - 1) * 1e9) / 24)),
              lastFundingTimestampSec: startSec + sec + 20,
            },
            sec,
          );
      }
      const { nowcastUsd, marketNowcastUsd, kappaPerHour } = readSignals(state);
      if (day <= 10) expect(marketNowcastUsd).toBe(nowcastUsd);
      if (day === 15) {
        expect(Math.abs((marketNowcastUsd ?? 0) - mid)).toBeLessThan(Math.abs((nowcastUsd ?? 0) - mid));
        expect(kappaPerHour).toBeLessThan(0.1);
      }
    }
  });

  test("our own orders are not the market: a mid of ours alone is none", () => {
    const ours = [order(1, "buy", 199.9, 1), order(2, "sell", 200.1, 1)];
    expect(foldSignals(startSignals(1), book(199.9, 200.1, 0), { ...own, orders: ours }).midUsd).toBe(null);
  });

  test("how far takers reach is measured from the mid to the side that was taken, at our own offers too", () => {
    const reached = (orders: OwnOrders["orders"]) =>
      [book(199.9, 200.1, 0), trade(7, "buy", 200.1, 5), trade(8, "sell", 199.8, 6), book(199.9, 200.1, 7)].reduce(
        (state, event) => foldSignals(state, event, { ...own, orders }),
        startSignals(1),
      ).intensity;
    expect(reached([])).toMatchObject({ seen: 2, sums: { takers: 2, ours: 0 } });
    expect(reached([order(1, "buy", 190, 1)])).toMatchObject({ seen: 2, sums: { takers: 2, ours: 2 } });
    expect(reached([]).sums.reached).toBeCloseTo((0.1 + 0.2) / 200, 9);
  });

  test("a taker of ours is none of the market's", () => {
    const before = fold([book(199.9, 200.1, 0)]);
    const taking = { ...own, orders: [order(5, "buy", 200.1, 1)] };
    expect(foldSignals(before, trade(5, "buy", 200.1, 9), taking)).toBe(before);
  });

  test("around a print the estimates rest, and the print's own move is never counted", () => {
    const everySec = 86_400;
    const publishedMs = 1_790_000_000_000;
    const read: VenueEvent = {
      kind: "oracleRead",
      receivedMs: 0,
      askedMs: 0,
      oracle: { ...oracle, lastUpdateTimestampMs: publishedMs, validUntilSec: publishedMs / 1000 + everySec },
    };
    const at = (state: SignalState, event: VenueEvent, sinceSec: number) =>
      foldSignals(state, event, { ...own, chainTimeMs: publishedMs + sinceSec * 1000 });
    let state = at(startSignals(1), read, 0);
    for (let sec = 600; sec < 700; sec += 1) {
      state = at(state, book(199.9 + 0.01 * (sec % 2), 200.1, sec * 1000), sec);
      state = at(state, trade(sec, "buy", 200.1, sec * 1000), sec);
    }
    const estimates = ({ volatility, intensity, toxicity }: SignalState) => [
      volatility.hour,
      volatility.day,
      intensity.sums,
      toxicity.adverse,
    ];
    const before = state;
    for (const sec of [everySec - 1799, everySec - 10, everySec, everySec + 299]) {
      state = at(state, book(219.9, 220.1, sec * 1000), sec);
      state = at(state, trade(sec, "buy", 221, sec * 1000), sec);
      expect(estimates(state)).toEqual(estimates(before));
      expect(state.midUsd).toBe(220);
    }
    state = at(state, book(219.9, 220.1, (everySec + 400) * 1000), everySec + 400);
    expect(state.volatility.hour.squares).toBeLessThan(before.volatility.hour.squares);
    expect(state.intensity.sums).toEqual(before.intensity.sums);
  });
});
