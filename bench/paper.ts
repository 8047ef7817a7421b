// Compares a strategy's trades live and on paper with either queue model, on the same crowd: npx node bench/paper.ts [--config FILE]
// [--set PATH=V,V,…]… [--hours N] [--seeds N] [--seed K] [--who live|paper|both]… Without `--who`, live and paper run separately, and together.

import { parseArgs } from "node:util";
import { parseAxis, settingsOf } from "../src/backtest/grid.ts";
import { loadConfiguration } from "../src/configuration.ts";
import { systemFiles } from "../src/kernel/yaml/files.ts";
import { runBeside } from "./paper-beside.ts";

const { values } = parseArgs({
  options: {
    config: { type: "string", default: "config/demo.yaml" },
    set: { type: "string", multiple: true, default: [] },
    hours: { type: "string", default: "0.5" },
    seeds: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    who: { type: "string", multiple: true, default: ["live", "paper", "both"] },
  },
});

for (let at = 0; at < Number(values.seeds); at += 1) {
  const seed = BigInt(values.seed) + BigInt(at);
  for (const settings of settingsOf(values.set.map(parseAxis))) {
    const configuration = await loadConfiguration(values.config, systemFiles, settings);
    const set = settings.map(({ path, value }) => `${path.split(".").at(-1)} ${value}, `).join("");
    for (const who of ["live", "paper", "both"] as const) {
      if (!values.who.includes(who)) continue;
      const { traded, leaked } = await runBeside(configuration, { hours: Number(values.hours), seed, who });
      for (const { model, fills, volume } of traded)
        process.stdout.write(
          `seed ${seed} ${set}${who}: ${model ?? "live"} ${fills} fills, ${Math.round(volume)} USDC\n`,
        );
      if (leaked.length > 0) process.stdout.write(`requests of paper accounts: ${leaked.length}\n`);
    }
  }
}
process.exit(0);
