// The inputs and results of a backtest's run: the line that is printed, as docs/backtest.md lists its fields, and the curves that the
// report draws.

import type { pnlComponents } from "../bot/accounting/market-book.ts";
import type { MarkoutHorizon } from "../bot/analytics/markouts.ts";
import type { Setting } from "../bot/config/setting.ts";
import { stringifyQuoted } from "../kernel/json.ts";
import type { Annual } from "../report/annual.ts";

/** A file that a run reads. `hash`: SHA-256 of its text. */
export type Source = { readonly path: string; readonly text: string; readonly hash: string };

export type BacktestJob = {
  /** The bot's configuration. */
  readonly file: string;
  /** What the results call it, where several are compared; null: there is one. */
  readonly name: string | null;
  /** That file and all that it names, in the order of reading, as they were when the backtest began; the disk is asked for others. */
  readonly sources: readonly Source[];
  /** The run's cell of the `--set` grid. */
  readonly settings: readonly Setting[];
  readonly seed: bigint;
  /** Simulated and counted, may be a fraction. */
  readonly days: number;
  /** Simulated before them and not counted, may be a fraction. */
  readonly warmUpDays: number;
  /** `drawn`: what of it nobody knows comes from the seed; `fixed`: it is as configured and usual. */
  readonly world: "drawn" | "fixed";
  /** False: all is done as it is live, also what leaves no trace in the outcome, which is the same to the byte. */
  readonly shortcuts: boolean;
  /** A recording, or a folder of them, whose market the run is in; left out: the devnet's. */
  readonly recording?: string;
  /** Whether the outcome has every fill. */
  readonly keepsFills: boolean;
};

/** A fill of ours that is counted: whole units as text, as in the domain; `mid` before the transaction that made it. */
export type FillRow = {
  /** Chain time, Unix ms. */
  readonly atMs: number;
  readonly accountId: string;
  readonly marketId: number;
  readonly side: "buy" | "sell";
  readonly liquidity: "maker" | "taker";
  readonly price: string;
  readonly mid: string;
  readonly size: string;
  /** A cost; negative for a rebate. */
  readonly fee: string;
};

export type PnlComponent = (typeof pnlComponents)[number];
/** By source, and what positions are valued at. */
export type PnlText = Readonly<Record<PnlComponent, string>> & { readonly valuation: "print" | "mid" };

/** Amounts are exact decimal text in USDC, sizes in contracts. */
export type MarketLine = {
  readonly accountId: string;
  readonly marketId: number;
  readonly strategy: string;
  readonly pnl: PnlText;
  readonly pnlAtPrint: PnlText;
  /** By which closing the position at the end, as a taker, would bring less than `pnl` says. */
  readonly closingCost: string;
  /** Contracts of it for which the book had nothing: they count at its worst price. */
  readonly unclosed: string;
  /** Where the market has a premium book: what of `pnl` it earned, and all else; the two sum to `pnl.total`. */
  readonly premium?: {
    readonly pnl: string;
    readonly spreadPnl: string;
    readonly target: number;
    readonly held: number;
  };
  /** Where its strategy threw or returned no quotes: in how many turns, the warm-up's too, and the first faults, each with its line. */
  readonly faults?: { readonly turns: number; readonly words: readonly string[] };
  readonly fills: number;
  readonly volume: string;
  /** Share of the time in which an order of ours rested on both sides. */
  readonly quoteUptime: number;
  readonly positionMax: string;
  /** Over time, contracts. */
  readonly positionStd: number;
  /** Transactions that the exchange executed. */
  readonly actions: Readonly<Record<"place" | "modify" | "cancel", number>>;
  /** All three together. */
  readonly actionsPerDay: number;
  /** Mean over fills; null where no fill was that long ago. */
  readonly markoutBps: Readonly<Record<MarkoutHorizon, number | null>>;
  /** The same of orders by the tenth of the queue of their price that they stood in, 1 at the front; none of tenths without fills. */
  readonly markoutBpsByPlace: readonly (Readonly<Record<MarkoutHorizon, number | null>> & {
    readonly decile: number;
    readonly fills: number;
  })[];
};

/** What was drawn, or stood fixed. */
export type WorldLine = {
  readonly isDrawn: boolean;
  /** Medians one way, milliseconds: of an order; of frames, reads and answers. */
  readonly orderMs: number;
  readonly feedMs: number;
  /** Of takers, while none of them waits for a print; null without a crowd. */
  readonly informedShare: number | null;
  /** How long what an order presses takes to come back, mean gaps between noise orders; null without a crowd. */
  readonly pressureGaps: number | null;
  /** By market: in which funding pays a whole premium. */
  readonly premiumPeriodSecs: Readonly<Record<string, number>>;
};

export type RunLine = {
  readonly kind: "run";
  readonly seed: number | string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly days: number;
  /** Before these days: nothing of it is in any figure. */
  readonly warmUpDays: number;
  readonly world: WorldLine;
  /** Of equity, PnL, worst day and drawdown. */
  readonly valuation: "mid";
  readonly equityStart: string;
  readonly equityEnd: string;
  readonly pnl: string;
  /** The same with positions at the oracle price. */
  readonly pnlAtPrint: string;
  /** `pnl` less what it would cost to close all positions at the end. */
  readonly pnlAtClose: string;
  /** What the sources of PnL leave unexplained: always 0. */
  readonly residual: string;
  readonly worstDay: string;
  /** Each day less what closing at its end would cost. */
  readonly worstDayAtClose: string;
  readonly maxDrawdown: string;
  /** By whole days at mid; null: fewer than two. */
  readonly annual: Annual | null;
  readonly stateRoot: string;
  readonly markets: readonly MarketLine[];
};

/** Sum and count of the markouts of one day. */
export type DayMarkouts = Readonly<Record<MarkoutHorizon, { readonly sum: number; readonly count: number }>>;

/** One market's curves, a number per point of `Curves.hours`. */
export type MarketCurves = {
  /** Contracts. */
  readonly position: readonly number[];
  /** USDC since the start. */
  readonly pnl: Readonly<Record<PnlComponent, readonly number[]>>;
  readonly markouts: readonly DayMarkouts[];
  /** Contracts that orders were placed for, and how many of them were filled. */
  readonly placed: number;
  readonly filled: number;
};

/** At most `POINTS_MAX` points, each the last sample of its stretch of time. */
export type Curves = {
  readonly hours: readonly number[];
  /** USDC since the start. */
  readonly pnl: readonly number[];
  /** The largest fall below the best so far within the stretch, USDC; 0 or less. */
  readonly drawdown: readonly number[];
  /** USDC of each day. */
  readonly days: readonly number[];
  /** In the order of `RunLine.markets`. */
  readonly markets: readonly MarketCurves[];
};

export type Outcome = {
  readonly line: RunLine;
  readonly curves: Curves;
  readonly simulatedMs: number;
  /** Null: they were not asked for. */
  readonly fills: readonly FillRow[] | null;
};

/** What names the cell of a job in its results. */
export const setOf = ({ name, settings }: Pick<BacktestJob, "name" | "settings">): RunLine["set"] => ({
  ...(name !== null && { config: name }),
  ...Object.fromEntries(settings.map(({ path, value }) => [path, shown(value)])),
});

/** JSON has no long integers. */
const shown = (value: unknown): unknown => JSON.parse(stringifyQuoted(value));
