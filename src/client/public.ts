// `quoin/client`: the exchange's whole interface for a TypeScript program. docs/client.md has examples.

export { type Account, type Agent, inventoryOf, type Position, type RateLimit } from "../domain/account.ts";
export type { Block } from "../domain/block.ts";
export type { Book, Level } from "../domain/book.ts";
export type { StreamEvent, SubmitOutcome, TransactionEvent } from "../domain/event.ts";
export type { Execution, Trade } from "../domain/fill.ts";
export type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../domain/market.ts";
export type { AttachedExit, MarginMode, Order, OrderType, TimeInForce } from "../domain/order.ts";
export {
  type AccountId,
  accountId,
  type MarketId,
  type Native,
  type Nonce,
  native,
  nonce,
  type OrderId,
  orderId,
  type Price,
  price,
  type Side,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../domain/units.ts";
export { type Clock, systemClock } from "../kernel/clock.ts";
export { ReadError } from "../wire/read-answer.ts";
export type { HistoryFilter } from "../wire/reads.ts";
export { createSigner, publicKeyOf, type Signer } from "../wire/signing.ts";
export type { ChannelRef } from "../wire/stream/client.ts";
export { type PlaceOrder, plainTerms } from "../wire/transaction/trading.ts";
export type { Transaction } from "../wire/transaction.ts";
export { amountText, contracts, contractsText, dollars, usd, usdText } from "./amounts.ts";
export { type Client, type ClientModules, type ClientOptions, type Credential, createClient } from "./client.ts";
export type { FundedAccountEnd, FundedAccountOptions } from "./funded-account.ts";
export type { Fetch } from "./http.ts";
export type { Stamp } from "./stamps.ts";
export type { LiveStream } from "./stream/live-stream.ts";
export type { RemoteReport } from "./stream/report.ts";
