// What the exchange says over the WebSocket (S6.2), as text in the documented order of fields: each message is made once and sent
// to every subscriber.

import type { Block, BlockTransaction } from "../../domain/block.ts";
import type { Book, Level } from "../../domain/book.ts";
import type { StreamEvent } from "../../domain/event.ts";
import type { Execution } from "../../domain/fill.ts";
import { sideToWire } from "../words.ts";

/** What a message of this kind says, as its reader has it. */
type Facts<K extends StreamEvent["kind"]> = Omit<Extract<StreamEvent, { readonly kind: K }>, "kind" | "receivedMs">;

/** orderbook: the whole book, every time. */
export function encodeBookMessage(book: Book): string {
  return `{"type":"orderbookSnapshot","market_id":${book.marketId},"bids":[${levelsText(book.bids)}],"asks":[${levelsText(book.asks)}]}`;
}

function levelsText(levels: readonly Level[]): string {
  let text = "";
  for (const { price, size, orderCount } of levels) {
    text += `${text === "" ? "" : ","}{"price":"${price}","size":"${size}","orderCount":${orderCount}}`;
  }
  return text;
}

/** trades: a fill without realized PnL and time. */
export const encodeTradeMessage = (execution: Execution): string => `{"type":"fill",${sharedFillText(execution)}}`;

/** fills: `timestampMs` is the time of emission. */
export function encodeFillMessage(execution: Execution, timestampMs: number): string {
  const { takerRealizedPnl, makerRealizedPnl } = execution;
  return (
    `{"type":"fill",${sharedFillText(execution)},"taker_realized_pnl":"${takerRealizedPnl}"` +
    `,"maker_realized_pnl":"${makerRealizedPnl}","timestamp":${timestampMs}}`
  );
}

function sharedFillText(execution: Execution): string {
  return (
    `"market_id":${execution.marketId},"price":"${execution.price}","size":"${execution.size}"` +
    `,"taker_order_id":${execution.takerOrderId},"maker_order_id":${execution.makerOrderId}` +
    `,"taker_account_id":${execution.takerAccountId},"maker_account_id":${execution.makerAccountId}` +
    `,"taker_side":"${sideToWire(execution.takerSide)}","taker_fee":"${execution.takerFee}"` +
    `,"maker_fee":"${execution.makerFee}","tx_hash":${JSON.stringify(execution.txHash)}`
  );
}

export function encodeOrderPlacedMessage(placed: Facts<"orderPlaced">): string {
  return (
    `{"type":"orderPlaced","order_id":${placed.orderId},"account_id":${placed.accountId},"market_id":${placed.marketId}` +
    `,"side":"${sideToWire(placed.side)}","price":"${placed.price}","size":"${placed.size}"}`
  );
}

export function encodeOrderCanceledMessage(canceled: Facts<"orderCanceled">): string {
  return (
    `{"type":"orderCanceled","order_id":${canceled.orderId},"account_id":${canceled.accountId}` +
    `,"market_id":${canceled.marketId},"reason":${JSON.stringify(canceled.reason)}}`
  );
}

/** The fee is a leftover of the interface and always 0: liquidation fills pay ordinary taker fees. */
export function encodeLiquidationMessage(liquidation: Facts<"liquidation">): string {
  return (
    `{"type":"liquidation","account_id":${liquidation.accountId},"positions_closed":${liquidation.positionsClosed}` +
    `,"liquidation_fee":"0","positions_remaining":${liquidation.positionsRemaining}}`
  );
}

export function encodeFundingMessage(update: Facts<"fundingUpdate">): string {
  return (
    `{"type":"fundingUpdate","market_id":${update.marketId},"funding_rate":"${update.fundingRate}"` +
    `,"last_funding_timestamp":${update.lastFundingTimestampSec}}`
  );
}

export function encodeOracleMessage(update: Facts<"oracleUpdate"> & { readonly positionsUpdated: number }): string {
  return (
    `{"type":"oraclePriceUpdate","market_id":${update.marketId},"price":"${update.price}"` +
    `,"previous_price":"${update.previousPrice}","positions_updated":${update.positionsUpdated}` +
    `,"valid_until":${update.validUntilSec}}`
  );
}

/** explorer: the interface sends only the first transaction of a block, whatever `block.transactions` holds. */
export function encodeBlockMessage(block: Block): string {
  const [first] = block.transactions;
  return (
    `{"type":"blockFinalized","height":${block.height},"hash":${JSON.stringify(block.hash)}` +
    `,"parent_hash":${JSON.stringify(block.parentHash)},"state_root":${JSON.stringify(block.stateRoot)}` +
    `,"proposer":${JSON.stringify(block.proposer)},"timestamp":${block.timestampMs},"tx_count":${block.transactionCount}` +
    `,"transactions":[${first === undefined ? "" : blockTransactionText(first)}]}`
  );
}

function blockTransactionText(transaction: BlockTransaction): string {
  return (
    `{"hash":${JSON.stringify(transaction.hash)},"tx_index":${transaction.index}` +
    `,"tx_type":${JSON.stringify(transaction.transactionType)},"sender":${JSON.stringify(transaction.sender)}` +
    `,"status":${JSON.stringify(transaction.status)},"timestamp":${transaction.timestampMs}}`
  );
}

/** The one message in camelCase (S6.2). */
export const encodePong = (height: number, blockTimeMs: number): string =>
  `{"type":"pong","blockHeight":${height},"blockTimeMs":${blockTimeMs}}`;

/** Ours: the interface does not show what an invalid message gets. */
export const encodeErrorMessage = (code: string, message: string): string =>
  `{"type":"error","code":${JSON.stringify(code)},"message":${JSON.stringify(message)}}`;
