// One execution as answers, frames and history describe it (S6.2): the same facts under snake_case names, with more or fewer of them.

import type { Execution, Trade } from "../domain/fill.ts";
import type { JsonObject } from "../kernel/json.ts";
import { parseJson } from "../kernel/json.ts";
import { at, type Kind, omitted, says, snakeObject } from "./description.ts";
import * as v from "./values.ts";

/** What is public. */
export const publicExecutionMembers = {
  marketId: v.marketId,
  price: v.realPrice,
  size: v.realSize,
  takerOrderId: v.orderId,
  makerOrderId: v.orderId,
  takerAccountId: v.accountId,
  makerAccountId: v.accountId,
  takerSide: v.side,
  takerFee: v.signedUsdc,
  makerFee: says(v.signedUsdc, "1e-6 USDC, signed; negative: a rebate"),
  txHash: v.hash,
};

/** The whole record with both sides. */
export const executionMembers = {
  ...publicExecutionMembers,
  takerRealizedPnl: v.signedUsdc,
  makerRealizedPnl: v.signedUsdc,
  timestampMs: at("timestamp", omitted(v.timeMs)),
};

const execution: Kind<Execution> = snakeObject(executionMembers);
const {
  takerAccountId: _taker,
  makerAccountId: _maker,
  takerFee: _paid,
  makerFee: _gave,
  ...tradeMembers
} = publicExecutionMembers;
const trade: Kind<Trade> = snakeObject({ ...tradeMembers, timestampMs: executionMembers.timestampMs });

export const readTrade = trade.read;
export const readExecution = (fields: object, txHash?: string): Execution =>
  execution.read(txHash === undefined ? fields : { tx_hash: txHash, ...fields });
export const executionFields = (of: Execution): JsonObject => parseJson(execution.text(of)) as JsonObject;
