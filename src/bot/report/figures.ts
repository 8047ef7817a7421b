// Figures of a live period, shared by page, text and JSON.

import { usdcOf } from "../../domain/rounding.ts";
import { type AccountId, type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/clock.ts";
import { type Annual, annualOf, fallsOf } from "../../report/annual.ts";
import type { Cluster } from "../../report/interval.ts";
import { type Pnl, pnlComponents } from "../accounting/market-book.ts";
import { noCounts, plusCounts, type QuoteCounts } from "../analytics/hour.ts";
import type { MarkoutHorizon } from "../analytics/markouts.ts";
import { isQuiet, type SpanPnl } from "../ledger/pnl-by-span.ts";
import { type Hours, type MarketPeriod, type Period, pnlOf } from "./period.ts";

export const sources = pnlComponents.filter((component) => component !== "total");

/** `2026-11-26 15:00`, UTC. */
export const hourText = (hour: number): string => momentText(hour * HOUR_MS).slice(0, 16);

/** `2026-11-26 15:04:05`, UTC. */
export const momentText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace("T", " ");

export type DayLine = {
  /** `2026-11-26`, UTC. */
  readonly date: string;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly name: string;
  readonly mid: Pnl;
  readonly print: Pnl;
  readonly volume: Usdc;
  readonly fills: number;
};

/** A row per day and market with activity, the oldest day first. */
export function daysOf({ markets }: Period): readonly DayLine[] {
  const lines = markets.flatMap(({ accountId, marketId, name, hours }) => {
    const days = Map.groupBy(hours, ({ span }) => new Date(span * HOUR_MS).toISOString().slice(0, 10));
    return [...days].flatMap(([date, spans]) =>
      spans.every(isQuiet)
        ? []
        : [
            {
              date,
              accountId,
              marketId,
              name,
              mid: pnlOf(spans, "mid"),
              print: pnlOf(spans, "print"),
              ...traded(spans),
            },
          ],
    );
  });
  return lines.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

export const traded = (spans: readonly SpanPnl[]): { readonly volume: Usdc; readonly fills: number } => ({
  volume: usdc(spans.reduce((sum, { volume }) => sum + volume, 0n)),
  fills: spans.reduce((sum, { fills }) => sum + fills, 0),
});

export type HourLine = {
  readonly hour: number;
  readonly mid: Pnl;
  readonly print: Pnl;
  readonly fills: number;
  readonly volume: Usdc;
};

/** Sums over all markets for the hours in the ledger, in order. */
export function hoursOf({ markets }: Pick<Period, "markets">): readonly HourLine[] {
  const byHour = Map.groupBy(
    markets.flatMap(({ hours }) => hours),
    ({ span }) => span,
  );
  return [...byHour]
    .toSorted(([a], [b]) => a - b)
    .map(([hour, spans]) => ({ hour, mid: pnlOf(spans, "mid"), print: pnlOf(spans, "print"), ...traded(spans) }));
}

const WORST_HOURS = 10;

/** Hours with a loss at mid, the worst first. */
export const worstHours = (hours: readonly HourLine[]): readonly HourLine[] =>
  hours
    .filter(({ mid }) => mid.total < 0n)
    .toSorted((a, b) => Number(a.mid.total - b.mid.total))
    .slice(0, WORST_HOURS);

/** Distance of the PnL at mid below its best so far, at the end of each hour; 0 or negative. */
export function drawdownsOf(hours: readonly HourLine[]): readonly Usdc[] {
  let sum = 0n;
  const ends = hours.map(({ mid }) => {
    sum += mid.total;
    return sum;
  });
  return fallsOf(ends, 0n).map(usdc);
}

/** 0 or above. */
export const deepestDrawdown = (hours: readonly HourLine[]): Usdc =>
  drawdownsOf(hours).reduce((deepest, now) => (-now > deepest ? usdc(-now) : deepest), usdc(0n));

const DAY_HOURS = DAY_MS / HOUR_MS;

/** Annualizes the days (UTC) that lie wholly in the period, by their PnL at mid; null: fewer than two. */
export function annualAtMid(hours: readonly HourLine[], { from, to }: Hours): Annual | null {
  const first = Math.ceil(from / DAY_HOURS);
  const days = Array.from({ length: Math.max(0, Math.floor(to / DAY_HOURS) - first) }, () => 0n);
  for (const { hour, mid } of hours) {
    const at = Math.floor(hour / DAY_HOURS) - first;
    if (days[at] !== undefined) days[at] += mid.total;
  }
  return annualOf(days.map((day) => usdcOf(usdc(day))));
}

/** Lowest PnL of any day (UTC) so far, at mid or at print, whichever is lower, at the ends of hours. 0 if no day had a loss. */
export function lowestOfDay({ hours }: MarketPeriod): Usdc {
  let lowest = 0n;
  for (const spans of Map.groupBy(hours, ({ span }) => Math.floor((span * HOUR_MS) / DAY_MS)).values()) {
    let [mid, print] = [0n, 0n];
    for (const { pnl } of spans) {
      mid += pnl.mid.total;
      print += pnl.print.total;
      for (const now of [mid, print]) if (now < lowest) lowest = now;
    }
  }
  return usdc(lowest);
}

/** Null: not recorded. */
export const countsOf = ({ runs }: MarketPeriod): QuoteCounts | null =>
  runs.length === 0 ? null : runs.reduce<QuoteCounts>(plusCounts, noCounts);

export type SilenceLine = { readonly reason: string; readonly buySecs: number; readonly sellSecs: number };

/** Why none of our orders rested on a side, the longest first. */
export function silenceOf({ silentSecs }: QuoteCounts): readonly SilenceLine[] {
  const reasons = new Set([...Object.keys(silentSecs.buy), ...Object.keys(silentSecs.sell)]);
  return [...reasons]
    .map((reason) => ({ reason, buySecs: silentSecs.buy[reason] ?? 0, sellSecs: silentSecs.sell[reason] ?? 0 }))
    .toSorted((a, b) => b.buySecs + b.sellSecs - a.buySecs - a.sellSecs);
}

/** Sums of each day (UTC) that had any: hours of one day share its market. */
export function markoutClusters({ runs }: MarketPeriod, horizon: MarkoutHorizon): readonly Cluster[] {
  const days = Map.groupBy(runs, ({ hour }) => Math.floor((hour * HOUR_MS) / DAY_MS)).values();
  const sums = Array.from(days, (of) => of.reduce<QuoteCounts>(plusCounts, noCounts).markouts[horizon]);
  return sums.filter(({ count }) => count > 0);
}

/** Limits of the newest hour; null: not recorded. */
export const limitsOf = ({ runs }: MarketPeriod) => runs.at(-1) ?? null;

/** Each strategy and configuration that a market ran, with its first hour. */
export const configurationsOf = ({ runs }: MarketPeriod): readonly (typeof runs)[number][] =>
  runs.filter(({ config }, nth) => nth === 0 || runs[nth - 1]?.config !== config);

/** Start of each run of the daemon, wall ms, as far as the hours show. */
export const runsOf = ({ markets }: Period): readonly number[] =>
  [...new Set(markets.flatMap(({ runs }) => runs.map(({ beganMs }) => beganMs)))].toSorted((a, b) => a - b);

/** What the ledger lacks of the period, one sentence each. */
export function notRecorded({ markets, decisionsSinceMs }: Period, { from }: Hours): readonly string[] {
  const lacks: string[] = [];
  for (const { name, accountId, runs, hours } of markets) {
    const first = runs[0]?.hour;
    const of = `${name} of account ${accountId}`;
    if (first === undefined)
      lacks.push(`How ${of} was quoted: an earlier version wrote the ledger, or the daemon did not run.`);
    else if (hours.some(({ span, fills }) => span < first && fills > 0))
      lacks.push(`How ${of} was quoted before ${hourText(first)}, and its prices by the hour.`);
  }
  if (decisionsSinceMs === null) lacks.push("Denials.");
  else if (
    decisionsSinceMs > (from + 1) * HOUR_MS &&
    markets.some(({ fills }) => (fills[0]?.atMs ?? Infinity) < decisionsSinceMs - HOUR_MS)
  )
    lacks.push(`Denials before ${momentText(decisionsSinceMs)}: older decisions were rotated out.`);
  return lacks;
}
