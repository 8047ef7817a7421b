// Data of the live page in addition to the status. Numbers are floats for display; no decision reads them.

/** A price level of the book: total contracts, our own, and the contracts ahead of our first order; null: unknown. */
export type BookRow = {
  readonly price: number;
  readonly size: number;
  readonly own: number;
  readonly ahead: number | null;
};

export type FactLine = { readonly fact: string; readonly state: string; readonly ageMs: number | null };

export type FillLine = {
  readonly atMs: number;
  readonly side: string;
  readonly price: number;
  readonly size: number;
  readonly liquidity: string;
  /** USDC, negative for a rebate; null: not known yet. */
  readonly fee: number | null;
  readonly realizedPnl: number | null;
  /** Unique among all fills. */
  readonly key: string;
};

export type MarkoutLine = { readonly horizon: string; readonly count: number; readonly meanBps: number };

/** Markouts of orders that were in this tenth of the queue at their price: 1 at the front. */
export type PlaceLine = { readonly decile: number; readonly markouts: readonly MarkoutLine[] };

/** Which direction is tighter for each limit: changes from the page must be tighter. */
export type LimitMeanings = Readonly<Record<string, { readonly means: string; readonly tighter: "lower" | "higher" }>>;

/** Meanings of the running configuration's settings: a page requests them once per configuration. */
export type Meanings = {
  readonly limits: LimitMeanings;
  readonly accountLimits: LimitMeanings;
  /** By strategy and parameter. */
  readonly params: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type MarketDetail = {
  readonly accountId: string;
  readonly marketId: number;
  /** Best first; null before the first book. */
  readonly book: { readonly bids: readonly BookRow[]; readonly asks: readonly BookRow[] } | null;
  readonly mid: number | null;
  /** Contracts that the position could reach if every order of a side filled; null before the first read. */
  readonly worstLong: number | null;
  readonly worstShort: number | null;
  readonly dayPnl: number | null;
  readonly fundingRatePpb: number | null;
  /** Wall clock, ms. */
  readonly nextFundingAtMs: number | null;
  readonly nextPrintAtMs: number | null;
  readonly oracleExpiresAtMs: number | null;
  readonly facts: readonly FactLine[];
  readonly markouts: readonly MarkoutLine[];
  /** Tenths with fills, front first. */
  readonly placeMarkouts: readonly PlaceLine[];
  /** Newest last, a limited number. */
  readonly fills: readonly FillLine[];
  readonly params: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
};

export type AccountDetail = {
  readonly accountId: string;
  readonly unresolved: number;
  /** Transactions that could start at once, by lane. */
  readonly budget: Readonly<Record<string, number>>;
  readonly dayPnl: number | null;
  /** Oldest first, a limited number. */
  readonly days: readonly DayBar[];
  /** Limits over all of its markets. */
  readonly limits: Readonly<Record<string, string>>;
};

/** PnL of one day (UTC), USDC. */
export type DayBar = { readonly date: string; readonly print: number; readonly mid: number };

export type Detail = { readonly markets: readonly MarketDetail[]; readonly accounts: readonly AccountDetail[] };
