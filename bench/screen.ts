// Speed of a screening beside the full backtest of the same seeds in the same run, both by processor time: `screen` on the demo's first market,
// `screen-daily` on the thin one with one print per day. Its tapes are made before.

import { runConfigured, START_MS } from "../src/backtest/run.ts";
import { tapeOfDevnet } from "../src/backtest/screen/record-tape.ts";
import { type Screening, screen } from "../src/backtest/screen/screen.ts";
import { worldOf } from "../src/backtest/world.ts";
import { usdc } from "../src/domain/units.ts";
import { DAY_MS } from "../src/kernel/clock.ts";
import { createPrng } from "../src/kernel/prng.ts";
import { DEMO, demoMarket } from "../test/support/demo-market.ts";
import { type Bench, median } from "./measure.ts";

const HOUR = 1 / 24;
/** They include compilation; the later runs do not. */
const WARM_UPS = 2;
const RUNS = 4;
/** Settings in one pass, for the code to be as warm as in a search. Each run of a search reads its tape itself, a hundredth of its time. */
const SETTINGS = 8;

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const screenOf = (name: string, which: Parameters<typeof demoMarket>[0], goal: number): Bench => ({
  name,
  async run({ quick }) {
    const configuration = await demoMarket(which);
    const { devnet, bot } = configuration;
    if (devnet === null) throw new Error("the demo has a devnet");
    const markets = bot.accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId));
    const [fullDays, tapeDays] = quick ? [HOUR / 6, HOUR] : [HOUR, 12 * HOUR];
    const [warmUps, runs] = quick ? [1, 1] : [WARM_UPS, RUNS];
    const [full, screened, made] = [[] as number[], [] as number[], [] as number[]];
    const speed = async (days: number, run: () => unknown): Promise<number> => {
      const before = processorMs();
      await run();
      return (days * DAY_MS) / (processorMs() - before);
    };
    for (let nth = 0; nth < warmUps + runs; nth += 1) {
      const seed = BigInt(nth);
      const job = { file: DEMO, name: null, keepsFills: false, settings: [], seed, warmUpDays: 0 };
      const fixed = { ...job, world: "fixed" as const, shortcuts: true };
      const fullSpeed = await speed(fullDays, () => runConfigured(configuration, { ...fixed, days: fullDays }));
      const { line: world, devnet: drawn } = worldOf(devnet, false, createPrng(seed));
      const span = { startMs: START_MS, days: tapeDays };
      const startedMs = processorMs();
      const tape = await tapeOfDevnet({ ...drawn, seed }, markets, span);
      const madeSpeed = (tapeDays * DAY_MS) / (processorMs() - startedMs);
      const one: Screening = {
        bot,
        job: { ...fixed, days: tapeDays },
        account: { collateral: usdc(100_000_000_000n), volume30d: usdc(0n) },
        model: "riskAverse",
        world,
      };
      const all = Array.from({ length: SETTINGS }, () => one);
      const screenSpeed = await speed(SETTINGS * tapeDays, () => screen(tape, all));
      if (nth < warmUps) continue;
      full.push(fullSpeed);
      screened.push(screenSpeed);
      made.push(madeSpeed);
    }
    const [value, reference] = [median(screened), median(full)];
    return {
      name,
      value,
      unit: "x real time",
      reference: "the full backtest",
      referenceValue: reference,
      ratio: value / reference,
      goal: { goal, wanted: "atLeast" },
      beside: { tape: median(made), slowest: Math.min(...screened), fastest: Math.max(...screened) },
    };
  },
});

export const screenDemo = screenOf("screen", "demo", 60);
export const screenDaily = screenOf("screen-daily", "daily", 80);
