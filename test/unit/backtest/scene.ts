// A short backtest for tests: two strategies in two markets with a print every half minute, in a folder of its own. The exchange values each
// market by another price.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../support/scratch.ts";

const market = (marketId: number, assetClass: string, printEverySecs: number): string =>
  `  - marketId: ${marketId}
    name: INDEX-${marketId}
    assetClass: ${assetClass}
    tickSize: 0.01
    initialMarginRatioBps: 500
    maintenanceMarginRatioBps: 250
    priceBandBps: 1000
    maxOpenInterest: 1000000
    fundingIntervalSecs: 60
    oracle: { source: synthetic, price: 200, printEverySecs: ${printEverySecs}, validForSecs: 90, driftPercent: 0.01, volatilityPercent: 0.05, autocorrelation: 0.8 }
`;

/** Returns the bot's file. */
export function backtestFiles(): string {
  const folder = scratchFolder("backtest");
  const owner = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
  writeFileSync(
    join(folder, "devnet.yaml"),
    `chainId: venue-v4:devnet:chain-2
blockTimeMs: 400
seed: 7
markets:
${market(1, "RealEstate", 30)}${market(2, "Crypto", 45)}accounts:
  - { accountId: 12, owner: ${owner}, collateral: 100000, native: 0, masterAccountId: null, agents: [] }
flow: { enabled: true }
`,
  );
  const limits = "{ maxPosition: 10, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500 }";
  writeFileSync(
    join(folder, "bot.yaml"),
    `venue: { chainId: "venue-v4:devnet:chain-2", embedded: devnet.yaml }
accounts:
  - accountId: 12
    markets:
      - { marketId: 1, strategy: fixed-spread, params: { halfSpreadBps: 4, size: 0.5, levels: 2, stepBps: 4 }, limits: ${limits} }
      - { marketId: 2, strategy: glft, params: { size: 0.5, levels: 1, maxInventory: 5 }, limits: ${limits} }
`,
  );
  return join(folder, "bot.yaml");
}
