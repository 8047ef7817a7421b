// The view: what one turn knows about one market of one account, facts with their ages and our own orders, including those with an unknown
// outcome. A view is built once per turn and never changes; strategy and guard see nothing else.

import type { Agent, Unreadable } from "./account.ts";
import type { Book } from "./book.ts";
import type { FeeTier, Funding, Market, Oracle } from "./market.ts";
import type { TrackedOrder, VacatedPlace } from "./order.ts";
import type { OutsideFact } from "./outside.ts";
import type { AccountId, MarketId, Price, Size, Usdc } from "./units.ts";

/**
 * A fact is fresh, stale or absent; the guard denies on the last two. `ageMs`: monotonic age of the newest proof. `doubt`: a clause with
 * the reason why it is stale and what ends that; without it the fact is only old.
 */
export type Fact<T> =
  | { readonly state: "fresh"; readonly value: T; readonly ageMs: number }
  | { readonly state: "stale"; readonly value: T; readonly ageMs: number; readonly doubt?: string }
  | { readonly state: "absent" };

export const absent: Fact<never> = Object.freeze({ state: "absent" });

/** The value of a fresh fact, else undefined. */
export const fresh = <T>(fact: Fact<T>): T | undefined => (fact.state === "fresh" ? fact.value : undefined);

/** The value whatever its age, for display and for reductions that may use the last known value. */
export const lastKnown = <T>(fact: Fact<T>): T | undefined => (fact.state === "absent" ? undefined : fact.value);

/**
 * Chain clock: `timeMs` is our estimate of the chain's time now, up to a block behind it; `offsetMs` = chain - local wall; `blockMs` is
 * how long a block takes, 0 until that was seen.
 */
export type ChainClock = {
  readonly height: number;
  readonly timeMs: number;
  readonly offsetMs: number;
  readonly blockMs: number;
};

/** What the position may be at worst, signed: with unconfirmed reads and orders that may have filled. */
export type PositionRange = { readonly low: Size; readonly high: Size };

/** Our position by our fills, signed, and the range that it may be in. Entry price is 0 when flat. */
export type PositionFact = PositionRange & { readonly inventory: Size; readonly entryPrice: Price };

/** The account's money. `equity` = collateral + unrealized PnL at the oracle price. */
export type Funds = {
  readonly collateral: Usdc;
  readonly availableCollateral: Usdc | null;
  readonly equity: Usdc;
  /** Maintenance margin of all positions at the oracle price. */
  readonly maintenanceMargin: Usdc;
  /** Initial margin of positions and open orders outside this market. */
  readonly initialMarginElsewhere: Usdc;
  readonly feeTierVolume30d: Usdc | null;
};

/** Estimates from our own observations; null, or a stated assumption, until there are enough. */
export type Signals = {
  /** Standard deviation of the mid per square root second, in basis points. */
  readonly volatilityBps: number | null;
  /** The same over a day rather than an hour. */
  readonly dayVolatilityBps: number | null;
  /** The same over a week: the usual level. Null for the first hour. */
  readonly slowVolatilityBps: number | null;
  /**
   * The last mid of the others' book, weighted against the last print, USD: used while the book holds less than one order of ours. Null before
   * the first mid, and after each print until the next mid.
   */
  readonly heldMidUsd: number | null;
  /** Takers a second and side that reach a depth: A exp(-k depth), k per USD; null: not identified. */
  readonly intensityA: number | null;
  readonly intensityK: number | null;
  /** How far the mid moves against us in the minute after our fills, basis points. */
  readonly adverseBps: number;
  /** What our fills have earned a minute later at the mid, basis points of their price. */
  readonly markoutBps: number;
  /** Factor on the skew with which the inventory keeps its wanted deviation: a ninth to nine; 1 at first. */
  readonly skewScale: number;
  /** Predicted next print in USD. */
  readonly nowcastUsd: number | null;
  /** Predicted next 20 prints in USD, the first of them `nowcastUsd`. */
  readonly nowcastPathUsd: readonly number[] | null;
  /** `nowcastUsd`, moved toward the market's price by as much as the market was right about past prints; not before ten of them. */
  readonly marketNowcastUsd: number | null;
  /** `marketNowcastUsd`, moved by outside facts by as much as each was right about past prints; null: none of them counts. */
  readonly outsideNowcastUsd: number | null;
  /** Standard error of `nowcastUsd`, basis points: 1.96 of them on each side held 95 % of the prints so far. */
  readonly nowcastErrorBps: number;
  /** Standard deviation of prints around their prediction, basis points. Assumed for ten prints, estimated from twenty on. */
  readonly printDeviationBps: number;
  /** How far the mid moves from two minutes before a print to five after, root mean square, basis points; at first `printDeviationBps`. */
  readonly printMoveBps: number;
  /** What funding costs an hour per unit of premium, from settled rates and their premiums; an eighth before the first ones. */
  readonly kappaPerHour: number;
  /** From the configuration, else from what prints are valid until and from the times of past ones; null before the first read. */
  readonly nextPrint: ExpectedPrint | null;
};

/** When the next print is due, the earliest it may come, when the last one came (chain time, ms), and the usual interval, ms. */
export type ExpectedPrint = {
  readonly atMs: number;
  readonly earliestMs: number;
  readonly lastMs: number;
  readonly everyMs: number;
};

/** Input from beyond this market: the account's other markets, or a strategy that quotes through another. */
export type Guidance = {
  /** Contracts that the skew counts on top of the position: hedges in other markets, less the premium book's target. */
  readonly extraInventory: number;
  /** Fair value in USD; null: the strategy finds its own. */
  readonly fairValueUsd: number | null;
};

/** Why the account or the market is being resynchronized, and for how long: no new exposure until it ends. */
export type Resync = { readonly reason: string; readonly forMs: number };

export type View = {
  /** Local monotonic time of the turn, ms. */
  readonly nowMs: number;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** The exchange's read of the market. */
  readonly market: Fact<Market>;
  /** The newest print. */
  readonly oracle: Fact<Oracle>;
  /** All levels, our own orders included. */
  readonly book: Fact<Book>;
  readonly funding: Fact<Funding>;
  readonly chain: Fact<ChainClock>;
  /** Fresh with a frame or pong within 15 s. The value counts connections. */
  readonly stream: Fact<number>;
  readonly position: Fact<PositionFact>;
  readonly funds: Fact<Funds>;
  /** Fresh if our orders and positions agreed with the exchange's at the last reconcile of this connection. The value counts reconciles. */
  readonly reconciled: Fact<number>;
  /** Null: account and market are in sync with the exchange. */
  readonly resync: Resync | null;
  /** The agent key as approved on the account: absent when it is not listed there. */
  readonly agent: Fact<Agent>;
  /** The account's row of the fee schedule. */
  readonly feeTier: Fact<FeeTier>;
  /** The exchange's cap on the account's open orders. */
  readonly openOrderCap: Fact<number>;
  /** All of the account's tracked orders in this market. */
  readonly orders: readonly TrackedOrder[];
  /** Where our orders rested until a moment ago: the book may still show them. */
  readonly vacated: readonly VacatedPlace[];
  /** A paper account: its orders are in no real book. */
  readonly isPaper: boolean;
  /** Orders and positions of the account that could not be parsed and may be in this market. */
  readonly unreadable: readonly Unreadable[];
  /** Number of the account's tracked orders in all markets. */
  readonly accountOrderCount: number;
  /** By name, the outside facts that the configuration names for the market: fresh, or absent where too old. `ageMs` is by the chain's time. */
  readonly outside: Readonly<Record<string, Fact<OutsideFact>>>;
  /** `venue.readLagMaxMs`: how old the state in a read may be. */
  readonly readLagMaxMs: number;
  readonly signals: Signals;
  readonly guidance: Guidance;
};
