// Rows 92 to 103: what the exchange sends unasked (S6).

import { assume, row, type Section } from "../row.ts";

const FRAMES = ["api/stream/frames.ts", "api/stream/stream.ts"];

export const stream: Section = {
  title: "Events and stream (S6)",
  rows: [
    row("92", "events of an answer: every change that the transaction made, each with a type.", {
      devnet: ["wire/answer/events.ts"],
      client: ["wire/answer/events.ts"],
      bot: "fills and orders of its own transactions",
      assumed: [
        assume("NS-19", {
          what: "types besides Fill, in PascalCase with snake_case fields; the client knows either casing and keeps unknown types by name",
          why: "S6.1 shows Fill and its fields, and the rest is spelled alike",
        }),
      ],
      tests: [
        "stream > a transaction's events > tell every change it made, typed in PascalCase with snake_case fields",
        "stream > a transaction's events > name the account they changed under one name, the other side of a move under another",
        "stream > a transaction's events > are understood by the client, unknown types kept by name",
      ],
    }),
    row("93a", "ping is answered by pong with blockHeight and blockTimeMs.", {
      devnet: FRAMES,
      client: ["stream"],
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
      tests: [
        "stream > messages > ping is answered with the height and the time of the last block",
        "stream > messages > ping may carry an id of the client's own",
      ],
    }),
    row("93b", "subscribe and unsubscribe, by channel.", {
      devnet: ["api/stream/stream.ts"],
      client: ["stream"],
      bot: "on each connection",
      assumed: [
        assume("NS-22", {
          what: "a malformed message or channel is answered by {type: error, code, message}; the connection and the other channels live on",
          why: "silence would hide the mistake; the others were asked for rightly",
        }),
      ],
      tests: [
        "stream > messages > unsubscribe ends a channel and leaves the others",
        "stream > messages > the client changes its channels while the stream lives",
        "stream > messages > a malformed one changes nothing, and the connection lives on",
        "stream > messages > an unknown channel is told and leaves the others of its message subscribed",
        "stream > connections > after one is lost the client comes back with everything subscribed, in a new epoch",
      ],
    }),
    row("94", "orderbook: a full snapshot on subscribe and after every change, no deltas.", {
      devnet: ["api/stream/stream.ts", "wire/stream/messages.ts"],
      client: ["stream"],
      bot: "its books",
      assumed: [
        assume("", {
          what: "one connection has at most 1,000 subscriptions",
          why: "one client must not slow down the others",
        }),
      ],
      tests: [
        "stream > orderbook > a full snapshot on subscribe and after every change, never a delta",
        "stream > orderbook > is a book to the client",
      ],
    }),
    row("95", "trades: fill without realized profit and timestamp.", {
      devnet: FRAMES,
      client: ["stream"],
      bot: "signals",
      tests: [
        "stream > fills > trades: the public fill, without realized profit and time",
        "stream > fills > the client tells the two apart on one connection",
      ],
    }),
    row("96a", "fills: fill with realized profit and time of emission, to taker and maker.", {
      devnet: FRAMES,
      client: ["stream"],
      bot: "its fills",
      assumed: [
        assume("", { what: "once where both sides are the same account's", why: "it is one fill of one account" }),
        assume("", {
          what: "every fill has a hash: where no transaction asked for it (a stop, a liquidation, a takeover, settlement) the block's own, SHA-256 of `block <chain id> <height>`; the explorer lists users' transactions alone",
          why: "S6.2 shows tx_hash in every fill, and a client keys fills by it",
        }),
      ],
      tests: [
        "stream > fills > fills: with realized profit and time of emission, to the taker's channel and the maker's",
        "ends > a fill that no transaction asked for > has its block's own hash on every channel, in reads, history and CSV: of a stop, a liquidation, a takeover, settlement",
        "stream > the time of emission > is when a fill is told, not when its block began, and all who tell it agree",
      ],
    }),
    row("96b", "Realized profit is 0 unless the fill reduced, closed or flipped a position.", {
      devnet: ["engine/margin/position.ts"],
      client: ["stream", "history.fills"],
      bot: "checks its own against it",
      assumed: [
        assume("x3", {
          what: "against the mean entry price, rounded against the trader",
          why: "the entry price that a position shows is a mean",
        }),
      ],
      tests: [
        "economics > profit and loss > is realized as a position is reduced or flipped, against the mean entry price",
      ],
    }),
    row("97", "orders: orderPlaced and orderCanceled with a reason.", {
      devnet: FRAMES,
      client: ["stream"],
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
      tests: [
        "stream > orders > those of a stop carry its trigger price beside the documented fields, as its answers do",
        "stream > orders > orderModified carries the terms after the modify",
        "stream > orders > orderTriggered comes before the frames that follow from it",
        "stream > orders > orderPlaced and orderCanceled carry what S6.2 lists",
        "stream > orders > an order that ends on its own says why",
        "stream > orders > are heard by whoever asks for the account: channels check no owner",
      ],
    }),
    row("98", "liquidations: counts, and a fee that is always 0; the fills come apart, with taker fees.", {
      devnet: FRAMES,
      client: ["stream"],
      bot: "reconcile at once",
      tests: [
        "stream > liquidations and positions > a liquidation tells counts and a fee of 0; the positions channel stays silent",
        "stream > liquidations and positions > the fills of a liquidation come apart from it, with ordinary taker fees",
      ],
    }),
    row("99", "positions: no messages of its own.", {
      devnet: FRAMES,
      client: ["stream"],
      tests: [
        "stream > liquidations and positions > a liquidation tells counts and a fee of 0; the positions channel stays silent",
      ],
    }),
    row("100", "funding: fundingUpdate on settlement.", {
      devnet: FRAMES,
      client: ["stream"],
      bot: "funding of its positions",
      tests: ["stream > funding > fundingUpdate comes on settlement, once an interval, with rate and time in seconds"],
    }),
    row("101", "oracleUpdates: oraclePriceUpdate with the price before and the expiry in seconds.", {
      devnet: FRAMES,
      client: ["stream"],
      bot: "the index",
      assumed: [
        assume("", {
          what: "positions_updated counts the positions of the market",
          why: "the print revalues every one of them",
        }),
      ],
      tests: [
        "stream > oracleUpdates > oraclePriceUpdate tells the price, the one before, positions and the expiry in seconds",
      ],
    }),
    row("102a", "explorer: blockFinalized with hashes, root, proposer, count.", {
      devnet: ["api/stream/explorer-block.ts", "chain/block.ts"],
      client: ["stream"],
      assumed: [
        assume("", {
          what: "timestamps in ms, the proposer is `devnet`",
          why: "as createdAt and fills have them; a devnet has one proposer",
        }),
      ],
      tests: [
        "stream > explorer > blockFinalized tells hashes, root, proposer and count, and the first transaction alone",
        "stream > explorer > each block names the one before it",
      ],
    }),
    row("102b", "The first transaction of a block is the only one listed.", {
      devnet: ["api/stream/explorer-block.ts"],
      client: ["stream"],
      tests: ["stream > explorer > of several transactions in a block the channel lists the first"],
    }),
    row("103", "subscribe is not confirmed.", {
      devnet: ["api/stream/stream.ts"],
      client: ["stream"],
      bot: "silence proves nothing: reads do",
      tests: ["stream > messages > subscribe is not confirmed: what comes is events alone"],
    }),
  ],
};
