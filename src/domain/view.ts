// What one turn may know of one market of one account: facts with their ages, and our own orders, unresolved ones included.
// A view is built once a turn and never changes; strategy and guard see nothing else.

import type { Agent, Unreadable } from "./account.ts";
import type { Book } from "./book.ts";
import type { FeeTier, Funding, Market, Oracle } from "./market.ts";
import type { TrackedOrder, VacatedPlace } from "./order.ts";
import type { AccountId, MarketId, Price, Size, Usdc } from "./units.ts";

/**
 * A fact is fresh, stale or absent; the guard denies on the last two. `ageMs` is monotonic age of the newest proof. `doubt`: what speaks
 * against a stale one, and what lifts it, a clause; without it the fact is merely old.
 */
export type Fact<T> =
  | { readonly state: "fresh"; readonly value: T; readonly ageMs: number }
  | { readonly state: "stale"; readonly value: T; readonly ageMs: number; readonly doubt?: string }
  | { readonly state: "absent" };

export const absent: Fact<never> = { state: "absent" };

/** The value of a fresh fact, else undefined. */
export const fresh = <T>(fact: Fact<T>): T | undefined => (fact.state === "fresh" ? fact.value : undefined);

/** The value whatever its age, for display and for reductions that may use the last known. */
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

/** What a position may be, signed, by what reads showed and orders may have filled that nothing has refuted yet. */
export type PositionRange = { readonly low: Size; readonly high: Size };

/** Our position in the market, signed, as our fills have it, and what it may be. Entry price is 0 when flat. */
export type PositionFact = PositionRange & { readonly inventory: Size; readonly entryPrice: Price };

/** The account's money. `equity` = collateral + unrealized PnL at the oracle price. */
export type Funds = {
  readonly collateral: Usdc;
  readonly availableCollateral: Usdc;
  readonly equity: Usdc;
  /** Maintenance margin of all positions at the oracle price. */
  readonly maintenanceMargin: Usdc;
  /** Initial margin of positions and open orders outside this market. */
  readonly initialMarginElsewhere: Usdc;
  readonly feeTierVolume30d: Usdc;
};

/** Estimates from our own observations; null, or what is assumed, until there are enough of them. */
export type Signals = {
  /** Standard deviation of the mid per square root second, in basis points. */
  readonly volatilityBps: number | null;
  /** The same over a day rather than an hour. */
  readonly dayVolatilityBps: number | null;
  /** The same over a week: what is usual. Null until an hour was seen. */
  readonly slowVolatilityBps: number | null;
  /**
   * The last mid of the others' book, as much as it weighed beside the last print, USD: what stands in while the book holds less than an order of
   * ours. Null before the first one, and from each print until the next one.
   */
  readonly heldMidUsd: number | null;
  /** Fill intensity lambda(depth) = A exp(-k depth): A per second, k per USD of depth. */
  readonly intensityA: number | null;
  readonly intensityK: number | null;
  /** How far the mid moves against us in the minute after our fills, and how far it then is on our side of their price; basis points. */
  readonly adverseBps: number;
  readonly markoutBps: number;
  /** How many times as far as its formula says quotes must lean for the inventory to have its wanted deviation: a ninth to nine; 1 at first. */
  readonly skewScale: number;
  /** Predicted next print in USD. */
  readonly nowcastUsd: number | null;
  /** The same, moved by what the market says of that print: as much as it was right of the last prints, and none before ten of them. */
  readonly marketNowcastUsd: number | null;
  /** Standard error of `nowcastUsd`, basis points: 1.96 of them on each side have held 95 % of the prints so far. */
  readonly nowcastErrorBps: number;
  /** How far a print typically is from what was predicted, basis points. Assumed until ten prints were seen, estimated from twenty on. */
  readonly printDeviationBps: number;
  /** How far the mid moves over a print, from two minutes before it to five after, root mean square in basis points; at first the deviation above. */
  readonly printMoveBps: number;
  /** What funding costs an hour per unit of premium, from settled rates and the premiums of their intervals; an eighth is assumed before. */
  readonly kappaPerHour: number;
  /** From when the last ones were published; null before the first read. */
  readonly nextPrint: ExpectedPrint | null;
};

/** When the next print is due and from when on it may come, chain time in ms, and the usual time between prints. */
export type ExpectedPrint = { readonly atMs: number; readonly earliestMs: number; readonly everyMs: number };

/** What is known beyond this market: of the account's other markets, or by a strategy that quotes through another. */
export type Guidance = {
  /** Contracts that the skew of quotes counts on top of the position: of other markets, less the premium book's target. */
  readonly extraInventory: number;
  /** Fair value in USD; null: the strategy finds its own. */
  readonly fairValueUsd: number | null;
};

/** Why the account or the market is being resynchronized, and for how long: nothing is added until it has ended. */
export type Resync = { readonly reason: string; readonly forMs: number };

export type View = {
  /** Local monotonic time of the turn, ms. */
  readonly nowMs: number;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly market: Fact<Market>;
  readonly oracle: Fact<Oracle>;
  readonly book: Fact<Book>;
  readonly funding: Fact<Funding>;
  readonly chain: Fact<ChainClock>;
  /** Fresh while the WebSocket lives: a frame or pong within the contract's 15 s. The value is the connection's epoch. */
  readonly stream: Fact<number>;
  readonly position: Fact<PositionFact>;
  readonly funds: Fact<Funds>;
  /** Fresh while orders and positions agreed with the exchange's at the last reconcile, in this epoch. The value counts reconciles. */
  readonly reconciled: Fact<number>;
  /** Null: what is held of account and market is live. */
  readonly resync: Resync | null;
  /** The agent key as approved on the account: absent when it is not listed there. */
  readonly agent: Fact<Agent>;
  readonly feeTier: Fact<FeeTier>;
  readonly openOrderCap: Fact<number>;
  /** All of the account's tracked orders in this market. */
  readonly orders: readonly TrackedOrder[];
  /** Where orders of the account rested in this market until a moment ago. */
  readonly vacated: readonly VacatedPlace[];
  /** An account on paper: its orders are in no book. */
  readonly isPaper: boolean;
  /** Orders and positions that the exchange shows and that could not be read, as far as they may be of this market. */
  readonly unreadable: readonly Unreadable[];
  /** Number of the account's tracked orders in all markets. */
  readonly accountOrderCount: number;
  /** How old the state may be that a read shows when it is asked: `venue.readLagMaxMs`. */
  readonly readLagMaxMs: number;
  readonly signals: Signals;
  readonly guidance: Guidance;
};
