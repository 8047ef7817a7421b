// One account at work: its markets, halts and results, and the bookings that an event's effects require.

import type { Fill } from "../../../domain/fill.ts";
import type { Latch, LatchEvent, Liftable } from "../../../domain/latch.ts";
import { notional, usdcOf, usdOf } from "../../../domain/rounding.ts";
import { type AccountId, type MarketId, type Price, price, usdc } from "../../../domain/units.ts";
import type { Fact, View } from "../../../domain/view.ts";
import { KeyedSum } from "../../../kernel/keyed-sum.ts";
import { countText } from "../../../kernel/text.ts";
import type { AwayChange } from "../../account/effects.ts";
import { type AccountBook, type FundingEvent, inventoryIn, type TransferEvent } from "../../accounting/account-book.ts";
import { type FillEvent, type Pnl, pnlOf } from "../../accounting/market-book.ts";
import type { QuotedAccount } from "../../config/config.ts";
import type { DayBar } from "../../dashboard/detail.ts";
import { plus, type SpanPnl, type Valuation } from "../../ledger/pnl-by-span.ts";
import type { ChainMark, LedgerRecord } from "../../ledger/store.ts";
import { foldLatch, isLatched, type Latches, tradingStateOf } from "../../risk/latches.ts";
import type { Rejections } from "../../risk/observed.ts";
import type { Print } from "../../risk/prints.ts";
import type { DailyPnl } from "../../risk/risk-state.ts";
import type { MarkMoves } from "../../strategy/mark-moves.ts";
import type { Readings } from "../input.ts";
import type { Say } from "../notice.ts";
import type { Output } from "../output.ts";
import { AccountRecords } from "./account-records.ts";
import { CorrelatedRisk } from "./correlated-risk.ts";
import { DayBars, noFigures } from "./day-bars.ts";
import type { EndedDay } from "./day-summary.ts";
import { DayTracker } from "./day-tracker.ts";
import type { MarketDesk } from "./market-desk.ts";
import { noResult, type RememberedResults, type Result, resultText } from "./results.ts";

const newDay = { drawdown: usdc(0n), halts: 0, quotedBefore: new Map<MarketDesk, number>() };

export class AccountDesk {
  readonly accountId: AccountId;
  readonly markets = new Map<MarketId, MarketDesk>();
  /** Positions and money; only `fold` writes it. */
  readonly book: AccountBook;
  readonly records: AccountRecords;
  quoted: QuotedAccount;
  latches: Latches;
  /** New orders in a row that the exchange rejected. */
  rejections: Rejections | null = null;
  #unattributedMs: number | null = null;
  readonly #log: Say;
  readonly #put: (output: Output) => void;
  readonly #day: DayTracker;
  readonly #bars: DayBars;
  /** The day of the last turn; null before the first, and while it is unknown. */
  #today: number | null = null;
  /** This run's part of the day. */
  #ofDay = newDay;
  readonly correlatedRisk: CorrelatedRisk;
  /** Markets that are no longer quoted; they still count in the account's result. */
  readonly #elsewhere = new Map<MarketId, Result>();
  readonly #kept = new Map<MarketId | null, Result>();
  /** Markets with an unconfirmed print. */
  readonly #unconfirmed = new Set<MarketId>();
  /** Profit of each quoted market as of its last turn; absent before the first. */
  readonly #profits = new KeyedSum<MarketId>();
  /** Number of markets in the book when it was last searched for unquoted ones. */
  #marketsSeen = 0;

  constructor(
    options: {
      readonly quoted: QuotedAccount;
      readonly latches: Latches;
      readonly results: RememberedResults["results"];
      readonly book: AccountBook;
      readonly days: Iterable<SpanPnl>;
      readonly moves: MarkMoves<MarketId>;
      readonly chain: ChainMark | null;
    },
    modules: {
      readonly keep: (record: LedgerRecord) => void;
      readonly readings: () => Readings;
      readonly log: Say;
      readonly put: (output: Output) => void;
    },
  ) {
    this.accountId = options.quoted.accountId;
    this.quoted = options.quoted;
    this.latches = options.latches;
    this.book = options.book;
    this.correlatedRisk = new CorrelatedRisk(options.moves);
    this.#day = new DayTracker(options.results.get(null)?.day ?? null);
    this.#bars = new DayBars(options.days);
    for (const [marketId, result] of options.results) if (marketId !== null) this.#elsewhere.set(marketId, result);
    this.records = new AccountRecords(this.accountId, options.chain, modules);
    this.#log = modules.log;
    this.#put = modules.put;
  }

  /** Writes the latch down before it acts; a failing disk does not prevent the halt. */
  trip(latch: Latch, wallMs: number): void {
    if (isLatched(this.latches, latch)) return;
    this.#fold({ kind: "tripped", latch }, wallMs);
    this.#ofDay = { ...this.#ofDay, halts: this.#ofDay.halts + 1 };
    this.keepResults(wallMs);
    const { kind, reason, holds, marketId } = latch;
    const place = marketId === null ? `account ${this.accountId}` : `market ${marketId}`;
    this.#log.error(
      { event: "latch.tripped", account: `${this.accountId}`, market: marketId, kind, holds },
      `${place} ${holds === "halted" ? "halted" : "reduces only"}: ${reason} (resume lifts it)`,
    );
    this.#put({ kind: "tripped", latch });
  }

  /** Notes that a position moved without a fill. Returns when that last happened before, monotonic ms; null: never. */
  unattributed(nowMs: number): number | null {
    const beforeMs = this.#unattributedMs;
    this.#unattributedMs = nowMs;
    return beforeMs;
  }

  /** Returns what a market's skew counts on top of its position: positions in other markets, less its premium book's target. */
  extraInventory(marketId: MarketId): number {
    const elsewhere = this.correlatedRisk.contractsIn(marketId, this.markets, this.book);
    const premium = this.markets.get(marketId)?.premium ?? null;
    return premium === null ? elsewhere : elsewhere - premium.targetContracts;
  }

  /** Whether the account, or each of its markets, is halted: then only flatten opens or closes anything there. */
  isHalted(): boolean {
    const isHeld = (marketId: MarketId | null) => tradingStateOf(this.latches, this.accountId, marketId) === "halted";
    const quoted = [...this.markets.values()].filter(({ strategy }) => !strategy.isDraining);
    return isHeld(null) || (quoted.length > 0 && quoted.every(({ marketId }) => isHeld(marketId)));
  }

  /**
   * Lifts what an operator names, with the reason given. After a halt by loss or drawdown the day's count starts over. Only its own name
   * confirms an unconfirmed print. Returns the latches that no longer hold.
   */
  lift(
    lifted: { readonly marketId: MarketId | null; readonly latch: Liftable | null; readonly reason: string },
    wallMs: number,
  ): Latches {
    const before = this.latches;
    this.#fold({ kind: "lifted", accountId: this.accountId, ...lifted }, wallMs);
    const gone = before.filter((latch) => !this.latches.includes(latch));
    for (const { kind, marketId } of gone) {
      if (kind === "cannotAct") this.rejections = null;
      if (kind !== "loss" && kind !== "drawdown") continue;
      if (marketId === null) this.#day.restart();
      else this.markets.get(marketId)?.pnl.restartDay();
    }
    if (lifted.latch === "printMove") {
      for (const market of this.markets.values())
        if (lifted.marketId === null || lifted.marketId === market.marketId) this.#confirmPrint(market);
    }
    if (lifted.latch === "premiumLoss") {
      for (const { marketId, premium } of this.markets.values())
        if (lifted.marketId === null || lifted.marketId === marketId) premium?.resume();
    }
    this.keepResults(wallMs);
    const place = lifted.marketId === null ? `account ${this.accountId}` : `market ${lifted.marketId}`;
    const state = tradingStateOf(this.latches, this.accountId, lifted.marketId);
    const done =
      state === "active" ? "resumed" : `stays ${state} after a resume that lifted ${countText(gone.length, "halt")}`;
    this.#log.warn(
      { event: "latch.lifted", account: `${this.accountId}`, ...lifted },
      `${place} ${done}: ${lifted.reason}`,
    );
    return gone;
  }

  /** Starts quoting a market; `make` gets its stored result. */
  take(marketId: MarketId, make: (before: Result) => MarketDesk): void {
    this.drop(marketId); // It may still be draining.
    const desk = make(this.#elsewhere.get(marketId) ?? noResult);
    this.markets.set(marketId, desk);
    if (desk.observed.prints.doubtful !== null) this.#unconfirmed.add(marketId);
    this.#elsewhere.delete(marketId);
    this.#sumProfit(desk);
  }

  /** Drops a market that is no longer quoted and where nothing of ours rests. */
  drop(marketId: MarketId): void {
    const desk = this.markets.get(marketId);
    if (desk === undefined) return;
    this.#elsewhere.set(marketId, desk.result);
    this.markets.delete(marketId);
    this.#profits.delete(marketId);
    this.#unconfirmed.delete(marketId);
  }

  /**
   * Updates the account from a view of one market before anything is decided on it. `day`: see `dayOf`; `priceIn` returns the oracle
   * price of any market, null where it is unknown.
   */
  observe(
    market: MarketDesk,
    view: View,
    { day, priceIn }: { readonly day: number | null; readonly priceIn: (marketId: MarketId) => Price | null },
  ): void {
    const { prints } = market.observed;
    // The day that ends is summed up at the prices of its last turn.
    if (day !== null && this.#today !== null && day > this.#today) this.lookAtDay();
    this.#today = day ?? this.#today;
    const isActive = tradingStateOf(this.latches, this.accountId, market.marketId) === "active";
    if (market.observe(view, day, isActive)) this.#premiumStopped(market);
    if (market.observed.prints.doubtful !== prints.doubtful) this.#unconfirmedChanged(market);
    this.#sumProfit(market);
    const beside = this.profitBeside(priceIn);
    if (this.#profits.sum === null || beside === null) return;
    this.#day.observe(usdc(this.#profits.sum + beside), day);
  }

  /** Returns profit outside the quoted markets, USDC; null while a position is held there whose price is unknown. */
  profitBeside(priceIn: (marketId: MarketId) => Price | null): bigint | null {
    const elsewhere = this.#profitElsewhere(priceIn);
    return elsewhere === null ? null : this.book.unassigned + elsewhere;
  }

  /** Writes down changed results, in the same batch as their cause. */
  keepResults(atMs: number): void {
    for (const [marketId, result] of this.#elsewhere) this.#keepResult(marketId, result, atMs);
    for (const [marketId, desk] of this.markets) this.#keepResult(marketId, desk.result, atMs);
    this.#keepResult(null, { ...noResult, day: this.#day.state }, atMs);
  }

  /** Writes down unconfirmed prints and the premium book where a turn changed them: a restart does not lift a suspicion. */
  keepTurn(market: MarketDesk, atMs: number): void {
    const { marketId, observed, result } = market;
    const known = this.#kept.get(marketId) ?? noResult;
    if (known.prints !== observed.prints || known.premium !== result.premium) this.#keepResult(marketId, result, atMs);
  }

  /** Whether a print of one of the markets is unconfirmed: then the account's worth is unknown. */
  get isUnconfirmed(): boolean {
    return this.#unconfirmed.size > 0;
  }

  dailyPnl(): Fact<DailyPnl> {
    return this.#day.dailyPnl();
  }

  /** Call it every second. Returns the summary of the day that ended since the last call; else null. */
  lookAtDay(): EndedDay | null {
    const markets = [...this.markets.values()];
    if (this.#today === null || !markets.every((market) => market.pnl.isCurrent)) return null;
    const ended = this.#bars.observe(this.#today, { print: this.#pnlAt("print"), mid: this.#pnlAt("mid") });
    const { drawdown, halts, quotedBefore } = this.#ofDay;
    const { best, pnl } = this.#day.state?.result ?? { best: 0n, pnl: 0n };
    const fall = usdc(best - pnl);
    if (ended === null) {
      this.#ofDay = { ...this.#ofDay, drawdown: fall > drawdown ? fall : drawdown };
      return null;
    }
    this.#ofDay = {
      ...newDay,
      drawdown: fall,
      quotedBefore: new Map(markets.map((each) => [each, each.fills.quotedSeconds])),
    };
    const quotedSeconds = new Map(
      markets.map((market) => [market.name, market.fills.quotedSeconds - (quotedBefore.get(market) ?? 0)]),
    );
    return { ...ended, drawdown, halts, quotedSeconds };
  }

  /** Returns the PnL of recent days and of today. */
  dayBars(): readonly DayBar[] {
    return this.#bars.shown();
  }

  /** Handles a fill that was not known before. */
  filled(fill: Fill): void {
    this.#bars.filled(notional(fill.price, fill.size));
  }

  #pnlAt(valuation: Valuation): Pnl {
    const quoted = [...this.markets.values()].map((market) => market.pnl.at(valuation));
    const elsewhere = [...this.#elsewhere].map(([marketId, { markPrice }]) => {
      const market = this.book.markets.get(marketId);
      return market === undefined ? null : pnlOf(market, markPrice ?? price(0n));
    });
    return [...quoted, ...elsewhere].reduce<Pnl>(
      (sum, pnl) => (pnl === null ? sum : plus(sum, pnl)),
      noFigures[valuation],
    );
  }

  /** Keeps a fill, new or completed. */
  keepFill(event: FillEvent, wallMs: number): void {
    this.records.fill(event, wallMs);
    this.keepResults(wallMs);
  }

  /** A day counts only fills and funding of losses made while the bot was down. More than a share of the daily limit halts. */
  judgeAway({ worth, amount }: AwayChange, wallMs: number): void {
    const { limits, markets, maxAwayLossRatio } = this.quoted;
    const maxLoss = [limits.maxLoss, ...markets.map((market) => market.limits.maxLoss)]
      .filter((limit) => limit !== null)
      .reduce((least, limit) => (limit < least ? limit : least));
    const allowed = Math.round(Number(maxLoss) * maxAwayLossRatio);
    if (-worth <= allowed) return;
    const reason = `the account lost ${usdcOf(usdc(-worth))} USDC while the daemon was away, more than maxAwayLossRatio of maxLoss allows`;
    const numbers = { worth, amount, allowed };
    this.trip(
      { kind: "mismatch", accountId: this.accountId, marketId: null, holds: "halted", reason, numbers },
      wallMs,
    );
  }

  /** Keeps a change of collateral under its cause. */
  keepCollateral(postings: readonly (FundingEvent | TransferEvent)[], wallMs: number): void {
    for (const posting of postings) {
      if (posting.kind === "funding") this.#funding(posting);
      else this.records.transfer(posting, wallMs);
    }
    this.keepResults(wallMs);
  }

  #funding(posting: FundingEvent): void {
    const { marketId, amount } = posting;
    this.records.funding(posting);
    this.markets.get(marketId)?.premium?.funded(amount, inventoryIn(this.book, marketId));
  }

  #premiumStopped({ marketId, premium }: MarketDesk): void {
    this.#log.error(
      { event: "premium.stopped", account: `${this.accountId}`, market: marketId },
      `market ${marketId}: the premium book is stopped: ${premium?.why}; its position is worked off, the spread is still quoted (resume --latch premiumLoss lifts it)`,
    );
  }

  /** Returns profit in unquoted markets, including the owner's; null while one holds a position whose price is unknown. */
  #profitElsewhere(priceIn: (marketId: MarketId) => Price | null): bigint | null {
    if (this.#marketsSeen !== this.book.markets.size) this.#findElsewhere();
    let sum = 0n;
    for (const [marketId, before] of this.#elsewhere) {
      const market = this.book.markets.get(marketId);
      if (market === undefined) continue;
      const markPrice = priceIn(marketId) ?? before.markPrice;
      if (markPrice === null && market.now.inventory !== 0n) return null;
      if (markPrice !== before.markPrice) this.#elsewhere.set(marketId, { ...before, markPrice });
      sum += pnlOf(market, markPrice ?? price(0n)).total;
    }
    return sum;
  }

  #findElsewhere(): void {
    this.#marketsSeen = this.book.markets.size;
    for (const marketId of this.book.markets.keys()) {
      if (!this.markets.has(marketId) && !this.#elsewhere.has(marketId)) this.#elsewhere.set(marketId, noResult);
    }
  }

  #confirmPrint(market: MarketDesk): void {
    if (market.observed.prints.doubtful === null) return;
    market.confirmPrint();
    this.#unconfirmedChanged(market);
  }

  #unconfirmedChanged({ marketId, observed }: MarketDesk): void {
    const { trusted, doubtful } = observed.prints;
    const place = { account: `${this.accountId}`, market: marketId };
    if (doubtful === null) {
      this.#unconfirmed.delete(marketId);
      this.#log.warn(
        { event: "print.trusted", ...place },
        `market ${marketId}: the print is trusted at ${usd(trusted)}`,
      );
      return;
    }
    this.#unconfirmed.add(marketId);
    this.#log.warn(
      { event: "print.unconfirmed", ...place },
      `market ${marketId}: the print moved from ${usd(trusted)} to ${usd(doubtful)}; no new exposure until a second publication agrees (resume --latch printMove confirms it)`,
    );
  }

  #sumProfit(market: MarketDesk): void {
    this.#profits.set(market.marketId, market.pnl.isCurrent ? (market.pnl.at("lower")?.total ?? 0n) : null);
  }

  #keepResult(marketId: MarketId | null, result: Result, atMs: number): void {
    const kept = this.#kept.get(marketId) ?? noResult;
    const isSame = kept.markPrice === result.markPrice && kept.day === result.day && kept.prints === result.prints;
    if (isSame && kept.premium === result.premium) return;
    this.#kept.set(marketId, result);
    this.records.result(marketId, resultText(result), atMs);
  }

  #fold(event: LatchEvent, wallMs: number): void {
    this.records.latch(event, wallMs);
    this.latches = foldLatch(this.latches, event);
  }
}

const usd = (print: Print | null): string => (print === null ? "nothing" : `${usdOf(print.price)}`);
