// Answers that are well-formed but make no sense: reads of the exchange with one value changed to something impossible.

import type { Prng } from "../../kernel/prng.ts";

type Change = (years: number) => object;

const tier = { notionalFloor: "0", maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: "0" };

/** Changes by path of the read. `years`: Unix seconds, years ahead. */
const changes: readonly { readonly path: RegExp; readonly to: readonly Change[] }[] = [
  {
    path: /^\/v1\/markets\/\d+$/,
    to: [
      () => ({ marginTiers: [tier, tier] }),
      () => ({ marginTiers: [{ ...tier, notionalFloor: "1000000" }] }),
      () => ({ marginTiers: [{ ...tier, maxLeverage: 0 }] }),
      () => ({ marginTiers: [{ ...tier, maintenanceDeduction: `1${"0".repeat(24)}` }] }),
      () => ({ tickSize: "0" }),
      () => ({ tickSize: `1${"0".repeat(24)}` }),
      () => ({ oraclePrice: "0" }),
      () => ({ markPrice: "-1" }),
      () => ({ initialMarginRatioBps: 0 }),
      () => ({ maintenanceMarginRatioBps: -250 }),
      () => ({ fundingIntervalSecs: 0 }),
      () => ({ marketId: 65_535 }),
      (years) => ({ oracleValidUntil: years }),
      (years) => ({ lastFundingTimestamp: years }),
    ],
  },
  {
    path: /^\/v1\/oracle\/\d+$/,
    to: [
      () => ({ price: "0" }),
      () => ({ price: "-21694000000" }),
      () => ({ marketId: 65_535 }),
      (years) => ({ validUntil: years }),
      (years) => ({ lastUpdateTimestamp: years * 1000 }),
    ],
  },
  {
    path: /^\/v1\/markets\/\d+\/funding$/,
    to: [
      () => ({ fundingIntervalSecs: 0 }),
      () => ({ maxFundingRateBps: 1e9 }),
      (years) => ({ lastFundingTimestamp: years }),
    ],
  },
  { path: /^\/v1\/markets\/\d+\/orderbook$/, to: [() => ({ bids: [{ price: "0", size: "1", orderCount: 1 }] })] },
];

/** In 2043; worlds begin in 2026. */
const YEARS_SEC = 2_300_000_000;

/** Whether the answer to a read of `path` may be made implausible. */
export const isJudged = (path: string): boolean => changes.some((each) => each.path.test(path));

/** The answer with one value changed; unchanged if the read is none of these. */
export function implausible(path: string, text: string, prng: Prng): string {
  const to = changes.find((each) => each.path.test(path))?.to;
  if (to === undefined || !text.startsWith("{")) return text;
  const changed = prng.pick(to)(YEARS_SEC);
  return JSON.stringify({ ...JSON.parse(text), ...changed });
}
