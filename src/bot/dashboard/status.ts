// The daemon's status as data for people: the page, the terminal's summary and `quoin status` show it. Numbers are floats for display;
// no decision reads them.

export type OrderLine = {
  /** Null until the exchange has named it. */
  readonly orderId: string | null;
  readonly price: number;
  readonly size: number;
  readonly state: string;
  /** Contracts that stand before it at its price; null: nobody knows. */
  readonly queueAhead: number | null;
};

export type GateLine = {
  readonly gate: string;
  readonly open: boolean;
  /** Why it is closed, as a clause for people; null while open. */
  readonly reason: string | null;
};

export type SideLine = {
  /** An order of ours rests there that is wanted. */
  readonly quoting: boolean;
  /** Label of `quoin_not_quoting_seconds_total`, and the sentence `not quoting because …`; null: all that is wanted rests. */
  readonly reason: string | null;
  readonly sentence: string | null;
};

/** A position is worth its contracts at the last trusted print, or at the mid of the book without our own orders. */
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
  /** With its unit last. */
  readonly name: string;
  readonly value: number | null;
  /** How much of it is observed, 0 to 1; the rest is assumed. */
  readonly dataShare: number;
  /** Of the newest observation in it; null: none in this run. */
  readonly ageMs: number | null;
};

export type PremiumLine = {
  /** Contracts, signed: what quotes center on, and what of the position is the book's. */
  readonly target: number;
  readonly held: number;
  /** USDC at the mid, of the book and of all else in the market: the two sum to `pnlAtMid`. */
  readonly pnl: number;
  readonly spreadPnl: number;
  /** USDC that it may lose yet; null: it left the configuration. */
  readonly lossLeft: number | null;
  readonly isStopped: boolean;
  /** Why its target is 0, a clause; null: it is not. */
  readonly reason: string | null;
};

/** Another strategy on paper beside the one that trades. */
export type ShadowLine = {
  readonly strategy: string;
  /** starting, running, halted by its limits, or stopped by a fault of its own. */
  readonly state: string;
  /** A clause; null: it runs. */
  readonly reason: string | null;
  /** Contracts, signed. */
  readonly position: number;
  /** On paper; best first. */
  readonly bids: readonly OrderLine[];
  readonly asks: readonly OrderLine[];
  readonly fillCount: number;
  /** Since it began. */
  readonly pnl: PnlLine;
  readonly pnlAtMid: PnlLine;
};

/** A strategy that was promoted and may yet be rolled back. */
export type TrialLine = {
  readonly from: string;
  readonly sinceMs: number;
  /** Those whose markouts are known. */
  readonly fills: number;
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
  /** Why the strategy quotes less than its parameters ask for; null: it does not. */
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
  /** What the strategy quotes on. */
  readonly estimates: readonly EstimateLine[];
  /** Null: the market has none. */
  readonly shadow: ShadowLine | null;
  /** Null: none is under way. */
  readonly trial: TrialLine | null;
};

export type AccountStatus = {
  readonly accountId: string;
  /** Its orders are simulated beside the real book; nothing of it is sent. */
  readonly isPaper: boolean;
  /** Positions at the oracle price, as the exchange values them. */
  readonly equityUsdc: number | null;
  readonly equityAtMidUsdc: number | null;
  /** Equity over maintenance margin; null without a position. */
  readonly marginRatio: number | null;
  readonly agentKeyExpiresAtSec: number | null;
  /** Of the account as a whole: active, reducing or halted. A market's own latches come on top. */
  readonly state: string;
  readonly latches: readonly string[];
  readonly markets: readonly MarketStatus[];
};

export type Status = {
  readonly version: string;
  readonly commit: string;
  readonly config: string;
  /** Prints the token that changes need, in the folder where the daemon was started. */
  readonly tokenCommand: string;
  readonly chainId: string;
  readonly height: number | null;
  readonly chainTimeOffsetMs: number | null;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly phase: string;
  /** Empty when the daemon is ready: reconciled and able to trade. */
  readonly reasons: readonly string[];
  /** In what the saved configuration differs from what runs, a sentence each; empty: it runs as it is saved. */
  readonly fileDifferences: readonly string[];
  readonly accounts: readonly AccountStatus[];
};
