// The inputs and results of a backtest's run: the line that `--json` prints, as docs/backtest.md lists its fields, and the curves that
// the report draws.

import type { pnlComponents } from "../bot/accounting/market-book.ts";
import type { MarkoutHorizon } from "../bot/analytics/markouts.ts";
import type { Setting } from "../bot/config/setting.ts";
import type { QueueModelName } from "../domain/queue.ts";
import { stringifyQuoted } from "../kernel/json.ts";
import type { Annual } from "../report/annual.ts";

/** A file that a run reads. `hash`: SHA-256 of its text. */
export type Source = { readonly path: string; readonly text: string; readonly hash: string };

/** A recording, or a folder of them. `hash`: SHA-256 of its files; `name`: distinct among those of the command. */
export type RecordingSource = { readonly path: string; readonly name: string; readonly hash: string };

export type BacktestJob = {
  /** The bot's configuration file. */
  readonly file: string;
  /** Its name in the results if several are compared; null: there is only one. */
  readonly name: string | null;
  /** Its world from `--world`. Absent: the devnet as configured. */
  readonly namedWorld?: string;
  /** That file and all files it names, in the order of reading, as they were when the backtest began; any other file is read from disk. */
  readonly sources: readonly Source[];
  /** The run's cell of the `--set` grid. */
  readonly settings: readonly Setting[];
  readonly seed: bigint;
  /** Another draw of the latencies of the seed's world, from 1; absent: the first. */
  readonly latencyDraw?: number;
  /** Days simulated and counted; may be a fraction. */
  readonly days: number;
  /** Days simulated before them and not counted; may be a fraction. */
  readonly warmUpDays: number;
  /** `drawn`: unknown market properties are drawn from the seed; `fixed`: they have their configured or usual values. */
  readonly world: "drawn" | "fixed";
  /** False: everything is done as in live trading, even work that leaves no trace; the outcome is the same to the byte. */
  readonly shortcuts: boolean;
  /** The recording in whose market the run takes place; absent: the devnet's. */
  readonly recording?: RecordingSource;
  /** Screened instead of run in full: the folder that keeps tapes, and the hash of the program. */
  readonly approximate?: { readonly folder: string; readonly program: string };
  /** Whether the outcome has every fill. */
  readonly keepsFills: boolean;
};

/** A counted fill of ours: whole units as text, as in the domain; `mid` before its transaction. */
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
  /** Positive: a cost; negative: a rebate. */
  readonly fee: string;
};

export type PnlComponent = (typeof pnlComponents)[number];
/** PnL by source, and the valuation price of positions. */
export type PnlText = Readonly<Record<PnlComponent, string>> & { readonly valuation: "print" | "mid" };

/** Amounts are exact decimal text in USDC, sizes in contracts. */
export type MarketLine = {
  readonly accountId: string;
  readonly marketId: number;
  readonly strategy: string;
  readonly pnl: PnlText;
  readonly pnlAtPrint: PnlText;
  /** Amount by which closing the final position as a taker would bring less than `pnl` says. */
  readonly closingCost: string;
  /** Contracts of it that the book could not absorb: they count at its worst price. */
  readonly unclosed: string;
  /** If the market has a premium book: the part of `pnl` that it earned, and the rest; both sum to `pnl.total`. */
  readonly premium?: {
    readonly pnl: string;
    readonly spreadPnl: string;
    readonly target: number;
    readonly held: number;
  };
  /** If its strategy threw or returned no quotes: in how many turns, including the warm-up, and the first faults, each with its line. */
  readonly faults?: { readonly turns: number; readonly words: readonly string[] };
  readonly fills: number;
  readonly volume: string;
  /** Share of the time with our orders resting on both sides. */
  readonly quoteUptime: number;
  readonly positionMax: string;
  /** Standard deviation over time, contracts. */
  readonly positionStd: number;
  /** Transactions that the exchange executed. */
  readonly actions: Readonly<Record<"place" | "modify" | "cancel", number>>;
  /** Places, modifies and cancels together. */
  readonly actionsPerDay: number;
  /** Mean over fills; null if no fill is old enough. */
  readonly markoutBps: Readonly<Record<MarkoutHorizon, number | null>>;
  /** The same by the tenth of the queue where the orders were, 1 at the front; omits tenths without fills. */
  readonly markoutBpsByPlace: readonly (Readonly<Record<MarkoutHorizon, number | null>> & {
    readonly decile: number;
    readonly fills: number;
  })[];
};

/** The drawn or fixed properties of the world. */
export type WorldLine = {
  readonly isDrawn: boolean;
  /** One-way median latencies, ms: of an order; of frames, reads and answers. */
  readonly orderMs: number;
  readonly feedMs: number;
  /** Share of informed takers while none waits for a print; null without a crowd. */
  readonly informedShare: number | null;
  /** Time constant of the reversion after an order, in mean gaps between noise orders; null without a crowd. */
  readonly pressureGaps: number | null;
  /** By market: time in which funding pays the whole premium. */
  readonly premiumPeriodSecs: Readonly<Record<string, number>>;
  /** In a recording or a screening: the queue model that filled orders. */
  readonly queueModel?: QueueModelName;
  /** Fills of a fit that are too few, so that it is not used. */
  readonly tooFewFills?: number;
};

/** A stretch of a run in a recording from print to print; times in Unix ms. */
export type BlockLine = {
  readonly fromMs: number;
  readonly toMs: number;
  /** USDC, at the mid. */
  readonly pnl: number;
  /** USDC: closing all positions at its end as a taker would bring so much less than their value at the mid. */
  readonly closingCost: number;
  /** In the order of `RunLine.markets`; positions in contracts. */
  readonly markets: readonly {
    readonly quoteUptime: number;
    readonly positionMean: number;
    readonly positionStd: number;
    readonly actions: number;
  }[];
};

export type RunLine = {
  readonly kind: "run";
  readonly seed: number | string;
  /** Name of the recording in which it ran; left out: it ran in the devnet. */
  readonly recording?: string;
  readonly set: Readonly<Record<string, unknown>>;
  /** From a screening: the market does not react to our orders. */
  readonly approximate?: true;
  readonly days: number;
  /** Days simulated before the counted ones; they are in no figure. */
  readonly warmUpDays: number;
  readonly world: WorldLine;
  /** Valuation of equity, PnL, worst day and drawdown. */
  readonly valuation: "mid";
  readonly equityStart: string;
  readonly equityEnd: string;
  readonly pnl: string;
  /**
   * Only in a recording, which is one world whatever the seed: the interval of `pnl`, by Student's t over its blocks from print to print.
   * Null: too few prints.
   */
  readonly pnlCi95?: readonly [low: number, high: number] | null;
  /** Only in a recording. */
  readonly blocks?: readonly BlockLine[];
  /** PnL with positions at the oracle price. */
  readonly pnlAtPrint: string;
  /** `pnl` minus the cost of closing all positions at the end. */
  readonly pnlAtClose: string;
  /** Difference between PnL and the sum of its sources: always 0. */
  readonly residual: string;
  readonly worstDay: string;
  /** Worst day, with the cost of closing at each day's end subtracted. */
  readonly worstDayAtClose: string;
  readonly maxDrawdown: string;
  /** By whole days at mid; null: fewer than two. */
  readonly annual: Annual | null;
  readonly stateRoot: string;
  readonly markets: readonly MarketLine[];
};

/** Sum and count of the markouts of one day. */
export type DayMarkouts = Readonly<Record<MarkoutHorizon, { readonly sum: number; readonly count: number }>>;

/** One market's curves, with one number per point of `Curves.hours`. */
export type MarketCurves = {
  /** Contracts. */
  readonly position: readonly number[];
  /** USDC since the start. */
  readonly pnl: Readonly<Record<PnlComponent, readonly number[]>>;
  readonly markouts: readonly DayMarkouts[];
  /** Contracts of placed orders, and how many of them were filled. */
  readonly placed: number;
  readonly filled: number;
};

/** At most `POINTS_MAX` points, each the last sample of its interval. */
export type Curves = {
  readonly hours: readonly number[];
  /** USDC since the start. */
  readonly pnl: readonly number[];
  /** Largest fall below the best so far within the interval, USDC; 0 or less. */
  readonly drawdown: readonly number[];
  /** USDC per day. */
  readonly days: readonly number[];
  /** In the order of `RunLine.markets`. */
  readonly markets: readonly MarketCurves[];
};

export type Outcome = {
  readonly line: RunLine;
  readonly curves: Curves;
  readonly simulatedMs: number;
  /** Null: not requested. */
  readonly fills: readonly FillRow[] | null;
};

/** Identifies the cell of a job in its results. */
export const setOf = ({
  name,
  namedWorld,
  settings,
}: Pick<BacktestJob, "name" | "namedWorld" | "settings">): RunLine["set"] => ({
  ...(name !== null && { config: name }),
  ...(namedWorld !== undefined && { world: namedWorld }),
  ...Object.fromEntries(settings.map(({ path, value }) => [path, shown(value)])),
});

/** JSON has no long integers. */
const shown = (value: unknown): unknown => JSON.parse(stringifyQuoted(value));
