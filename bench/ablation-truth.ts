// Whether an ablation on a recording tells the truth: on seeds of the daily market, what each part earned by `quoin ablate` beside what the
// whole market says when it runs again without that part. Prints an object for each seed and part, and how often the signs agree where both
// intervals exclude 0: `npx node bench/ablation-truth.ts --seeds 10 --hours 6`, two minutes of a core a seed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type AblatedLine,
  type AblationEnd,
  ablatedLine,
  neutral,
  runAblation,
} from "../src/backtest/recorded/ablate.ts";
import { Recorder } from "../src/backtest/recorder.ts";
import type { BotConfig } from "../src/bot/config/config.ts";
import { loadConfiguration } from "../src/configuration.ts";
import type { DevnetConfig } from "../src/devnet/config/config.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { recordSession, START_MS } from "./recorded-session.ts";

const CONFIG = "bench/strategies/glft.yaml";
/** The others change nothing in this market, or, as latency, are no part of the bot. */
const PARTS = ["toxicityAnswers", "skew", "requoteTolerance"] as const;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    hours: { type: "string", default: "6" },
  },
});
const hours = Number(values.hours);

/** The bot in the whole market, crowd included. */
async function liveEnd(
  devnet: DevnetConfig,
  bot: BotConfig,
  seed: bigint,
  folder: string | null,
): Promise<AblationEnd> {
  const recorders: Recorder[] = [];
  await recordSession(devnet, {
    bot,
    hours,
    seed,
    folder,
    watch: ({ chain }) => void recorders.push(new Recorder(bot, chain, { startMs: START_MS, keepsBlocks: true })),
  });
  const job = { name: null, seed, settings: [], days: hours / 24, warmUpDays: 0 };
  const world = { isDrawn: false, orderMs: 0, feedMs: 0, informedShare: null, pressureGaps: null };
  const outcome = recorders[0]?.end(job, { ...world, premiumPeriodSecs: {} });
  if (outcome === undefined) throw new Error("the session has no exchange");
  const { line, curves } = outcome;
  return { pnl: line.pnl, markets: line.markets, blocks: line.blocks ?? [], curves };
}

/** 1 or -1; 0 where the interval holds 0. */
const signOf = ({ ci95: [low, high] }: AblatedLine): number =>
  low === null || high === null ? 0 : low > 0 ? 1 : high < 0 ? -1 : 0;

const { bot, devnet } = await loadConfiguration(CONFIG, systemFiles);
if (devnet === null) throw new Error(`${CONFIG} embeds no devnet`);
const folder = mkdtempSync(join(tmpdir(), "quoin-ablation-"));
const counts = { both: 0, agree: 0 };
try {
  for (let nth = 0; nth < Number(values.seeds); nth += 1) {
    const seed = BigInt(values.seed) + BigInt(nth);
    const recording = join(folder, `${seed}`);
    const whole = await liveEnd(devnet, bot, seed, recording);
    const job = { recording, usual: { queueModel: "riskAverse" } } as const;
    const recorded = await runAblation({ ...job, without: "all" });
    for (const what of PARTS) {
      const truth = ablatedLine(what, whole, await liveEnd(devnet, await neutral(bot, what), seed, null), null);
      const told = ablatedLine(what, recorded, await runAblation({ ...job, without: what }), null);
      if (signOf(truth) !== 0 && signOf(told) !== 0) {
        counts.both += 1;
        if (signOf(truth) === signOf(told)) counts.agree += 1;
      }
      const { pnl, ci95, fills } = told;
      const row = {
        seed: `${seed}`,
        what,
        told: { pnl, ci95, fills },
        truth: { pnl: truth.pnl, ci95: truth.ci95, fills: truth.fills },
      };
      console.log(JSON.stringify(row));
    }
    rmSync(recording, { recursive: true });
    console.log(JSON.stringify({ seeds: nth + 1, ...counts }));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
