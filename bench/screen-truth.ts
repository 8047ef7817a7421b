// What a screening shows beside full runs of the same settings and seeds: the rank correlation of mean scores, how often both pick the same best
// setting where seeds are resampled, or full runs do not show which of the two picks is better, and how far the screened scores are off.
// `npx node bench/screen-truth.ts --seeds 10`, some six minutes of a core.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { usualWarmUpDays } from "../src/backtest/backtest.ts";
import { runBacktest } from "../src/backtest/run-job.ts";
import { meanOf } from "../src/backtest/summary.ts";
import { differencesFrom, scoreOf } from "../src/backtest/tune/judge.ts";
import { prepareTune } from "../src/backtest/tune/prepare.ts";
import { parseParam } from "../src/backtest/tune/space.ts";
import { ALIKE } from "../src/backtest/tune/tune.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";

const CONFIG = "bench/strategies/glft.yaml";
const SETTINGS = 16;
const RESAMPLES = 200;
const params = ["size=0.1..2", "levels=1..4", "maxInventory=2..8", "minHalfSpreadBps=0.5..6"].map((param) =>
  parseParam(`accounts.12.markets.1.params.${param}`),
);

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "10" }, days: { type: "string", default: "0.04" } },
});
const days = Number(values.days);
const { present, others } = await prepareTune(CONFIG, params, systemFiles);
const settings = [[], ...(await others(SETTINGS - 1))];
const folder = mkdtempSync(join(tmpdir(), "quoin-tapes-"));
const approximate = { folder, program: "screen-truth" };
/** A row per seed, a column per setting. */
const [full, screened]: [number[][], number[][]] = [[], []];
let [fullMs, screenedMs] = [0, 0];
const scored = async (job: Parameters<typeof runBacktest>[0]): Promise<readonly [score: number, ms: number]> => {
  const before = process.cpuUsage();
  const score = scoreOf(await runBacktest(job));
  const { user, system } = process.cpuUsage(before);
  return [score, (user + system) / 1000];
};
for (let seed = 1n; seed <= BigInt(values.seeds); seed += 1n) {
  const [truth, guess]: [number[], number[]] = [[], []];
  for (const of of settings) {
    const job = { ...present, ...ALIKE, settings: of, seed, days, warmUpDays: usualWarmUpDays(days) };
    const [score, ms] = await scored(job);
    const [screenedScore, screeningMs] = await scored({ ...job, approximate });
    truth.push(score);
    guess.push(screenedScore);
    fullMs += ms;
    screenedMs += screeningMs;
  }
  full.push(truth);
  screened.push(guess);
}
rmSync(folder, { recursive: true });

const meansOf = (rows: readonly (readonly number[])[]): readonly number[] =>
  settings.map((_, nth) => meanOf(rows.map((row) => row[nth] ?? 0)));
const ranksOf = (means: readonly number[]): readonly number[] =>
  means.map((mean) => means.filter((other) => other < mean).length);
const spearman = (one: readonly number[], other: readonly number[]): number => {
  const squares = one.reduce((sum, rank, nth) => sum + (rank - (other[nth] ?? 0)) ** 2, 0);
  return 1 - (6 * squares) / (one.length * (one.length ** 2 - 1));
};
const bestOf = (means: readonly number[]): number => means.indexOf(Math.max(...means));
const [truth, guess] = [meansOf(full), meansOf(screened)];
const prng = createPrng(1n);
let [same, sameOrUnclear, lost] = [0, 0, 0];
for (let nth = 0; nth < RESAMPLES; nth += 1) {
  const drawn = full.map(() => prng.below(full.length));
  const pick = (rows: readonly (readonly number[])[]) => meansOf(drawn.map((at) => rows[at] ?? []));
  const picked = bestOf(pick(screened));
  const best = bestOf(pick(full));
  const scoresOf = (setting: number) => drawn.map((at) => full[at]?.[setting] ?? 0);
  const [lead] = differencesFrom(scoresOf(picked), [scoresOf(best)]);
  if (picked === best) same += 1;
  if (picked === best || lead?.verdict === "unclear") sameOrUnclear += 1;
  lost += Math.max(...truth) - (truth[picked] ?? 0);
}
const spread = Math.max(...truth) - Math.min(...truth);
process.stdout.write(
  `${JSON.stringify({
    seeds: full.length,
    settings: SETTINGS,
    rankCorrelation: spearman(ranksOf(truth), ranksOf(guess)),
    sameBest: same / RESAMPLES,
    sameOrUnclear: sameOrUnclear / RESAMPLES,
    regretOfSpread: lost / RESAMPLES / spread,
    biasMean: meanOf(guess.map((score, nth) => score - (truth[nth] ?? 0))),
    fullMean: meanOf(truth),
    processorTimes: fullMs / screenedMs,
  })}\n`,
);
