// Observes the exchange during a run and summarizes it: a line of results, and curves sampled once a minute. The warm-up before the
// counting is followed too, because positions continue, but is in no figure.

import { type Pnl, pnlComponents } from "../bot/accounting/market-book.ts";
import { type MarkoutHorizon, markoutHorizons } from "../bot/analytics/markouts.ts";
import type { BotConfig } from "../bot/config/config.ts";
import type { Block } from "../devnet/chain/block.ts";
import type { Fill } from "../domain/fill.ts";
import { contractsOf, usdcOf } from "../domain/rounding.ts";
import { AMOUNT_SCALE, type Price, SIZE_SCALE, type Usdc, usdc } from "../domain/units.ts";
import { DAY_MS } from "../kernel/clock.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { annualOf } from "../report/annual.ts";
import { AccountRecord, type RecordedBatch, type RecordedReads } from "./account-record.ts";
import { Blocks, type Moment } from "./blocks.ts";
import type { Closing } from "./closing.ts";
import { CurveSampler } from "./curves.ts";
import { MarketRecord } from "./market-record.ts";
import { Marks } from "./marks.ts";
import {
  type BacktestJob,
  type BlockLine,
  type FillRow,
  type MarketLine,
  type Outcome,
  type PnlComponent,
  type PnlText,
  type RunLine,
  setOf,
  type WorldLine,
} from "./outcome.ts";
import { rounded, sumInterval } from "./summary.ts";

const SAMPLE_MS = 60_000;

/** What is observed of an exchange: the devnet's, or a screening's. */
export type RecordedChain = {
  readonly reads: RecordedReads;
  readonly head: () => Pick<Block, "timeMs" | "stateRoot">;
  readonly onEvents: (heard: (batch: RecordedBatch) => void) => unknown;
  readonly onBlock: (ended: (block: Pick<Block, "timeMs">) => void) => unknown;
};

export class Recorder {
  readonly #chain: Pick<RecordedChain, "reads" | "head">;
  readonly #startMs: number;
  readonly #accounts: readonly AccountRecord[];
  #equityStart: Usdc = usdc(0n);
  readonly #curves: CurveSampler;
  readonly #fills: FillRow[] | null;
  /** False during the warm-up. */
  #counts = false;
  #nextSampleMs = Number.POSITIVE_INFINITY;
  /** Equity at the start of the current day. */
  #dayStart: Usdc = usdc(0n);
  #nextDayMs = Number.POSITIVE_INFINITY;
  readonly #days: Usdc[] = [];
  readonly #daysAtClose: Usdc[] = [];
  /** Only if they are kept, from the start of counting on. */
  #blocks: Blocks | null = null;
  readonly #keepsBlocks: boolean;
  #best: Usdc = usdc(0n);
  #drawdown: Usdc = usdc(0n);

  constructor(
    { accounts }: Pick<BotConfig, "accounts">,
    chain: RecordedChain,
    {
      startMs,
      keepsFills = false,
      keepsBlocks = false,
    }: {
      /** Counting begins. */
      readonly startMs: number;
      readonly keepsFills?: boolean;
      readonly keepsBlocks?: boolean;
    },
  ) {
    this.#chain = chain;
    this.#startMs = startMs;
    this.#fills = keepsFills ? [] : null;
    this.#keepsBlocks = keepsBlocks;
    const { reads } = chain;
    const nowMs = chain.head().timeMs;
    const ids = accounts.map(({ accountId }) => accountId);
    const marks = new Marks(reads, ids);
    this.#accounts = accounts.map(({ accountId, markets }) => {
      const records = markets.map(({ marketId, strategy }) => new MarketRecord(marketId, strategy.name, nowMs));
      return new AccountRecord(accountId, records, {
        reads,
        marks,
        onFill: (fill, mid, atMs) => this.#keep(fill, mid, atMs),
      });
    });
    this.#curves = new CurveSampler(accounts.reduce((count, { markets }) => count + markets.length, 0));
    if (nowMs >= startMs) this.#begin(startMs);
    chain.onEvents((batch) => {
      if (batch.events.some(({ type }) => type === "OracleUpdated")) this.#printed(batch.timeMs);
      for (const account of this.#accounts) account.take(batch);
    });
    chain.onBlock(({ timeMs }) => {
      for (const account of this.#accounts) account.block(timeMs);
      if (!this.#counts && timeMs >= startMs) this.#begin(timeMs);
      if (timeMs >= this.#nextSampleMs) this.#sample(timeMs);
    });
  }

  /** Starts counting: nothing before it is in any figure. */
  #begin(atMs: number): void {
    this.#counts = true;
    for (const account of this.#accounts) account.begin(atMs);
    this.#equityStart = this.#equity();
    this.#dayStart = this.#equityStart;
    if (this.#keepsBlocks) this.#blocks = new Blocks(this.#moment(atMs));
    this.#best = this.#equityStart;
    this.#nextSampleMs = this.#startMs + SAMPLE_MS;
    this.#nextDayMs = this.#startMs + DAY_MS;
  }

  /** The run is over. */
  end(
    job: Pick<BacktestJob, "name" | "seed" | "settings" | "days" | "warmUpDays" | "recording">,
    world: WorldLine,
  ): Outcome {
    const { timeMs: atMs, stateRoot } = this.#chain.head();
    for (const account of this.#accounts) account.end(atMs);
    this.#sample(atMs);
    const equityEnd = this.#equity();
    if (atMs > this.#nextDayMs - DAY_MS) this.#endDay(equityEnd);
    const pnl = equityEnd - this.#equityStart;
    this.#blocks?.end(this.#moment(atMs));
    let explained = 0n;
    let atPrint = 0n;
    let closing = 0n;
    const markets = this.#pairs().map(([account, market]) => {
      const bySource = account.pnl(market.marketId, "mid");
      const bySourceAtPrint = account.pnl(market.marketId, "print");
      explained += bySource.total;
      atPrint += bySourceAtPrint.total;
      const end = account.closing(market.marketId);
      closing += end.cost;
      return marketLine(account, market, { mid: bySource, print: bySourceAtPrint, closing: end, days: job.days });
    });
    const line: RunLine = {
      kind: "run",
      seed: Number.isSafeInteger(Number(job.seed)) ? Number(job.seed) : `${job.seed}`,
      ...(job.recording !== undefined && { recording: job.recording.name }),
      set: setOf(job),
      days: job.days,
      warmUpDays: job.warmUpDays,
      world,
      valuation: "mid",
      equityStart: amount(this.#equityStart),
      equityEnd: amount(equityEnd),
      pnl: amount(pnl),
      ...blockFields(this.#blocks?.lines),
      pnlAtPrint: amount(atPrint),
      pnlAtClose: amount(pnl - closing),
      residual: amount(pnl - explained),
      worstDay: amount(least(this.#days)),
      worstDayAtClose: amount(least(this.#daysAtClose)),
      maxDrawdown: amount(this.#drawdown),
      annual: annualOf(this.#days.slice(0, Math.floor(job.days)).map(usdcOf)),
      stateRoot,
      markets,
    };
    const days = this.#days.map(usdcOf);
    const each = this.#pairs().map(([, { placed, filled, markouts }]) => ({ placed, filled, markouts }));
    return {
      line,
      curves: this.#curves.end({ days, markets: each }),
      simulatedMs: job.days * DAY_MS,
      fills: this.#fills,
    };
  }

  #printed(atMs: number): void {
    if (this.#blocks?.endsAt(atMs)) this.#blocks.end(this.#moment(atMs));
  }

  #moment(atMs: number): Moment {
    return {
      atMs,
      equity: usdcOf(this.#equity()),
      closingCost: usdcOf(usdc(this.#closingCost())),
      markets: this.#pairs().map(([, { sums }]) => sums),
    };
  }

  #keep({ accountId, marketId, side, liquidity, price, size, fee }: Fill, mid: Price, atMs: number): void {
    if (!this.#counts) return;
    const amounts = { price: `${price}`, mid: `${mid}`, size: `${size}`, fee: `${fee ?? 0n}` };
    this.#fills?.push({ atMs, accountId: `${accountId}`, marketId, side, liquidity, ...amounts });
  }

  #sample(atMs: number): void {
    while (this.#nextSampleMs <= atMs) this.#nextSampleMs += SAMPLE_MS;
    const equity = this.#equity();
    if (equity > this.#best) this.#best = equity;
    const fall = usdc(this.#best - equity);
    if (fall > this.#drawdown) this.#drawdown = fall;
    if (atMs >= this.#nextDayMs) this.#endDay(equity);
    this.#curves.add({
      hours: (atMs - this.#startMs) / 3_600_000,
      pnl: usdcOf(usdc(equity - this.#equityStart)),
      drawdown: -usdcOf(fall),
      markets: this.#pairs().map(([account, market]) => ({
        position: contractsOf(market.inventory),
        pnl: account.pnl(market.marketId, "mid"),
      })),
    });
  }

  #endDay(equity: Usdc): void {
    const day = equity - this.#dayStart;
    this.#days.push(usdc(day));
    this.#daysAtClose.push(usdc(day - this.#closingCost()));
    this.#dayStart = equity;
    this.#nextDayMs += DAY_MS;
  }

  /** Cost of closing all positions now. */
  #closingCost(): bigint {
    return this.#pairs().reduce((sum, [account, { marketId }]) => sum + account.closing(marketId).cost, 0n);
  }

  #equity(): Usdc {
    return usdc(this.#accounts.reduce((sum, account) => sum + account.equity(), 0n));
  }

  #pairs(): readonly (readonly [AccountRecord, MarketRecord])[] {
    return this.#accounts.flatMap((account) =>
      [...account.markets.values()].map((market) => [account, market] as const),
    );
  }
}

const blockFields = (blocks?: readonly BlockLine[]): Pick<RunLine, "pnlCi95" | "blocks"> =>
  blocks === undefined ? {} : { pnlCi95: sumInterval(blocks.map(({ pnl }) => pnl)), blocks };

type MarketEnd = { readonly mid: Pnl; readonly print: Pnl; readonly closing: Closing; readonly days: number };

function marketLine(
  { accountId }: AccountRecord,
  market: MarketRecord,
  { mid, print, closing, days }: MarketEnd,
): MarketLine {
  const { place, modify, cancel } = market.actions;
  return {
    accountId: `${accountId}`,
    marketId: market.marketId,
    strategy: market.strategy,
    pnl: pnlText("mid", mid),
    pnlAtPrint: pnlText("print", print),
    closingCost: amount(closing.cost),
    unclosed: formatDecimal(closing.unclosed, SIZE_SCALE),
    fills: market.fills,
    volume: amount(market.volume),
    quoteUptime: rounded(market.quoteUptime),
    positionMax: formatDecimal(market.positionMax, SIZE_SCALE),
    positionStd: rounded(market.positionStd),
    actions: { place, modify, cancel },
    actionsPerDay: Math.round((place + modify + cancel) / days),
    markoutBps: meanMarkouts(market),
    markoutBpsByPlace: placeMarkouts(market),
  };
}

function pnlText(valuation: PnlText["valuation"], pnl: Pnl): PnlText {
  const bySource = pnlComponents.map((component) => [component, amount(pnl[component])]);
  return { valuation, ...(Object.fromEntries(bySource) as Record<PnlComponent, string>) };
}

function meanMarkouts({ markouts }: MarketRecord): MarketLine["markoutBps"] {
  const means = markoutHorizons.map((horizon): readonly [MarkoutHorizon, number | null] => {
    const sum = markouts.reduce((total, day) => total + day[horizon].sum, 0);
    const count = markouts.reduce((total, day) => total + day[horizon].count, 0);
    return [horizon, count === 0 ? null : rounded(sum / count)];
  });
  return Object.fromEntries(means) as Record<MarkoutHorizon, number | null>;
}

const placeMarkouts = ({ placeMarkouts }: MarketRecord): MarketLine["markoutBpsByPlace"] =>
  placeMarkouts.map(({ decile, means }) => {
    const lines = means.lines();
    const of = markoutHorizons.map((horizon): readonly [MarkoutHorizon, number | null] => {
      const mean = lines.find((line) => line.horizon === horizon)?.meanBps;
      return [horizon, mean === undefined ? null : rounded(mean)];
    });
    return { decile, fills: means.count, ...(Object.fromEntries(of) as Record<MarkoutHorizon, number | null>) };
  });

const least = (amounts: readonly Usdc[]): bigint =>
  amounts.reduce((smallest, each) => (each < smallest ? each : smallest), amounts[0] ?? usdc(0n));

const amount = (value: bigint): string => formatDecimal(value, AMOUNT_SCALE);
