// One account at work: its markets, its halts and its results, and what is booked when the feed finds something out.

import type { Fill } from "../../../domain/fill.ts";
import type { Latch, LatchEvent, LatchKind } from "../../../domain/latch.ts";
import type { KnownOrder } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type Usdc, usdc } from "../../../domain/units.ts";
import type { Fact } from "../../../domain/view.ts";
import { pnlOf, unpricedProfit } from "../../accounting/market-book.ts";
import type { QuotedAccount } from "../../config/config.ts";
import type { FeedEffect, MismatchKind } from "../../feed/effects.ts";
import { openBook } from "../../ledger/book.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { worstNotional } from "../../risk/exposure.ts";
import { foldLatch, isLatched, type Latches, tradingStateOf } from "../../risk/latches.ts";
import type { DailyPnl } from "../../risk/risk-state.ts";
import type { AccountMetrics } from "../../telemetry/bound.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Lane } from "../../venue/port.ts";
import type { Turn } from "../loop/turn.ts";
import { DayTracker } from "./day-tracker.ts";
import type { MarketDesk } from "./market-desk.ts";
import {
  type AccountResult,
  accountResultText,
  type MarketResult,
  marketResultText,
  noMarketResult,
  type RememberedResults,
} from "./results.ts";
import { viewHash } from "./view-hash.ts";

export type BoundAccount = AccountMetrics<LatchKind, MismatchKind, Lane>;

type CollateralChange = Extract<FeedEffect, { readonly kind: "collateralChange" }>;

export class AccountDesk {
  readonly accountId: AccountId;
  readonly metrics: BoundAccount;
  readonly markets = new Map<MarketId, MarketDesk>();
  quoted: QuotedAccount;
  latches: Latches;
  readonly #ledger: Ledger;
  readonly #log: Log;
  readonly #day: DayTracker;
  #opened = false;
  /** Differences that no market explains. */
  #unassigned: Usdc;
  /** Markets that are not quoted now; they keep their share of the account's result. */
  readonly #elsewhere: Map<MarketId, MarketResult>;
  readonly #kept = new Map<MarketId | null, MarketResult | AccountResult>();

  constructor(
    options: { readonly quoted: QuotedAccount; readonly latches: Latches; readonly before: RememberedResults },
    modules: { readonly metrics: BoundAccount; readonly ledger: Ledger; readonly log: Log },
  ) {
    this.accountId = options.quoted.accountId;
    this.quoted = options.quoted;
    this.latches = options.latches;
    const { account, markets } = options.before;
    this.#day = new DayTracker(account.day);
    this.#unassigned = account.unassigned;
    this.#elsewhere = new Map(markets);
    this.metrics = modules.metrics;
    this.#ledger = modules.ledger;
    this.#log = modules.log;
    this.#showLatches();
  }

  /** Written down before it acts; what the disk cannot take halts all the same. */
  trip(latch: Latch, wallMs: number): void {
    if (isLatched(this.latches, latch)) return;
    this.#fold({ kind: "tripped", latch }, wallMs);
    this.keepResults(wallMs);
    const { kind, reason, holds, marketId } = latch;
    const place = marketId === null ? `account ${this.accountId}` : `market ${marketId}`;
    this.#log.error(
      { event: "latch.tripped", account: `${this.accountId}`, market: marketId, kind, holds },
      `${place} ${holds === "halted" ? "halted" : "reduces only"}: ${reason} (quoin resume lifts it)`,
    );
  }

  /** Whether the account, or every market of it, is halted: nothing but flatten opens or closes anything there. */
  isHalted(): boolean {
    const isHeld = (marketId: MarketId | null) => tradingStateOf(this.latches, this.accountId, marketId) === "halted";
    return isHeld(null) || (this.markets.size > 0 && [...this.markets.keys()].every(isHeld));
  }

  /** Lifts what an operator names, with the reason given. What a loss or a fall halted begins its day's count anew. */
  lift(
    lifted: { readonly marketId: MarketId | null; readonly latch: LatchKind | null; readonly reason: string },
    wallMs: number,
  ): void {
    const before = this.latches;
    this.#fold({ kind: "lifted", accountId: this.accountId, ...lifted }, wallMs);
    for (const { kind, marketId } of before.filter((latch) => !this.latches.includes(latch))) {
      if (kind !== "loss" && kind !== "drawdown") continue;
      if (marketId === null) this.#day.restart();
      else this.markets.get(marketId)?.restartDay();
    }
    this.keepResults(wallMs);
    const place = lifted.marketId === null ? `account ${this.accountId}` : `market ${lifted.marketId}`;
    this.#log.warn(
      { event: "latch.lifted", account: `${this.accountId}`, ...lifted },
      `${place} resumed: ${lifted.reason}`,
    );
  }

  /** A market is quoted from now on; `make` is given what was known of it. */
  take(marketId: MarketId, make: (before: MarketResult) => MarketDesk): void {
    this.markets.set(marketId, make(this.#elsewhere.get(marketId) ?? noMarketResult));
    this.#elsewhere.delete(marketId);
  }

  /** A market is no longer quoted. */
  drop(marketId: MarketId): void {
    const desk = this.markets.get(marketId);
    if (desk === undefined) return;
    this.#elsewhere.set(marketId, desk.memory());
    this.markets.delete(marketId);
  }

  observeDay(day: number): void {
    let total: bigint = this.#unassigned;
    for (const market of this.markets.values()) {
      if (!market.isCurrent()) return;
      total += market.pnl()?.total ?? 0n;
    }
    for (const { pnl } of this.#elsewhere.values()) if (pnl !== null) total += pnlOf(pnl).total;
    this.#day.observe(usdc(total), day);
  }

  /** Writes down the results that changed, in the batch of what changed them. */
  keepResults(atMs: number): void {
    const { accountId } = this;
    const results = new Map(this.#elsewhere);
    for (const [marketId, desk] of this.markets) results.set(marketId, desk.memory());
    for (const [marketId, result] of results) {
      const kept = this.#kept.get(marketId) as MarketResult | undefined;
      if (kept?.pnl === result.pnl && kept.day === result.day) continue;
      this.#kept.set(marketId, result);
      this.#ledger.result({ accountId, marketId, state: marketResultText(result), atMs });
    }
    const result: AccountResult = { unassigned: this.#unassigned, day: this.#day.state };
    const kept = this.#kept.get(null) as AccountResult | undefined;
    if (kept?.unassigned === result.unassigned && kept.day === result.day) return;
    this.#kept.set(null, result);
    this.#ledger.result({ accountId, marketId: null, state: accountResultText(result), atMs });
  }

  dailyPnl(): Fact<DailyPnl> {
    return this.#day.dailyPnl();
  }

  /** Worst-case notional of the other markets together, as of their last turns; absent where one has had none. */
  grossNotionalElsewhere(marketId: MarketId): Fact<Usdc> {
    let sum = 0n;
    for (const [other, desk] of this.markets) {
      if (other === marketId) continue;
      const worst = desk.last === null ? undefined : worstNotional(desk.last.view);
      if (worst === undefined) return { state: "absent" };
      sum += worst;
    }
    return { state: "fresh", value: usdc(sum), ageMs: 0 };
  }

  /** The first read of a life begins its book: what changed while the bot was away is booked under that name. */
  openBook(collateral: Usdc, wallMs: number): void {
    if (this.#opened) return;
    this.#opened = true;
    openBook(this.#ledger, { accountId: this.accountId, collateral, atMs: wallMs });
  }

  /** The exchange named an order of ours: what rests or fills under this id later is no stranger. */
  bookOrder({ orderId, marketId, side }: Omit<KnownOrder, "accountId">): void {
    this.#ledger.order({ accountId: this.accountId, orderId, marketId, side });
  }

  /** What a turn decided and on what, for those who ask later. */
  bookDecision({ view, commands, verdict }: Turn, wallMs: number): void {
    if (commands.length === 0) return;
    this.#ledger.decision({
      accountId: this.accountId,
      marketId: view.marketId,
      atMs: wallMs,
      viewHash: viewHash(view),
      commands,
      denials: verdict.denied.flatMap(({ command, denials }) =>
        denials.map(({ reason }) => ({ kind: command.kind, reason })),
      ),
    });
  }

  /** Books a fill, new or completed, in the ledger. */
  bookFill(fill: Fill, wallMs: number): void {
    this.#ledger.fill(fill, wallMs);
  }

  /** Books a change of collateral as what it was found to be. */
  bookCollateral(
    { postings, fillKeys }: CollateralChange,
    at: { readonly wallMs: number; readonly chainSec: number },
  ): void {
    for (const [index, { kind, marketId, amount }] of postings.entries()) {
      const desk = marketId === null ? undefined : this.markets.get(marketId);
      if (kind === "funding" && marketId !== null) {
        this.#ledger.funding({ accountId: this.accountId, marketId, atSec: at.chainSec, amount });
        desk?.book({ kind: "funding", amount });
        continue;
      }
      const key = `${kind}:${at.wallMs}:${index}`;
      const reason = kind === "funding" ? "inflow" : kind;
      const covers = kind === "fills" ? fillKeys : [];
      this.#ledger.transfer({ accountId: this.accountId, key, reason, amount, atMs: at.wallMs, covers });
      if (kind === "fills") this.#settleFills(desk, fillKeys, amount);
      else if (desk !== undefined) desk.book({ kind: "adjustment", amount });
      else if (kind !== "inflow") this.#unassigned = usdc(this.#unassigned + amount);
      if (kind === "unexplained") this.#tripUnexplained(amount, at.wallMs);
    }
  }

  /** Several markets may have waited for their fees; the named one gets what the others' own records do not. */
  #settleFills(named: MarketDesk | undefined, fillKeys: readonly string[], amount: Usdc): void {
    let rest: bigint = amount;
    for (const desk of this.markets.values()) {
      const state = desk.pnlState();
      if (desk === named || state === null) continue;
      const share = unpricedProfit(state, fillKeys);
      desk.book({ kind: "fillsSettled", fillKeys, amount: share });
      rest -= share;
    }
    named?.book({ kind: "fillsSettled", fillKeys, amount: usdc(rest) });
  }

  #tripUnexplained(amount: Usdc, wallMs: number): void {
    this.trip(
      {
        kind: "mismatch",
        accountId: this.accountId,
        marketId: null,
        holds: "halted",
        reason: "collateral changed by what no fill, funding or inflow explains",
        numbers: { amount },
      },
      wallMs,
    );
  }

  #fold(event: LatchEvent, wallMs: number): void {
    if (!this.#ledger.latch(event, wallMs)) {
      this.#log.error(
        { event: "latch.unwritten", account: `${this.accountId}` },
        "the disk did not take it: it holds now, and a restart may not know of it",
      );
    }
    this.latches = foldLatch(this.latches, event);
    this.#showLatches();
  }

  #showLatches(): void {
    for (const gauge of Object.values(this.metrics.latchActive)) gauge.set(0);
    for (const { kind } of this.latches) this.metrics.latchActive[kind].set(1);
  }
}
