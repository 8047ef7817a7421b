// Executions: a `fill` is ours, a `trade` is public.

import type { AccountId, MarketId, OrderId, Price, Side, Size, Usdc } from "./units.ts";

export type Liquidity = "maker" | "taker";

/** A public trade (S2.5, and the trades channel of S6.2). */
export type Trade = {
  readonly marketId: MarketId;
  readonly price: Price;
  readonly size: Size;
  readonly takerSide: Side;
  readonly takerOrderId: OrderId;
  readonly makerOrderId: OrderId;
  readonly txHash: string;
  /** Null if the source has none (the trades channel). */
  readonly timestampMs: number | null;
};

/** The exchange's record of an execution with both sides (fills channel, S6.2). Positive fee: paid; negative: rebate. */
export type Execution = Trade & {
  readonly takerAccountId: AccountId;
  readonly makerAccountId: AccountId;
  readonly takerFee: Usdc;
  readonly makerFee: Usdc;
  readonly takerRealizedPnl: Usdc;
  readonly makerRealizedPnl: Usdc;
};

/** One of our executions, from our side. */
export type Fill = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly orderId: OrderId;
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly price: Price;
  readonly size: Size;
  /** Positive: paid; negative: rebate. Null if learned from public trades, which have no fee. */
  readonly fee: Usdc | null;
  readonly realizedPnl: Usdc | null;
  readonly txHash: string;
  readonly timestampMs: number | null;
  /** `marketId:txHash:takerOrderId:makerOrderId:side`: a pair of orders trades at most once per transaction. */
  readonly key: string;
};

/** Our fills in an execution: one, or two if both sides are the account's own. */
export function fillsOf(execution: Execution, account: AccountId): readonly Fill[] {
  const fills: Fill[] = [];
  if (execution.takerAccountId === account) fills.push(fillAs("taker", execution));
  if (execution.makerAccountId === account) fills.push(fillAs("maker", execution));
  return fills;
}

/** Identity of one side of an execution. Every source that reports the execution yields the same key. */
export function fillKey(trade: Trade, liquidity: Liquidity): string {
  return `${trade.marketId}:${trade.txHash}:${trade.takerOrderId}:${trade.makerOrderId}:${liquidity}`;
}

function fillAs(liquidity: Liquidity, execution: Execution): Fill {
  const taker = liquidity === "taker";
  const makerSide = execution.takerSide === "buy" ? "sell" : "buy";
  return {
    accountId: taker ? execution.takerAccountId : execution.makerAccountId,
    marketId: execution.marketId,
    orderId: taker ? execution.takerOrderId : execution.makerOrderId,
    side: taker ? execution.takerSide : makerSide,
    liquidity,
    price: execution.price,
    size: execution.size,
    fee: taker ? execution.takerFee : execution.makerFee,
    realizedPnl: taker ? execution.takerRealizedPnl : execution.makerRealizedPnl,
    txHash: execution.txHash,
    timestampMs: execution.timestampMs,
    key: fillKey(execution, liquidity),
  };
}
