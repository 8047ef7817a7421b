// What `quoin tune` finds where nothing is better: the candidates of a search have the present configuration, and differ only in the draws
// of their latencies. Prints a line per search and how many found something: `npx node bench/tune-null.ts --searches 5`, some six minutes of a
// core a search.

import { parseArgs } from "node:util";
import { usualWarmUpDays } from "../src/backtest/backtest.ts";
import { readCells } from "../src/backtest/grid.ts";
import type { BacktestJob, Outcome } from "../src/backtest/outcome.ts";
import { runBacktest } from "../src/backtest/run-job.ts";
import { tune } from "../src/backtest/tune/tune.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";

const { values } = parseArgs({
  options: {
    searches: { type: "string", default: "5" },
    candidates: { type: "string", default: "5" },
    seeds: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    days: { type: "string", default: "0.04" },
  },
});
const [candidates, seeds, days] = [Number(values.candidates), Number(values.seeds), Number(values.days)];
const [present] = await readCells("bench/strategies/glft.yaml", [], systemFiles);
if (present === undefined) throw new Error("the file has a configuration");
/** Its value is the candidate's number. In the market that trades, as every tuned parameter is. */
const PATH = "accounts.12.markets.1.params.latencyDraw";

const outcomeOf = ({ settings: [draw], ...job }: BacktestJob): Promise<Outcome> =>
  runBacktest({ ...job, settings: [], ...(draw === undefined ? {} : { latencyDraw: Number(draw.value) }) });

let found = 0;
for (let nth = 0; nth < Number(values.searches); nth += 1) {
  const plan = {
    present,
    others: Array.from({ length: candidates }, (_, at) => [{ path: PATH, value: at + 1 }]),
    race: { settings: candidates + 1, searchRuns: (candidates + 1) * seeds, finalists: 3 },
    firstSeed: BigInt(values.seed) + BigInt(2 * seeds * nth),
    seeds,
    days,
    warmUpDays: usualWarmUpDays(days),
    constraints: {},
  };
  const run = async (jobs: readonly BacktestJob[]): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const job of jobs) outcomes.push(await outcomeOf(job));
    return outcomes;
  };
  const tuned = await tune(plan, run, () => {});
  if (tuned === null) throw new Error("nothing stops the search");
  if (tuned.line.winner !== null) found += 1;
  const confirmed = tuned.candidates.filter((each) => each.confirmed && each.difference !== null);
  const differences = confirmed.map(({ difference, verdict }) => ({ ...difference, verdict }));
  console.log(JSON.stringify({ search: nth + 1, winner: tuned.line.winner?.set ?? null, differences }));
}
console.log(JSON.stringify({ searches: Number(values.searches), found }));
