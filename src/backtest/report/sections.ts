// The pictures of one cell of the grid: what its runs earned, from what, and how they quoted.

import { markoutHorizons } from "../../bot/analytics/markouts.ts";
import { createPrng } from "../../kernel/prng.ts";
import type { Curves, Outcome, PnlComponent } from "../outcome.ts";
import { meanOf } from "../summary.ts";
import { dayBootstrap } from "./bootstrap.ts";
import { barChart, type Line, lineChart } from "./charts.ts";
import { figure, money, table } from "./markup.ts";

export const sources: readonly PnlComponent[] = ["spread", "inventory", "jump", "funding", "fees"];
/** Points of all lines of a chart together: the page stays small however many seeds there are. */
const POINTS_OF_CHART = 12_000;
const RUNS_DRAWN_MAX = 40;

/** `outcomes` are of one cell, one at least. */
export const sectionsOf = (outcomes: readonly Outcome[]): string =>
  [
    equity(outcomes),
    drawdown(outcomes),
    bySource(outcomes),
    markouts(outcomes),
    inventory(outcomes),
    worlds(outcomes),
    quoting(outcomes),
  ].join("\n");

const nameOf = (outcome: Outcome | undefined, market: number): string => {
  const line = outcome?.line.markets[market];
  return line === undefined ? "" : `market ${line.marketId}, ${line.strategy}`;
};

/** At most so many points, evenly apart, the last one always among them. */
function thinned(xs: readonly number[], ys: readonly number[], most: number): Line["points"] {
  const every = Math.max(1, Math.ceil(xs.length / most));
  return xs.flatMap((x, nth) => (nth % every === 0 || nth === xs.length - 1 ? [[x, ys[nth] ?? 0] as const] : []));
}

function seedLines(outcomes: readonly Outcome[], of: (curves: Curves) => readonly number[]): readonly Line[] {
  const drawn = outcomes.slice(0, RUNS_DRAWN_MAX);
  const most = Math.floor(POINTS_OF_CHART / (drawn.length + 1));
  const lines = drawn.map(({ curves, line }): Line => {
    const color = drawn.length === 1 ? 0 : null;
    return { name: `seed ${line.seed}`, points: thinned(curves.hours, of(curves), most), color };
  });
  const [first] = outcomes;
  if (first === undefined || outcomes.length === 1) return lines;
  // Runs of one cell have the same samples.
  const mean = first.curves.hours.map((_, nth) => meanOf(outcomes.map(({ curves }) => of(curves)[nth] ?? 0)));
  return [...lines, { name: "mean", points: thinned(first.curves.hours, mean, most), color: 0 }];
}

function equity(outcomes: readonly Outcome[]): string {
  const title = "Equity";
  const lines = seedLines(outcomes, ({ pnl }) => pnl);
  const svg = lineChart({ title, lines, x: { label: "hours since the start" }, y: { label: "USDC since the start" } });
  const rows = outcomes.map(({ line, curves }) => [
    `seed ${line.seed}`,
    line.equityStart,
    line.equityEnd,
    line.pnl,
    line.pnlAtPrint,
    line.pnlAtClose,
    curves.days.map(money).join(" · "),
  ]);
  const numbers = table(
    "Exact, USDC",
    ["", "start", "end", "PnL at mid", "PnL at print", "PnL closed", "by day"],
    rows,
  );
  return figure(
    title,
    svg,
    "Collateral and open profit, positions valued at the mid of the others' orders; beside it the PnL at the last print, and with all positions closed at the end: as a taker, through the book. A line per seed.",
    numbers,
  );
}

function drawdown(outcomes: readonly Outcome[]): string {
  const title = "Drawdown";
  const lines = seedLines(outcomes, (curves) => curves.drawdown).map((line) => ({
    ...line,
    isArea: line.color !== null,
  }));
  const svg = lineChart({
    title,
    lines,
    x: { label: "hours since the start" },
    y: { label: "USDC below the best so far" },
    height: 160,
  });
  const rows = outcomes.map(({ line }) => [`seed ${line.seed}`, line.maxDrawdown, line.worstDay, line.worstDayAtClose]);
  return figure(
    title,
    svg,
    "How far equity was below its best so far.",
    table("USDC", ["", "deepest", "worst day", "worst day, closed at its end"], rows),
  );
}

function bySource(outcomes: readonly Outcome[]): string {
  const title = "PnL by source";
  const [first] = outcomes;
  const markets = first?.line.markets ?? [];
  const mean = (market: number, source: PnlComponent) =>
    meanOf(outcomes.map(({ line }) => Number(line.markets[market]?.pnl[source] ?? 0)));
  const svg = barChart({
    title,
    groups: sources,
    bars: markets.map((_, nth) => ({ name: nameOf(first, nth), values: sources.map((source) => mean(nth, source)) })),
    yLabel: "USDC, mean of the seeds",
  });
  const hasPremium = markets.some(({ premium }) => premium !== undefined);
  const rows = outcomes.flatMap(({ line }) =>
    line.markets.map((market) => [
      `seed ${line.seed}, market ${market.marketId}`,
      ...[...sources, "total" as const].map((source) => market.pnl[source]),
      market.pnlAtPrint.total,
      ...(hasPremium ? [market.premium?.pnl ?? "", market.premium?.spreadPnl ?? ""] : []),
    ]),
  );
  const heads = [
    ...["", ...sources, "total at mid", "total at print"],
    ...(hasPremium ? ["of it at mid: premium book", "all else"] : []),
  ];
  const says =
    "Spread: the edge of each fill against the mid before it. Inventory: what the price moved while a position was held. Jump: the part of that in the seconds after a print. Fees: rebates stand above zero.";
  return figure(title, svg, says, table("Exact, USDC", heads, rows));
}

function markouts(outcomes: readonly Outcome[]): string {
  const title = "Markouts";
  const [first] = outcomes;
  const intervals = (first?.line.markets ?? []).map((_, nth) =>
    markoutHorizons.map((horizon) =>
      dayBootstrap(
        outcomes.flatMap(({ curves }) => (curves.markets[nth]?.markouts ?? []).map((day) => day[horizon])),
        createPrng(BigInt(nth)).fork(horizon),
      ),
    ),
  );
  const lines = intervals.map((each, nth): Line => {
    const known = each.flatMap((interval, at) => (interval === null ? [] : [{ at, ...interval }]));
    return {
      name: nameOf(first, nth),
      color: nth,
      points: known.map(({ at, mean }) => [at, mean]),
      band: known.map(({ low, high }) => [low, high]),
    };
  });
  const svg = lineChart({
    title,
    lines,
    x: { label: "time after the fill", names: markoutHorizons },
    y: { label: "bps of the fill's price" },
  });
  const bps = (value: number): string => value.toFixed(2);
  const rows = intervals.map((each, nth) => [
    nameOf(first, nth),
    ...each.map((interval) =>
      interval === null ? "–" : `${bps(interval.mean)} (${bps(interval.low)} to ${bps(interval.high)})`,
    ),
  ]);
  const says =
    "Mean move of the mid in favor of our fills. A curve that falls below zero means that our counterparties know more than we do. Bands: 95 %, by a bootstrap over days.";
  return figure(title, svg, says, table("Basis points", ["", ...markoutHorizons], rows));
}

function inventory(outcomes: readonly Outcome[]): string {
  const title = "Inventory";
  const [first] = outcomes;
  const most = Math.floor(POINTS_OF_CHART / Math.max(1, first?.curves.markets.length ?? 1));
  const lines = (first?.curves.markets ?? []).map(({ position }, nth): Line => {
    return {
      name: nameOf(first, nth),
      color: nth,
      points: thinned(first?.curves.hours ?? [], position, Math.min(most, 2000)),
    };
  });
  const svg = lineChart({
    title,
    lines,
    x: { label: "hours since the start" },
    y: { label: "contracts" },
    height: 200,
  });
  const rows = outcomes.flatMap(({ line }) =>
    line.markets.map((market) => [
      `seed ${line.seed}, market ${market.marketId}`,
      market.positionMax,
      market.positionStd.toFixed(3),
      market.closingCost,
      market.unclosed,
    ]),
  );
  return figure(
    title,
    svg,
    `Position of seed ${first?.line.seed ?? ""}. Closing: as a taker through the others' book, fees included.`,
    table(
      "Contracts, USDC",
      ["", "largest", "standard deviation", "closing it at the end costs", "nobody takes"],
      rows,
    ),
  );
}

function worlds(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ line: { seed, pnl, world } }) => [
    `seed ${seed}`,
    `${world.orderMs}`,
    `${world.feedMs}`,
    world.informedShare === null ? "–" : `${(100 * world.informedShare).toFixed(1)} %`,
    world.pressureGaps === null ? "–" : world.pressureGaps.toFixed(2),
    [...new Set(Object.values(world.premiumPeriodSecs).map((seconds) => (seconds / 3600).toFixed(1)))].join(", "),
    pnl,
  ]);
  const head = [
    "",
    "an order, ms",
    "frames and reads, ms",
    "informed takers",
    "orders until pressure is gone",
    "funding pays a premium in, h",
    "PnL, USDC",
  ];
  const isDrawn = outcomes.some(({ line }) => line.world.isDrawn);
  const says = isDrawn
    ? "What nobody knows of a market is drawn from each seed, the same for every setting. Latencies are medians one way."
    : "Nothing was drawn: latencies are the usual medians, all else is as configured.";
  return figure("Worlds", table("By seed", head, rows), says);
}

function quoting(outcomes: readonly Outcome[]): string {
  const [first] = outcomes;
  const rows = (first?.line.markets ?? []).map((_, nth) => {
    const lines = outcomes.flatMap(({ line }) => line.markets[nth] ?? []);
    const curves = outcomes.flatMap((outcome) => outcome.curves.markets[nth] ?? []);
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const actions = sum(lines.map(({ actions: { place, modify, cancel } }) => place + modify + cancel));
    const daily = meanOf(lines.map(({ actionsPerDay }) => actionsPerDay));
    const fills = sum(lines.map((line) => line.fills));
    const volume = sum(lines.map((line) => Number(line.volume)));
    const placed = sum(curves.map((curve) => curve.placed));
    const per = (value: number, of: number, digits: number): string => (of === 0 ? "–" : (value / of).toFixed(digits));
    return [
      nameOf(first, nth),
      `${(100 * meanOf(lines.map(({ quoteUptime }) => quoteUptime))).toFixed(1)} %`,
      (fills / lines.length).toFixed(0),
      money(volume / lines.length),
      `${per(100 * sum(curves.map((curve) => curve.filled)), placed, 1)} %`,
      daily.toFixed(0),
      per(actions, fills, 2),
      per(actions * 1e6, volume, 0),
    ];
  });
  const head = [
    "",
    "quote uptime",
    "fills a run",
    "volume a run, USDC",
    "fill ratio",
    "actions a day",
    "actions a fill",
    "actions a million USDC",
  ];
  const says =
    "Quote uptime: both sides had an order of ours. Fill ratio: contracts filled of those that orders were placed or enlarged for. Actions: orders placed, modified and canceled.";
  return figure("Quoting", table("Over all seeds", head, rows), says);
}
