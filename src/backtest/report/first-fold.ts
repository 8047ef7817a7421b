// The first screen of the report: what was run, whether it makes money and how, at what risk, and which configuration is better by how
// much.

import { countText } from "../../kernel/text.ts";
import { decimal, escaped, signed, span, toneOf } from "../../report/markup.ts";
import { type LargestPosition, positionTile, sourcesTile, tile } from "../../report/tiles.ts";
import { FIRST_LOOK } from "../chance.ts";
import type { Outcome } from "../outcome.ts";
import type { HoldoutLine } from "../summary.ts";
import { meanOf, sumOf } from "../summary.ts";
import { queueModelTexts, runName } from "../table.ts";
import { type Difference, type Estimate, kindOfRuns, type ReportCell } from "./cells.ts";
import type { Configured } from "./configured.ts";

/** What was run, for the report. */
export type About = {
  /** Command that makes the report again. */
  readonly command: string;
  /** The configurations' files. */
  readonly files: readonly string[];
  /** The market of the runs; null: the devnet's. */
  readonly recording: string | null;
  readonly configured: Configured;
  /** The best setting on held-out seeds; null: none were held out. */
  readonly holdout: HoldoutLine | null;
  /** Cards of the search whose confirming runs these are; left out: there was none. */
  readonly search?: string;
};

export const pageName = ({ search }: Pick<About, "search">): string =>
  search === undefined ? "Backtest" : "Search for parameters";

/** The top bar: kind of report, its input, and its size. */
export function topBar(about: About, cells: readonly ReportCell[], flags: number): string {
  const { files, recording } = about;
  const runs = cells.flatMap(({ outcomes }) => outcomes.map(({ line }) => line));
  const [first] = runs;
  if (first === undefined) return "";
  const recordings = new Set(runs.flatMap((run) => run.recording ?? []));
  const seeds = new Set(runs.map(({ seed }) => seed));
  const [of] = cells;
  const size =
    recordings.size > 0
      ? `${countText(recordings.size, "recording")}, ${decimal(sumOf(of?.outcomes ?? [], ({ line }) => line.days))} days`
      : `${countText(seeds.size, "seed")} × ${countText(first.days, "day")}`;
  const facts = [
    files.join(", "),
    `${countText(cells.length, "configuration")} × ${size}`,
    recording === null ? "exchange simulated by the embedded devnet and its crowd" : `market recorded in ${recording}`,
    ...queueModelTexts(runs).map((text) => `queue model ${text}`),
    ...(first.warmUpDays === 0 ? [] : [`${decimal(24 * first.warmUpDays, 1)} h of warm-up not counted`]),
  ];
  return `<header class="top devnet"><h1>${pageName(about)}</h1><span class="badge">${recording === null ? "SIMULATED MARKET" : "RECORDED MARKET"}</span>
${flags === 0 ? '<span class="good">✓ no red flag</span>' : `<a class="warn" href="#flags">⚠ ${countText(flags, "red flag")}</a>`}
<span class="where">${facts.map((fact) => `<span>${escaped(fact)}</span>`).join(" ")}</span></header>`;
}

/** Whether it makes money, and which configuration is better, in sentences that account for chance. */
export function verdict(best: ReportCell, others: readonly Difference[], { holdout }: About): string {
  const [nearest] = others;
  const { atMid } = best;
  const seeds = best.outcomes.length;
  const [low, high] = atMid.picked95 ?? atMid.ci95;
  const selected = atMid.picked95 === undefined ? "" : `, as the best of ${others.length + 1}`;
  const kind = kindOfRuns(best);
  const [over, tooFew, more, pairs] =
    kind === "recording"
      ? ["from print to print", "so few prints", "", "stretches from print to print"]
      : [`over ${seeds} seeds`, "one seed", "; add --seeds 20", "seeds"];
  const chance =
    low === null || high === null
      ? `${tooFew} cannot tell it from chance${more}`
      : low > 0 || high < 0
        ? `chance hardly explains that, ${over}`
        : `chance may explain that: the interval holds zero, ${over}`;
  const does = toneOf(atMid.mean) === "bad" ? "loses" : "makes";
  const sentences = [
    `<b>${escaped(best.name)}</b> ${does} <b class="${toneOf(atMid.mean)}">${decimal(Math.abs(atMid.mean))}</b> USDC a day at mid${intervalText({ ...atMid, ci95: [low, high] }, selected)}; ${chance}.`,
  ];
  if (nearest !== undefined) {
    const next = others.length > 1 ? "the next best, " : "";
    const tells =
      nearest.verdict === "better"
        ? `chance hardly explains the difference (p ${pText(nearest.p)})`
        : nearest.p === null
          ? `it takes ${FIRST_LOOK} ${pairs} to tell the difference from chance`
          : `chance may explain the difference (p ${pText(nearest.p)})`;
    sentences.push(
      `It is <b>${decimal(Math.abs(nearest.mean))}</b> USDC a day ${nearest.mean < 0 ? "behind" : "ahead of"} ${next}<b>${escaped(nearest.than.name)}</b> on the same ${nearest.seeds.length === 1 ? kind : countText(nearest.seeds.length, kind)}${intervalText(nearest)}; ${tells}.`,
    );
  }
  if (holdout !== null) {
    const days = holdout.daysMean;
    sentences.push(
      `On ${countText(holdout.runs, kind)} that nothing was picked by: <b class="${toneOf(holdout.pnlMean)}">${signed(holdout.pnlMean / days)}</b> USDC a day at mid.`,
    );
  }
  return `<section class="card verdict" aria-label="In short">${sentences.map((text) => `<p>${text}</p>`).join("")}</section>`;
}

const intervalText = ({ ci95 }: Estimate, selected = ""): string => {
  const text = span(ci95);
  return text === null ? "" : ` <span class="soft">(95 %${selected}: ${text})</span>`;
};

export const pText = (p: number | null): string => (p === null ? "–" : p < 0.001 ? "below 0.001" : decimal(p, 3));

/** Figures of one cell, each with its unit and an explanation. */
export function tilesOf(best: ReportCell, isOfSeveral: boolean): string {
  const { atMid, atPrint, line, outcomes } = best;
  const worst = least(outcomes, ({ line: of }) => Number(of.worstDay));
  const deepest = least(outcomes, ({ line: of }) => -Number(of.maxDrawdown));
  const start = Number(outcomes[0]?.line.equityStart ?? 0);
  const days = meanOf(outcomes.map(({ line: of }) => of.days));
  const fills = meanOf(outcomes.map(({ line: of }) => sumOf(of.markets, (market) => market.fills))) / days;
  const share = start === 0 ? "" : `${decimal((100 * Math.abs(deepest.value)) / start)} % of the equity at the start`;
  const closed = Number(worst.outcome?.line.worstDayAtClose ?? 0);
  const all = [
    tile(
      "PnL a day at mid, USDC",
      `<span class="${toneOf(atMid.mean)}">${signed(atMid.mean)}</span>`,
      [
        span(atMid.ci95) === null ? "no interval" : `95 %: ${span(atMid.ci95)}`,
        ...(days < 1 ? [`runs of ${days} days, scaled to one`] : []),
        `at print ${signed(atPrint.mean)}${span(atPrint.ci95) === null ? "" : `, 95 %: ${span(atPrint.ci95)}`}`,
      ],
      "at-mid",
    ),
    sourcesTile("PnL a day by source, USDC", best.bySource),
    tile(
      "Worst day at mid, USDC",
      `<span class="${toneOf(worst.value)}">${signed(worst.value)}</span>`,
      [`${nameOf(worst.outcome)}; ${signed(closed)} with positions closed at its end`],
      "worst-day",
    ),
    tile(
      "Deepest drawdown, USDC",
      `<span class="${toneOf(deepest.value)}">${signed(deepest.value)}</span>`,
      [`${nameOf(deepest.outcome)}${share === "" ? "" : `; ${share}`}`],
      "drawdown",
    ),
    positionTile(largestPositions(best)),
    tile(
      "Both sides quoted",
      `${decimal(100 * line.quoteUptime, 1)} %`,
      [`of the time; ${decimal(fills, 0)} fills and ${decimal(line.actionsPerDay, 0)} actions a day`],
      "uptime",
    ),
  ];
  const of = isOfSeveral ? `Of ${best.name}, which has the highest mean` : "At a glance";
  return `<section aria-label="${escaped(of)}"><h2 class="tiles-of">${escaped(of)}</h2><div class="tiles">${all.join("\n")}</div></section>`;
}

const nameOf = (outcome: Outcome | undefined): string => (outcome === undefined ? "–" : runName(outcome.line));

/** The outcome with the smallest value, and that value. */
function least(outcomes: readonly Outcome[], of: (outcome: Outcome) => number) {
  const [outcome] = outcomes.toSorted((one, other) => of(one) - of(other));
  return { outcome, value: outcome === undefined ? 0 : of(outcome) };
}

/** The largest position of any run against its limit. */
function largestPositions({ outcomes, markets }: ReportCell): readonly LargestPosition[] {
  return (outcomes[0]?.line.markets ?? []).map((market, nth) => {
    const about = markets.find((of) => of.accountId === market.accountId && of.marketId === market.marketId);
    return {
      name: about?.name ?? `market ${market.marketId}`,
      largest: Math.max(...outcomes.map(({ line }) => Math.abs(Number(line.markets[nth]?.positionMax ?? 0)))),
      limit: about?.maxPosition ?? null,
    };
  });
}
