// What the exchange says over the WebSocket (S6.2), as text in the documented order of fields: each message is made once and sent
// to every subscriber.

import type { Block, BlockTransaction } from "../../domain/block.ts";
import type { Book, Level } from "../../domain/book.ts";
import type { StreamEvent } from "../../domain/event.ts";
import type { Execution } from "../../domain/fill.ts";
import type { Order } from "../../domain/order.ts";
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

/** A stop has its trigger price beside the documented fields. */
type Stop = Partial<Pick<Order, "triggerPrice">>;

export const encodeOrderPlacedMessage = (placed: Facts<"orderPlaced"> & Stop): string =>
  `{"type":"orderPlaced",${orderRefText(placed)},${orderTermsText(placed)}}`;

export const encodeOrderCanceledMessage = (canceled: Facts<"orderCanceled">): string =>
  `{"type":"orderCanceled",${orderRefText(canceled)},"reason":${JSON.stringify(canceled.reason)}}`;

/** Ours: the interface shows no message of a modify. Price and whole size are those after it. */
export const encodeOrderModifiedMessage = (modified: Facts<"orderModified"> & Stop): string =>
  `{"type":"orderModified",${orderRefText(modified)},${orderTermsText(modified)}}`;

/** Ours: the interface shows no message of a trigger. */
export const encodeOrderTriggeredMessage = (triggered: Facts<"orderTriggered">): string =>
  `{"type":"orderTriggered",${orderRefText(triggered)}}`;

const orderRefText = ({ orderId, accountId, marketId }: Facts<"orderTriggered">): string =>
  `"order_id":${orderId},"account_id":${accountId},"market_id":${marketId}`;

type Terms = Pick<Facts<"orderPlaced">, "side" | "price" | "size"> & Stop;

const orderTermsText = ({ side, price, size, triggerPrice = null }: Terms): string =>
  `"side":"${sideToWire(side)}","price":"${price}","size":"${size}"` +
  (triggerPrice === null ? "" : `,"trigger_price":"${triggerPrice}"`);

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
