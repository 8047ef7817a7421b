// Compares a strategy's trades live and on paper with either queue model, on the same crowd: npx node bench/paper.ts [--config FILE]
// [--hours N] [--seeds N] [--seed K]. Live and paper run separately, and together.

import { parseArgs } from "node:util";
import { loadConfiguration } from "../src/configuration.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { runBeside } from "./paper-beside.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/demo.yaml" },
    hours: { type: "string", default: "0.5" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
  },
});

const configuration = await loadConfiguration(values.config, systemFiles);
for (let at = 0; at < Number(values.seeds); at += 1) {
  const seed = BigInt(values.seed) + BigInt(at);
  for (const who of ["live", "paper", "both"] as const) {
    const { traded, leaked } = await runBeside(configuration, { hours: Number(values.hours), seed, who });
    for (const { model, fills, volume } of traded)
      process.stdout.write(`seed ${seed} ${who}: ${model ?? "live"} ${fills} fills, ${Math.round(volume)} USDC\n`);
    if (leaked.length > 0) process.stdout.write(`requests of paper accounts: ${leaked.length}\n`);
  }
}
process.exit(0);
