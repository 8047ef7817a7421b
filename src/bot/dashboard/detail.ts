// What the live page shows beside the status. Numbers are floats for display; no decision reads them.

/** A price of the book: contracts there, ours among them, and how many stand before the first of ours; null: nobody knows. */
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
  /** USDC, negative for a rebate; null: not told yet. */
  readonly fee: number | null;
  readonly realizedPnl: number | null;
  /** Names it among all fills. */
  readonly key: string;
};

export type MarkoutLine = { readonly horizon: string; readonly count: number; readonly meanBps: number };

/** Markouts of orders that stood in the `decile`th tenth of the queue of their price: 1 at the front. */
export type PlaceLine = { readonly decile: number; readonly markouts: readonly MarkoutLine[] };

/** Which value of a limit is tighter, as every change from the page must be. */
export type LimitMeanings = Readonly<Record<string, { readonly means: string; readonly tighter: "lower" | "higher" }>>;

/** What the settings of the running configuration mean: a page asks once for each configuration. */
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
  /** Wall clock. */
  readonly nextFundingAtMs: number | null;
  readonly nextPrintAtMs: number | null;
  readonly oracleExpiresAtMs: number | null;
  readonly facts: readonly FactLine[];
  readonly markouts: readonly MarkoutLine[];
  /** Of those tenths with fills, the front first. */
  readonly placeMarkouts: readonly PlaceLine[];
  /** Newest last, a bounded number. */
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
  /** Oldest first, a bounded number. */
  readonly days: readonly DayBar[];
  /** Over all of its markets. */
  readonly limits: Readonly<Record<string, string>>;
};

/** PnL of one day (UTC), USDC. */
export type DayBar = { readonly date: string; readonly print: number; readonly mid: number };

export type Detail = { readonly markets: readonly MarketDetail[]; readonly accounts: readonly AccountDetail[] };
