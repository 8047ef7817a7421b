// The report of a live period: one HTML page without external files, in the look of the backtest report.

import { contractsOf, usdcOf } from "../../domain/rounding.ts";
import type { Usdc } from "../../domain/units.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../kernel/clock.ts";
import { countText, durationText } from "../../kernel/text.ts";
import { annualTexts } from "../../report/annual.ts";
import { barChart, legend } from "../../report/charts.ts";
import { reportPage } from "../../report/frame.ts";
import { horizonText, markoutsCard } from "../../report/markouts.ts";
import { amount, type Cell, card, decimal, escaped, signed, table, toneOf } from "../../report/markup.ts";
import { termsCard } from "../../report/terms.ts";
import { positionTile, sourcesTile, tile } from "../../report/tiles.ts";
import { lastOf, leastOf, minutesOf, stretchesOf, type TimeChart, timeChart } from "../../report/time-chart.ts";
import type { Pnl } from "../accounting/market-book.ts";
import { markoutHorizons } from "../analytics/markouts.ts";
import {
  annualAtMid,
  configurationsOf,
  countsOf,
  daysOf,
  deepestDrawdown,
  drawdownsOf,
  type HourLine,
  hoursOf,
  hourText,
  limitsOf,
  lowestOfDay,
  markoutClusters,
  momentText,
  notRecorded,
  runsOf,
  silenceOf,
  sources,
  traded,
  worstHours,
} from "./figures.ts";
import { type MarketPeriod, type Period, pnlOf, type ShownHours } from "./period.ts";
import { terms } from "./terms.ts";

/** What is shown, in addition to the period's data. */
export type AboutPeriod = {
  /** Command that makes the page again. */
  readonly command: string;
  readonly file: string;
  readonly chainId: string;
  readonly hours: ShownHours;
  /** Kind of the whole page; `isPaper` is for pages on which only some accounts are on paper. */
  readonly kind: "LIVE" | "PAPER" | "DEVNET";
  readonly isPaper: (accountId: string) => boolean;
};

const LOOKS = { LIVE: "live", PAPER: "paper", DEVNET: "devnet" } as const;
const HOURS_OF_DAY = 24;

/** Throws what reading the look throws. */
export function periodHtml(period: Period, about: AboutPeriod): string {
  const lines = hoursOf(period);
  const chart = pnlChart(period, lines, about.hours);
  const lacks = notRecorded(period, about.hours);
  const main = `${verdict(period, about)}
${tiles(period, lines, about)}
<div class="first">${timeChart(chart, OVER_TIME)}<div class="side">${lacksCard(lacks)}${daysCard(period)}</div></div>
<div class="halves">${sourcesCard(period, about)}<div class="side">${worstHoursCard(lines)}</div></div>
<div class="halves">${marketMarkouts(period)}<div class="side">${quotingCard(period, about)}${silenceCard(period)}</div></div>
<div class="halves">${limitsCard(period)}<div class="side">${denialsCard(period)}</div></div>
${fillsCard(period, about.hours)}
${haltsCard(period)}
${changesCard(period)}
${transfersCard(period)}
${termsCard(terms, "docs/reports.md and docs/how-pnl-is-valued.md")}`;
  const title = `Live report: ${about.file}, ${hourText(about.hours.from)} to ${hourText(about.hours.to)} UTC`;
  return reportPage({ title, top: topBar(about, lacks.length), main, command: about.command, charts: [chart] });
}

const OVER_TIME = "USDC since the start of the period, and contracts held, where hours end.";

function topBar({ file, chainId, hours, kind }: AboutPeriod, lacks: number): string {
  const facts = [file, chainId, `${hourText(hours.from)} to ${hourText(hours.to)} UTC`, durationText(lengthMs(hours))];
  return `<header class="top ${LOOKS[kind]}"><h1>Live report</h1><span class="badge">${kind}</span>
${lacks === 0 ? "" : `<a class="warn" href="#lacks">${countText(lacks, "thing")} not recorded</a>`}
<span class="where">${facts.map((fact) => `<span>${escaped(fact)}</span>`).join(" ")}</span></header>`;
}

const lengthMs = ({ seconds }: ShownHours): number => 1000 * seconds;

/** Summary of the period in sentences. */
export function sentences(period: Period, hours: ShownHours): readonly string[] {
  const spans = period.markets.flatMap((market) => market.hours);
  const [mid, print] = [usdcOf(pnlOf(spans, "mid").total), usdcOf(pnlOf(spans, "print").total)];
  const { fills, volume } = traded(spans);
  const perDay = lengthMs(hours) < DAY_MS ? "" : ` (${signed((mid * DAY_MS) / lengthMs(hours))} a day)`;
  const does = toneOf(mid) === "bad" ? "lost" : "made";
  const held = period.halts.filter(({ what }) => !what.startsWith("resumed")).length;
  return [
    fills === 0 && mid === 0 && print === 0
      ? "Nothing was traded, gained or lost."
      : `The period ${does} ${decimal(Math.abs(mid))} USDC at mid${perDay}, ${signed(print)} at print, with ${countText(fills, "fill")} and a volume of ${decimal(usdcOf(volume))} USDC.`,
    ...(held === 0 ? [] : [`It had ${countText(held, "halt")}.`]),
  ];
}

const verdict = (period: Period, { hours }: AboutPeriod): string =>
  `<section class="card verdict" aria-label="In short">${sentences(period, hours)
    .map((text) => `<p>${escaped(text)}</p>`)
    .join("")}</section>`;

function tiles(period: Period, lines: readonly HourLine[], { hours }: AboutPeriod): string {
  const spans = period.markets.flatMap((market) => market.hours);
  const [mid, print] = [pnlOf(spans, "mid"), pnlOf(spans, "print")];
  const [worst] = worstHours(lines);
  const deepest = -usdcOf(deepestDrawdown(lines));
  const annual = annualAtMid(lines, hours);
  const all = [
    tile(
      "PnL at mid, USDC",
      toned(mid.total),
      [`at print ${signed(usdcOf(print.total))}`, ...annualTexts(annual)],
      "at-mid",
    ),
    sourcesTile("PnL at mid by source, USDC", bySource(mid)),
    tile(
      "Worst hour at mid, USDC",
      worst === undefined ? "–" : toned(worst.mid.total),
      [worst === undefined ? "no hour lost" : `${hourText(worst.hour)} UTC`],
      "worst-hour",
    ),
    tile("Deepest drawdown, USDC", `<span class="${toneOf(deepest)}">${signed(deepest)}</span>`, [], "drawdown"),
    positionTile(
      period.markets.map((market) => {
        const limit = limitsOf(market)?.maxPosition;
        return {
          name: market.name,
          largest: contractsOf(market.largestPosition),
          limit: limit === undefined ? null : contractsOf(limit),
        };
      }),
    ),
    uptimeTile(period, hours),
  ];
  return `<section aria-label="At a glance"><h2 class="tiles-of">At a glance</h2><div class="tiles">${all.join("\n")}</div></section>`;
}

const toned = (value: Usdc): string => `<span class="${toneOf(usdcOf(value))}">${signed(usdcOf(value))}</span>`;
const money = (value: Usdc): Cell => amount(usdcOf(value));
const bySource = (pnl: Pnl): Readonly<Record<string, number>> =>
  Object.fromEntries(sources.map((source) => [source, usdcOf(pnl[source])]));

const percent = (share: number): string => `${decimal(100 * Math.min(1, share), 1)} %`;

/** Share of the watched time with quotes on both sides; null if not recorded, or if nothing was watched. */
const uptimeOf = (market: MarketPeriod): number | null => {
  const counts = countsOf(market);
  return counts === null || counts.watchedSecs === 0 ? null : counts.twoSidedSecs / counts.watchedSecs;
};

function uptimeTile({ markets }: Period, hours: ShownHours): string {
  const known = markets.flatMap((market) => uptimeOf(market) ?? []);
  if (known.length === 0) return tile("Both sides quoted", "–", ["not recorded"], "uptime");
  const mean = known.reduce((sum, share) => sum + share, 0) / known.length;
  const watched = Math.max(...markets.map((market) => countsOf(market)?.watchedSecs ?? 0)) / hours.seconds;
  const of = known.length > 1 ? `mean over ${known.length} markets; ` : "";
  return tile(
    "Both sides quoted",
    percent(mean),
    [`${of}of the time that the daemon ran, ${percent(watched)} of the period`],
    "uptime",
  );
}

/** PnL over all markets, and the position in each. */
function pnlChart({ markets }: Period, lines: readonly HourLine[], { from }: ShownHours): TimeChart {
  const ends = [0, ...lines.map(({ hour }) => hour + 1 - from)];
  const kept = stretchesOf(ends, 3 + markets.length);
  const running = (at: "mid" | "print"): readonly number[] => {
    let sum = 0;
    const sums = lines.map((line) => {
      sum += usdcOf(line[at].total);
      return sum;
    });
    return lastOf(kept, [0, ...sums]);
  };
  const drawdown = leastOf(kept, [0, ...drawdownsOf(lines).map(usdcOf)]);
  const positions = markets.map(({ hours }) => {
    const byHour = new Map(hours.map(({ span, inventory }) => [span, contractsOf(inventory)]));
    let position = 0;
    const held = lines.map(({ hour }) => {
      position = byHour.get(hour) ?? position;
      return position;
    });
    return [0, ...held];
  });
  return {
    id: "over-time",
    title: "PnL, drawdown and position",
    startMinute: (from * HOUR_MS) / MINUTE_MS,
    panes: [
      { name: "PnL, USDC", digits: 2, share: 3 },
      { name: "DRAWDOWN AT MID, USDC", digits: 2, share: 1 },
      { name: "POSITION, contracts", digits: 3, share: 1.2 },
    ],
    minutes: minutesOf(kept, ends),
    lines: [
      { name: "PnL at mid", pane: 0, look: 0, values: running("mid") },
      { name: "PnL at print", pane: 0, look: 1, values: running("print") },
      { name: "drawdown", pane: 1, look: 0, values: drawdown, isArea: true },
      ...markets.map(({ name }, nth) => ({
        name: `position in ${name}`,
        pane: 2,
        look: (nth + 2) % 6,
        values: lastOf(kept, positions[nth] ?? []),
        isStepped: true,
      })),
    ],
  };
}

function lacksCard(lacks: readonly string[]): string {
  if (lacks.length === 0) return "";
  const items = lacks.map((lack) => `<li>${escaped(lack)}</li>`).join("\n");
  return `<section class="card flags" id="lacks"><h3>Not recorded</h3><ul>${items}</ul></section>`;
}

function daysCard(period: Period): string {
  const lines = daysOf(period);
  const dates = [...new Set(lines.map(({ date }) => date))];
  const sum = (date: string, at: "mid" | "print"): number =>
    lines.filter((line) => line.date === date).reduce((total, line) => total + usdcOf(line[at].total), 0);
  const rows = lines.map(({ date, name, accountId, mid, print, fills, volume }) => [
    `${date}, ${name} of account ${accountId}`,
    ...[money(mid.total), money(print.total)],
    ...sources.map((source) => money(mid[source])),
    ...[decimal(fills, 0), decimal(usdcOf(volume))],
  ]);
  const head = ["day", "at mid", "at print", ...sources.map((source) => `${source} at mid`), "fills", "volume"];
  const numbers = table("USDC by day and market", head, rows);
  const says = `USDC, by day (UTC). ${dates.filter((date) => sum(date, "mid") < 0).length} of ${dates.length} days lost at mid.`;
  const title = "PnL by day";
  if (dates.length < 2) return card(title, says, numbers);
  const bars = [
    { name: "at mid", values: dates.map((date) => sum(date, "mid")) },
    { name: "at print", values: dates.map((date) => sum(date, "print")) },
  ];
  const svg = barChart({ title, groups: dates.map((date) => date.slice(5)), bars, yLabel: "USDC a day" });
  return card(title, says, `${legend(bars.map(({ name }) => name))}${svg}`, numbers);
}

const nameOf = ({ name, accountId }: MarketPeriod, { isPaper }: AboutPeriod): string =>
  `${name} of account ${accountId}${isPaper(`${accountId}`) ? " (paper)" : ""}`;

function sourcesCard({ markets }: Period, about: AboutPeriod): string {
  const rows = markets.flatMap((market) =>
    (["mid", "print"] as const).map((at) => {
      const pnl = pnlOf(market.hours, at);
      return [`${nameOf(market, about)}, at ${at}`, ...[...sources, "total" as const].map((of) => money(pnl[of]))];
    }),
  );
  return `<div id="sources">${card("PnL by source", "USDC over the period.", table("USDC by market", ["market", ...sources, "total"], rows))}</div>`;
}

function worstHoursCard(lines: readonly HourLine[]): string {
  const worst = worstHours(lines);
  if (worst.length === 0) return card("Worst hours", "", "<p>No hour lost at mid.</p>");
  const rows = worst.map(({ hour, mid, print, fills }) => [
    hourText(hour),
    money(mid.total),
    money(print.total),
    ...sources.map((source) => money(mid[source])),
    decimal(fills, 0),
  ]);
  const head = ["hour from, UTC", "at mid", "at print", ...sources.map((source) => `${source} at mid`), "fills"];
  return card("Worst hours", "USDC, all markets together.", table("The lowest PnL at mid", head, rows));
}

function marketMarkouts({ markets }: Period): string {
  const known = markets
    .filter(({ runs }) => runs.length > 0)
    .map((market) => ({
      name: market.name,
      horizons: markoutHorizons.map((horizon) => markoutClusters(market, horizon)),
    }));
  if (known.length === 0) return `<div>${card("Markouts", "", "<p>Not recorded.</p>")}</div>`;
  return markoutsCard(known, { horizons: markoutHorizons.map(horizonText), over: "days" });
}

function quotingCard({ markets }: Period, about: AboutPeriod): string {
  const rows = markets.map((market) => {
    const [counts, uptime] = [countsOf(market), uptimeOf(market)];
    const makers = market.fills.filter(({ isMaker }) => isMaker).length;
    return [
      nameOf(market, about),
      counts === null ? "not recorded" : percent(counts.watchedSecs / about.hours.seconds),
      uptime === null ? "not recorded" : percent(uptime),
      decimal(market.fills.length, 0),
      market.fills.length === 0 ? "–" : percent(makers / market.fills.length),
      decimal(usdcOf(traded(market.hours).volume)),
    ];
  });
  const head = [
    "market",
    "watched, of the period",
    "both sides quoted, of that",
    "fills",
    "of them as maker",
    "volume, USDC",
  ];
  const says = "Watched: the daemon ran and knew whether it quoted.";
  return `<div id="quoting">${card("Quoting", says, table("Quoting by market", head, rows))}</div>`;
}

function silenceCard({ markets }: Period): string {
  const rows = markets.flatMap((market) => {
    const counts = countsOf(market);
    if (counts === null) return [];
    return silenceOf(counts).map(({ reason, buySecs, sellSecs }) => [
      `${market.name}: ${reason}`,
      durationText(1000 * buySecs),
      durationText(1000 * sellSecs),
    ]);
  });
  const body =
    rows.length === 0
      ? `<p>${markets.some(({ runs }) => runs.length > 0) ? "An order of ours rested all the time." : "Not recorded."}</p>`
      : table("How long nothing of ours rested", ["market and reason", "buy side", "sell side"], rows);
  return card("Reasons of silence", "", body);
}

function limitsCard({ markets }: Period): string {
  const rows = markets.map((market) => {
    const [limits, lowest] = [limitsOf(market), usdcOf(lowestOfDay(market))];
    const position = contractsOf(market.largestPosition);
    const share = (value: number, limit: number): string => (limit === 0 ? "–" : percent(value / limit));
    return [
      market.name,
      decimal(position, 3),
      ...(limits === null
        ? ["not recorded", "–"]
        : [decimal(contractsOf(limits.maxPosition), 3), share(position, contractsOf(limits.maxPosition))]),
      amount(lowest),
      ...(limits === null
        ? ["not recorded", "–"]
        : [decimal(usdcOf(limits.maxLoss)), share(-lowest, usdcOf(limits.maxLoss))]),
    ];
  });
  const head = [
    "market",
    "largest position",
    "maxPosition",
    "share",
    "lowest PnL of a day, USDC",
    "maxLoss, USDC",
    "share",
  ];
  const says =
    "Limits as they last were in the period. The lowest PnL of a day (UTC) is looked at where hours end, at mid or at print, whichever is lower.";
  return `<div id="position">${card("Limits neared", says, table("Limits by market", head, rows))}</div>`;
}

function denialsCard({ denials, decisionsSinceMs }: Period): string {
  const rows = denials.map(({ accountId, marketId, reason, count }) => [
    `${reason}, market ${marketId} of account ${accountId}`,
    decimal(count, 0),
  ]);
  const none = decisionsSinceMs === null ? "Not recorded." : "None.";
  const body = rows.length === 0 ? `<p>${none}</p>` : table("By reason", ["reason", "orders denied"], rows);
  return card("Denials", "Orders that our own guard refused to send.", body);
}

function fillsCard({ markets }: Period, hours: ShownHours): string {
  const fills = markets.flatMap((market) => market.fills);
  if (fills.length === 0) return "";
  const names = Array.from({ length: HOURS_OF_DAY }, (_, hour) => `${hour}`.padStart(2, "0"));
  const days = Math.max(1, lengthMs(hours) / DAY_MS);
  const of = (side: "buy" | "sell"): readonly number[] =>
    names.map((_, hour) => {
      const ours = fills.filter(
        (fill) => fill.side === side && Math.floor(fill.atMs / HOUR_MS) % HOURS_OF_DAY === hour,
      );
      return ours.length / days;
    });
  const yLabel = days > 1 ? "fills a day" : "fills";
  const title = "Fills by hour of the day";
  const bars = [
    { name: "bought", values: of("buy") },
    { name: "sold", values: of("sell") },
  ];
  const svg = barChart({ title, groups: names, bars, yLabel });
  return card(title, "UTC.", `${legend(bars.map(({ name }) => name))}${svg}`);
}

function haltsCard({ halts }: Period): string {
  const rows = halts.map(({ atMs, accountId, marketId, what, reason }) => [
    momentText(atMs),
    marketId === null ? `account ${accountId}` : `market ${marketId} of account ${accountId}`,
    what,
    reason,
  ]);
  const body =
    rows.length === 0 ? "<p>None.</p>" : table("Halts and resumes", ["at, UTC", "of", "what", "reason"], rows);
  return `<div id="halts" class="texts">${card("Halts", "", body)}</div>`;
}

function changesCard(period: Period): string {
  const { changes, refusedCalls, markets } = period;
  const runs = runsOf(period);
  const rows = [
    ...changes.map(({ atMs, by, what, why }) => ({ atMs, cells: [by, what, why] })),
    ...runs.map((atMs) => ({ atMs, cells: ["daemon", "started", startedWith(markets, atMs)] })),
  ].toSorted((a, b) => a.atMs - b.atMs);
  const refused = refusedCalls === 0 ? "" : ` ${countText(refusedCalls, "call")} without the right token refused.`;
  const says = `What was asked of the daemon, by which address, and what it changed without being asked.${refused}`;
  const body =
    rows.length === 0
      ? "<p>None.</p>"
      : table(
          "Changes",
          ["at, UTC", "by", "what", "why, or what was sent"],
          rows.map(({ atMs, cells }) => [momentText(atMs), ...cells]),
        );
  return `<div id="changes" class="texts">${card("What was changed, and by whom", says, body)}</div>`;
}

const startedWith = (markets: readonly MarketPeriod[], beganMs: number): string =>
  markets
    .flatMap((market) => {
      const [first] = configurationsOf({ ...market, runs: market.runs.filter((run) => run.beganMs === beganMs) });
      return first === undefined ? [] : [`${market.name}: ${first.strategy}, configuration ${first.config}`];
    })
    .join("; ");

function transfersCard({ transfers }: Period): string {
  if (transfers.length === 0) return "";
  const rows = transfers.map(({ atMs, accountId, reason, amount: of }) => [
    momentText(atMs),
    `account ${accountId}`,
    reason,
    signed(usdcOf(of)),
  ]);
  const numbers = table("Transfers", ["at, UTC", "account", "what", "USDC"], rows);
  return card("Transfers", "What the collateral did beyond fills, fees and funding: no PnL.", numbers);
}
