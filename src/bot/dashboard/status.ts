// The daemon's status as data for people: used by the page, the terminal's summary and `quoin status`. Types only:
// service/operator/show.ts fills them. Numbers are floats for display; no decision reads them.

export type OrderLine = {
  /** Null until the exchange has given an id. */
  readonly orderId: string | null;
  readonly price: number;
  readonly size: number;
  readonly state: string;
  /** Contracts ahead of it at its price; null: unknown. */
  readonly queueAhead: number | null;
};

export type GateLine = {
  readonly gate: string;
  readonly open: boolean;
  /** Why it is closed, as a clause for people; null while open. */
  readonly reason: string | null;
};

export type SideLine = {
  /** A wanted order of ours rests on this side. */
  readonly quoting: boolean;
  /** Label of `quoin_not_quoting_seconds_total`, and the sentence `not quoting because …`; null: everything wanted rests. */
  readonly reason: string | null;
  readonly sentence: string | null;
};

/** A position is valued at the last trusted print, or at the mid of the book without our own orders. */
export type PnlLine = {
  readonly valuation: "print" | "mid";
  readonly spread: number;
  readonly inventory: number;
  readonly jump: number;
  readonly funding: number;
  readonly fees: number;
  readonly total: number;
};

export type EstimateLine = {
  /** The name ends with the unit. */
  readonly name: string;
  readonly value: number | null;
  /** Share that is observed, 0 to 1; the rest is assumed. */
  readonly dataShare: number;
  /** Age of its newest observation; null: none in this run. */
  readonly ageMs: number | null;
};

export type PremiumLine = {
  /** Contracts, signed: the target on which quotes center, and the premium book's part of the position. */
  readonly target: number;
  readonly held: number;
  /** USDC at the mid, of the premium book and of the rest of the market; both sum to `pnlAtMid`. */
  readonly pnl: number;
  readonly spreadPnl: number;
  /** USDC that it may still lose; null: it was removed from the configuration. */
  readonly lossLeft: number | null;
  readonly isStopped: boolean;
  /** Why its target is 0, as a clause; null: it is not 0. */
  readonly reason: string | null;
};

/** Another strategy on paper, in parallel to the trading one. */
export type ShadowLine = {
  readonly strategy: string;
  /** starting, running, halted by its limits, or stopped by a fault of its own. */
  readonly state: string;
  /** As a clause; null: it runs. */
  readonly reason: string | null;
  /** Contracts, signed. */
  readonly position: number;
  /** Paper orders, best first. */
  readonly bids: readonly OrderLine[];
  readonly asks: readonly OrderLine[];
  readonly fillCount: number;
  /** Since it started. */
  readonly pnl: PnlLine;
  readonly pnlAtMid: PnlLine;
};

/** A promoted strategy that may still be rolled back. */
export type TrialLine = {
  readonly from: string;
  readonly sinceMs: number;
  /** Fills with known markouts. */
  readonly fills: number;
};

export type SignalLine = {
  readonly name: string;
  /** As the source says it; null: it is absent, because nothing was said or it is too old. */
  readonly value: number | null;
  /** Since it was said, ms. */
  readonly ageMs: number | null;
  /** Weight in fair value, 0 to 1. */
  readonly weight: number;
};

export type MarketStatus = {
  readonly marketId: number;
  readonly name: string;
  readonly strategy: string;
  /** active, reducing or halted. */
  readonly state: string;
  /** Contracts, signed. */
  readonly position: number;
  readonly oraclePrice: number | null;
  readonly oracleValidUntilSec: number | null;
  readonly bestBid: number | null;
  readonly bestAsk: number | null;
  readonly fairValue: number | null;
  /** Why the strategy quotes less than its parameters say; null: it does not. */
  readonly quotesReason: string | null;
  /** Best first. */
  readonly bids: readonly OrderLine[];
  readonly asks: readonly OrderLine[];
  readonly buy: SideLine;
  readonly sell: SideLine;
  readonly gates: readonly GateLine[];
  readonly pnl: PnlLine;
  readonly pnlAtMid: PnlLine;
  readonly fillCount: number;
  readonly unknownOrders: number;
  /** Null: the market has no premium book. */
  readonly premium: PremiumLine | null;
  /** Estimates that the strategy uses. */
  readonly estimates: readonly EstimateLine[];
  /** Outside facts that its fair value may use. */
  readonly signals: readonly SignalLine[];
  /** Null: the market has none. */
  readonly shadow: ShadowLine | null;
  /** Null: none is in progress. */
  readonly trial: TrialLine | null;
};

/** A proposed change. Path, value and reason are the proposer's words. */
export type ProposalLine = {
  readonly id: string;
  readonly state: "open" | "approved" | "refused" | "expired" | "stale";
  readonly path: string;
  readonly value: unknown;
  /** Name of the proposer's token. */
  readonly by: string;
  readonly reason: string;
  /** What would change, a sentence each. */
  readonly difference: readonly string[];
  /** ISO. */
  readonly expiresAt: string;
  /** What its id names: the change, the configuration's hash, number and expiry, as JSON with sorted keys. */
  readonly text: string;
};

export type AccountStatus = {
  readonly accountId: string;
  /** Its orders are simulated next to the real book; none are sent. */
  readonly isPaper: boolean;
  /** Positions at the oracle price, as the exchange values them. */
  readonly equityUsdc: number | null;
  readonly equityAtMidUsdc: number | null;
  /** Equity over maintenance margin; null without a position. */
  readonly marginRatio: number | null;
  readonly agentKeyExpiresAtSec: number | null;
  /** State of the whole account: active, reducing or halted. A market may have latches of its own in addition. */
  readonly state: string;
  readonly latches: readonly string[];
  readonly markets: readonly MarketStatus[];
};

export type Status = {
  readonly version: string;
  readonly commit: string;
  readonly config: string;
  /** Command that prints the token for changes, to run in the folder where the daemon was started. */
  readonly tokenCommand: string;
  readonly chainId: string;
  readonly height: number | null;
  readonly chainTimeOffsetMs: number | null;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly phase: string;
  /** Empty if the daemon is ready: reconciled and able to trade. */
  readonly reasons: readonly string[];
  /** Differences between the saved and the running configuration, one sentence each; empty if there are none. */
  readonly fileDifferences: readonly string[];
  /** Open ones, oldest first. */
  readonly proposals: readonly ProposalLine[];
  readonly accounts: readonly AccountStatus[];
};
