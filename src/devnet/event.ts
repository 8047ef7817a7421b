// Every change of the exchange's state, as one union. Transactions answer with these (S6.1), the WebSocket and the indexed
// history are told of them (S6.2, S4.3), and the state root runs over them. Shapes on the wire are `wire/`'s business.

import type { Execution } from "../domain/fill.ts";
import type { Order } from "../domain/order.ts";
import type { AccountId, MarketId, OrderId, Price, Side, Size, Usdc } from "../domain/units.ts";

/** Why an order left the book; `UserCanceled` is the interface's, the rest are ours (NS-20). */
export type CancelReason =
  | "UserCanceled"
  | "PostOnlyWouldCross"
  | "IocRemainder"
  | "FokUnfilled"
  | "ReduceOnly"
  | "InsufficientMargin"
  | "SelfTrade"
  | "Liquidation"
  | "MarketClosed"
  | "Refused"
  | "Oco";

export type ChainEvent =
  | { readonly type: "Fill"; readonly execution: Execution }
  | { readonly type: "OrderPlaced"; readonly order: Order }
  | {
      readonly type: "OrderCanceled";
      readonly orderId: OrderId;
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly reason: CancelReason;
    }
  | { readonly type: "OrderModified"; readonly order: Order }
  | {
      readonly type: "OrderTriggered";
      readonly orderId: OrderId;
      readonly accountId: AccountId;
      readonly marketId: MarketId;
    }
  | { readonly type: "BookChanged"; readonly marketId: MarketId }
  | {
      readonly type: "OracleUpdated";
      readonly marketId: MarketId;
      readonly price: Price;
      readonly previousPrice: Price;
      readonly positionsUpdated: number;
      readonly validUntilSec: number;
    }
  | {
      readonly type: "FundingUpdated";
      readonly marketId: MarketId;
      readonly fundingRate: bigint;
      readonly timestampSec: number;
    }
  | {
      readonly type: "FundingPaid";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      /** Signed size the payment was computed on. */
      readonly inventory: Size;
      /** Positive: received. */
      readonly amount: Usdc;
      readonly fundingRate: bigint;
      readonly timestampSec: number;
    }
  | {
      readonly type: "Liquidation";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly positionsClosed: number;
      readonly positionsRemaining: number;
    }
  | {
      readonly type: "BackstopTransfer";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly side: Side;
      readonly size: Size;
      readonly price: Price;
    }
  | {
      readonly type: "MarginAdjusted";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      readonly delta: Usdc;
    }
  | { readonly type: "MarketStatusChanged"; readonly marketId: MarketId; readonly status: string }
  /** A change outside trading (accounts, agents, bridge, vaults, staking): named in PascalCase, with its facts as exact text. */
  | {
      readonly type: "AccountChanged";
      readonly name: string;
      readonly accountId: AccountId | null;
      readonly facts: Readonly<Record<string, string>>;
    };

/** The end of an executed transaction: every change it made, or the one sentence and stable code of why it made none. */
export type Receipt =
  | { readonly status: "success"; readonly events: readonly ChainEvent[] }
  | { readonly status: "failed"; readonly code: string; readonly error: string };
