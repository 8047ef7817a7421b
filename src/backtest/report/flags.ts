// Red flags: reasons to distrust a good result, each a sentence with the observation and its meaning.

import { countText } from "../../kernel/text.ts";
import type { MarketLine, Outcome, PnlComponent } from "../outcome.ts";
import { meanOf, stdOf, sumOf } from "../summary.ts";
import { kindOfRuns } from "./cells.ts";

/** A maker earns its spread; a larger share from other sources is suspicious. */
const OTHER_SHARE_MAX = 0.5;
/** With this many seeds, a loss above this share of their variation shows that losses are rare and large. */
const LOSS_SEEDS_MIN = 5;
const LOSS_SHARE_MAX = 0.5;

const otherSources = ["inventory", "jump", "funding"] as const satisfies readonly PnlComponent[];

/** `outcomes`: of one cell, at least one; `cells`: how many were tried. */
export function redFlags(outcomes: readonly Outcome[], cells: number): readonly string[] {
  const runs = outcomes.map(({ line }) => line);
  const pnl = meanOf(runs.map((run) => Number(run.pnl)));
  const flags: string[] = [];
  const kind = kindOfRuns({ outcomes });
  const worst = Math.min(...runs.map((run) => Number(run.pnl)));
  if (pnl > 0 && worst < 0) flags.push(`The mean is a gain, but the worst ${kind} lost ${(-worst).toFixed(2)} USDC.`);
  const squares = sumOf(runs, (run) => (Number(run.pnl) - pnl) ** 2);
  if (runs.length >= LOSS_SEEDS_MIN && worst < pnl && (worst - pnl) ** 2 > LOSS_SHARE_MAX * squares)
    flags.push(
      `One ${kind}, at ${worst.toFixed(2)} USDC, makes most of how ${kind}s differ: losses are few and large, and the intervals hold the truth less often than they say. Add ${kind}s.`,
    );
  for (const [nth, market] of (runs[0]?.markets ?? []).entries()) {
    const of = runs.flatMap((run) => run.markets[nth] ?? []);
    flags.push(...flagsOfMarket(`Market ${market.marketId} of account ${market.accountId}`, of));
  }
  // With one seed there is no verdict.
  if (cells > 1 && (runs.length > 1 || kind === "recording"))
    flags.push(
      `The best of ${cells} settings looks better than it is, and a verdict on it holds for these worlds: test it on other ${kind}s before you believe it.`,
    );
  return flags;
}

/** `of`: one market, one line per run. */
function flagsOfMarket(name: string, of: readonly MarketLine[]): readonly string[] {
  const flags: string[] = [];
  const faulted = of.flatMap(({ faults }) => faults ?? []);
  if (faulted.length > 0)
    flags.push(
      `${name}: its strategy failed in ${countText(
        sumOf(faulted, ({ turns }) => turns),
        "turn",
      )} and had no quotes then: it ${faulted[0]?.words[0]}.`,
    );
  const markouts = of.flatMap(({ markoutBps }) => markoutBps["60s"] ?? []);
  const soon = meanOf(of.map(({ markoutBps }) => markoutBps["1s"] ?? 0));
  const late = meanOf(of.map(({ markoutBps }) => markoutBps["300s"] ?? 0));
  if (late > Math.max(soon, 0))
    flags.push(
      `${name} has fills that gain with time, ${soon.toFixed(1)} bps after 1 s and ${late.toFixed(1)} bps after 5 min: the makers of a real market see theirs lose. This crowd is kinder.`,
    );
  const total = meanOf(of.map((each) => Number(each.pnl.total)));
  if (markouts.length > 0 && meanOf(markouts) < 0 && total > 0)
    flags.push(
      `${name} gains although the price moves against its fills within a minute: rebates or a trend earned it.`,
    );
  const spread = meanOf(of.map((each) => Number(each.pnl.spread)));
  const others = otherSources.map((source) => ({ source, mean: meanOf(of.map((each) => Number(each.pnl[source]))) }));
  const together = others.reduce((sum, { mean }) => sum + mean, 0);
  const largest = Math.max(together, ...others.map(({ mean }) => mean));
  if (total > 0 && largest > OTHER_SHARE_MAX * total)
    flags.push(
      `${name}: more than half of its PnL of ${total.toFixed(2)} is no spread: ${others.map(({ source, mean }) => `${source} ${mean.toFixed(2)}`).join(", ")}. The spread alone brings ${spread.toFixed(2)}. That is a bet on the price or on the premium, and pays until it turns.`,
    );
  const deviation = stdOf(of.map((each) => Number(each.pnl.inventory)));
  if (deviation !== null && spread < deviation)
    flags.push(
      `${name} earns less from its spread than its inventory swings from run to run: the result is mostly chance.`,
    );
  if (of.some(({ unclosed }) => unclosed !== "0"))
    flags.push(
      `${name} ends with a position that the book cannot take: what closing it brings is a guess. Makers leave for a moment where a print comes just then.`,
    );
  if (of.every(({ fills }) => fills === 0)) flags.push(`${name} has no fill.`);
  const uptime = meanOf(of.map(({ quoteUptime }) => quoteUptime));
  if (uptime < 0.5) flags.push(`${name} quotes both sides only ${(uptime * 100).toFixed(0)} % of the time.`);
  return flags;
}
