// One configuration in detail: what its runs earned, when and from which source, how its fills performed, its positions, and how it quoted.

import { markoutHorizons } from "../../bot/analytics/markouts.ts";
import { barChart, legend } from "../../report/charts.ts";
import { horizonText, markoutsCard } from "../../report/markouts.ts";
import { amount, card, decimal, signed, table } from "../../report/markup.ts";
import { lastOf, leastOf, minutesOf, stretchesOf, type TimeChart, type TimeLine } from "../../report/time-chart.ts";
import type { MarketLine, Outcome, PnlComponent, WorldLine } from "../outcome.ts";
import { cellLine, meanOf, sumOf } from "../summary.ts";
import { runName } from "../table.ts";
import { kindOfRuns, type ReportCell, sources } from "./cells.ts";
import { meanCurve } from "./compare.ts";

const RUNS_DRAWN_MAX = 40;
const HOURS_OF_DAY = 24;
const HOUR_MS = 3_600_000;
const HORIZON_TEXTS = markoutHorizons.map(horizonText);

/** A market's name, with its strategy. */
export function marketName({ outcomes, markets }: ReportCell, nth: number): string {
  const line = outcomes[0]?.line.markets[nth];
  if (line === undefined) return "";
  const { accountId, marketId, strategy } = line;
  const name = markets.find((of) => of.accountId === accountId && of.marketId === marketId)?.name;
  return `${name ?? `market ${marketId}`}, ${strategy}`;
}

const linesOf = ({ outcomes }: ReportCell): readonly MarketLine[] => outcomes[0]?.line.markets ?? [];

/** PnL of every seed with the mean, and drawdown and positions of one seed: the worst until another is chosen. */
export function seedsChart(cell: ReportCell): TimeChart {
  const drawn = cell.outcomes.slice(0, RUNS_DRAWN_MAX);
  const [first] = drawn;
  const hours = first?.curves.hours ?? [];
  const markets = linesOf(cell);
  const ends = stretchesOf(hours, drawn.length * (2 + markets.length) + 1);
  const pnls = drawn.map(({ line }) => Number(line.pnl));
  const worst = pnls.indexOf(Math.min(...pnls));
  const isOne = drawn.length === 1;
  const seedLines = drawn.flatMap(({ curves, line }, choice): readonly TimeLine[] => [
    {
      name: runName(line),
      pane: 0,
      look: isOne ? 0 : 1,
      values: lastOf(ends, curves.pnl),
      choice,
      unchosen: "faint",
    },
    {
      name: `drawdown of ${runName(line)}`,
      pane: 1,
      look: isOne ? 0 : 1,
      values: leastOf(ends, curves.drawdown),
      isArea: true,
      choice,
      unchosen: "hidden",
    },
    ...markets.map(
      (_, nth): TimeLine => ({
        name: `position in ${marketName(cell, nth)}`,
        pane: 2,
        look: (nth + 2) % 6,
        values: lastOf(ends, curves.markets[nth]?.position ?? []),
        isStepped: true,
        choice,
        unchosen: "hidden",
      }),
    ),
  ]);
  const mean: readonly TimeLine[] = isOne
    ? []
    : [{ name: `mean of all ${kindOfRuns(cell)}s`, pane: 0, look: 0, values: lastOf(ends, meanCurve(cell)) }];
  return {
    id: "seeds",
    title: `PnL by ${kindOfRuns(cell)}, drawdown and position`,
    panes: [
      { name: "PnL AT MID, USDC", digits: 2, share: 3 },
      { name: "DRAWDOWN, USDC", digits: 2, share: 1 },
      { name: "POSITION, contracts", digits: 3, share: 1.2 },
    ],
    minutes: minutesOf(ends, hours),
    lines: [...seedLines, ...mean],
    choices: {
      label: kindOfRuns(cell) === "seed" ? "Seed" : "Recording",
      names: drawn.map(
        ({ line }, nth) => `${line.recording ?? line.seed}${nth === worst && !isOne ? ", the lowest PnL" : ""}`,
      ),
      chosen: worst,
    },
  };
}

/** Cumulative PnL of each source: mean over seeds, over all markets. */
export function sourcesChart(cell: ReportCell): TimeChart {
  const { outcomes } = cell;
  const hours = outcomes[0]?.curves.hours ?? [];
  const ends = stretchesOf(hours, sources.length);
  const at = (source: PnlComponent, nth: number): number =>
    meanOf(outcomes.map(({ curves }) => sumOf(curves.markets, ({ pnl }) => pnl[source][nth] ?? 0)));
  return {
    id: "sources-over-time",
    title: "PnL by source over the run",
    panes: [{ name: "PnL AT MID BY SOURCE, USDC, mean over runs", digits: 2, share: 1 }],
    minutes: minutesOf(ends, hours),
    lines: sources.map((source, look) => ({
      name: source,
      pane: 0,
      look,
      values: lastOf(
        ends,
        hours.map((_, nth) => at(source, nth)),
      ),
    })),
  };
}

/** The exact equity figures of each seed. */
export const exactEquity = ({ outcomes }: ReportCell): string =>
  table(
    "Exact by run, USDC",
    [
      ...["run", "equity at the start", "at the end", "PnL at mid", "PnL at print", "PnL closed"],
      ...["worst day at mid", "worst day closed", "deepest drawdown", "a year at mid", "Sharpe ratio"],
    ],
    outcomes.map(({ line }) => [
      runName(line),
      ...[line.equityStart, line.equityEnd, line.pnl, line.pnlAtPrint, line.pnlAtClose],
      ...[line.worstDay, line.worstDayAtClose, line.maxDrawdown],
      ...[line.annual === null ? "–" : amount(line.annual.pnl), line.annual?.sharpe?.toFixed(2) ?? "–"],
    ]),
  );

export function sourcesCard(cell: ReportCell): string {
  const { outcomes } = cell;
  const markets = linesOf(cell);
  const days = meanOf(outcomes.map(({ line }) => line.days));
  const mean = (nth: number, source: PnlComponent | "total", at: "pnl" | "pnlAtPrint"): number =>
    meanOf(outcomes.map(({ line }) => Number(line.markets[nth]?.[at][source] ?? 0))) / days;
  const rows = markets.flatMap((_, nth) =>
    (["pnl", "pnlAtPrint"] as const).map((at) => [
      `${marketName(cell, nth)}, ${at === "pnl" ? "at mid" : "at print"}`,
      ...[...sources, "total" as const].map((source) => amount(mean(nth, source, at))),
    ]),
  );
  const hasPremium = markets.some(({ premium }) => premium !== undefined);
  const exact = outcomes.flatMap(({ line }) =>
    line.markets.map((market) => [
      `${runName(line)}, market ${market.marketId}`,
      ...[...sources, "total" as const].map((source) => market.pnl[source]),
      market.pnlAtPrint.total,
      ...(hasPremium ? [market.premium?.pnl ?? "", market.premium?.spreadPnl ?? ""] : []),
    ]),
  );
  const heads = [
    ...["run", ...sources, "total at mid", "total at print"],
    ...(hasPremium ? ["of it at mid: premium book", "all else"] : []),
  ];
  return `<div id="sources">${card(
    "PnL by source",
    spreadAlone(cell),
    table("USDC a day, mean over runs", ["market", ...sources, "total"], rows),
    table("Exact by source, USDC a run", heads, exact),
  )}</div>`;
}

/** Earnings of the spread alone, without effects of price and premium. */
function spreadAlone({ outcomes }: ReportCell): string {
  const lines = outcomes.map(({ line }) => line);
  const { spreadMean, pnlMean } = cellLine(lines);
  const fees = meanOf(lines.map(({ markets }) => sumOf(markets, ({ pnl }) => Number(pnl.fees))));
  return `Spread alone: ${decimal(spreadMean)} USDC a run, ${decimal(spreadMean + fees)} with fees and rebates; all sources together: ${decimal(pnlMean)}.`;
}

/** For runs of more than a day: the mean over seeds, and each seed. */
export function daysCard({ outcomes }: ReportCell): string {
  const count = Math.max(...outcomes.map(({ curves }) => curves.days.length));
  const at = (nth: number): readonly number[] => outcomes.map(({ curves }) => curves.days[nth] ?? 0);
  const days = Array.from({ length: count }, (_, nth) => `day ${nth + 1}`);
  const rows = days.map((name, nth) => [name, amount(meanOf(at(nth))), ...at(nth).map((value) => signed(value))]);
  const numbers = table("USDC a day at mid", ["day", "mean", ...outcomes.map(({ line }) => runName(line))], rows);
  const title = "PnL by day";
  const lost = outcomes.flatMap(({ curves }) => curves.days);
  const says = `USDC at mid, from midnight to midnight of the run. ${lost.filter((value) => value < 0).length} of ${lost.length} days over all runs lost.`;
  if (count < 2) return card(title, `The runs are of one day or less. ${says}`, numbers);
  const svg = barChart({
    title,
    groups: days.map((name) => name.replace("day ", "")),
    bars: [{ name: "mean over runs", values: days.map((_, nth) => meanOf(at(nth))) }],
    range: days.map((_, nth) => [Math.min(...at(nth)), Math.max(...at(nth))] as const),
    yLabel: "USDC a day",
  });
  const spans = outcomes.length > 1 ? " Thin lines: from the lowest run to the highest." : "";
  return card(title, `${says}${spans}`, svg, numbers);
}

/** Intervals are over runs, which differ by their worlds; for a single run, over days. */
export function cellMarkouts(cell: ReportCell): string {
  const { outcomes } = cell;
  const isOneRun = outcomes.length === 1;
  const markets = linesOf(cell).map((_, nth) => ({
    name: marketName(cell, nth),
    horizons: markoutHorizons.map((horizon) =>
      outcomes.flatMap(({ curves }) => {
        const days = (curves.markets[nth]?.markouts ?? []).map((day) => day[horizon]);
        return isOneRun ? days : [{ sum: sumOf(days, ({ sum }) => sum), count: sumOf(days, ({ count }) => count) }];
      }),
    ),
  }));
  return markoutsCard(markets, { horizons: HORIZON_TEXTS, over: isOneRun ? "days" : `${kindOfRuns(cell)}s` });
}

/** Empty unless the fills were kept. */
export function fillsCard({ outcomes }: ReportCell): string {
  const fills = outcomes.flatMap((outcome) => outcome.fills ?? []);
  if (fills.length === 0) return "";
  const hours = Array.from({ length: HOURS_OF_DAY }, (_, hour) => `${hour}`.padStart(2, "0"));
  const days = sumOf(outcomes, ({ line }) => Math.max(1, Math.ceil(line.days)));
  const of = (side: "buy" | "sell"): readonly number[] =>
    hours.map((_, hour) => {
      const count = fills.filter(
        (fill) => fill.side === side && Math.floor(fill.atMs / HOUR_MS) % HOURS_OF_DAY === hour,
      );
      return count.length / days;
    });
  const title = "Fills by hour of the day";
  const svg = barChart({
    title,
    groups: hours,
    bars: [
      { name: "bought", values: of("buy") },
      { name: "sold", values: of("sell") },
    ],
    yLabel: "fills a day",
  });
  return card(title, "UTC of the simulated clock; mean over days and runs.", `${legend(["bought", "sold"])}${svg}`);
}

export function inventoryCard(cell: ReportCell): string {
  const { outcomes, markets } = cell;
  const rows = outcomes.flatMap(({ line }) =>
    line.markets.map((market, nth) => {
      const limit = markets.find(
        ({ accountId, marketId }) => accountId === market.accountId && marketId === market.marketId,
      )?.maxPosition;
      return [
        `${runName(line)}, ${marketName(cell, nth)}`,
        market.positionMax,
        limit === undefined ? "–" : `±${decimal(limit)}`,
        market.positionStd.toFixed(3),
        market.closingCost,
        market.unclosed,
      ];
    }),
  );
  const head = [
    "run",
    "largest, contracts",
    "limit, contracts",
    "standard deviation, contracts",
    "closing it at the end costs, USDC",
    "nobody takes, contracts",
  ];
  return `<div id="position">${card(
    "Position",
    "Closing: as a taker through the others' book, fees included.",
    table("Position by run", head, rows),
  )}</div>`;
}

const worldCells = (world: WorldLine): readonly string[] => [
  `${world.orderMs}`,
  `${world.feedMs}`,
  world.informedShare === null ? "–" : `${(100 * world.informedShare).toFixed(1)} %`,
  world.pressureGaps === null ? "–" : world.pressureGaps.toFixed(2),
  [...new Set(Object.values(world.premiumPeriodSecs).map((seconds) => (seconds / 3600).toFixed(1)))].join(", "),
];

export function worldsCard({ outcomes }: ReportCell): string {
  const rows = outcomes.map(({ line }) => [runName(line), ...worldCells(line.world), amount(Number(line.pnl))]);
  const head = [
    "run",
    "an order on its way, ms",
    "frames and reads, ms",
    "informed takers",
    "orders until pressure is gone",
    "funding pays a premium in, h",
    "PnL at mid, USDC a run",
  ];
  const isDrawn = outcomes.some(({ line }) => line.world.isDrawn);
  const says = isDrawn
    ? "What nobody knows of a market is drawn from each seed, the same for every setting. Latencies are medians one way."
    : "Nothing was drawn: latencies are the usual medians, all else is as configured.";
  return card("Worlds", says, table("What each run had", head, rows));
}

export function quotingCard(cell: ReportCell): string {
  const { outcomes } = cell;
  const rows = linesOf(cell).map((_, nth) => quotingRow(cell, outcomes, nth));
  const head = [
    "market",
    "both sides quoted, of the time",
    "fills a run",
    "volume a run, USDC",
    "fill ratio",
    "actions a day",
    "actions a fill",
    "actions a million USDC",
  ];
  const says =
    "Both sides quoted: each had an order of ours. Fill ratio: contracts filled of those that orders were placed or enlarged for. Actions: orders placed, modified and canceled.";
  return `<div id="quoting">${card("Quoting", says, table("Over all runs", head, rows))}</div>`;
}

function quotingRow(cell: ReportCell, outcomes: readonly Outcome[], nth: number): readonly string[] {
  const lines = outcomes.flatMap(({ line }) => line.markets[nth] ?? []);
  const curves = outcomes.flatMap((outcome) => outcome.curves.markets[nth] ?? []);
  const actions = sumOf(lines, ({ actions: { place, modify, cancel } }) => place + modify + cancel);
  const fills = sumOf(lines, (line) => line.fills);
  const volume = sumOf(lines, (line) => Number(line.volume));
  const placed = sumOf(curves, (curve) => curve.placed);
  const per = (value: number, of: number, digits: number): string => (of === 0 ? "–" : decimal(value / of, digits));
  return [
    marketName(cell, nth),
    `${decimal(100 * meanOf(lines.map(({ quoteUptime }) => quoteUptime)), 1)} %`,
    decimal(fills / lines.length, 0),
    decimal(volume / lines.length),
    placed === 0 ? "–" : `${per(100 * sumOf(curves, (curve) => curve.filled), placed, 1)} %`,
    decimal(meanOf(lines.map(({ actionsPerDay }) => actionsPerDay)), 0),
    per(actions, fills, 2),
    per(actions * 1e6, volume, 0),
  ];
}
