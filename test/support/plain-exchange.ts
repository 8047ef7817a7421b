// The default exchange of tests and benches: one active market at 200 USD, and the accounts that they need.

import type { AccountConfig, DevnetConfig, MarketConfig } from "../../src/devnet/config/config.ts";
import { native, price, size, usdc } from "../../src/domain/units.ts";
import { type PlaceOrder, plainTerms } from "../../src/wire/transaction/trading.ts";

export const plainMarket: MarketConfig = {
  marketId: 1,
  name: "USA-HPI",
  assetClass: "RealEstate",
  status: "Active",
  tickSize: price(1_000_000n),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  priceBandBps: 1000,
  maxOpenInterest: size(1_000_000_000_000n),
  fundingIntervalSecs: 3600,
  premiumPeriodSecs: 28_800,
  interestRateMicroBps: 64,
  depthThreshold: usdc(500_000_000n),
  maxFundingRateBps: 625,
  oracle: { source: "fixed", price: price(20_000_000_000n), validForSecs: 86_400 },
  marginTiers: [{ notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 }],
};

/** By default holds 100,000 USDC and nothing else. */
export const plainAccount = (
  of: Pick<AccountConfig, "accountId" | "owner"> & Partial<AccountConfig>,
): AccountConfig => ({
  collateral: usdc(100_000_000_000n),
  native: 0n,
  masterAccountId: null,
  agents: [],
  volume30d: usdc(0n),
  ...of,
});

export const plainExchange = (of: Pick<DevnetConfig, "accounts"> & Partial<DevnetConfig>): DevnetConfig => ({
  chainId: "venue-v4:devnet:chain-2",
  blockTimeMs: 200,
  seed: 7n,
  clock: { mode: "real" },
  timestampToleranceSecs: 60,
  refusedNonce: "commits",
  openOrderCap: 200,
  activationFee: usdc(1_000_000n),
  bridge: {
    deposits: { enabled: true, limit: { usdc: usdc(10n ** 17n), native: native(10n ** 17n) } },
    withdrawals: { enabled: true, limit: { usdc: usdc(10n ** 13n), native: native(10n ** 13n) } },
  },
  markets: [plainMarket],
  feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }],
  apiKeys: [],
  sessions: [],
  users: [],
  flow: { enabled: false },
  throttle: { requestsPerSecond: 0, actionBudget: 0 },
  ...of,
});

/** By default buys 1 contract at 199 USD, limit, good till canceled. */
export const plainOrder = (of: Pick<PlaceOrder, "accountId"> & Partial<PlaceOrder>): PlaceOrder => ({
  type: "PlaceOrder",
  ...plainTerms,
  marketId: 1,
  side: "buy",
  orderType: "Limit",
  price: price(19_900_000_000n),
  size: size(1_000_000n),
  reduceOnly: false,
  postOnly: false,
  timeInForce: "GTC",
  ...of,
});
