// Server messages over the WebSocket (S6.2): each message is made once and sent to every subscriber.

import {
  at,
  fixed,
  type Kind,
  list,
  mapped,
  object,
  orElse,
  orIfAbsent,
  says,
  snakeObject,
  unread,
  unreadOmitted,
} from "../description.ts";
import {
  executionMembers,
  orderRefMembers,
  orderTermsMembers,
  publicExecutionMembers,
  triggerPrice,
} from "../execution.ts";
import { blockMembers, blockTransactionMembers } from "../rest/exchange.ts";
import { bookMembers } from "../rest/markets.ts";
import * as v from "../values.ts";

/** The whole book, every time. book-frame.ts writes and reads the usual format. */
export const orderbook = says(
  snakeObject({ type: fixed("orderbookSnapshot"), ...bookMembers }),
  "the whole book, every time",
);

const { takerAccountId, makerAccountId, takerFee, makerFee } = publicExecutionMembers;

/** On the trades channel: a fill without realized PnL and time. */
export const trade = says(
  snakeObject({
    type: fixed("fill"),
    ...publicExecutionMembers,
    takerAccountId: unread(takerAccountId),
    makerAccountId: unread(makerAccountId),
    takerFee: unread(takerFee),
    makerFee: unread(makerFee),
  }),
  "a fill without realized PnL and time",
);

/** On the fills channel, with the time of emission. */
export const fill = snakeObject({
  type: fixed("fill"),
  ...executionMembers,
  timestampMs: at("timestamp", orIfAbsent(v.someTimeMs, null)),
});

const stop = { triggerPrice: unreadOmitted(triggerPrice) };

export const orderPlaced = snakeObject({ type: fixed("orderPlaced"), ...orderTermsMembers, ...stop });
/** Our own: the interface shows no message for a modify. */
export const orderModified = says(
  snakeObject({ type: fixed("orderModified"), ...orderTermsMembers, ...stop }),
  "the devnet's own; price and whole size after it",
);
export const orderCanceled = snakeObject({
  type: fixed("orderCanceled"),
  ...orderRefMembers,
  reason: orElse(v.text, ""),
});
/** Our own: the interface shows no message for a trigger. */
export const orderTriggered = says(
  snakeObject({ type: fixed("orderTriggered"), ...orderRefMembers }),
  "the devnet's own",
);

/** The fee is obsolete in the interface and always 0: liquidation fills pay ordinary taker fees. */
export const liquidation = snakeObject({
  type: fixed("liquidation"),
  accountId: v.accountId,
  positionsClosed: v.count,
  liquidationFee: fixed("0"),
  positionsRemaining: v.count,
});

export const funding = snakeObject({
  type: fixed("fundingUpdate"),
  marketId: v.marketId,
  fundingRate: v.fundingRate,
  lastFundingTimestampSec: at("lastFundingTimestamp", v.someTimeSec),
});

export const oracle = snakeObject({
  type: fixed("oraclePriceUpdate"),
  marketId: v.marketId,
  price: v.realPrice,
  previousPrice: v.price,
  positionsUpdated: unread(v.count),
  validUntilSec: at("validUntil", v.someTimeSec),
});

const transactions = list(snakeObject(blockTransactionMembers));
/** The interface sends only the first transaction of a block. */
export const blockFinalized = snakeObject({
  type: fixed("blockFinalized"),
  ...blockMembers,
  transactions: mapped(
    {
      ...transactions,
      schema: { ...transactions.schema, maxItems: 1, description: "the first of the block alone" },
    },
    (told) => told,
    (all) => all.slice(0, 1),
  ),
});

/** The only message in camelCase. */
export const pong = object({
  type: fixed("pong"),
  height: at("blockHeight", v.height),
  blockTimeMs: v.timeMs,
});

/** Our own: the interface does not show the answer to an invalid message. */
export const error = object({ type: fixed("error"), code: unread(v.text), message: orIfAbsent(v.text, "") });

type Says = Readonly<Record<string, Pick<Kind<never>, "schema">>>;
type Channels = Readonly<Record<string, { readonly by: "market_id" | "account_id" | null; readonly says: Says }>>;

/** By channel: its parameter and its messages. */
export const channels = {
  orderbook: { by: "market_id", says: { orderbook } },
  trades: { by: "market_id", says: { trade } },
  funding: { by: "market_id", says: { funding } },
  oracleUpdates: { by: "market_id", says: { oracle } },
  fills: { by: "account_id", says: { fill } },
  orders: { by: "account_id", says: { orderPlaced, orderModified, orderCanceled, orderTriggered } },
  liquidations: { by: "account_id", says: { liquidation } },
  positions: { by: "account_id", says: {} },
  explorer: { by: null, says: { blockFinalized } },
} as const satisfies Channels;

/** Sent to one client, outside any channel. */
export const connectionMessages = { pong, error };
