// A live period from a ledger: hours add up to the days of `quoin pnl`, what was not written down has no figure, and the page says all of it.

import { expect, test } from "vitest";
import { hourText, noCounts } from "../../../../src/bot/analytics/hour.ts";
import { Ledger } from "../../../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../../../src/bot/ledger/memory/memory.ts";
import { pnlByDay } from "../../../../src/bot/ledger/pnl-by-span.ts";
import { notRecorded } from "../../../../src/bot/report/figures.ts";
import { periodJson } from "../../../../src/bot/report/json.ts";
import { periodHtml, sentences } from "../../../../src/bot/report/page.ts";
import { type Period, periodOf, recordedIn, type ShownHours } from "../../../../src/bot/report/period.ts";
import { accountId, price, type Side, size, usdc } from "../../../../src/domain/units.ts";
import { HOUR_MS, systemClock } from "../../../../src/kernel/clock.ts";
import { filled, positionRead, transferOf } from "../accounting/books.ts";

const account = accountId(12n);
/** Midnight of a day. */
const MIDNIGHT = 24 * 20_000;
const SILENT = 600;
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e8));

type Written = { readonly days: number; readonly hasHours?: boolean; readonly reason?: string };

/** Each hour one contract is bought at 1 USD below the mid or sold 1 USD above it; prices rise by 1 USD an hour until noon and fall after it. */
function ledgerOf({ days, hasHours = true, reason = "a test" }: Written): Ledger {
  const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
  ledger.keep({
    kind: "transfer",
    accountId: account,
    event: transferOf("opening", 100_000_000_000n),
    atMs: MIDNIGHT * HOUR_MS,
  });
  ledger.keep({
    kind: "position",
    accountId: account,
    event: positionRead({ inventory: 0n, oraclePrice: usd(200) }),
    atMs: MIDNIGHT * HOUR_MS,
  });
  for (let hour = 0; hour < 24 * days; hour += 1) {
    const atMs = (MIDNIGHT + hour) * HOUR_MS + 1000;
    const mid = 200 + (hour % 24 < 12 ? hour % 24 : 24 - (hour % 24));
    const side: Side = hour % 4 < 2 ? "buy" : "sell";
    const at = usd(mid + (side === "buy" ? -1 : 1));
    const fill = filled(
      { key: `${hour}`, side, price: at, size: 1_000_000n, fee: -10n, timestampMs: atMs },
      { referencePrice: usd(mid) },
    );
    ledger.keep({ kind: "fill", event: fill, receivedMs: atMs });
    const prices = { print: price(usd(mid + 0.5)), mid: price(usd(mid)) };
    const [span, endMs] = [MIDNIGHT + hour, atMs + HOUR_MS - 2000];
    ledger.keep({
      kind: "mark",
      mark: { accountId: account, marketId: 1, day: Math.floor(span / 24), name: "<b>A", ...prices, atMs: endMs },
    });
    const counts = {
      ...noCounts,
      watchedSecs: 3600,
      twoSidedSecs: 3600 - SILENT,
      silentSecs: { buy: { oracle: SILENT }, sell: {} },
      markouts: { ...noCounts.markouts, "10s": { count: 1, sum: (hour % 3) - 1 } },
    };
    const limits = { maxPosition: size(4_000_000n), maxLoss: usdc(500_000_000n) };
    const state = hourText({ ...counts, ...limits, strategy: "glft", config: hour < 30 ? "aa" : "bb" });
    const beganMs = MIDNIGHT * HOUR_MS;
    if (hasHours)
      ledger.keep({
        kind: "hour",
        hour: { accountId: account, marketId: 1, hour: span, beganMs, prices, state, atMs: endMs },
      });
  }
  ledger.keep({
    kind: "latch",
    event: {
      kind: "tripped",
      latch: { kind: "loss", accountId: account, marketId: 1, holds: "halted", reason, numbers: {} },
    },
    atMs: (MIDNIGHT + 2) * HOUR_MS,
  });
  ledger.keep({
    kind: "latch",
    event: { kind: "lifted", accountId: account, marketId: 1, latch: null, reason },
    atMs: (MIDNIGHT + 3) * HOUR_MS,
  });
  const call = { call: "POST /params", caller: "10.0.0.9", reason: null, body: reason };
  for (const [isAuthorized, status] of [
    [true, 200],
    [true, 400],
    [false, 401],
  ] as const)
    ledger.keep({ kind: "audit", entry: { ...call, isAuthorized, status, atMs: (MIDNIGHT + 4) * HOUR_MS } });
  ledger.keep({
    kind: "decision",
    decision: {
      ...{ accountId: account, marketId: 1, atMs: MIDNIGHT * HOUR_MS, viewHash: "", commands: [] },
      denials: [
        { kind: "place", reason: "worstPosition" },
        { kind: "place", reason: "worstPosition" },
      ],
    },
  });
  ledger.commit();
  return ledger;
}

const hours = (from: number, to: number): ShownHours => ({
  from: MIDNIGHT + from,
  to: MIDNIGHT + to,
  seconds: (to - from) * 3600,
});
const period = (ledger: Ledger, of: ShownHours): Period => periodOf(ledger.read, of, undefined);
const about = (of: ShownHours) => ({
  ...{ command: "quoin report", file: "bot.yaml", chainId: "venue-v4:devnet:chain-2", hours: of },
  ...{ kind: "DEVNET" as const, isPaper: () => false },
});
type Json = {
  readonly pnl: Record<"mid" | "print", Record<string, string>>;
  readonly markets: readonly Record<string, unknown>[];
  readonly days: readonly { readonly date: string; readonly mid: Record<string, string> }[];
  readonly worstHours: readonly { readonly at: string }[];
  readonly drawdown: string;
  readonly annual: { readonly days: number; readonly pnl: number; readonly sharpe: number | null } | null;
};
const json = (ledger: Ledger, of: ShownHours) => periodJson(period(ledger, of), of, () => false) as Json;

test("law: the hours of whole days add up to the days of `quoin pnl`, at both prices and from every source", () => {
  const ledger = ledgerOf({ days: 2 });
  const days = [...pnlByDay(ledger.read, account)];
  const of = json(ledger, hours(0, 48));
  expect(of.days.map(({ date }) => date)).toEqual(["2024-10-04", "2024-10-05"]);
  for (const [nth, { pnl }] of days.entries()) {
    for (const source of ["spread", "inventory", "fees", "total"] as const)
      expect(Number(of.days[nth]?.mid[source])).toBeCloseTo(Number(pnl.mid[source]) / 1e6, 6);
  }
  const total = days.reduce((sum, { pnl }) => sum + Number(pnl.print.total), 0);
  expect(Number(of.pnl.print.total)).toBeCloseTo(total / 1e6, 6);
});

test("a year is told by whole days alone, and by two at least; the deepest fall counts from the start", () => {
  const ledger = ledgerOf({ days: 3 });
  const whole = json(ledger, hours(0, 72));
  const days = whole.days.map(({ mid }) => Number(mid.total));
  const mean = days.reduce((sum, day) => sum + day, 0) / 3;
  expect(whole.annual).toMatchObject({ days: 3, sharpe: null });
  expect(whole.annual?.pnl).toBeCloseTo(365 * mean, 6);
  expect(days.reduce((sum, day) => sum + day, 0)).toBeCloseTo(Number(whole.pnl.mid.total), 6);
  expect(json(ledger, hours(1, 71)).annual).toBeNull();
  expect(json(ledger, hours(1, 73)).annual?.days).toBe(2);
  expect(json(ledger, hours(0, 24)).annual).toBeNull();
  // It begins with a loss: the fall counts from the start of the period.
  const falling = json(ledger, hours(13, 15));
  expect(Number(falling.pnl.mid.total)).toBeLessThan(0);
  expect(Number(falling.drawdown)).toBeGreaterThanOrEqual(-Number(falling.pnl.mid.total));
});

// Hours of one day are one observation: there is no interval.
test("a period of hours has their fills, their uptime and silence, and the largest position after any fill", () => {
  const [market] = json(ledgerOf({ days: 2 }), hours(1, 5)).markets;
  expect(market).toMatchObject({
    ...{ fills: 4, watched: 1, quoteUptime: 0.8333, positionMax: "2", maxPosition: "4", strategy: "glft" },
    silence: [{ reason: "oracle", buySecs: 4 * SILENT, sellSecs: 0 }],
    markoutBps: { "1s": null, "10s": { mean: 0, ci95: null } },
  });
});

test("denials, halts and changes of the period alone are in it; refused calls are counted", () => {
  const ledger = ledgerOf({ days: 1 });
  expect(period(ledger, hours(0, 24))).toMatchObject({
    denials: [{ reason: "worstPosition", count: 2 }],
    halts: [{ what: "halted: loss" }, { what: "resumed: every halt" }],
    changes: [{ what: "POST /params" }, { what: "POST /params (answered 400)" }],
    refusedCalls: 1,
  });
  expect(period(ledger, hours(5, 24))).toMatchObject({ denials: [], halts: [], changes: [], refusedCalls: 0 });
  // It held as the period began.
  expect(period(ledger, hours(3, 4)).halts).toMatchObject([
    { what: "halted: loss since before" },
    { what: "resumed: every halt" },
  ]);
});

test("forbidden: figures of what an earlier version did not write down", () => {
  const ledger = ledgerOf({ days: 1, hasHours: false });
  const of = hours(0, 24);
  expect(json(ledger, of).markets).toMatchObject([
    { quoteUptime: null, watched: null, silence: null, maxPosition: null, markoutBps: { "10s": null } },
  ]);
  expect(notRecorded(period(ledger, of), of)).toEqual([
    "How <b>A of account 12 was quoted: an earlier version wrote the ledger, or the daemon did not run.",
  ]);
  expect(periodHtml(period(ledger, of), about(of))).toMatch(/Not recorded.*not recorded/s);
});

test("forbidden: a period below a day that is scaled to one", () => {
  const ledger = ledgerOf({ days: 2 });
  expect(sentences(period(ledger, hours(0, 12)), hours(0, 12)).join()).not.toContain("a day");
  expect(sentences(period(ledger, hours(0, 48)), hours(0, 48)).join()).toMatch(/\([+−][\d.]+ a day\)/);
});

test("forbidden: what a reason or a market's name holds becomes a part of the page", () => {
  const ledger = ledgerOf({ days: 1, reason: '"><script>alert(1)</script>' });
  const html = periodHtml(period(ledger, hours(0, 24)), about(hours(0, 24)));
  expect(html).not.toContain("<script>alert");
  expect(html).not.toContain("<b>A");
});

test("edge: an empty ledger has no time, and its report says that nothing was traded", () => {
  const ledger = new Ledger({}, { engine: new MemoryDisk().open(), clock: systemClock });
  expect(recordedIn(ledger.read)).toBeNull();
  expect(sentences(period(ledger, hours(0, 1)), hours(0, 1))).toEqual(["Nothing was traded, gained or lost."]);
  expect(periodHtml(period(ledger, hours(0, 1)), about(hours(0, 1)))).toContain("Nothing was traded");
});
