// Error of the bot's queue positions against the exchange's own, on the devnet and its crowd in virtual time: npx node bench/queue.ts
// [--config FILE] [--hours N] [--seeds N] [--seed K]. FILE is a bot's configuration that embeds a devnet.

import { parseArgs } from "node:util";
import { loadConfiguration } from "../src/configuration.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { looksOf } from "./queue-looks.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/demo.yaml" },
    hours: { type: "string", default: "2" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});

const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const configuration = await loadConfiguration(values.config, systemFiles);
const head = [
  "market",
  "seed",
  "looks",
  "shared prices",
  "mean absolute",
  "of these: mean absolute",
  "mean signed",
  "exact",
];
console.log([line(head), line(head.map(() => "---"))].join("\n"));
for (let at = 0; at < Number(values.seeds); at += 1) {
  const seed = BigInt(values.seed) + BigInt(at);
  const { looks, unknown } = await looksOf(configuration, { seed, hours: Number(values.hours) });
  for (const [market, of] of Map.groupBy(looks, (look) => look.market)) {
    const errors = of.map((look) => look.said - look.true);
    // Leaves out orders alone at their price, whose position is always right.
    const shared = of.filter((look) => look.true > 0 || look.said > 0).map((look) => look.said - look.true);
    const exact = shared.filter((error) => Math.abs(error) < 1e-9).length / shared.length;
    const figures = [mean(errors.map(Math.abs)), mean(shared.map(Math.abs)), mean(shared), exact].map(percent);
    const counts = [`${of.length}`, percent(shared.length / of.length)];
    console.log(line([market, `${seed}`, ...counts, ...figures]));
  }
  if (unknown > 0) console.error(`seed ${seed}: ${unknown} looks at orders without a known place`);
}
process.exit(0);
