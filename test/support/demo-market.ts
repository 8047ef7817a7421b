// Only the first market of config/demo.yaml, with replacements for values of the file: as in the demo, or the thin market that prints once
// a day, quoted by `glft`.

import { fileURLToPath } from "node:url";
import type { Setting } from "../../src/bot/config/setting.ts";
import { type Configuration, loadConfiguration } from "../../src/configuration.ts";
import { systemFiles } from "../../src/kernel/yaml/files.ts";

export const DEMO = fileURLToPath(new URL("../../config/demo.yaml", import.meta.url));
const MARKET = 1;
const IN_MARKET = `accounts.12.markets.${MARKET}`;

const settings = {
  demo: [],
  daily: [
    { path: "venue.embedded", value: "devnet-daily.yaml" },
    { path: `${IN_MARKET}.strategy`, value: "glft" },
    { path: `${IN_MARKET}.params`, value: { size: 0.5, levels: 2, maxInventory: 8 } },
  ],
} as const satisfies Readonly<Record<string, readonly Setting[]>>;

export async function demoMarket(which: keyof typeof settings): Promise<Configuration> {
  const { bot, devnet } = await loadConfiguration(DEMO, systemFiles, settings[which]);
  return {
    bot: { ...bot, accounts: bot.accounts.map((account) => ({ ...account, markets: only(account.markets) })) },
    devnet: devnet && { ...devnet, markets: only(devnet.markets) },
  };
}

const only = <Market extends { readonly marketId: number }>(markets: readonly Market[]): readonly Market[] =>
  markets.filter(({ marketId }) => marketId === MARKET);
