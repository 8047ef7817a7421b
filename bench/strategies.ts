// `npx node bench/strategies.ts`: compares strategies on the crowd's market with one print per day, on the same seeds; makes the table of
// docs/strategies.md. Options: `--days N`, `--warm-up N` (uncounted days before), `--seeds N`, `--seed K` (the first), `--workers W`,
// `--variants N` (only the first N rows). Other tables: `--sizes S,S,…` (`glft` at these sizes, the source of advice in
// docs/risk-controls.md) or `--each KEY=V,V,…` (a market setting at each value, for `--strategy`, default `glft`; others by `--set KEY=V`;
// another market by `--config FILE`; without the scale of the skew by `--formula-skew`). Each finished run is one line on stderr.

import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { halfOf95, meanOf, stdOf } from "../src/backtest/summary.ts";
import { isSpread } from "../src/jobs/job-workers.ts";
import { carriedSizes } from "./strategies/carried.ts";
import type { StrategyRun } from "./strategies/run.ts";
import { startStrategyWorkers } from "./strategies/workers.ts";

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "30" },
    seeds: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: `${availableParallelism()}` },
    "warm-up": { type: "string", default: "0" },
    variants: { type: "string" },
    sizes: { type: "string" },
    each: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    strategy: { type: "string", default: "glft" },
    config: { type: "string" },
    "formula-skew": { type: "boolean", default: false },
  },
});

const fileOf = (name: string): string => fileURLToPath(new URL(`./strategies/${name}.yaml`, import.meta.url));
const OF_MARKET = "accounts.12.markets.1";
const settingsOf = (params: Readonly<Record<string, unknown>>) =>
  Object.entries(params).map(([key, value]) => ({ path: `${OF_MARKET}.params.${key}`, value }));
const plainOf = (strategy: string) => [
  { path: `${OF_MARKET}.strategy`, value: strategy },
  { path: `${OF_MARKET}.params`, value: { size: 0.5, maxInventory: 5 } },
];

const RIVAL = "`fixed-spread`, 2 bps, `skewBps` 0.3";
const THREE_LEVELS = { levels: 3, stepBps: 1 };

/** The first row is the base of comparison. Then `glft`, the effects of `carryWeight` and the guard, and the other strategies. */
const ALL_VARIANTS = [
  { name: "`fixed-spread`", file: fileOf("fixed-spread"), settings: [] },
  { name: "`glft` without the guard", file: fileOf("print-aware"), settings: plainOf("glft") },
  { name: "`print-aware`, `carryWeight` 0.02", file: fileOf("print-aware"), settings: [] },
  { name: "the same, 0.5", file: fileOf("print-aware"), settings: settingsOf({ carryWeight: 0.5 }) },
  { name: "the same, 0 (default)", file: fileOf("print-aware"), settings: settingsOf({ carryWeight: 0 }) },
  {
    name: "the same, 0, `guard: reduceOnly`",
    file: fileOf("print-aware"),
    settings: settingsOf({ carryWeight: 0, guard: "reduceOnly" }),
  },
  { name: "`avellaneda-stoikov`", file: fileOf("print-aware"), settings: plainOf("avellaneda-stoikov") },
  {
    name: "`ladder`",
    file: fileOf("fixed-spread"),
    settings: [
      { path: `${OF_MARKET}.strategy`, value: "ladder" },
      { path: `${OF_MARKET}.params`, value: { halfSpreadBps: 2.5, size: 0.5, maxInventory: 5 } },
    ],
  },
  // The best rivals of `glft`: its usual spread with a fixed skew, and with more levels.
  { name: RIVAL, file: fileOf("fixed-spread"), settings: settingsOf({ halfSpreadBps: 2, skewBps: 0.3 }) },
  {
    name: `${RIVAL}, three levels`,
    file: fileOf("fixed-spread"),
    settings: settingsOf({ halfSpreadBps: 2, skewBps: 0.3, ...THREE_LEVELS }),
  },
  {
    name: "`glft`, three levels",
    file: fileOf("print-aware"),
    settings: [...plainOf("glft"), ...settingsOf(THREE_LEVELS)],
  },
];
const [FIXED, PLAIN, WIDENED, REDUCED] = [0, 1, 4, 5] as const;
/** Ten orders fit into the inventory of each. */
const atSize = (size: number) => ({
  name: `\`glft\`, size ${size}`,
  file: fileOf("print-aware"),
  settings: [
    { path: `${OF_MARKET}.strategy`, value: "glft" },
    { path: `${OF_MARKET}.params`, value: { size, maxInventory: 10 * size } },
    { path: `${OF_MARKET}.limits.maxOrderSize`, value: size },
    { path: `${OF_MARKET}.limits.maxPosition`, value: 20 * size },
  ],
});
const sizes = values.sizes?.split(",").map(Number);
const [eachKey = "", atValues] = values.each?.split("=") ?? [];
const settingOf = (key: string, value: string) => ({
  path: `${OF_MARKET}.${key}`,
  value: Number.isNaN(Number(value)) ? value : Number(value),
});
const others = values.set.map((set) => set.split("=")).map(([key = "", value = ""]) => settingOf(key, value));
const each = atValues?.split(",").map((value) => ({
  name: `\`${values.strategy}\`, \`${eachKey}\` ${value}`,
  file: values.config ?? fileOf("print-aware"),
  settings: [...plainOf(values.strategy), ...others, settingOf(eachKey, value)],
}));
const VARIANTS = each ?? sizes?.map(atSize) ?? ALL_VARIANTS.slice(0, Number(values.variants ?? ALL_VARIANTS.length));
/** Whether the rows are the first of ALL_VARIANTS, which are compared with each other. */
const compares = each === undefined && sizes === undefined;

const days = Number(values.days);

/** Figures of a run, USDC per day. */
const figures = {
  mean: ({ pnl }: StrategyRun): number => pnl.total / days,
  deviation: ({ daily }: StrategyRun): number => stdOf(daily) ?? Number.NaN,
  worst: ({ daily }: StrategyRun): number => Math.min(...daily),
  /** Earnings of spread and inventory, without funding and prints; a maker's fee or rebate is part of its spread. */
  quoting: ({ pnl }: StrategyRun): number => (pnl.spread + pnl.inventory + pnl.fees) / days,
  spread: ({ pnl }: StrategyRun): number => (pnl.spread + pnl.fees) / days,
  jump: ({ pnl }: StrategyRun): number => pnl.jump / days,
  position: ({ positionStd }: StrategyRun): number => positionStd,
};
type Figure = keyof typeof figures;

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const withInterval = (of: readonly number[]): string =>
  `${meanOf(of).toFixed(2)} ± ${(halfOf95(of) ?? Number.NaN).toFixed(2)}`;

const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => Number(values.seed) + at);
const jobs = seeds.flatMap((seed) => VARIANTS.map((_, variant) => ({ variant, seed })));
/** By variant, then by seed. */
const runs: StrategyRun[][] = VARIANTS.map(() => []);
const workers = startStrategyWorkers(Number(values.workers));
await isSpread(
  jobs,
  async ({ variant, seed }, run) => {
    const { name = "", file = "", settings = [] } = VARIANTS[variant] ?? {};
    const end = await run({
      file,
      settings,
      seed,
      days,
      warmUpDays: Number(values["warm-up"]),
      scalesSkew: !values["formula-skew"],
    });
    const ofVariant = runs[variant] ?? [];
    ofVariant[seeds.indexOf(seed)] = end;
    console.error(JSON.stringify({ name, seed, ...end }));
  },
  workers.runners,
  new Promise(() => {}),
);
await workers.close();

const all = (variant: number, figure: Figure): readonly number[] => (runs[variant] ?? []).map(figures[figure]);
const head = [
  "strategy",
  "mean a day",
  "deviation of days",
  "worst day of a run",
  "worst of all",
  "by spread, fees and inventory a day",
  "by spread and fees alone",
  "by prints a day",
  "both sides rest",
  "fills a day",
  "actions a day",
  "deviation of the position",
];
console.log([line(head), line(head.map(() => "---"))].join("\n"));
for (const [at, { name }] of VARIANTS.entries()) {
  const of = (figure: Figure) => withInterval(all(at, figure));
  const worst = Math.min(...all(at, "worst")).toFixed(2);
  const ofVariant = runs[at] ?? [];
  const uptime = `${(100 * meanOf(ofVariant.map((run) => run.uptime))).toFixed(1)} %`;
  const [fills, actions] = [(run: StrategyRun) => run.fills, (run: StrategyRun) => run.actions].map((count) =>
    meanOf(ofVariant.map((run) => count(run) / days)).toFixed(0),
  );
  const earned = [of("mean"), of("deviation"), of("worst"), worst, of("quoting"), of("spread"), of("jump")];
  console.log(line([name, ...earned, uptime, `${fills}`, `${actions}`, of("position")]));
}

/** Seed by seed, because both trade in the same market. */
const less = (one: number, other: number, figure: Figure): string => {
  const subtracted = all(other, figure);
  return withInterval(all(one, figure).map((value, at) => value - (subtracted[at] ?? Number.NaN)));
};
const share = (one: number, figure: Figure): string =>
  (meanOf(all(one, figure)) / meanOf(all(PLAIN, figure))).toFixed(2);
for (const at of compares ? VARIANTS.keys().drop(1) : []) {
  const of = (figure: Figure) => less(at, FIXED, figure);
  const name = `${VARIANTS[at]?.name} less \`fixed-spread\`, seed by seed`;
  const earned = [of("mean"), of("deviation"), of("worst"), "", of("quoting"), of("spread"), of("jump")];
  console.log(line([name, ...earned, "", "", "", of("position")]));
}
if (compares && VARIANTS.length > REDUCED) {
  const guards = ["guard", "mean less that of `glft`", "deviation, of that of `glft`", "by prints, of that of `glft`"];
  console.log(["", line(guards), line(guards.map(() => "---"))].join("\n"));
  for (const [name, at] of [["widen", WIDENED] as const, ["reduceOnly", REDUCED] as const])
    console.log(line([name, less(at, PLAIN, "mean"), share(at, "deviation"), share(at, "jump")]));
}
if (sizes !== undefined) {
  const medianOf = (of: readonly number[]): string =>
    (of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? Number.NaN).toFixed(2);
  const carried = await carriedSizes(fileOf("print-aware"), seeds[0] ?? 1, Math.min(days, 3));
  const [contracts, depth, taker] = [
    carried.map((one) => one.contracts),
    carried.flatMap((one) => one.depth ?? []),
    carried.flatMap((one) => one.medianTaker ?? []),
  ].map(medianOf);
  console.log(
    `\nMedian of the hours: the market carries ${contracts}; within 10 bps a side ${depth}, median taker ${taker} contracts.`,
  );
}
