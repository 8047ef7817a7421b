// The devnet's configuration file as one schema (contract section 3): what is written by hand, before files are read.

import { z } from "zod";
import * as s from "../../domain/scalars.ts";
import { usdc } from "../../domain/units.ts";

const validForSecs = s.fraction(0.001, 1e9, "seconds").describe("seconds a print stays valid");
const printEverySecs = s.fraction(0.001, 1e9, "seconds").describe("seconds between prints");

export const csvOracle = s.strict({
  source: z.literal("csv"),
  file: s
    .text("a path to a CSV file with the header parcl_id,date,price_feed")
    .describe("relative to this file, else to the working directory"),
  seriesId: s.text("the parcl_id of a series in the file"),
  printEverySecs: printEverySecs.default(86_400),
  validForSecs: validForSecs.default(86_460),
});

const oracle = z.discriminatedUnion(
  "source",
  [
    s.strict({ source: z.literal("fixed"), price: s.priceUsd, validForSecs: validForSecs.default(86_400) }),
    csvOracle,
    s.strict({
      source: z.literal("synthetic"),
      price: s.priceUsd.describe("USD, the first print"),
      printEverySecs: printEverySecs.default(86_400),
      validForSecs: validForSecs.default(86_460),
      driftPercent: s.fraction(-10, 10, "percent").default(0.027).describe("mean log return of a print, percent"),
      volatilityPercent: s
        .fraction(0, 10, "percent")
        .default(0.056)
        .describe("standard deviation of a print's log return, percent"),
      autocorrelation: s.fraction(-0.99, 0.99).default(0.76).describe("lag-1 autocorrelation of log returns"),
    }),
  ],
  { error: () => "source must be one of fixed, csv, synthetic" },
);

const marginTier = s.strict({
  notionalFloor: s.amountUsdc,
  maxLeverage: s.whole(1, 10_000),
  maintenanceMarginRatioBps: s.whole(1, 10_000, "basis points"),
});

const market = s.strict({
  marketId: s.marketNumber,
  name: s.text("a name"),
  assetClass: s.text("an asset class").default("RealEstate"),
  status: s.choice(["Active", "Paused", "Settling", "Settled"]).default("Active"),
  tickSize: s.priceUsd,
  initialMarginRatioBps: s.whole(1, 10_000, "basis points"),
  maintenanceMarginRatioBps: s.whole(1, 10_000, "basis points"),
  priceBandBps: s.whole(1, 10_000, "basis points").default(1000),
  maxOpenInterest: s.sizeContracts.describe("contracts, per side"),
  fundingIntervalSecs: s.whole(1, 31_536_000, "seconds").default(3600),
  oracle,
  marginTiers: s.list(marginTier, "margin tiers", 1).optional().describe("ordered by notionalFloor, the first at 0"),
});

const agent = s.strict({
  pubkey: s.publicKey,
  name: s.text("a name of at most 64 characters", /^.{0,64}$/).default("agent"),
  expiresAt: s
    .whole(0, 99_999_999_999, "Unix seconds")
    .nullable()
    .default(null)
    .describe("Unix seconds; null: until revoked"),
});

const account = s.strict({
  accountId: s.accountNumber,
  owner: s.publicKey,
  collateral: s.amountUsdc.default(usdc(0n)),
  native: s.amountNative.prefault(0),
  masterAccountId: s.accountNumber.nullable().default(null).describe("a number makes it a subaccount of that account"),
  agents: s.list(agent, "agents").default([]),
  volume30d: s.amountUsdc.default(usdc(0n)).describe("USDC traded before the start"),
});

const feeTier = s.strict({
  assetClass: s.text("an asset class").default("RealEstate"),
  minVolume30d: s.amountUsdc,
  makerFeeBps: s.whole(-100, 1000, "basis points").describe("negative: a rebate"),
  takerFeeBps: s.whole(0, 1000, "basis points"),
});

const flow = s.strict({
  enabled: s.flag.default(false),
  noiseTakersPerSec: s.fraction(0, 1000).default(0.5).describe("noise orders a second of chain time, a market"),
  informedShare: s.fraction(0, 1).default(0.1).describe("share of takers who know more than the book"),
  makers: s.whole(0, 20).default(1).describe("competing makers a market"),
  takerSize: s.sizeContracts.prefault("0.5").describe("contracts of a typical taker order"),
});

const opaque = s.text("a secret of 1 to 200 characters");

export const devnetSchema = s.strict({
  chainId: s.text("a chain id"),
  blockTimeMs: s.whole(5, 600_000, "milliseconds").default(200),
  seed: s.seedNumber.prefault(7).describe("all randomness of the crowd and of synthetic indices"),
  timestampToleranceSecs: s.whole(1, 86_400, "seconds").default(60),
  openOrderCap: s.whole(1, 100_000).default(200),
  clock: z
    .discriminatedUnion("mode", [
      s.strict({ mode: z.literal("real") }),
      s.strict({ mode: z.literal("manual"), startMs: s.whole(0, 8_640_000_000_000_000, "Unix milliseconds") }),
    ])
    .prefault({ mode: "real" })
    .describe("manual: chain time moves only by POST /clock"),
  markets: s.list(market, "markets", 1),
  accounts: s.list(account, "accounts").default([]),
  feeTiers: s.list(feeTier, "fee tiers", 1).optional().describe("replaces the default schedule"),
  apiKeys: s.list(s.strict({ key: opaque, owner: s.publicKey }), "API keys").default([]),
  sessions: s.list(s.strict({ token: opaque, owner: s.publicKey }), "owner sessions").default([]),
  users: s.list(s.strict({ username: s.text("a user name"), owner: s.publicKey }), "users").default([]),
  flow: flow.prefault({}),
  throttle: s
    .strict({
      requestsPerSecond: s.whole(0, 1_000_000).default(0),
      actionBudget: s.whole(0, 1_000_000_000).default(0),
    })
    .prefault({})
    .describe("0: no limit"),
});

export type WrittenDevnet = z.output<typeof devnetSchema>;
