// Checks the queue models of paper trading where the truth is known: a strategy trades on the devnet and its crowd in virtual time, the
// session is recorded, and `quoin reconcile` judges it.
// npx node bench/reconcile.ts [--config FILE] [--hours N] [--seeds N] [--seed K] [--tick USD] [--out FOLDER]
// --tick: tick size of every market instead of the configured one; the coarser, the more orders share a price. --out keeps the recordings.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { reconcile } from "../src/backtest/recorded/reconcile.ts";
import { recordingOf } from "../src/backtest/recorded/recording.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { PRICE_SCALE, price } from "../src/domain/units.ts";
import { parseDecimal } from "../src/kernel/decimal.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { recordSession } from "./recorded-session.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/demo.yaml" },
    hours: { type: "string", default: "6" },
    seeds: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    tick: { type: "string" },
    out: { type: "string" },
  },
});

const { bot, devnet } = await loadConfiguration(values.config, systemFiles);
if (devnet === null) throw new RangeError(`${values.config} embeds no devnet`);
const { tick } = values;
const markets = devnet.markets.map((market) =>
  tick === undefined ? market : { ...market, tickSize: price(parseDecimal(tick, PRICE_SCALE)) },
);
const print = (cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);
const instant = ["by instant: precision", "recall"];
print([
  "Seed",
  "Fills",
  "USDC",
  "Model",
  "predicted USDC",
  "bias, %",
  "precision",
  "recall",
  ...instant,
  "PnL",
  "predicted",
]);
print(Array.from({ length: 12 }, () => "---"));
for (let at = 0; at < Number(values.seeds); at += 1) {
  const seed = BigInt(values.seed) + BigInt(at);
  const folder = values.out === undefined ? mkdtempSync(join(tmpdir(), "quoin-")) : join(values.out, `seed-${seed}`);
  await recordSession({ ...devnet, markets }, { bot, hours: Number(values.hours), seed, folder });
  for (const line of await reconcile(recordingOf(folder))) {
    const { model, realFills, volumeReal, volumePredicted, biasPercent, precision, recall, pnlReal, pnlPredicted } =
      line;
    const usdc = [pnlReal, pnlPredicted].map((text) => Number(text).toFixed(2));
    const volumes = [volumeReal, volumePredicted].map((text) => Math.round(Number(text)));
    const shares = [biasPercent, precision, recall, line.precisionInstant, line.recallInstant].map(
      (each) => each ?? "-",
    );
    print([`${seed}`, realFills, volumes[0] ?? 0, model, volumes[1] ?? 0, ...shares, ...usdc]);
  }
  if (values.out === undefined) rmSync(folder, { recursive: true });
}
process.exit(0);
