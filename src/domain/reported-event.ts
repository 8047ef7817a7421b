// Events that an exchange reports for a transaction (S6.1), complete; the bot reads the decoded TransactionEvent instead. The devnet makes
// them, `wire/` encodes them.

import type { Execution } from "./fill.ts";
import type { Order } from "./order.ts";
import type { AccountId, MarketId, OrderId, Price, Side, Size, Usdc } from "./units.ts";

type OrderRef = { readonly orderId: OrderId; readonly accountId: AccountId; readonly marketId: MarketId };

/** `Reason`: the possible reasons of a cancel. */
export type OrderEvent<Reason extends string = string> =
  | { readonly type: "OrderPlaced"; readonly order: Order }
  | { readonly type: "OrderModified"; readonly order: Order }
  | (OrderRef & { readonly type: "OrderCanceled"; readonly reason: Reason })
  | (OrderRef & { readonly type: "OrderTriggered" });

export type MarketEvent =
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
  | { readonly type: "MarketStatusChanged"; readonly marketId: MarketId; readonly status: string };

export type PositionEvent =
  | {
      readonly type: "FundingPaid";
      readonly accountId: AccountId;
      readonly marketId: MarketId;
      /** Signed size on which the payment was computed. */
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
    };

export type ReportedEvent<Reason extends string = string> =
  | { readonly type: "Fill"; readonly execution: Execution }
  | OrderEvent<Reason>
  | MarketEvent
  | PositionEvent
  /** A change outside trading (accounts, agents, bridge, vaults, staking): a PascalCase name, with its facts as exact text. */
  | {
      readonly type: "AccountChanged";
      readonly name: string;
      readonly accountId: AccountId | null;
      readonly facts: Readonly<Record<string, string>>;
    };
