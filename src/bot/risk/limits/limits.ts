// All limits of the guard, per market and per account, one row each: key, unit, bounds, default, and the looser direction. Position, order
// size, order count and loss have no default: a person must decide what may be lost.

import type { z } from "zod";
import * as s from "../../../domain/scalars.ts";

const orders = "a whole number of orders";
const ratio = (min: number, max: number) => s.fraction(min, max, "a ratio");
const milliseconds = (max: number) => s.whole(0, max, "a whole number of milliseconds");
const bps = (max: number) => s.whole(0, max, "a whole number of basis points");

/**
 * Which direction of a limit lets more pass. An adaptive limit follows the market if it is not set: it cannot be compared with a number, so
 * a change either way counts as looser.
 */
export type LimitRow<S extends z.ZodType = z.ZodType> = {
  readonly looser: "higher" | "lower";
  readonly isAdaptive: boolean;
  readonly schema: S;
};
const row = <S extends z.ZodType>(looser: LimitRow["looser"], isAdaptive: boolean, schema: S): LimitRow<S> => ({
  looser,
  isAdaptive,
  schema: schema.meta({ ...schema.meta(), danger: `${looser} lets more pass` }),
});
const higher = <S extends z.ZodType>(schema: S): LimitRow<S> => row("higher", false, schema);
const lower = <S extends z.ZodType>(schema: S): LimitRow<S> => row("lower", false, schema);
const adaptive = <S extends z.ZodType>(schema: S): LimitRow<S> => row("higher", true, schema);

const shapeOf = <R extends Readonly<Record<string, LimitRow>>>(rows: R) =>
  Object.fromEntries(Object.entries(rows).map(([key, { schema }]) => [key, schema])) as {
    [K in keyof R]: R[K]["schema"];
  };

export const marketRows = {
  maxPosition: higher(s.sizeContracts.describe("contracts; position if every order of one side filled")),
  maxOrderSize: higher(s.sizeContracts.describe("contracts; one order")),
  maxOpenOrders: higher(s.whole(1, 10_000, orders).describe("orders in this market that may be live")),
  maxLoss: higher(
    s.positiveUsdc.describe("USDC since the start of the day, realized and unrealized; beyond it the market halts"),
  ),

  maxOrderNotional: higher(s.positiveUsdc.prefault("1000000").describe("USDC; one order")),
  maxDrawdown: higher(
    s.positiveUsdc
      .optional()
      .describe("USDC below the day's best result; beyond it the market halts. Default: maxLoss"),
  ),
  reduceAtLossRatio: higher(
    ratio(0.1, 1).default(0.8).describe("share of maxLoss or maxDrawdown beyond which only reductions pass"),
  ),

  maxOracleDistanceBps: adaptive(
    bps(10_000)
      .optional()
      .describe(
        "largest distance from the oracle price of an order and of the strategy's own fair value. Default: 50, or 6 print deviations where that is more",
      ),
  ),
  maxThroughFairBps: higher(
    bps(10_000)
      .default(50)
      .describe(
        "what an order that closes a position may lose against the strategy's own fair value, fee included; one that adds may lose nothing",
      ),
  ),
  maxBookDistanceBps: higher(
    bps(100_000).default(1000).describe("largest distance of the book's mid from the oracle price"),
  ),

  maxPrintMoveBps: higher(
    bps(100_000)
      .default(200)
      .describe(
        "largest move from the last trusted print; one beyond it, or beyond 8 print deviations, must be confirmed",
      ),
  ),
  maxVolatilityBps: adaptive(
    s
      .fraction(0, 100_000, "basis points per square root second")
      .optional()
      .describe(
        "estimated volatility, bps per square root second; more pauses. Default: 6 times that of the last week, at least 1; 100 until an hour was seen",
      ),
  ),
  volatilityCoolDownMs: lower(
    milliseconds(86_400_000).default(10_000).describe("length of that pause after the last breach"),
  ),
  maxAdverseHalfSpreads: higher(
    s
      .fraction(0, 1000, "multiples of the half-spread")
      .default(1)
      .describe(
        "what the fills of a side may surely lose, in half-spreads of ours; beyond it that side stops adding, and from a quarter of it on it widens and shrinks",
      ),
  ),
  adverseFillsMin: higher(
    s
      .whole(1, 10_000, "a whole number of fills")
      .default(4)
      .describe("fills of a side, those within a second as one, before it may stop; fewer widen and shrink it"),
  ),
  adverseFillsCoolDownMs: lower(
    milliseconds(86_400_000)
      .default(14_400_000)
      .describe("time in which half of what fills have shown is forgotten, so that a side that has stopped comes back"),
  ),
  maxRejectRatio: higher(
    ratio(0, 1)
      .default(0.5)
      .describe("share of refused and rejected orders within a minute, and of the last five; more pauses"),
  ),
  rejectSamplesMin: higher(
    s.whole(1, 100_000, "a whole number of answers").default(20).describe("answers needed before the ratio counts"),
  ),
  rejectCoolDownMs: lower(milliseconds(86_400_000).default(30_000).describe("length of that pause")),

  maxFillsPerMinute: higher(
    s
      .whole(1, 1_000_000, "a whole number of fills")
      .default(300)
      .describe("fills within a minute; more halts the market"),
  ),
  maxTurnoverPerMinute: higher(
    s
      .fraction(0.1, 1_000_000, "multiples of maxPosition")
      .default(50)
      .describe("contracts filled within a minute, as multiples of maxPosition; more halts the market"),
  ),
  maxAddsPerSecond: higher(
    s.whole(1, 100_000, "a whole number of commands").default(100).describe("commands that add risk within a second"),
  ),

  oracleGuardMs: lower(
    milliseconds(3_600_000)
      .default(250)
      .describe("time before the print expires, plus one block, at which quoting ends"),
  ),
  maxClockOffsetMs: higher(
    milliseconds(3_600_000).default(1000).describe("largest difference of chain time and local time, plus one block"),
  ),
  maxEventLoopLagMs: higher(milliseconds(60_000).default(1000).describe("longest stall of the event loop")),
  agentExpiryMarginMs: lower(
    milliseconds(31_536_000_000).default(600_000).describe("time before the agent key expires at which quoting ends"),
  ),

  marginHaircutRatio: lower(ratio(0, 1).default(0.1).describe("share of equity that initial margin must not use")),
  marginShockBps: lower(
    bps(10_000).default(500).describe("price move against the worst case that maintenance margin must survive"),
  ),
  minMaintenanceRatio: lower(ratio(1, 1000).default(2).describe("equity over maintenance margin after the shock")),

  assumedFeeBps: lower(bps(1000).default(10).describe("fee while the fee tier is unknown")),
  assumedOpenOrderCap: higher(
    s.whole(1, 100_000, orders).default(40).describe("the exchange's open-order cap while unknown"),
  ),
  killTargetMs: higher(
    milliseconds(600_000).default(5000).describe("time within which every resting order can be canceled one by one"),
  ),
  cancelsPerSecond: higher(
    s.whole(1, 100_000, "a whole number of cancels").default(50).describe("rate reserved for cancels"),
  ),
  budgetReserve: lower(
    s
      .whole(0, 1_000_000, "a whole number of requests")
      .default(20)
      .describe("requests of the on-chain budget that are kept at least, plus two per open order"),
  ),
};

export const accountRows = {
  maxGrossNotional: higher(
    s.positiveUsdc.optional().describe("USDC; worst cases of all markets together, without netting"),
  ),
  maxLoss: higher(
    s.positiveUsdc.optional().describe("USDC since the start of the day over all markets; beyond it the account halts"),
  ),
  maxDrawdown: higher(s.positiveUsdc.optional().describe("USDC below the day's best result. Default: maxLoss")),
  maxOpenOrders: higher(s.whole(1, 100_000, orders).optional().describe("orders in all markets that may be live")),
};

/**
 * Limits as written in a market's `limits`; the output is for the guard. Null: `maxOracleDistanceBps` follows the print deviation,
 * `maxVolatilityBps` the usual volatility.
 */
export const marketLimitsSchema = s
  .strict(shapeOf(marketRows))
  .transform((limits) => ({
    ...limits,
    maxDrawdown: limits.maxDrawdown ?? limits.maxLoss,
    maxOracleDistanceBps: limits.maxOracleDistanceBps ?? null,
    maxVolatilityBps: limits.maxVolatilityBps ?? null,
  }))
  .readonly();

/** Limits as written in an account's `limits`; null: no such limit. */
export const accountLimitsSchema = s
  .strict(shapeOf(accountRows))
  .transform(({ maxGrossNotional = null, maxLoss = null, maxDrawdown = maxLoss, maxOpenOrders = null }) => ({
    maxGrossNotional,
    maxLoss,
    maxDrawdown,
    maxOpenOrders,
  }))
  .readonly();

export type MarketLimits = z.output<typeof marketLimitsSchema>;
export type AccountLimits = z.output<typeof accountLimitsSchema>;

/** All limits for one decision. `openedGates`: as of `QuotedMarket`. */
export type Limits = {
  readonly market: MarketLimits;
  readonly account: AccountLimits;
  readonly openedGates?: readonly string[];
};

/** The part of a change that takes effect at once: every tighter value; looser ones keep the running value. */
export type Tightened<L> = { readonly limits: L; readonly looser: readonly (keyof L)[] };

export const tightenMarket = (running: MarketLimits, wanted: MarketLimits): Tightened<MarketLimits> =>
  tighten(marketRows, running, wanted);

export const tightenAccount = (running: AccountLimits, wanted: AccountLimits): Tightened<AccountLimits> =>
  tighten(accountRows, running, wanted);

function tighten<L extends object>(rows: Readonly<Record<keyof L, LimitRow>>, running: L, wanted: L): Tightened<L> {
  const looser = (Object.keys(rows) as (keyof L)[]).filter((key) =>
    isLooser(rows[key], running[key] as Value, wanted[key] as Value),
  );
  return { looser, limits: { ...wanted, ...Object.fromEntries(looser.map((key) => [key, running[key]])) } };
}

/** Null: no limit, which is looser than any, or an adaptive one. */
type Value = number | bigint | null;

function isLooser({ looser, isAdaptive }: LimitRow, running: Value, wanted: Value): boolean {
  if (running === null) return isAdaptive && wanted !== null;
  if (wanted === null) return true;
  return looser === "higher" ? wanted > running : wanted < running;
}
