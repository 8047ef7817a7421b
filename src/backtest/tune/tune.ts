// A search for parameters: many settings race on the same seeds, then the best few and the present configuration run on seeds that the
// search never saw. Only these runs decide whether one is better.

import type { Setting } from "../../bot/config/setting.ts";
import { jobsOf } from "../backtest.ts";
import type { Cell } from "../grid.ts";
import { type BacktestJob, type Outcome, type RunLine, setOf } from "../outcome.ts";
import { meanOf } from "../summary.ts";
import { setText } from "../table.ts";
import {
  type Constraints,
  type Difference,
  differencesFrom,
  type Figures,
  figuresOf,
  hasTraded,
  isPareto,
  keeps,
  scoreOf,
  type Verdict,
} from "./judge.ts";
import type { Tried } from "./prepare.ts";
import { FIRST_SEEDS, isSurelyWorse, type RacePlan, stillRacing } from "./race.ts";
import type { WalkForwardLine } from "./walk-forward.ts";

export type TunePlan = {
  /** The present configuration; the settings of the others are applied to its file. */
  readonly present: Cell;
  readonly others: readonly (readonly Setting[])[];
  /** More settings for the race, by the mean scores of the others on its first seeds; absent: none. */
  readonly further?: (tried: readonly Tried[]) => Promise<readonly (readonly Setting[])[]>;
  readonly race: RacePlan;
  readonly firstSeed: bigint;
  /** Seeds of the search; the confirmation uses as many, which follow them. */
  readonly seeds: number;
  readonly days: number;
  readonly warmUpDays: number;
  readonly constraints: Constraints;
  /** Mean score of a setting in the screening, USDC a day; absent: there was none. */
  readonly screenedScore?: (settings: readonly Setting[]) => number | null;
};

/** Resolves with an outcome for each job, in order; null: it was stopped. */
export type RunJobs = (jobs: readonly BacktestJob[]) => Promise<readonly Outcome[] | null>;

export type CandidateLine = Figures & {
  readonly kind: "candidate";
  /** Empty: the present configuration. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Its figures are from seeds that the search never saw; false: from the search. */
  readonly confirmed: boolean;
  /** Whether it keeps all limits. */
  readonly keeps: boolean;
  /** Whether it had a fill in each market that it changes; without, it is no winner. */
  readonly trades: boolean;
  /** Among the confirmed ones: no other has more score, a better worst day and a steadier position. */
  readonly pareto: boolean;
  /** Relative to the present configuration; null: it is that, or was not confirmed. */
  readonly difference: Difference | null;
  /** Relative to the present configuration. */
  readonly verdict: Verdict;
  /** Its mean score in the screening, which chose who raced; absent: there was none. */
  readonly screenedScore?: number | null;
};

export type TuneLine = {
  readonly kind: "tune";
  readonly runs: number;
  readonly winner: CandidateLine | null;
  readonly reason: string;
  /** Only on recordings; null: these are too short for it. */
  readonly walkForward?: WalkForwardLine | null;
};

export type Tuned = {
  /** The confirmed ones first, best first; then the others, by the score of their search. */
  readonly candidates: readonly CandidateLine[];
  readonly line: TuneLine;
  /** Settings of the winner; null: there is none. */
  readonly settings: readonly Setting[] | null;
  /** The confirming runs, by setting, then by seed; the present configuration's first. */
  readonly confirmed: readonly { readonly settings: readonly Setting[]; readonly outcomes: readonly Outcome[] }[];
  /** Every setting's scores, USDC a day: on each seed of the search that it ran on, or on recordings, in each test. */
  readonly race: readonly { readonly set: RunLine["set"]; readonly scores: readonly number[] }[];
};

/** A setting in the search. `outcomes`: by seed. */
type Racer = { readonly settings: readonly Setting[]; readonly outcomes: Outcome[] };

/** Null: it was stopped. `onBest` gets the highest mean score after each step, USDC per day. Rejects with what a run throws. */
export async function tune(plan: TunePlan, run: RunJobs, onBest: (score: number) => void): Promise<Tuned | null> {
  const racers = [[], ...plan.others].map((settings): Racer => ({ settings, outcomes: [] }));
  const finalists = await search(racers, plan, run, onBest);
  if (finalists === null) return null;
  const confirmed = [racers[0] as Racer, ...finalists].map((racer): Racer => ({ ...racer, outcomes: [] }));
  const seeds = Array.from({ length: plan.seeds }, (_, nth) => plan.seeds + nth);
  if (!(await runOn(confirmed, seeds, plan, run))) return null;
  return judged(racers, confirmed, plan);
}

/** The best settings other than the present one, best first; null: it was stopped. Adds further ones to `racers`. */
async function search(
  racers: Racer[],
  plan: TunePlan,
  run: RunJobs,
  onBest: (score: number) => void,
): Promise<readonly Racer[] | null> {
  const { seeds, race, constraints, further } = plan;
  const first = Array.from({ length: FIRST_SEEDS }, (_, nth) => nth);
  if (!(await runOn(racers, first, plan, run))) return null;
  if (further !== undefined) {
    const [, ...tried] = racers;
    const scored = tried.map(({ settings, outcomes }) => ({ settings, score: meanOf(outcomes.map(scoreOf)) }));
    const more = (await further(scored)).map((settings): Racer => ({ settings, outcomes: [] }));
    if (!(await runOn(more, first, plan, run))) return null;
    racers.push(...more);
  }
  let racing: readonly number[] = racers.map((_, nth) => nth);
  let left = race.searchRuns - FIRST_SEEDS * racers.length;
  for (let done = FIRST_SEEDS; ; done += 1) {
    const scores = racers.map(({ outcomes }) => outcomes.map(scoreOf));
    const affordable = done < seeds ? Math.floor(left / (seeds - done)) : race.settings;
    racing = stillRacing(scores, racing, affordable);
    onBest(Math.max(...racing.map((nth) => meanOf(scores[nth] ?? []))));
    if (done >= seeds) break;
    const of = racing.flatMap((nth) => racers[nth] ?? []);
    if (!(await runOn(of, [done], plan, run))) return null;
    left -= of.length;
  }
  return racing
    .flatMap((nth) => (nth === 0 ? [] : (racers[nth] ?? [])))
    .filter(({ outcomes }) => keeps(figuresOf(outcomes), constraints))
    .slice(0, race.finalists);
}

/** Common to every run of a search. */
export const ALIKE = { world: "drawn", shortcuts: true, keepsFills: false } as const;

/** False: it was stopped. `seeds`: counted from the first. */
async function runOn(
  racers: readonly Racer[],
  seeds: readonly number[],
  { present, firstSeed, days, warmUpDays }: TunePlan,
  run: RunJobs,
): Promise<boolean> {
  const jobs = seeds.flatMap((seed) =>
    jobsOf({
      cells: racers.map(({ settings }) => ({ ...present, settings })),
      firstSeed: firstSeed + BigInt(seed),
      seeds: 1,
      markets: [{ days, warmUpDays }],
      ...ALIKE,
    }),
  );
  const outcomes = await run(jobs);
  if (outcomes === null) return false;
  for (const [nth, outcome] of outcomes.entries()) racers[nth % racers.length]?.outcomes.push(outcome);
  return true;
}

function judged(racers: readonly Racer[], confirmed: readonly Racer[], plan: TunePlan): Tuned {
  const { seeds } = plan;
  const [present, ...finalists] = confirmed;
  if (present === undefined) throw new RangeError("the present configuration was not confirmed");
  const scoresOf = ({ outcomes }: Racer): readonly number[] => outcomes.map(scoreOf);
  const judgments = differencesFrom(scoresOf(present), finalists.map(scoresOf));
  const figures = confirmed.map(({ outcomes }) => figuresOf(outcomes));
  const lines = confirmed.map((racer, nth): CandidateLine => {
    const { difference = null, verdict = "unclear" } = judgments[nth - 1] ?? {};
    const of = figures[nth] as Figures;
    return { ...lineOf(racer, of, plan), confirmed: true, pareto: isPareto(of, figures), difference, verdict };
  });
  const [presentRacer] = racers as [Racer, ...Racer[]];
  const searched = racers
    .filter(({ settings }) => confirmed.every((one) => one.settings !== settings))
    .map((racer): CandidateLine => {
      const verdict = isSurelyWorse(scoresOf(racer), scoresOf(presentRacer), racers.length) ? "worse" : "unclear";
      const base = lineOf(racer, figuresOf(racer.outcomes), plan);
      return { ...base, confirmed: false, pareto: false, difference: null, verdict };
    });
  const byScore = (a: CandidateLine, b: CandidateLine): number => b.scoreMean - a.scoreMean;
  const best = lines.filter((line) => line.verdict === "better" && line.keeps).toSorted(byScore)[0] ?? null;
  const winner = best?.trades === true ? best : null;
  return {
    candidates: [...lines.toSorted(byScore), ...searched.toSorted(byScore)],
    line: {
      kind: "tune",
      runs: [...racers, ...confirmed].reduce((sum, { outcomes }) => sum + outcomes.length, 0),
      winner,
      reason: reasonOf(best, lines.slice(1), seeds),
    },
    settings: confirmed[winner === null ? -1 : lines.indexOf(winner)]?.settings ?? null,
    confirmed,
    race: racers.map((racer) => ({ set: setOf({ name: null, settings: racer.settings }), scores: scoresOf(racer) })),
  };
}

const lineOf = (
  { settings, outcomes }: Racer,
  figures: Figures,
  { constraints, screenedScore }: TunePlan,
): Pick<CandidateLine, "kind" | "set" | "keeps" | "trades" | "screenedScore"> & Figures => ({
  kind: "candidate",
  set: setOf({ name: null, settings }),
  ...figures,
  keeps: keeps(figures, constraints),
  trades: hasTraded(settings, outcomes),
  ...(screenedScore && { screenedScore: screenedScore(settings) }),
});

/** Why the setting with the highest score of the better ones is no winner if it never trades. */
export const neverTrades = (set: CandidateLine["set"], where: string): string =>
  `nothing found: ${setText(set)} never trades ${where}, and no better setting scores as much: not quoting does as well`;

/** `best`: the setting with the highest score of those that are better and keep all limits. */
function reasonOf(best: CandidateLine | null, finalists: readonly CandidateLine[], seeds: number): string {
  const on = `${seeds} seeds that the search did not use`;
  if (best?.trades === false) return neverTrades(best.set, `on ${on}`);
  if (best !== null) {
    const { mean = 0, ci95 = [null, null] } = best.difference ?? {};
    const [low, high] = ci95.map((end) => end?.toFixed(2) ?? "-");
    return `it scores ${mean.toFixed(2)} USDC a day more than the present configuration (95 %: ${low} to ${high}) on ${on}`;
  }
  if (finalists.length === 0)
    return "nothing found: no setting that reached the end of the race keeps all limits and is not the present one";
  const isLimited = finalists.some(({ verdict, keeps }) => verdict === "better" && !keeps);
  if (isLimited) return `nothing found: what scores more on ${on} breaks a limit there`;
  return `nothing found: no setting is clearly better than the present configuration on ${on}`;
}
