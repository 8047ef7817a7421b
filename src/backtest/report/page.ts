// The report: one HTML page without external files that opens from disk, with the results first, then the doubts, then the details.

import { reportPage } from "../../report/frame.ts";
import { escaped, folded, table } from "../../report/markup.ts";
import { termsCard } from "../../report/terms.ts";
import { timeChart } from "../../report/time-chart.ts";
import type { Outcome } from "../outcome.ts";
import { differenceRows, pairedText, tableRows } from "../table.ts";
import { bestCell, differences, kindOfRuns, type ReportCell, reportCells } from "./cells.ts";
import { comparedChart, comparedTable, differingCard, drawnCells, sweepCard } from "./compare.ts";
import { type About, pageName, tilesOf, topBar, verdict } from "./first-fold.ts";
import { redFlags } from "./flags.ts";
import {
  cellMarkouts,
  daysCard,
  exactEquity,
  fillsCard,
  inventoryCard,
  quotingCard,
  seedsChart,
  sourcesCard,
  sourcesChart,
  worldsCard,
} from "./sections.ts";
import { terms } from "./terms.ts";

/** `outcomes`: by cell, then by seed, at least one. Throws what reading the look throws. */
export function reportHtml(about: About, outcomes: readonly Outcome[]): string {
  const cells = reportCells(outcomes, about.configured, about.files.join(", "));
  const best = bestCell(cells);
  const others = differences(cells);
  const flags = redFlags(best.outcomes, cells.length);
  const seeds = seedsChart(best);
  const overTime = sourcesChart(best);
  const isOfSeveral = cells.length > 1;
  const compared = isOfSeveral ? comparedChart(cells) : null;
  const charts = [...(compared === null ? [] : [compared]), seeds, overTime];
  const seedsCard = timeChart(
    seeds,
    best.outcomes.length === 1 ? ONE_RUN : eachRun(kindOfRuns(best)),
    folded("The numbers", exactEquity(best)),
  );
  const first =
    compared === null
      ? `<div class="first">${seedsCard}<div class="side">${flagsCard(flags)}${daysCard(best)}</div></div>`
      : `<div class="first">${timeChart(compared, comparedWords(cells))}<div class="side">${comparedTable(cells, others)}${flagsCard(flags)}</div></div>`;
  // A search is of all its settings, and may find none better.
  const of = about.search === undefined ? [...new Set([...about.files, best.name])] : about.files;
  const title = `${pageName(about)}: ${of.join(", ")}`;
  const main = `${about.search === undefined ? "" : `${about.search}<h2>The runs behind it</h2>`}${verdict(best, others, about)}
${tilesOf(best, isOfSeveral)}
${first}
${isOfSeveral ? `${differingCard(cells)}${sweepCard(cells)}<h2>In detail: ${escaped(best.name)}</h2>${seedsCard}` : ""}
<div class="halves">${timeChart(overTime, SOURCES)}<div class="side">${sourcesCard(best)}${isOfSeveral ? daysCard(best) : ""}</div></div>
<div class="halves">${cellMarkouts(best)}<div class="side">${quotingCard(best)}${worldsCard(best)}</div></div>
${fillsCard(best)}
${inventoryCard(best)}
${allFigures(outcomes)}
${termsCard(terms, "docs/backtest.md and docs/how-pnl-is-valued.md")}`;
  return reportPage({ title, top: topBar(about, cells, flags.length), main, command: about.command, charts });
}

const ONE_RUN = "USDC since the start, positions valued at the mid of the others' orders.";
const eachRun = (kind: string): string =>
  `${ONE_RUN} Each thin line is a ${kind}; drawdown and position are of the one that is chosen.`;
const SOURCES = "USDC since the start, over all markets: where the money came from, and when.";

function comparedWords(cells: readonly ReportCell[]): string {
  const drawn = drawnCells(cells).length;
  const of = drawn < cells.length ? ` Of ${cells.length}, the ${drawn} with the highest means.` : "";
  const [first] = cells;
  const runs = first === undefined ? "seed" : kindOfRuns(first);
  return `USDC since the start, mean over the same ${runs}s. Below: what the best is ahead of each other by.${of}`;
}

function flagsCard(flags: readonly string[]): string {
  const items = flags.map((flag) => `<li>${escaped(flag)}</li>`).join("\n");
  return `<section class="card flags" id="flags"><h3>${flags.length === 0 ? "No red flag" : `⚠ ${flags.length} red flag${flags.length === 1 ? "" : "s"}: read before you believe a gain`}</h3><ul>${items}</ul></section>`;
}

/** The command's printed figures, for comparing reports. */
function allFigures(outcomes: readonly Outcome[]): string {
  const runs = outcomes.map(({ line }) => line);
  const [[, ...head] = [], ...rows] = tableRows(runs);
  const [headOfPairs, ...pairs] = differenceRows(runs);
  const paired = headOfPairs === undefined ? "" : table(`USDC a run. ${pairedText(runs)}`, headOfPairs, pairs);
  return `<section class="card"><h3>All figures</h3>${table("USDC a run, means over runs; of worst day and drawdown the worst", ["setting", ...head], rows)}${paired}</section>`;
}
