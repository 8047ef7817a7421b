// The premium book of a market: where its target goes, when it is 0, and what stops it.

import { describe, expect, test } from "vitest";
import { noPremiumShare } from "../../../../../src/bot/accounting/premium-share.ts";
import { PremiumBook, type PremiumState, resumePremium } from "../../../../../src/bot/decider/desks/premium-book.ts";
import { noPremiumRecord, premiumSchema } from "../../../../../src/bot/strategy/premium.ts";
import { size, usdc } from "../../../../../src/domain/units.ts";
import type { View } from "../../../../../src/domain/view.ts";
import { plainHeld } from "../../../../support/plain-bot.ts";
import { chainTimeMs, healthyView, lots, now, usd } from "../../risk/healthy.ts";

const MINUTE_MS = 60_000;
const settings = premiumSchema.parse({ capital: 1000, maxContracts: 4, maxLoss: 5, contractsPerHour: 2 });
const facts = { mayHold: true, kappaShare: 1 };

/** A premium that was seen to go away by a half an hour, with little error. */
const proven: PremiumState = {
  target: size(0n),
  share: noPremiumShare,
  from: null,
  stopped: null,
  record: { ...noPremiumRecord, sums: { blocks: 2000, xx: 2e-3, xy: -2e-3 / 12, yy: 2e-3 / 144 } },
};

/** The market stands at 201, where the print is 200 and the next one is expected there. */
function viewAt(minute: number, held = 0, changed: Partial<View> = {}): View {
  const atMs = chainTimeMs + 12 * 3_600_000;
  return {
    ...healthyView,
    nowMs: minute * MINUTE_MS,
    position: now(plainHeld(lots(held), usd(200))),
    signals: {
      ...healthyView.signals,
      slowVolatilityBps: 0.3,
      heldMidUsd: 201,
      nowcastUsd: 200,
      marketNowcastUsd: 200,
      nowcastErrorBps: 2,
      printMoveBps: 10,
      nextPrint: { atMs, earliestMs: atMs, lastMs: atMs - 86_400_000, everyMs: 86_400_000 },
    },
    ...changed,
  };
}

/** So many minutes from the start on. */
function run(book: PremiumBook, minutes: number, from = 0, held = 0): void {
  for (let minute = from; minute < from + minutes; minute += 1) book.observe(viewAt(minute, held), usd(201), facts);
}

const started = (before: PremiumState | null = proven) => new PremiumBook(settings, before);

describe("the target", () => {
  test("stands against the premium, and moves by no more than its speed", () => {
    const book = started();
    run(book, 11);
    const first = book.targetContracts;
    expect(first).toBeLessThan(0);
    run(book, 30, 11);
    expect(first - book.targetContracts).toBeCloseTo(1, 4);
    run(book, 300, 41);
    expect(book.targetContracts).toBe(-4);
    expect(book.why).toBeNull();
  });

  test("young evidence holds nothing", () => {
    const book = started(null);
    run(book, 120);
    expect(book.targetContracts).toBe(0);
    expect(book.why).toMatch(/less than a day/);
  });

  test.each<[string, Partial<View>]>([
    ["the book", { book: { state: "absent" } }],
    ["the oracle", { oracle: { state: "absent" } }],
    ["funding", { funding: { state: "absent" } }],
    ["the chain's clock", { chain: { state: "absent" } }],
    ["the market", { market: { state: "absent" } }],
    ["the position", { position: { state: "absent" } }],
    ["orders and positions as reconciled", { reconciled: { state: "absent" } }],
    ["the account, which resynchronizes", { resync: { reason: "a test", forMs: 1 } }],
    ["the next print", { signals: { ...viewAt(0).signals, nextPrint: null } }],
    ["the mid", { signals: { ...viewAt(0).signals, heldMidUsd: null } }],
    ["the nowcast", { signals: { ...viewAt(0).signals, nowcastUsd: null } }],
    ["usual volatility", { signals: { ...viewAt(0).signals, slowVolatilityBps: null } }],
  ])("without %s it is 0 within a minute", (_of, changed) => {
    const book = started();
    run(book, 60);
    expect(book.targetContracts).toBeLessThan(-1);
    book.observe(viewAt(60, 0, changed), usd(201), facts);
    expect(book.targetContracts).toBe(0);
    expect(book.why).not.toBeNull();
  });

  test("where the market may not add to its position it is 0", () => {
    const book = started();
    run(book, 60);
    book.observe(viewAt(60), usd(201), { ...facts, mayHold: false });
    expect(book.targetContracts).toBe(0);
  });

  test("out of the configuration it is 0, and what it earned stays", () => {
    const book = started();
    run(book, 60, 0, -1);
    book.observe(viewAt(60, -1), usd(200), facts);
    book.settings = null;
    book.observe(viewAt(62, -1), usd(200), facts);
    expect(book.targetContracts).toBe(0);
    expect(book.heldContracts).toBe(0);
    expect(book.pnl).toBe(1_000_000n);
  });
});

describe("the loss limit", () => {
  /** Short one contract from 201 on; the price then goes against it. */
  function lost(toUsd: number) {
    const book = started();
    run(book, 60, 0, -1);
    expect(book.heldContracts).toBe(-1);
    return { book, hasStopped: book.observe(viewAt(60, -1), usd(toUsd), facts) };
  }

  test("is reached to the base unit: the target is 0 and stays, and the spread book has the contracts at that mid", () => {
    expect(lost(205.99).hasStopped).toBe(false);
    const { book, hasStopped } = lost(206);
    expect(hasStopped).toBe(true);
    expect([book.targetContracts, book.heldContracts, book.pnl]).toEqual([0, 0, usdc(-5_000_000n)]);
    run(book, 120, 61, -1);
    expect([book.targetContracts, book.pnl]).toEqual([0, usdc(-5_000_000n)]);
    expect(book.why).toMatch(/lost 5 USDC/);
  });

  test("holds over a restart, and until an operator resumes it: then as much may be lost again", () => {
    const { book } = lost(206);
    const later = new PremiumBook(settings, book.state);
    run(later, 120, 61, -1);
    expect(later.targetContracts).toBe(0);
    later.resume();
    run(later, 60, 181, -1);
    expect(later.targetContracts).toBeLessThan(0);
    expect(later.lossLeft).toBe(settings.maxLoss);
  });

  test("a resume of what does not stand still changes nothing", () => {
    expect(resumePremium(proven)).toBe(proven);
  });
});
