// A search for parameters on recordings: every setting runs in all of them, walk-forward over their blocks from print to print says what
// picking by the past earns in the future, and the winner must not be the luck of many trials, nor a peak among its neighbors.

import type { Setting } from "../../bot/config/setting.ts";
import { assert } from "../../kernel/assert.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { countText } from "../../kernel/text.ts";
import { jobsOf, type MarketSpan } from "../backtest.ts";
import { LEVEL } from "../chance.ts";
import type { Cell } from "../grid.ts";
import { type BlockLine, type Outcome, type RunLine, setOf } from "../outcome.ts";
import { meanOf, rounded } from "../summary.ts";
import { blockFigures, blockScore, type Lead, leadOf } from "./block-score.ts";
import {
  type Constraints,
  correctedByHolm,
  type Difference,
  type Figures,
  hasTraded,
  isPareto,
  keeps,
} from "./judge.ts";
import { isSurelyWorse } from "./race.ts";
import { deflatedSharpeOf } from "./sharpe.ts";
import { ALIKE, type CandidateLine, neverTrades, type RunJobs, type Tuned } from "./tune.ts";
import { type Fold, type FoldLine, foldsOf, type WalkForwardLine } from "./walk-forward.ts";

/** Probability that the winner's Sharpe ratio is not the luck of the trials. */
const DEFLATED_MIN = 0.95;

export type RecordedPlan = {
  readonly present: Cell;
  readonly others: readonly (readonly Setting[])[];
  /** A setting with each parameter 20 % lower and higher. */
  readonly neighborsOf: (settings: readonly Setting[]) => Promise<readonly (readonly Setting[])[]>;
  /** The recordings in the order of time. */
  readonly markets: readonly MarketSpan[];
  readonly seed: bigint;
  readonly constraints: Constraints;
  /** Null: no recording is long enough to show it. */
  readonly halfLifeMs: number | null;
};

/** A setting in the search. `blocks`: of all recordings, in the order of time. */
type Tried = { readonly settings: readonly Setting[]; readonly outcomes: readonly Outcome[]; readonly blocks: Blocks };
type Blocks = readonly BlockLine[];

/** Null: it was stopped. `onBest` hears the highest score over all blocks, USDC a day. Rejects with what a run throws. */
export async function tuneRecorded(
  plan: RecordedPlan,
  run: RunJobs,
  onBest: (score: number) => void,
): Promise<Tuned | null> {
  const presents = await runAll(plan, [[]], run);
  const [present] = presents ?? [];
  if (present === undefined) return null;
  const { halfLifeMs } = plan;
  const folds =
    halfLifeMs === null
      ? "the recordings are too short to show how long a premium lasts"
      : foldsOf(present.blocks, halfLifeMs);
  if (typeof folds === "string" || halfLifeMs === null) return nothingTried(present, plan, `nothing found: ${folds}`);
  onBest(blockScore(present.blocks));
  const others = await runAll(plan, plan.others, run);
  if (others === null) return null;
  const tried = [present, ...others];
  assert(
    tried.every(({ blocks }) => blocks.length === present.blocks.length),
    "every setting has the prints of the recordings",
  );
  onBest(Math.max(...tried.map(({ blocks }) => blockScore(blocks))));
  const whole = present.blocks.map((_, nth) => nth);
  const best = bestOf(tried, whole, plan);
  const isSame = best === present;
  const neighbors = isSame ? [] : await runAll(plan, await plan.neighborsOf(best.settings), run);
  if (neighbors === null) return null;
  const picks = folds.map((fold) => bestOf(tried, fold.train, plan));
  const lucky = others.filter((one) => !isSurelyBehind(one, present, tried.length)).map((one) => leads(one, present));
  const walkForward: WalkForwardLine = {
    ...walked(folds, picks, present, plan),
    halfLifeHours: rounded(halfLifeMs / HOUR_MS),
    trials: others.length,
    deflatedSharpe: isSame ? null : deflatedSharpeOf(leads(best, present), lucky, others.length),
    neighbors: neighbors.map((one) => ({ set: setOfTried(one), lead: leadScore(one.blocks, present.blocks) })),
  };
  return judged({ present, others, best, picks, neighbors, folds, walkForward }, plan);
}

/** Runs each setting in every recording; null: it was stopped. */
async function runAll(
  { present, markets, seed }: RecordedPlan,
  all: readonly (readonly Setting[])[],
  run: RunJobs,
): Promise<readonly Tried[] | null> {
  const cells = all.map((settings) => ({ ...present, settings }));
  const outcomes = await run(jobsOf({ cells, firstSeed: seed, seeds: 1, markets, ...ALIKE }));
  if (outcomes === null) return null;
  return all.map((settings, nth) => {
    const own = outcomes.slice(nth * markets.length, (nth + 1) * markets.length);
    return { settings, outcomes: own, blocks: own.flatMap(({ line }) => line.blocks ?? []) };
  });
}

const setOfTried = ({ settings }: Pick<Tried, "settings">): RunLine["set"] => setOf({ name: null, settings });
const at = ({ blocks }: Tried, indexes: readonly number[]): Blocks => indexes.flatMap((nth) => blocks[nth] ?? []);

/** USDC of each block, over the present configuration. */
const leads = (one: Tried, present: Tried): readonly number[] =>
  one.blocks.map(({ pnl }, nth) => pnl - (present.blocks[nth]?.pnl ?? 0));

const pnlsOf = ({ blocks }: Tried): readonly number[] => blocks.map(({ pnl }) => pnl);

/** Over all blocks, by a bound that holds for so many settings. */
const isSurelyBehind = (one: Tried, other: Tried, settings: number): boolean =>
  isSurelyWorse(pnlsOf(one), pnlsOf(other), settings);

const leadScore = (one: Blocks, present: Blocks): number => rounded(blockScore(one) - blockScore(present));

/** The setting with the highest score on these blocks that keeps the limits on them; the present one where none does better. */
function bestOf(tried: readonly Tried[], indexes: readonly number[], { constraints, markets }: RecordedPlan): Tried {
  const [present, ...others] = tried as [Tried, ...Tried[]];
  const allowed = others.filter((one) => keeps(blockFigures(at(one, indexes), markets.length), constraints));
  let [best, score] = [present, blockScore(at(present, indexes))];
  for (const one of allowed) {
    const own = blockScore(at(one, indexes));
    if (own > score) [best, score] = [one, own];
  }
  return best;
}

function walked(
  folds: readonly Fold[],
  picks: readonly Tried[],
  present: Tried,
  { markets }: RecordedPlan,
): Pick<WalkForwardLine, "folds" | "difference"> {
  const pickedBlocks = folds.flatMap(({ test }, nth) => at(picks[nth] ?? present, test));
  const presentBlocks = folds.flatMap(({ test }) => at(present, test));
  return {
    folds: folds.map(({ train, test }, nth): FoldLine => {
      const [picked, base] = [at(picks[nth] ?? present, test), at(present, test)];
      return {
        fromMs: base[0]?.fromMs ?? 0,
        toMs: base.at(-1)?.toMs ?? 0,
        trainBlocks: train.length,
        testBlocks: test.length,
        set: setOfTried(picks[nth] ?? present),
        lead: leadScore(picked, base),
      };
    }),
    difference: differenceOf(leadOf(pickedBlocks, presentBlocks), presentBlocks.length, markets.length),
  };
}

const differenceOf = (lead: Lead, blocks: number, recordings: number): Difference => ({
  seeds: recordings,
  blocks,
  ...lead,
});

type Search = {
  readonly present: Tried;
  readonly others: readonly Tried[];
  /** The pick of all blocks. */
  readonly best: Tried;
  /** By fold. */
  readonly picks: readonly Tried[];
  readonly neighbors: readonly Tried[];
  readonly folds: readonly Fold[];
  readonly walkForward: WalkForwardLine;
};

function judged(search: Search, plan: RecordedPlan): Tuned {
  const { present, others, best, picks, neighbors, folds, walkForward } = search;
  const { constraints, markets } = plan;
  const tests = folds.flatMap(({ test }) => test);
  const finalists = others.filter((one) => one === best || picks.includes(one));
  const judgments = correctedByHolm(
    finalists.map((one) => differenceOf(leadOf(at(one, tests), at(present, tests)), tests.length, markets.length)),
  );
  const shown = [present, ...finalists];
  const figures = shown.map((one) => blockFigures(at(one, tests), markets.length));
  const bestKeeps = keeps(figures[shown.indexOf(best)] as Figures, constraints);
  const reason = reasonOf(search, bestKeeps);
  const lines = shown.map((one, nth): CandidateLine => {
    const { difference = null, verdict = "unclear" } = judgments[nth - 1] ?? {};
    const of = figures[nth] as Figures;
    const isWinner = one === best && reason.found;
    return lineOf(one, of, constraints, {
      confirmed: true,
      pareto: isPareto(of, figures),
      difference,
      verdict: isWinner ? "better" : verdict === "better" ? "unclear" : verdict,
    });
  });
  const rest = others
    .filter((one) => !finalists.includes(one))
    .map((one): CandidateLine => {
      const verdict = isSurelyBehind(one, present, others.length + 1) ? "worse" : "unclear";
      const more = { confirmed: false, pareto: false, difference: null, verdict } as const;
      return lineOf(one, blockFigures(at(one, tests), markets.length), constraints, more);
    });
  const byScore = (a: CandidateLine, b: CandidateLine): number => b.scoreMean - a.scoreMean;
  const winner = reason.found ? (lines[shown.indexOf(best)] ?? null) : null;
  return {
    candidates: [...lines.toSorted(byScore), ...rest.toSorted(byScore)],
    line: {
      kind: "tune",
      runs: (1 + others.length + neighbors.length) * markets.length,
      winner,
      reason: reason.text,
      walkForward,
    },
    settings: winner === null ? null : best.settings,
    confirmed: shown.map(({ settings, outcomes }) => ({ settings, outcomes })),
    race: [present, ...others].map((one) => ({
      set: setOfTried(one),
      scores: folds.map(({ test }) => blockScore(at(one, test))),
    })),
  };
}

const lineOf = (
  one: Tried,
  figures: Figures,
  constraints: Constraints,
  more: Pick<CandidateLine, "confirmed" | "pareto" | "difference" | "verdict">,
): CandidateLine => ({
  kind: "candidate",
  set: setOfTried(one),
  ...figures,
  keeps: keeps(figures, constraints),
  trades: hasTraded(one.settings, one.outcomes),
  ...more,
});

/** Why the pick of all blocks is the winner, or is none. */
function reasonOf({ present, best, walkForward }: Search, bestKeeps: boolean): Reason {
  const { difference, deflatedSharpe, trials, neighbors } = walkForward;
  const { mean, ci95, p, blocks = 0 } = difference;
  const [low, high] = ci95.map((end) => (end ?? 0).toFixed(2));
  const walked = `${mean.toFixed(2)} USDC a day more than the present configuration (95 %: ${low} to ${high}) over ${blocks} blocks`;
  const not = (why: string): Reason => ({ found: false, text: `nothing found: ${why}` });
  if (best === present) return not("no setting that keeps all limits scores more than the present configuration");
  if (!bestKeeps) return not("what scores most breaks a limit on the blocks after the picks");
  if (!hasTraded(best.settings, best.outcomes))
    return { found: false, text: neverTrades(setOfTried(best), "in the recordings") };
  if (p >= LEVEL || mean <= 0)
    return not(`what earlier blocks picked does not clearly score more in later ones: ${walked}`);
  const ratio = deflatedSharpe === null ? "-" : deflatedSharpe.toFixed(3);
  const ofTrials = `deflated Sharpe ratio ${ratio} for ${countText(trials, "trial")}`;
  if (deflatedSharpe === null || deflatedSharpe < DEFLATED_MIN)
    return not(`the lead may be the luck of the best: ${ofTrials}, needed ${DEFLATED_MIN}`);
  const around = neighbors.map(({ lead }) => lead);
  if (around.length > 0 && meanOf(around) <= 0)
    return not("the best setting is a peak: 20 % beside it, settings score less than the present configuration");
  const least = around.length === 0 ? "" : `; 20 % beside it the least lead is ${Math.min(...around).toFixed(2)}`;
  return { found: true, text: `what earlier blocks picked scores ${walked} after them; ${ofTrials}${least}` };
}

type Reason = { readonly found: boolean; readonly text: string };

/** The recordings cannot tell: only the present configuration has run. */
function nothingTried(present: Tried, { constraints, markets }: RecordedPlan, reason: string): Tuned {
  const more = { confirmed: true, pareto: true, difference: null, verdict: "unclear" } as const;
  const line = lineOf(present, blockFigures(present.blocks, markets.length), constraints, more);
  return {
    candidates: [line],
    line: { kind: "tune", runs: markets.length, winner: null, reason, walkForward: null },
    settings: null,
    confirmed: [{ settings: [], outcomes: present.outcomes }],
    race: [],
  };
}
