// What a search loses by half of its settings being even points and half being proposed from the scores of these, beside even points alone, with
// as many runs: the mean share of a surface's height that the setting it ends with lacks, over drawn surfaces whose scores are as noisy as
// real runs. `npx node bench/tune-surrogate.ts --searches 200`, half a minute.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { halfOf95, meanOf } from "../src/backtest/summary.ts";
import { FIRST_SEEDS, racePlan, stillRacing } from "../src/backtest/tune/race.ts";
import { sobolPoints } from "../src/backtest/tune/sobol.ts";
import { type Point, promising } from "../src/backtest/tune/surrogate.ts";
import { createPrng, type Prng } from "../src/kernel/prng.ts";

const { values } = parseArgs({
  options: {
    searches: { type: "string", default: "200" },
    seeds: { type: "string", default: "20" },
    /** USDC a day between the best setting and the worst. */
    height: { type: "string", default: "50" },
  },
});
const [searches, seeds, height] = [values.searches, values.seeds, values.height].map(Number) as [
  number,
  number,
  number,
];
const POOL = 512;
const RUNS_PER_SEED = 16;

type Surface = (point: Point) => number;
const squares = (point: Point, top: Point, width: number): number =>
  point.reduce((sum, at, nth) => sum + ((at - (top[nth] ?? 0)) / width) ** 2, 0);
const placeIn = (dimensions: number, prng: Prng): Point => Array.from({ length: dimensions }, () => prng.float());
const bowl = (dimensions: number, prng: Prng): Surface => {
  const [top, weights] = [placeIn(dimensions, prng), placeIn(dimensions, prng).map((weight) => weight ** 2)];
  return (point) => -point.reduce((sum, at, nth) => sum + (weights[nth] ?? 0) * (at - (top[nth] ?? 0)) ** 2, 0);
};
const peak = (dimensions: number, prng: Prng): Surface => {
  const top = placeIn(dimensions, prng);
  return (point) => Math.exp(-squares(point, top, 0.25) / 2);
};
const hills = (dimensions: number, prng: Prng): Surface => {
  const all = Array.from({ length: 6 }, () => ({
    top: placeIn(dimensions, prng),
    height: prng.float(),
    width: 0.1 + 0.3 * prng.float(),
  }));
  return (point) =>
    all.reduce((sum, hill) => sum + hill.height * Math.exp(-squares(point, hill.top, hill.width) / 2), 0);
};

const { scores } = JSON.parse(
  readFileSync(new URL("../test/unit/backtest/tune/scores.json", import.meta.url), "utf8"),
) as { readonly scores: readonly (readonly number[])[] };
const columns = scores[0]?.length ?? 0;
const means = Array.from({ length: columns }, (_, nth) => meanOf(scores.map((row) => row[nth] ?? 0)));
/** What a seed does to each of the settings. */
const noise = scores.map((row) => row.map((score, nth) => score - (means[nth] ?? 0)));

/** How much of the height the setting lacks that a search ends with. `half`: of the settings is proposed. */
function lost(worth: (point: Point) => number, dimensions: number, half: boolean, rows: typeof noise): number {
  const race = racePlan(RUNS_PER_SEED * seeds, seeds);
  const count = race.settings - 1;
  const points: Point[] = [...sobolPoints(dimensions).take(half ? Math.ceil(count / 2) : count)];
  const scoreOf = (setting: number, seed: number): number =>
    worth(points[setting] ?? []) + (rows[seed]?.[setting % columns] ?? 0);
  const scored = (setting: number): number[] =>
    Array.from({ length: FIRST_SEEDS }, (_, seed) => scoreOf(setting, seed));
  const all = points.map((_, setting) => scored(setting));
  const pool = [...sobolPoints(dimensions).take(points.length + POOL)].slice(points.length);
  const tried = points.map((point, setting) => ({ point, score: meanOf(all[setting] ?? []) }));
  for (const at of promising(tried, pool).take(count - points.length)) {
    points.push(pool[at] ?? []);
    all.push(scored(points.length - 1));
  }
  let racing: readonly number[] = points.map((_, setting) => setting);
  let left = race.searchRuns - FIRST_SEEDS * race.settings;
  for (let done = FIRST_SEEDS; done < seeds; done += 1) {
    racing = stillRacing(all, racing, Math.floor(left / (seeds - done)) - 1);
    for (const setting of racing) all[setting]?.push(scoreOf(setting, done));
    left -= racing.length + 1;
  }
  const fresh = (setting: number): number =>
    meanOf(Array.from({ length: seeds }, (_, nth) => scoreOf(setting, seeds + nth)));
  const [best = 0] = stillRacing(all, racing, race.finalists).toSorted((a, b) => fresh(b) - fresh(a));
  return 1 - worth(points[best] ?? []) / height;
}

console.log("| Surface | Parameters | Even points lose, % | With a half proposed, % | Difference, % |");
console.log("| --- | --- | --- | --- | --- |");
for (const [name, surface] of Object.entries({ bowl, peak, hills }))
  for (const dimensions of [1, 2, 4, 6]) {
    const losses = Array.from({ length: searches }, (_, nth) => {
      const prng = createPrng(BigInt(nth));
      const raw = surface(dimensions, prng);
      const heights = [...sobolPoints(dimensions).take(4000)].map(raw);
      const [low, high] = [Math.min(...heights), Math.max(...heights)];
      const worth = (point: Point): number => (height * (raw(point) - low)) / (high - low);
      const rows = Array.from({ length: 2 * seeds }, () => prng.pick(noise));
      return [lost(worth, dimensions, false, rows), lost(worth, dimensions, true, rows)] as const;
    });
    const percent = (all: readonly number[]): string => (100 * meanOf(all)).toFixed(1);
    const gains = losses.map(([even, proposed]) => proposed - even);
    const sign = `${percent(gains)} ± ${(100 * (halfOf95(gains) ?? Number.NaN)).toFixed(1)}`;
    const cells = [name, dimensions, percent(losses.map(([even]) => even)), percent(losses.map(([, of]) => of)), sign];
    console.log(`| ${cells.join(" | ")} |`);
  }
