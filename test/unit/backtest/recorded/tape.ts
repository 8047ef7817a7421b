// A recorded session written by hand: one market, one account of ours, and what the stream told, a second apart.

import type { Recorded, Recording } from "../../../../src/backtest/recorded/session.ts";
import { plainView } from "../../../../src/bot/strategy/plain-view.ts";
import type { Account } from "../../../../src/domain/account.ts";
import type { Level } from "../../../../src/domain/book.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import { feeOn } from "../../../../src/domain/fees.ts";
import type { Trade } from "../../../../src/domain/fill.ts";
import { notional } from "../../../../src/domain/rounding.ts";
import {
  type AccountId,
  accountId,
  native,
  type OrderId,
  orderId,
  price,
  type Side,
  type Size,
  size,
  usdc,
} from "../../../../src/domain/units.ts";
import { lastKnown } from "../../../../src/domain/view.ts";

export const START_MS = 1_790_000_000_000;
export const MARKET = 1;
export const ours = accountId(12n);
const others = accountId(99n);
const TICK = 1_000_000n;
/** Of the schedule that the tape was read with. */
const MAKER_FEE_BPS = -1;

/** Price at so many ticks of a cent. */
export const at = (ticks: number) => price(BigInt(ticks) * TICK);
export const contracts = (count: number): Size => size(BigInt(Math.round(count * 1e6)));
export const level = (ticks: number, count: number, orderCount = 1): Level => ({
  price: at(ticks),
  size: contracts(count),
  orderCount,
});

const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("the plain view has all of it");
  return value;
};

export class Tape {
  readonly #events: Recorded[] = [];
  #nowMs = 0;
  #trades = 0;

  /** `account`: as it was at the start. */
  constructor(account: Account = emptyAccount) {
    const received = { askedMs: 0, receivedMs: 0 };
    this.#add({ kind: "marketRead", market: known(lastKnown(plainView.market)), ...received });
    this.#add({ kind: "oracleRead", oracle: known(lastKnown(plainView.oracle)), ...received });
    this.#add({ kind: "fundingRead", funding: known(lastKnown(plainView.funding)), ...received });
    this.#add({ kind: "feeTiersRead", feeTiers: [known(lastKnown(plainView.feeTier))], ...received });
    this.#add({ kind: "streamOpened", epoch: 1, receivedMs: 0 });
    this.#add({ kind: "accountRead", account, ...received });
  }

  readonly recording: Recording = () => this.#events;

  book(bids: readonly Level[], asks: readonly Level[]): void {
    this.#pass({ kind: "book", book: { marketId: MARKET, bids, asks } });
  }

  place(id: number, side: Side, ticks: number, count: number): void {
    const order = { orderId: orderId(BigInt(id)), side, price: at(ticks), size: contracts(count) };
    this.#pass({ kind: "orderPlaced", accountId: ours, marketId: MARKET, ...order });
  }

  modify(id: number, side: Side, ticks: number, count: number): void {
    const order = { orderId: orderId(BigInt(id)), side, price: at(ticks), size: contracts(count) };
    this.#pass({ kind: "orderModified", accountId: ours, marketId: MARKET, ...order });
  }

  cancel(id: number): void {
    const reason = "UserCanceled";
    this.#pass({
      kind: "orderCanceled",
      accountId: ours,
      marketId: MARKET,
      orderId: orderId(BigInt(id)),
      reason,
    });
  }

  /** Of others among themselves. */
  trade(takerSide: Side, ticks: number, count: number): void {
    this.#pass({ kind: "trade", trade: this.#traded(takerSide, ticks, count, {}) });
  }

  /** One taker against several orders at one price in one instant, the first to trade first; `own`: number of an order of ours. */
  sweep(takerSide: Side, ticks: number, pieces: readonly { readonly count: number; readonly own?: number }[]): void {
    const taker = orderId(BigInt(1_000_000 + this.#trades));
    this.#nowMs += 1000;
    for (const { count, own } of pieces) {
      const maker = own === undefined ? {} : { maker: orderId(BigInt(own)) };
      const trade = this.#traded(takerSide, ticks, count, { taker, ...maker });
      this.#add({ kind: "trade", trade, receivedMs: this.#nowMs });
      if (own !== undefined)
        this.#executed(trade, others, ours, feeOn(notional(trade.price, trade.size), MAKER_FEE_BPS));
    }
  }

  /** An order of ours is filled. */
  fill(id: number, as: "maker" | "taker", takerSide: Side, ticks: number, count: number): void {
    const own = orderId(BigInt(id));
    const trade = this.#traded(takerSide, ticks, count, as === "maker" ? { maker: own } : { taker: own });
    this.#pass({ kind: "trade", trade });
    const [takerAccountId, makerAccountId] = as === "maker" ? ([others, ours] as const) : ([ours, others] as const);
    this.#executed(trade, takerAccountId, makerAccountId);
  }

  /** Frames may have been lost. */
  reconnect(): void {
    this.#pass({ kind: "streamOpened", epoch: 2 });
  }

  /** `askedMs` ago. */
  read(account: Account, askedMs: number): void {
    this.#pass({ kind: "accountRead", account, askedMs: this.#nowMs + 1000 - askedMs });
  }

  #traded(takerSide: Side, ticks: number, count: number, of: { maker?: OrderId; taker?: OrderId }): Trade {
    this.#trades += 1;
    return {
      marketId: MARKET,
      price: at(ticks),
      size: contracts(count),
      takerSide,
      takerOrderId: of.taker ?? orderId(BigInt(10_000 + this.#trades)),
      makerOrderId: of.maker ?? orderId(BigInt(20_000 + this.#trades)),
      txHash: `trade ${this.#trades}`,
      timestampMs: null,
    };
  }

  #executed(trade: Trade, takerAccountId: AccountId, makerAccountId: AccountId, makerFee = usdc(0n)): void {
    const money = { takerFee: usdc(0n), makerFee, takerRealizedPnl: usdc(0n), makerRealizedPnl: usdc(0n) };
    const execution = { ...trade, takerAccountId, makerAccountId, ...money };
    this.#add({ kind: "execution", execution, receivedMs: this.#nowMs });
  }

  #pass(event: DistributiveOmit<VenueEvent, "receivedMs">): void {
    this.#nowMs += 1000;
    this.#add({ ...event, receivedMs: this.#nowMs } as VenueEvent);
  }

  #add(event: VenueEvent): void {
    this.#events.push({ instant: { monotonicMs: this.#nowMs, wallMs: START_MS + this.#nowMs }, event });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export const emptyAccount: Account = {
  accountId: ours,
  owner: "00".repeat(32),
  mode: "Cross",
  collateral: usdc(100_000_000_000n),
  availableCollateral: usdc(100_000_000_000n),
  nativeBalance: native(0n),
  createdAtMs: 1,
  volume30d: usdc(0n),
  feeTierVolume30d: usdc(0n),
  lifetimeVolume: usdc(0n),
  pendingActivation: false,
  pendingActivationFeeUsdc: null,
  agents: [],
  openOrders: [],
  positions: [],
  unreadable: [],
};
