// One account's halts and results: what is kept, what a restart brings back, and what a resume starts over.

import { beforeEach, describe, expect, test } from "vitest";
import {
  type FundingEvent,
  foldBook,
  type PrintEvent,
  type TransferReason,
} from "../../../../../src/bot/accounting/account-book.ts";
import type { FillEvent } from "../../../../../src/bot/accounting/market-book.ts";
import { noPremiumShare } from "../../../../../src/bot/accounting/premium-share.ts";
import { collateralOf } from "../../../../../src/bot/accounting/totals.ts";
import { noFigures } from "../../../../../src/bot/decider/desks/day-bars.ts";
import { daySummary } from "../../../../../src/bot/decider/desks/day-summary.ts";
import { noResult, resultText, resumePremiums } from "../../../../../src/bot/decider/desks/results.ts";
import { noPremiumRecord } from "../../../../../src/bot/strategy/premium.ts";
import type { Latch, LatchKind } from "../../../../../src/domain/latch.ts";
import { size, usdc } from "../../../../../src/domain/units.ts";
import type { View } from "../../../../../src/domain/view.ts";
import { plainHeld } from "../../../../support/plain-bot.ts";
import { filled, positionRead, transferOf } from "../../accounting/books.ts";
import { healthyView, now, usd } from "../../risk/healthy.ts";
import { account, Desks, money } from "../../service/desks.ts";

let world: Desks;
beforeEach(() => {
  world = new Desks();
});

const latch = (kind: LatchKind, marketId: number | null): Latch => ({
  kind,
  accountId: account,
  marketId,
  holds: "halted",
  reason: "a test",
  numbers: {},
});

/** The market at an index of so many USD, with so many contracts held. */
function see(marketId: number, indexUsd: number, contracts = 0, onDay = 3): void {
  const view: View = {
    ...healthyView,
    accountId: account,
    marketId,
    oracle: now({ ...(healthyView.oracle as { value: object }).value, price: usd(indexUsd) } as never),
    position: now(plainHeld(size(BigInt(contracts * 1e6)), usd(200))),
  };
  const market = world.desk().markets.get(marketId);
  if (market !== undefined) world.desk().observe(market, view, { day: onDay, priceIn: () => null });
}

/** Folds an event into the book as `fold` does, and keeps it. */
function tell(event: FillEvent): void {
  foldBook(world.desk().book, event);
  world.desk().keepFill(event, 1);
}

const day = (marketId: number) => world.desk().markets.get(marketId)?.pnl.dailyPnl();
const lossOf = (amount: number) => ({ state: "fresh", value: { pnl: BigInt(-amount * 1e6), best: 0n }, ageMs: 0 });

/** Both markets are read flat; then the first loses 10 USDC a contract of five. */
function loseFifty(): void {
  for (const marketId of [1, 2]) {
    const flat = positionRead({ marketId, inventory: 0n });
    foldBook(world.desk().book, flat);
    world.desk().records.position(flat, 1);
  }
  see(1, 200);
  see(2, 200);
  tell(filled({ key: "1", side: "buy", price: 20_000_000_000n, size: 5_000_000n }));
  see(1, 190, 5);
}

describe("results", () => {
  test("go on after the death of the process, and only at prices of now", () => {
    loseFifty();
    world.desk().keepResults(1);
    world.ledger.commit();
    world.start();
    expect(day(1)).toEqual(lossOf(50));
    expect(world.desk().dailyPnl()).toEqual(lossOf(50));
    see(2, 200);
    see(1, 188, 5);
    expect(day(1)).toEqual(lossOf(60));
    expect(world.desk().dailyPnl()).toEqual(lossOf(60));
  });

  test("what did not change is not written again", () => {
    loseFifty();
    world.desk().keepResults(1);
    const rows = () => [...world.ledger.read.rows("results")].map(({ atMs }) => atMs);
    world.desk().keepResults(2);
    see(1, 190, 5);
    world.desk().keepResults(3);
    expect(rows()).toEqual(["1", "1", "1"]);
    see(1, 189, 5);
    world.desk().keepResults(4);
    expect(rows()).toEqual(["4", "1", "4"]);
  });

  test("a market that is no longer quoted keeps its share, now and in every later run", () => {
    loseFifty();
    world.desk().drop(1);
    see(2, 200);
    expect(world.desk().dailyPnl()).toEqual(lossOf(50));
    world.desk().keepResults(1);
    world.ledger.commit();
    world.start({}, [2]);
    see(2, 200);
    expect(world.desk().dailyPnl()).toEqual(lossOf(50));
  });

  test("what cannot be read back is named and leaves the account reducing", () => {
    world.ledger.keep({ kind: "result", result: { accountId: account, marketId: 2, state: "{", atMs: 1 } });
    world.ledger.commit();
    world.start();
    expect(world.desk().latches).toEqual([
      expect.objectContaining({ kind: "operator", holds: "reducing", reason: expect.stringContaining("market 2") }),
    ]);
  });
});

describe("resume", () => {
  test("after a loss of the market its day starts over, and the account's goes on", () => {
    loseFifty();
    world.desk().trip(latch("loss", 1), 1);
    world.desk().lift({ marketId: 1, latch: null, reason: "accepted" }, 2);
    expect(day(1)).toEqual({ state: "absent" });
    expect(world.desk().dailyPnl()).toEqual(lossOf(50));
    see(1, 189, 5);
    expect(day(1)).toEqual(lossOf(0));
  });

  test("after a fall of the account its day starts over, and survives as that", () => {
    loseFifty();
    world.desk().trip(latch("drawdown", null), 1);
    world.desk().lift({ marketId: null, latch: "drawdown", reason: "accepted" }, 2);
    expect(world.desk().dailyPnl()).toEqual({ state: "absent" });
    world.ledger.commit();
    world.start();
    expect(world.desk().dailyPnl()).toEqual({ state: "absent" });
    expect(day(1)).toEqual(lossOf(50));
  });

  test.each<LatchKind>(["operator", "foreignActivity", "mismatch", "repeatedExecution"])(
    "after %s the day goes on: it was no loss",
    (kind) => {
      loseFifty();
      world.desk().trip(latch(kind, null), 1);
      world.desk().lift({ marketId: null, latch: null, reason: "looked" }, 2);
      expect(world.desk().dailyPnl()).toEqual(lossOf(50));
    },
  );
});

describe("what a start gives cause to hold", () => {
  test("a lost ledger: reducing only, with what happened", () => {
    world.start({ ledgerLost: "the file was torn" });
    expect(world.desk().latches).toEqual([expect.objectContaining({ holds: "reducing", reason: "the file was torn" })]);
    expect(world.desk().isHalted()).toBe(false);
  });

  test("an operator's halt: before anything is sent, and for good", () => {
    world.start({ halt: "quoin flatten" });
    expect(world.desk().isHalted()).toBe(true);
    world.start();
    expect(world.desk().isHalted()).toBe(true);
  });
});

test("an account is halted by its own halt, or by all of its markets', and not by some", () => {
  const desk = world.desk();
  expect(desk.isHalted()).toBe(false);
  desk.trip(latch("loss", 1), 1);
  expect(desk.isHalted()).toBe(false);
  desk.trip(latch("loss", 2), 1);
  expect(desk.isHalted()).toBe(true);
});

test("a halt that the disk does not take holds all the same, and says that a restart may not know of it", () => {
  world.failure = "no space left on device";
  world.desk().trip(latch("loss", null), 1);
  expect(world.desk().isHalted()).toBe(true);
  expect(world.lines.join("")).toContain("a restart may lose it");
});

describe("money", () => {
  const posting = (reason: TransferReason, amount: bigint) => ({ ...transferOf("1", amount, reason), marketId: null });

  test("is kept, so that a later run expects the same collateral", () => {
    const desk = world.desk();
    const funding: FundingEvent = { kind: "funding", marketId: 1, atSec: 5, amount: money(-9n) };
    const events = [transferOf("opening", 1000n), funding, posting("transfer", 50n)] as const;
    for (const event of events) foldBook(desk.book, event);
    desk.keepCollateral(events, 1);
    expect(collateralOf(desk.book)).toBe(1041n);
    world.ledger.commit();
    world.start();
    expect(collateralOf(world.desk().book)).toBe(1041n);
    expect(world.desk().latches).toEqual([]);
  });

  test("what a print moved is kept, so that a later run has the same jump", () => {
    const print: PrintEvent = { kind: "print", marketId: 1, validUntilSec: 5, amount: money(-9n) };
    world.desk().records.print(print, 1);
    world.ledger.commit();
    world.start();
    expect(world.desk().book.markets.get(1)?.jump).toBe(-9n);
  });

  test("what was lost while the daemon was away halts beyond a share of maxLoss; a gain never does", () => {
    const { markets, maxAwayLossRatio } = world.desk().quoted;
    const allowed = BigInt(Number(markets[0]!.limits.maxLoss) * maxAwayLossRatio);
    const away = (worth: bigint) => ({ amount: money(0n), pnl: money(0n), worth: money(worth), moved: [] });
    world.desk().judgeAway(away(-allowed), 5);
    world.desk().judgeAway(away(allowed * 100n), 5);
    expect(world.desk().latches).toEqual([]);
    world.desk().judgeAway(away(-allowed - 1n), 5);
    expect(world.desk().latches).toEqual([
      expect.objectContaining({ kind: "mismatch", holds: "halted", marketId: null }),
    ]);
  });
});

describe("an unconfirmed print", () => {
  const isUnconfirmed = (marketId: number) => world.desk().markets.get(marketId)?.observed.prints.doubtful !== null;
  const doubt = () => {
    see(1, 200);
    see(2, 200);
    see(1, 300);
    see(2, 300);
  };

  test("survives the death of the process, and so does what is trusted", () => {
    doubt();
    const market = world.desk().markets.get(1);
    if (market !== undefined) world.desk().keepTurn(market, 1);
    world.ledger.commit();
    world.start();
    expect(isUnconfirmed(1)).toBe(true);
    expect(world.desk().isUnconfirmed).toBe(true);
  });

  test("is confirmed by its own name, in the market that is named, and by no other resume", () => {
    doubt();
    world.desk().lift({ marketId: null, latch: null, reason: "all is well" }, 1);
    world.desk().lift({ marketId: 1, latch: "loss", reason: "all is well" }, 1);
    expect([isUnconfirmed(1), isUnconfirmed(2)]).toEqual([true, true]);
    world.desk().lift({ marketId: 1, latch: "printMove", reason: "the index did move" }, 1);
    expect([isUnconfirmed(1), isUnconfirmed(2), world.desk().isUnconfirmed]).toEqual([false, true, true]);
    world.desk().lift({ marketId: null, latch: "printMove", reason: "the index did move" }, 1);
    expect([isUnconfirmed(2), world.desk().isUnconfirmed]).toEqual([false, false]);
  });
});

test("quotes lean to the target of the premium book: the skew counts the position less the target", () => {
  expect(world.desk().extraInventory(1)).toBe(0);
  const premium = {
    target: size(-1_500_000n),
    share: noPremiumShare,
    from: null,
    stopped: null,
    record: noPremiumRecord,
  };
  world.ledger.keep({
    kind: "result",
    result: { accountId: account, marketId: 1, state: resultText({ ...noResult, premium }), atMs: 1 },
  });
  world.ledger.commit();
  world.start();
  expect(world.desk().extraInventory(1)).toBe(1.5);
  expect(world.desk().extraInventory(2)).toBe(0);
});

describe("a premium book that lost its maxLoss", () => {
  const stopped = (marketId: number) => world.desk().markets.get(marketId)?.premium?.state.stopped ?? null;
  beforeEach(() => {
    const premium = {
      target: size(0n),
      share: { ...noPremiumShare, funding: money(-5n) },
      from: money(0n),
      stopped: "it lost",
      record: noPremiumRecord,
    };
    for (const marketId of [1, 2])
      world.ledger.keep({
        kind: "result",
        result: { accountId: account, marketId, state: resultText({ ...noResult, premium }), atMs: 1 },
      });
    world.ledger.commit();
    world.start();
  });

  test("stands still after the death of the process, without a book in the configuration too", () => {
    expect([stopped(1), stopped(2)]).toEqual(["it lost", "it lost"]);
  });

  test("goes on by its own name, in the market that is named, and by no other resume", () => {
    world.desk().lift({ marketId: null, latch: null, reason: "all is well" }, 1);
    world.desk().lift({ marketId: 1, latch: "loss", reason: "all is well" }, 1);
    expect([stopped(1), stopped(2)]).toEqual(["it lost", "it lost"]);
    world.desk().lift({ marketId: 1, latch: "premiumLoss", reason: "the market was wild" }, 1);
    expect([stopped(1), stopped(2)]).toEqual([null, "it lost"]);
    world.ledger.commit();
    world.start();
    expect([stopped(1), stopped(2)]).toEqual([null, "it lost"]);
  });

  test("goes on by an operator's word while no daemon runs", () => {
    resumePremiums(world.ledger, account, 2, 1);
    world.ledger.commit();
    world.start();
    expect([stopped(1), stopped(2)]).toEqual(["it lost", null]);
  });
});

test("the end of a day is told once, with what it came to: PnL at both prices, the deepest fall, halts", () => {
  loseFifty();
  const desk = world.desk();
  expect(desk.lookAtDay()).toBeNull();
  desk.trip(latch("loss", 1), 1);
  see(1, 200, 5);
  expect(desk.lookAtDay(), "the day goes on").toBeNull();
  see(1, 200, 5, 4);
  const ended = desk.lookAtDay();
  expect(ended).toMatchObject({ day: 3, halts: 1, drawdown: 50_000_000n, fills: 0 });
  expect(ended?.print.total).toBe(ended?.mid.total);
  expect(desk.lookAtDay()).toBeNull();
  see(1, 200, 5, 5);
  expect(desk.lookAtDay(), "started over").toMatchObject({ day: 4, halts: 0, drawdown: 0n, print: { total: 0n } });
});

test("the words and the numbers of a day", () => {
  const dollars = (amount: number) => usdc(BigInt(Math.round(amount * 1e6)));
  const pnl = { ...noFigures.print, spread: dollars(2.5), fees: dollars(0.25), total: dollars(2.75) };
  const ended = {
    day: 20_783,
    print: pnl,
    mid: { ...pnl, inventory: dollars(-1), total: dollars(1.75) },
    volume: dollars(1234.5),
    fills: 2,
    drawdown: dollars(0.5),
    halts: 1,
    quotedSeconds: new Map([["USA-HPI", 85_800.4]]),
  };
  const { text, summary } = daySummary("12", ended);
  expect(text).toBe(
    "account 12 on 2026-11-26 (UTC): 2 fills, volume 1234.50 USDC, PnL 2.75 print, 1.75 mid (spread 2.50, inventory 0.00, jump 0.00, funding 0.00, fees 0.25 at the print), drawdown 0.50, quoted on both sides USA-HPI 23 h 50 min, 1 halt",
  );
  expect(summary).toMatchObject({
    date: "2026-11-26",
    volume: "1234.5",
    pnl: [
      { valuation: "print", spread: "2.5", total: "2.75" },
      { valuation: "mid", inventory: "-1", total: "1.75" },
    ],
    quotedSeconds: { "USA-HPI": 85_800 },
  });
});

test("the ledger keeps the last prices of a day that has ended, however long ago it was given the ones before", () => {
  const desk = world.desk();
  const market = desk.markets.get(1);
  if (market === undefined) throw new Error("no market 1");
  market.last = { view: healthyView } as unknown as typeof market.last;
  see(1, 200);
  desk.records.mark(market, 3, 1);
  see(1, 201);
  see(1, 202, 0, 4);
  desk.records.mark(market, 4, 5);
  world.ledger.commit();
  expect(world.ledger.read.marks(account).map(({ day: of, print }) => [of, print])).toEqual([
    [3, usd(201)],
    [4, usd(202)],
  ]);
});

test("a loss at the mid counts where the print shows none, and a gain at the mid hides no loss at the print", () => {
  foldBook(
    world.desk().book,
    positionRead({ inventory: 5_000_000n, entryPrice: 20_000_000_000n, oraclePrice: 20_000_000_000n }),
  );
  const market = world.desk().markets.get(1);
  if (market === undefined) throw new Error("no market 1");
  const level = (at: number) => ({ price: usd(at), size: size(9_000_000n), orderCount: 1 });
  const at = (print: number, bid: number, ask: number): void => {
    const book = now({ marketId: 1, bids: [level(bid)], asks: [level(ask)] });
    const oracle = now({ ...(healthyView.oracle as { value: object }).value, price: usd(print) } as never);
    const position = now(plainHeld(size(5_000_000n), usd(200)));
    const view = { ...healthyView, accountId: account, marketId: 1, oracle, position, book, orders: [], vacated: [] };
    world.desk().observe(market, view, { day: 3, priceIn: () => null });
  };
  at(200, 199.9, 200.1);
  at(200, 199.5, 199.7);
  expect(market.pnl.dailyPnl()).toMatchObject({ value: { pnl: -2_000_000n } });
  expect([market.pnl.at("print")?.total, market.pnl.at("mid")?.total]).toEqual([0n, -2_000_000n]);
  at(199.8, 200, 200.2);
  expect(market.pnl.dailyPnl()).toMatchObject({ value: { pnl: -1_000_000n } });
});
