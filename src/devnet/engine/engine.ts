// The exchange's trading core: owns every USDC balance, order and position; only its methods change them. Each call brings time, height and
// hash; a refused call leaves the state unchanged.

import type { Book } from "../../domain/book.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory, OracleStatus } from "../../domain/market.ts";
import type { Order } from "../../domain/order.ts";
import {
  type AccountId,
  type MarketId,
  type OrderId,
  type Price,
  type Size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import type { InsuranceFund } from "../../wire/rest/exchange.ts";
import type { MarketConfig } from "../config/config.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import { closeAccount, movePosting, openAccount } from "./accounts/accounts.ts";
import { dayOf, rollVolume } from "./accounts/volume.ts";
import type {
  Context,
  EngineConfig,
  ModifyOrder,
  PlaceOrder,
  Posting,
  Refusal,
  SystemLedger,
  TradingAccount,
} from "./calls.ts";
import { newCore } from "./core.ts";
import {
  bookOf,
  fundingOf,
  insuranceFundOf,
  marketOf,
  oracleHistoryOf,
  oracleOf,
  queueAheadOf,
  readAccount,
  readOrder,
} from "./describe.ts";
import { runBackstops } from "./liquidation/backstop.ts";
import { runLiquidations } from "./liquidation/liquidation.ts";
import { adjustIsolatedMargin } from "./margin/isolated.ts";
import { runFunding, settleFunding } from "./market/funding.ts";
import { setMarketStatus, setTickSize } from "./market/operator-changes.ts";
import { ageOracle, publishPrint, setOracle } from "./market/oracle.ts";
import { runTriggers } from "./orders/conditional.ts";
import { findOrder } from "./orders/live-orders.ts";
import { cancel, cancelAll, modify, place } from "./orders/requests.ts";
import { auditBalances } from "./persistence/audit.ts";
import { restoreCore } from "./persistence/restore.ts";
import { type EngineSnapshot, takeSnapshot } from "./persistence/snapshot.ts";
import type { MarketState } from "./records.ts";
import { beginStep, type Core, finishStep } from "./state.ts";

export type EngineOptions = EngineConfig & {
  /** State to resume from; the other options must equal those of the engine that made it. */
  readonly resumeFrom?: EngineSnapshot;
};

export type Engine = {
  // accounts and money
  /** `volume30d`: traded before the start. Refused if the id is taken or the master is unknown. */
  openAccount(
    account: { readonly accountId: AccountId; readonly masterAccountId: AccountId | null; readonly volume30d?: Usdc },
    ctx: Context,
  ): Refusal | null;
  /** Removes an account. Refused while it has collateral, positions or orders. Its volume stays with the family. */
  closeAccount(accountId: AccountId, ctx: Context): Refusal | null;
  /** Moves USDC. Refused if an account is unknown or the amount exceeds the paying account's available collateral. */
  post(posting: Posting, ctx: Context): Refusal | null;

  // transactions (S4.6)
  place(order: PlaceOrder, ctx: Context): Receipt;
  cancel(orderId: OrderId, ctx: Context): Receipt;
  cancelAll(accountId: AccountId, marketId: MarketId | null, ctx: Context): Receipt;
  modify(change: ModifyOrder, ctx: Context): Receipt;
  adjustIsolatedMargin(accountId: AccountId, marketId: MarketId, delta: Usdc, ctx: Context): Receipt;

  // the chain's own work
  /** Call once per block, before its transactions: oracle expiry, premium samples, funding, triggers, liquidations. */
  beginBlock(ctx: Context): readonly ChainEvent[];
  /**
   * Publishes one print. It is valid while chain time is strictly before `validUntilMs`; triggers and liquidations follow in `beginBlock`.
   */
  publishPrint(marketId: MarketId, price: Price, validUntilMs: number, ctx: Context): Receipt;
  /** Forces status or expiry. `Halted` stays until it is set again; `Stale` until the next print. */
  setOracle(
    marketId: MarketId,
    change: { readonly status?: OracleStatus; readonly validUntilMs?: number },
    ctx: Context,
  ): Receipt;
  /** Only for a market whose funding follows another exchange: `rate` in parts per billion of notional, `timestampSec` Unix seconds. */
  settleFunding(marketId: MarketId, rate: bigint, timestampSec: number, ctx: Context): Receipt;
  setMarketStatus(marketId: MarketId, status: MarketConfig["status"], ctx: Context): Receipt;
  /** Cancels the market's resting orders. */
  setTickSize(marketId: MarketId, tickSize: Price, ctx: Context): Receipt;

  // reads
  marketIds(): readonly MarketId[];
  market(marketId: MarketId): Market | undefined;
  /** `depth`: levels per side, all if omitted. */
  book(marketId: MarketId, depth?: number): Book | undefined;
  funding(marketId: MarketId): Funding | undefined;
  /** Valuation price of positions. */
  riskPrice(marketId: MarketId): Price | undefined;
  oracle(marketId: MarketId): Oracle | undefined;
  oracleHistory(marketId: MarketId): OracleHistory | undefined;
  feeTiers(): readonly FeeTier[];
  account(accountId: AccountId): TradingAccount | undefined;
  /** A resting or untriggered order. */
  order(orderId: OrderId): Order | undefined;
  /** Contracts ahead of a resting order at its price. */
  queueAhead(orderId: OrderId): Size | undefined;
  accountOfOrder(orderId: OrderId): AccountId | undefined;
  insuranceFund(): InsuranceFund;
  systemBalance(ledger: SystemLedger): Usdc;

  // persistence and proof
  /** The whole state; `createEngine({ ...options, resumeFrom })` continues exactly from it. */
  snapshot(): EngineSnapshot;
  /** Throws InvariantError unless all balances sum to zero and open positions agree with the clearing ledger. */
  auditBalances(): void;
};

/** Throws InvariantError if the options contradict themselves, for example no fee tier for a market's asset class. */
export function createEngine(options: EngineOptions): Engine {
  const core = options.resumeFrom === undefined ? newCore(options) : restoreCore(options, options.resumeFrom);
  const marketAnd =
    <T>(read: (market: MarketState) => T) =>
    (id: MarketId): T | undefined => {
      const market = core.markets.get(id);
      return market === undefined ? undefined : read(market);
    };
  return {
    openAccount: (account, ctx) => openAccount(core, account, ctx),
    closeAccount: (accountId) => closeAccount(core, accountId),
    post: (posting) => movePosting(core, posting),
    place: (order, ctx) => place(core, order, ctx),
    cancel: (orderId, ctx) => cancel(core, orderId, ctx),
    cancelAll: (accountId, marketId, ctx) => cancelAll(core, accountId, marketId, ctx),
    modify: (change, ctx) => modify(core, change, ctx),
    adjustIsolatedMargin: (accountId, marketId, delta, ctx) =>
      adjustIsolatedMargin(core, accountId, marketId, delta, ctx),
    beginBlock: (ctx) => beginBlock(core, ctx),
    publishPrint: (marketId, price, validUntilMs, ctx) => publishPrint(core, marketId, price, validUntilMs, ctx),
    setOracle: (marketId, change, ctx) => setOracle(core, marketId, change, ctx),
    settleFunding: (marketId, rate, timestampSec, ctx) => settleFunding(core, marketId, rate, timestampSec, ctx),
    setMarketStatus: (marketId, status, ctx) => setMarketStatus(core, marketId, status, ctx),
    setTickSize: (marketId, tickSize, ctx) => setTickSize(core, marketId, tickSize, ctx),
    marketIds: () => [...core.markets.keys()],
    market: marketAnd(marketOf),
    book: (marketId, depth = Number.POSITIVE_INFINITY) => marketAnd((market) => bookOf(market, depth))(marketId),
    funding: marketAnd(fundingOf),
    oracle: marketAnd(oracleOf),
    oracleHistory: marketAnd(oracleHistoryOf),
    feeTiers: () => core.feeTiers,
    account: (accountId) => readAccount(core, accountId),
    order: (id) => readOrder(core, id),
    queueAhead: (id) => queueAheadOf(core, id),
    riskPrice: (marketId) => core.markets.get(marketId)?.risk.price,
    accountOfOrder: (id) => findOrder(core, id)?.marketAccount.account.id,
    insuranceFund: () => insuranceFundOf(core),
    systemBalance: (ledger) => usdc(core.ledgers[ledger].balance),
    snapshot: () => takeSnapshot(core),
    auditBalances: () => auditBalances(core),
  };
}

/** The work at the start of a block: oracles expire, funding is paid, triggers fire, accounts are liquidated. */
function beginBlock(core: Core, ctx: Context): readonly ChainEvent[] {
  const step = beginStep(core, ctx);
  const { timeMs } = ctx;
  rollDays(core, timeMs);
  for (const market of core.markets.values()) {
    ageOracle(core, market, timeMs);
    runFunding(step, market);
    runTriggers(step, market);
  }
  runBackstops(step);
  runLiquidations(step);
  return finishStep(step);
}

/** Drops from the volumes the days that have left the trailing window. */
function rollDays(core: Core, timeMs: number): void {
  const from = dayOf(core.nowMs);
  const to = dayOf(timeMs);
  core.nowMs = timeMs;
  if (to <= from) return;
  for (const account of core.accounts.values()) rollVolume(account.volume, from, to);
  for (const family of core.families.values()) rollVolume(family.volume, from, to);
}
