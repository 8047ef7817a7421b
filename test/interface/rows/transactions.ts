// Rows 53 to 70: every action (S4.6).

import { assume, row, type Section } from "../row.ts";

export const transactions: Section = {
  title: "Transaction variants (S4.6)",
  rows: [
    row("53a", "PlaceOrder, Limit: rests, and is met by price, then time.", {
      bot: "its quotes",
      assumed: [
        assume("x2", {
          what: "a price is a whole multiple of tickSize, or the order is refused",
          why: "prices are multiples of a tick; rounding would place an order that nobody sent",
        }),
        assume("x4", {
          what: "an order that would meet one of its own account stops there and is canceled as SelfTrade",
          why: "the newer order is the one that can still be stopped",
          elsewhere: "Hyperliquid and dYdX v4 cancel the resting order instead and let the taker go on",
        }),
      ],
    }),
    row("53b", "Times in force: GTC, IOC, FOK.", {
      bot: "GTC to rest, IOC to flatten",
      assumed: [
        assume("", {
          what: "a FOK that cannot fill whole fails, it is not placed and canceled",
          why: "nothing happened, so the stream has nothing to report",
        }),
      ],
    }),
    row("53c", "Market orders send price 0; max_slippage_bps caps them.", {
      bot: "to flatten, always capped",
      assumed: [
        assume("x17", {
          what: "slippage is from the mark price; without a cap the price band ends it",
          why: "S4.6 says slippage cap without a base; the mark price is what a trader saw",
          elsewhere:
            "Hyperliquid and dYdX v4 have no market order on the chain: the client sends an IOC with its own worst price",
        }),
        assume("x15", {
          what: "any time in force is taken; none makes a market order rest",
          why: "S4.6 lists them for all types, and a market order has no price to rest at",
        }),
      ],
    }),
    row("53d", "reduce_only reduces an existing position and does nothing else.", {
      bot: "to flatten",
      assumed: [
        assume("x16", {
          what: "one larger than the position is clipped to it, one without a position refused; those that rest are together at most the position, the worst placed shrink or go (`ReduceOnly`)",
          why: "S4.6: it only reduces an existing position; a book that shows more than can fill misleads whoever trades on it",
          elsewhere:
            "dYdX v4 takes reduce only with IOC and FOK alone; Drift cancels an order that would not reduce when somebody tries to fill it",
        }),
      ],
    }),
    row("54a", "Stop orders need trigger_price, others have none.", {
      assumed: [
        assume("", {
          what: "margin and position are looked at when it triggers, not when it comes; it needs a place under the order cap",
          why: "what it will meet is not known before",
        }),
      ],
    }),
    row("54b", "StopLimit and StopMarket wait for their trigger.", {
      assumed: [
        assume("x10", {
          what: "by the oracle price for RealEstate, by the mark price otherwise, looked at as a block begins; a buy goes off at or above, a sell at or below",
          why: "real-estate books may be thin for a day, and one order must not set off stops; other classes have a live mark",
          elsewhere:
            "dYdX v4 triggers by the oracle price or the last trade, held near it; Hyperliquid by the mark price; Drift by a median of the oracle price, adjusted twice, and the last trade",
        }),
        assume("", {
          what: "a StopMarket that would fill nothing stays armed, and the next block tries again while its price is reached; of one that only reduces, what did not fill stays armed too, and so it does where FOK or margin keep it from filling",
          why: "an empty book must not leave a position without its stop. It ends by its fills, its owner, its position, or a liquidation, and counts as an open order as long",
          elsewhere:
            "spent by its trigger: Hyperliquid sends an order with 10 % of slippage, dYdX v4 removes an IOC that did not fill",
        }),
      ],
    }),
    row("55", "post_only is refused where it would fill at once.", {
      bot: "all its quotes",
      assumed: [
        assume("", {
          what: "fails, it is not placed and canceled; with IOC, FOK or a market order it is refused always",
          why: "S4.6: rejected if it would fill immediately, and those never rest",
        }),
      ],
    }),
    row("56a", "take_profit and stop_loss: exits that an entry's fills activate.", {
      assumed: [
        assume("x11", {
          what: "listed as Untriggered, reduce-only, sized as the entry filled and never larger than the position; the one that fills whole cancels the other; both go with the position; each counts as an open order",
          why: "S4.6 says that activation creates a conditional order, and an exit is for the position that is there",
          elsewhere:
            "dYdX v4 has none on the chain, only conditional orders; Drift's signed orders bring a stop and a take profit, placed beside the entry as reduce-only orders",
        }),
      ],
    }),
    row("56b", "An exit is a StopMarket with a limit_price of null. A StopLimit can only be an order of its own."),
    row("57", "Leverage 0 or none is the market's maximum; the cap is floor(10000 / IMR).", {
      bot: "none is sent",
      assumed: [
        assume("", { what: "above the cap is refused, not clamped", why: "a clamped order is another than was sent" }),
        assume("", {
          what: "fills select it for the position that they open; of one that they add to they may lower it, never raise it; and it is never more than the tier allows",
          why: "no order may free margin of what was open before",
        }),
      ],
    }),
    row("58", "CancelOrder.", {
      bot: "in a lane of its own",
      assumed: [
        assume("", {
          what: "the answer to the cancel of an order that does not exist says so, whichever key that may trade sent it",
          why: "orders that are gone belong to nobody",
        }),
        assume("NS-20", {
          what: "reasons besides UserCanceled: PostOnlyWouldCross, IocRemainder, FokUnfilled, ReduceOnly, InsufficientMargin, SelfTrade, Liquidation, MarketClosed, Refused, Oco",
          why: "each names why the exchange ended the order",
          elsewhere:
            "dYdX v4 removes under-collateralized makers, and Hyperliquid cancels them (marginCanceled), as InsufficientMargin here",
        }),
      ],
    }),
    row("59", "CancelAllOrders: the key is always sent, a market or null for all.", {
      bot: "halt, fences",
      assumed: [
        assume("", {
          what: "an agent of several accounts acts on the lowest number that it is active on; subaccounts of a master keep their orders",
          why: "one key, one account is what S5 advises by its own windows",
        }),
        assume("x18", {
          what: "acts on the account that the signer was approved on, an owner's on the master",
          why: "it names no account; the master is the one personal account of an owner",
        }),
      ],
    }),
    row("60a", "ModifyOrder: new price, new size or both; unchanged keys as null, one at least set.", {
      bot: "requotes",
      assumed: [
        assume("", {
          what: "new_size is the whole size, what is filled included",
          why: "the record shows a whole size, and a fill under way cannot make a whole size too large",
        }),
        assume("", {
          what: "new_price of a waiting StopMarket, attached exits among them, is its trigger price; of a StopLimit, waiting or not, its limit price; a take profit stays on the profit side of its stop loss",
          why: "a StopMarket has no other price that could be meant; a StopLimit's price field is the limit, and its trigger moves by canceling and placing it again",
        }),
      ],
    }),
    row("60b", "Queue priority is kept when possible.", {
      bot: "prefers what keeps it",
      assumed: [
        assume("", { what: "possible is: same price and no larger", why: "anything else would pass those who wait" }),
      ],
    }),
    row("61a", "Isolated margin: a bucket for one position.", {
      assumed: [
        assume("x12", {
          what: "one margin mode at a time for an account in a market",
          why: "a position has one margin_mode",
          elsewhere: "Hyperliquid sets cross or isolated for each coin; dYdX v4 isolates by subaccount",
        }),
        assume("", {
          what: "funding comes from the bucket first, then from the free cross collateral; a bucket that neither can fill has its position taken to the book as that block begins, whatever profit it shows, and to the backstop only without maintenance margin; a part closed at a loss beyond the bucket, which the rest's profit carries, is paid by the cross collateral",
          why: "a bucket below zero would be collateral that is not there",
          elsewhere: "dYdX v4 isolates by subaccount, which pays from its own balance",
        }),
        assume("", {
          what: "an order without margin_mode that could only close the position, by its side and size, is of the position's mode; any other is Cross, and one that says the other mode is refused",
          why: "closing an isolated position must not need to know that it is one",
        }),
      ],
    }),
    row("61b", "AdjustIsolatedMargin: a signed 128-bit delta, with three rules of refusal."),
    row("62a", "CreateFundedAccount: consumes the unclaimed balance, takes the fee, credits the rest."),
    row("62b", "referred_by names an eligible personal account.", {
      assumed: [
        assume("", {
          what: "an active personal account with an invite left; hosted signup's own rule is the app's",
          why: "S4.6 says eligible, S2.11 counts invites",
        }),
      ],
    }),
    row("62c", "The flow: chain, fee, list, deposit, poll, submit; look again before a retry.", {
      assumed: [
        assume("", {
          what: "the balance covers the larger of 5,000,000 and the fee, which is taken out of it",
          why: "S3: the balance is consumed, the fee charged, the remainder credited",
        }),
      ],
    }),
    row("63", "CreateReferredAccount is retired and creates nothing."),
    row("64", "ApproveAgent: key, name and expiry in seconds; milliseconds are invalid.", {
      assumed: [
        assume("NS-30", {
          what: "a name has at most 64 bytes",
          why: "a bound on what every read of the account carries",
        }),
      ],
    }),
    row("65", "RevokeAgent: removes it; positions and orders stay."),
    row("66", "CreateSubaccount."),
    row("67a", "Transfer: at once, without fee or approval, across personal owners; collateral must suffice."),
    row("67b", "Ids and amount are decimal text, token_id a number; capabilities are checked before use."),
    row("68", "CloseSubaccount: what remains goes to the master in the same transaction."),
    row("69a", "RequestWithdrawal and its cancellation show no payload: the client types and refuses them.", {
      assumed: [
        assume("NS-16", {
          what: "a shape of our own, which only the devnet takes",
          why: "the trading app alone knows the payloads",
          choose: "client option: unshownPayloads",
        }),
      ],
    }),
    row("69b", "A withdrawal debits at once: USDC from eligible collateral, NATIVE from what is available.", {
      assumed: [
        assume("", {
          what: "GET /v1/accounts/{id}/withdrawals, ours and marked so",
          why: "S3 shows its states and no read",
        }),
      ],
    }),
    row("70", "Deposits credit the master, withdrawals leave from it."),
  ],
};
