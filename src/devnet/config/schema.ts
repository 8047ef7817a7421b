// The devnet's configuration file as one schema with its cross-field rules: what a person writes, before the files that it names are read.

import { z } from "zod";
import * as s from "../../domain/scalars.ts";
import type { Fault } from "../../kernel/yaml/fault.ts";
import { listAt, mappingOf, readAs, repeated } from "../../kernel/yaml/partial-parse.ts";
import { defaultFlow } from "./config.ts";

const validForSecs = s.fraction(0.001, 1e9, "seconds").describe("seconds a print stays valid");
const printEverySecs = s.fraction(0.001, 1e9, "seconds").describe("seconds between prints");
const clockChange = s
  .strict({
    afterSecs: s.fraction(0, 1e9, "seconds").describe("seconds of logical time; prints due from then on are moved"),
    bySecs: s
      .whole(-86_400, 86_400, "seconds")
      .describe("seconds by which they come later, below 0 earlier; whole steps of printEverySecs change nothing"),
  })
  .optional()
  .describe("the index follows clocks that change once, as for summer time");

export const csvOracle = s.strict({
  source: z.literal("csv").describe("prints of one series in a file"),
  file: s
    .text("a path to an index file")
    .describe("an index file, relative to this file, else to the working directory"),
  seriesId: s
    .text("a series in the file")
    .describe("its code, region or column; the oldest date prints first, and a date that lacks prints nothing"),
  printEverySecs: printEverySecs
    .default(86_400)
    .describe("seconds between prints; required of weeks, months and quarters"),
  validForSecs: validForSecs.default(86_460),
  clockChange,
});

const oracle = z.discriminatedUnion(
  "source",
  [
    s.strict({
      source: z.literal("fixed").describe("one print, and those of the operator"),
      price: s.priceUsd.describe("USD"),
      validForSecs: validForSecs.default(86_400),
    }),
    csvOracle,
    s.strict({
      source: z.literal("synthetic").describe("a seeded path"),
      price: s.priceUsd.describe("USD, the first print"),
      printEverySecs: printEverySecs.default(86_400),
      validForSecs: validForSecs.default(86_460),
      clockChange,
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
  notionalFloor: s.amountUsdc.describe("USDC of notional from which the tier holds"),
  maxLeverage: s.whole(1, 10_000).describe("highest leverage in the tier"),
  maintenanceMarginRatioBps: s.whole(1, 10_000, "basis points").describe("of notional; deductions are computed"),
});

const market = s.strict({
  marketId: s.marketNumber.describe("its id"),
  name: s.text("a name").describe("its name"),
  assetClass: s
    .text("an asset class")
    .default("RealEstate")
    .describe("RealEstate: margin, liquidation and triggers go by the oracle price; any other: by the mark price"),
  status: s.choice(["Active", "Paused", "Settling", "Settled"]).default("Active").describe("at the start"),
  tickSize: s.priceUsd.describe("USD; every price is a multiple of it"),
  initialMarginRatioBps: s.whole(1, 10_000, "basis points").describe("of notional; the leverage cap is 10000 / it"),
  maintenanceMarginRatioBps: s.whole(1, 10_000, "basis points").describe("of notional, below the initial one"),
  priceBandBps: s
    .whole(1, 10_000, "basis points")
    .default(1000)
    .describe("how far from the oracle price an order may trade"),
  maxOpenInterest: s.sizeContracts.describe("contracts, per side"),
  fundingIntervalSecs: s.whole(1, 31_536_000, "seconds").default(3600).describe("seconds between funding settlements"),
  premiumPeriodSecs: s
    .whole(60, 31_536_000, "seconds")
    .default(28_800)
    .describe("seconds in which funding pays a whole premium; an interval pays its share"),
  interestRateMicroBps: s
    .whole(0, 1_000_000_000, "1e-6 basis points")
    .default(64)
    .describe("hourly interest in funding, 1e-6 basis points of notional"),
  depthThreshold: s.positiveUsdc
    .prefault(500)
    .describe("USDC of notional that each side's impact price, and so the mark price, is taken at"),
  maxFundingRateBps: s
    .whole(0, 10_000, "basis points")
    .default(625)
    .describe("cap of a funding rate per interval, either sign"),
  oracle,
  marginTiers: s.list(marginTier, "margin tiers", 1).optional().describe("ordered by notionalFloor, the first at 0"),
});

const agent = s.strict({
  pubkey: s.publicKey.describe("the agent's public key"),
  name: s
    .text("a name of at most 64 characters", /^.{0,64}$/)
    .default("agent")
    .describe("its name"),
  expiresAt: s
    .whole(0, 99_999_999_999, "Unix seconds")
    .nullable()
    .default(null)
    .describe("Unix seconds; null: until revoked"),
});

const account = s.strict({
  accountId: s.accountNumber.describe("its id"),
  owner: s.publicKey.describe("the owner's public key"),
  collateral: s.amountUsdc.prefault(0).describe("USDC at the start"),
  native: s.amountNative.prefault(0).describe("NATIVE at the start, which is no collateral"),
  masterAccountId: s.accountNumber.nullable().default(null).describe("a number makes it a subaccount of that account"),
  agents: s.list(agent, "agents").default([]),
  volume30d: s.amountUsdc.prefault(0).describe("USDC traded before the start"),
});

const feeTier = s.strict({
  assetClass: s.text("an asset class").default("RealEstate").describe("markets that the row is for"),
  minVolume30d: s.amountUsdc.describe("USDC that a family traded in 30 days, from which the row holds"),
  makerFeeBps: s.whole(-100, 1000, "basis points").describe("negative: a rebate"),
  takerFeeBps: s.whole(0, 1000, "basis points").describe("of notional"),
});

const flow = s.strict({
  enabled: s.flag.default(false).describe("synthetic counterparties; false: an empty, quiet exchange"),
  noiseTakersPerSec: s
    .fraction(0, 1000)
    .default(defaultFlow.noiseTakersPerSec)
    .describe("noise orders a second of chain time, a market; the pace of everybody else follows it"),
  informedShare: s
    .fraction(0, 1)
    .default(defaultFlow.informedShare)
    .describe("share of takers who know the next print"),
  makers: s.whole(0, 20).default(defaultFlow.makers).describe("competing makers a market"),
  takerSize: s.sizeContracts.prefault("0.5").describe("contracts of a typical taker order"),
  halfSpreadBps: s
    .fraction(0.1, 1000, "basis points")
    .default(defaultFlow.halfSpreadBps)
    .describe("half the spread that a maker wants in usual times"),
  reachBps: s
    .fraction(0.1, 1000, "basis points")
    .default(defaultFlow.reachBps)
    .describe("how far from fair a noise order pays, on average"),
  impactBps: s
    .fraction(0, 100, "basis points")
    .default(defaultFlow.impactBps)
    .describe("how far a typical taker order moves the price until makers have come back"),
  pressureGaps: s
    .fraction(0.1, 10)
    .default(defaultFlow.pressureGaps)
    .describe("how long makers take for two thirds of that way back, in mean gaps between noise orders"),
  basisShare: s
    .fraction(0, 10)
    .default(defaultFlow.basisShare)
    .describe("basis traders, who trade the price back to what prints and funding will pay, for each noise order"),
  trendShare: s.fraction(0, 10).default(defaultFlow.trendShare).describe("trend followers for each noise order"),
  leveragedTraders: s
    .whole(0, 20)
    .default(defaultFlow.leveragedTraders)
    .describe("traders a market whom a move against them closes out"),
  manipulatedShare: s
    .fraction(0, 1)
    .default(defaultFlow.manipulatedShare)
    .describe("share of spans of 2000 noise orders in which a manipulator is at work"),
});

const bridgeDirection = (most: number) =>
  s
    .strict({
      enabled: s.flag.default(true).describe("false: nothing passes"),
      limit: s
        .strict({
          usdc: s.amountUsdc.prefault(most).describe("USDC that may pass in 24 hours"),
          native: s.amountNative.prefault(most).describe("NATIVE that may pass in 24 hours"),
        })
        .prefault({}),
    })
    .prefault({});

const ownerOfIt = s.publicKey.describe("whose it is");
const opaque = s.text("a secret of 1 to 200 characters");

export const devnetSchema = s.strict({
  chainId: s.text("a chain id").describe("every signature covers it; a bot must name the same"),
  blockTimeMs: s.whole(5, 600_000, "milliseconds").default(200).describe("milliseconds per block"),
  seed: s.seedNumber.prefault(7).describe("all randomness of the crowd and of synthetic indices"),
  timestampToleranceSecs: s
    .whole(1, 86_400, "seconds")
    .default(60)
    .describe("how far an envelope's timestamp may be from chain time, either way"),
  refusedNonce: s
    .choice(["commits", "staysFree"])
    .default("commits")
    .describe("whether an executed but refused transaction uses up its nonce"),
  openOrderCap: s.whole(1, 100_000).default(200).describe("open and untriggered orders per account"),
  activationFee: s.amountUsdc.prefault(1).describe("USDC, what CreateFundedAccount costs"),
  bridge: s
    .strict({ deposits: bridgeDirection(100_000_000_000), withdrawals: bridgeDirection(10_000_000) })
    .prefault({}),
  clock: z
    .discriminatedUnion("mode", [
      s.strict({ mode: z.literal("real").describe("a block each blockTimeMs") }),
      s.strict({
        mode: z.literal("manual").describe("chain time moves only by POST /clock"),
        startMs: s.whole(0, 8_640_000_000_000_000, "Unix milliseconds").describe("chain time at the start"),
      }),
    ])
    .prefault({ mode: "real" }),
  markets: s.list(market, "markets", 1),
  accounts: s.list(account, "accounts").default([]),
  feeTiers: s.list(feeTier, "fee tiers", 1).optional().describe("replaces the default schedule"),
  apiKeys: s.list(s.strict({ key: opaque.describe("the key"), owner: ownerOfIt }), "API keys").default([]),
  sessions: s
    .list(s.strict({ token: opaque.describe("a bearer token"), owner: ownerOfIt }), "owner sessions")
    .default([]),
  users: s
    .list(
      s.strict({ username: s.text("a user name").describe("what transfers find it by"), owner: ownerOfIt }),
      "users",
    )
    .default([]),
  flow: flow.prefault({}),
  throttle: s
    .strict({
      requestsPerSecond: s.whole(0, 1_000_000).default(0).describe("HTTP requests a second of one client; 0: no limit"),
      actionBudget: s
        .whole(0, 1_000_000_000)
        .default(0)
        .describe("transactions of one account, before those that its volume adds; 0: no limit"),
    })
    .prefault({}),
});

export type WrittenDevnet = z.output<typeof devnetSchema>;

type At = (path: readonly PropertyKey[], message: string) => Fault;

/** Rules across several values. `value`: the whole file, valid or not. */
export function* crossFieldFaults(value: unknown, at: At): Generator<Fault> {
  const markets = listAt(value, "markets").map(mappingOf);
  for (const [index, id] of repeated(markets.map(({ marketId }) => readAs(s.marketNumber, marketId)))) {
    yield at(["markets", index, "marketId"], `${id} is listed twice`);
  }
  for (const [index, market] of markets.entries()) {
    const { initialMarginRatioBps: initial, maintenanceMarginRatioBps: maintenance } = market;
    if (typeof initial === "number" && typeof maintenance === "number" && maintenance >= initial) {
      yield at(["markets", index, "maintenanceMarginRatioBps"], "must be below initialMarginRatioBps");
    }
    yield* tierFaults(at, ["markets", index, "marginTiers"], listAt(market, "marginTiers"));
  }
  yield* accountFaults(at, listAt(value, "accounts"));
}

function* tierFaults(at: At, path: readonly PropertyKey[], tiers: readonly unknown[]): Generator<Fault> {
  let before: { readonly floor: bigint | undefined; readonly ratio: unknown } | undefined;
  for (const [row, written] of tiers.entries()) {
    const { notionalFloor, maintenanceMarginRatioBps: ratio } = mappingOf(written);
    const floor = readAs(s.amountUsdc, notionalFloor);
    const where = [...path, row, "notionalFloor"];
    if (before === undefined) {
      if (floor !== undefined && floor !== 0n) yield at(where, "the first tier must start at 0");
    } else {
      if (floor !== undefined && before.floor !== undefined && floor <= before.floor)
        yield at(where, "must be above the tier before it");
      if (typeof ratio === "number" && typeof before.ratio === "number" && ratio < before.ratio)
        yield at([...path, row, "maintenanceMarginRatioBps"], "must not be below the tier before it");
    }
    before = { floor, ratio };
  }
}

function* accountFaults(at: At, written: readonly unknown[]): Generator<Fault> {
  const accounts = written.map(mappingOf).map(({ accountId, masterAccountId }) => ({
    id: readAs(s.accountNumber, accountId),
    master: readAs(s.accountNumber, masterAccountId),
    isSubaccount: (masterAccountId ?? null) !== null,
  }));
  for (const [index, id] of repeated(accounts.map((account) => account.id))) {
    yield at(["accounts", index, "accountId"], `${id} is listed twice`);
  }
  const masters = new Set(accounts.flatMap(({ id, isSubaccount }) => (id === undefined || isSubaccount ? [] : [id])));
  for (const [index, { master }] of accounts.entries()) {
    if (master === undefined || masters.has(master)) continue;
    const allowed = "must be the id of an account here that is no subaccount itself";
    yield at(["accounts", index, "masterAccountId"], `${master} ${allowed}`);
  }
}
