// Rows 92 to 103: what the exchange sends unasked (S6).

import { assume, row, type Section } from "../row.ts";

export const stream: Section = {
  title: "Events and stream (S6)",
  rows: [
    row("92", "events of an answer: every change that the transaction made, each with a type.", {
      bot: "fills and orders of its own transactions",
      assumed: [
        assume("NS-19", {
          what: "types besides Fill, in PascalCase with snake_case fields; the client knows either casing and keeps unknown types by name",
          why: "S6.1 shows Fill and its fields, and the rest is spelled alike",
        }),
      ],
    }),
    row("93a", "ping is answered by pong with blockHeight and blockTimeMs.", {
      bot: "chain clock, liveness",
      assumed: [
        assume("NS-23", {
          what: "the server sends no heartbeat of its own; the client would tolerate one",
          why: "none is shown, and a client's own pings prove liveness",
        }),
        assume("", {
          what: "other members of a message, such as an id, are ignored and not echoed",
          why: "a client may number what it sends",
        }),
        assume("", {
          what: "a connection with more than 2 MiB unread is dropped without a closing frame, pongs counted",
          why: "a snapshot after a new subscription is worth more than seconds of old frames",
        }),
      ],
    }),
    row("93b", "subscribe and unsubscribe, by channel.", {
      bot: "on each connection",
      assumed: [
        assume("NS-22", {
          what: "a malformed message or channel is answered by {type: error, code, message}; the connection and the other channels live on",
          why: "silence would hide the mistake; the others were asked for rightly",
        }),
      ],
    }),
    row("94", "orderbook: a full snapshot on subscribe and after every change, no deltas.", {
      bot: "its books",
      assumed: [
        assume("", {
          what: "one connection has at most 1,000 subscriptions",
          why: "one client must not slow down the others",
        }),
      ],
    }),
    row("95", "trades: fill without realized profit and timestamp.", { bot: "signals" }),
    row("96a", "fills: fill with realized profit and time of emission, to taker and maker.", {
      bot: "its fills",
      assumed: [
        assume("", { what: "once where both sides are the same account's", why: "it is one fill of one account" }),
        assume("", {
          what: "every fill has a hash: where no transaction asked for it (a stop, a liquidation, a takeover, settlement) the block's own, SHA-256 of `block <chain id> <height>`; the explorer lists users' transactions alone",
          why: "S6.2 shows tx_hash in every fill, and a client keys fills by it",
        }),
      ],
    }),
    row("96b", "Realized profit is 0 unless the fill reduced, closed or flipped a position.", {
      bot: "checks its own against it",
      assumed: [
        assume("x3", {
          what: "against the mean entry price, rounded against the trader",
          why: "the entry price that a position shows is a mean",
        }),
      ],
    }),
    row("97", "orders: orderPlaced and orderCanceled with a reason.", {
      bot: "its orders",
      assumed: [
        assume("NS-21", {
          what: "account channels check no owner: anyone may listen",
          why: "accounts are read by anybody (S5)",
        }),
        assume("", {
          what: "a modify sends orderModified with orderPlaced's fields, a trigger sends orderTriggered with the order's ids; a stop's frames have trigger_price beside the documented fields",
          why: "S6.1 promises every change in an answer; a listener who did not send it would never learn of one",
        }),
      ],
    }),
    row("98", "liquidations: counts, and a fee that is always 0; the fills come apart, with taker fees.", {
      bot: "reconcile at once",
    }),
    row("99", "positions: no messages of its own."),
    row("100", "funding: fundingUpdate on settlement.", { bot: "funding of its positions" }),
    row("101", "oracleUpdates: oraclePriceUpdate with the price before and the expiry in seconds.", {
      bot: "the index",
      assumed: [
        assume("", {
          what: "positions_updated counts the positions of the market",
          why: "the print revalues every one of them",
        }),
      ],
    }),
    row("102a", "explorer: blockFinalized with hashes, root, proposer, count.", {
      assumed: [
        assume("", {
          what: "timestamps in ms, the proposer is `devnet`",
          why: "as createdAt and fills have them; a devnet has one proposer",
        }),
      ],
    }),
    row("102b", "The first transaction of a block is the only one listed."),
    row("103", "subscribe is not confirmed.", { bot: "silence proves nothing: reads do" }),
  ],
};
