// Rows 84 to 91 and 104 to 130: states, errors, limits, economics, versions (S2, S3, S7 to S9).

import { assume, row, type Section } from "../row.ts";

export const states: Section = {
  title: "States (S3)",
  rows: [
    row("84a", "An account awaits activation until 5,000,000 and the fee are covered.", {
      assumed: [
        assume("", {
          what: "such an account comes from hosted signup; it can do nothing",
          why: "S2.6 shows such accounts and S4.6 their end, but nothing shows how they begin",
          choose: "control listener: POST /accounts",
        }),
      ],
    }),
    row("84b", "A failure leaves the funds for a corrected request."),
    row("85", "Agent: none, active, inactive (listed), removed.", { bot: "gate agentKey" }),
    row("86", "Withdrawal: Pending may be canceled with the exact debit restored, ReadyToClaim may not.", {
      assumed: [
        assume("NS-8", {
          what: "24 hours of chain time make it ReadyToClaim",
          why: "S8 calls 24 hours the withdrawal window",
        }),
        assume("", {
          what: "the external chain reports the claim",
          why: "the claim is submitted there (S3)",
          choose: "control listener: POST /bridge/withdrawals/{id}/claim",
        }),
      ],
    }),
    row("87", "Subaccount: none, open, closed; an id is never used again."),
    row("88", "Market: Active, and others that are hidden from the list and readable.", {
      bot: "gate marketStatus: any other text closes",
      assumed: [
        assume("NS-5", {
          what: "Active, Paused, Settling, Settled",
          why: "S3 names markets that are paused and in settlement",
        }),
        assume("NS-6", {
          what: "an operator moves them; Settled closes positions at the oracle price without fees: fills of every account against the backstop account, which ends flat",
          why: "nothing in the interface moves them; a settled market cannot trade",
          elsewhere: "dYdX v4 settles a closed market at the oracle price too; Drift at the market's expiry price",
          choose: "control listener: PATCH /markets/{id}",
        }),
      ],
    }),
    row("89", "Oracle: Active, Stale, Halted; after expiry trading goes on at the last price.", {
      bot: "gates oracleStatus and oracleExpiry",
      assumed: [
        assume("NS-7", {
          what: "Stale from validUntil on, until a print; Halted by an operator or a fault, until one resumes it",
          why: "S3: trading continues on the last price until a new one arrives",
          choose: "control listener: PATCH /oracle/{id}",
        }),
      ],
    }),
    row("90", "Order: a life cycle of which the interface shows no states.", {
      bot: "states of its own",
      assumed: [
        assume("NS-9", {
          what: "Open, PartiallyFilled, Untriggered in the record; Filled, Canceled, Triggered in history",
          why: "the usual words of exchanges",
        }),
      ],
    }),
    row("91", "NATIVE: liquid, unallocated, staked, unbonding.", {
      assumed: [
        assume("NS-14", {
          what: "DelegateStake and UndelegateStake are ours",
          why: "S4.4 has reads of staking and no transaction",
          choose: "client option: unshownPayloads",
        }),
      ],
    }),
  ],
};

export const errors: Section = {
  title: "Errors (S7)",
  rows: [
    row("104", "HTTP 400: chain id, parse, null defaults, bad owner or key, bad cursor or input.", {
      bot: "reads fail closed",
      assumed: [
        assume("NS-24", {
          what: "{error, code}: one stable sentence and a stable code",
          why: "programs use codes, people read sentences",
        }),
      ],
    }),
    row("105", "HTTP 404: a recipient that is missing or ineligible."),
    row("106", "Rejected: timestamp far off, nonce outside, reused or stale.", {
      bot: "outcome rejected",
      assumed: [
        assume("", {
          what: "HTTP 400, never executed, state untouched",
          why: "S7 says rejected, beside refusals that have a body",
        }),
        assume("", {
          what: "HTTP 429 where a request budget is used up; 503 where the chain is full or stops, and 503 `UNWRITABLE` where it cannot write its data directory, for every request that would change something",
          why: "nothing is wrong with the transaction, and it may be sent again later; what was answered survives a kill, so what cannot be kept is not answered",
        }),
      ],
    }),
    row("107", "Refused: a body with status failed, hash, empty events, error.", { bot: "outcome refused" }),
    row("108", "Transfers and withdrawals by an agent are rejected."),
    row("109", "Canceling a ReadyToClaim withdrawal is not allowed."),
    row("110", "CloseSubaccount is blocked by positions, orders, pending withdrawals, negative balances.", {
      assumed: [
        assume("", {
          what: "withdrawals leave from masters alone, so none is pending on a subaccount; the check is there",
          why: "S4.7 says that withdrawals leave from the master",
        }),
      ],
    }),
    row("111", "No subaccount at or above the unlocked capacity."),
    row("112", "Bridge tokens other than USDC and NATIVE are rejected."),
    row(
      "113a",
      "Clients send nothing that adds exposure while market or oracle is not Active; reducing and canceling go on.",
      { bot: "gates marketStatus, oracleStatus, oracleExpiry" },
    ),
    row("113b", "What the exchange itself does then is not said.", {
      assumed: [
        assume("", {
          what: "refuses exposure while the market is not Active or the oracle Halted, takes it while Stale; Settling cancels the orders that add it, Settled takes nothing",
          why: "S7 leaves reduce-only orders and cancels allowed, and S3 lets trading go on after expiry",
        }),
      ],
    }),
  ],
};

export const limits: Section = {
  title: "Limits (S8)",
  rows: [
    row("114", "A funded account takes 5,000,000 base units at least."),
    row("115", "Family volume of 100,000 USDC unlocks 10 subaccounts, each further 100,000,000 one more, up to 50."),
    row("116", "A transfer's amount is positive and fits 128 bits."),
    row("117", "A page of the transfer history has up to 50 items."),
    row("118a", "Margin tiers and their maximum leverage, a market each.", {
      bot: "limit margin",
      assumed: [
        assume("", {
          what: "the tier is that of the worst-case size, orders included",
          why: "a tier that looked at the position alone could be passed by orders",
          choose: "configuration: markets[].marginTiers",
        }),
        assume("", {
          what: "an order whose fill its account cannot carry is canceled whole as it is hit (`InsufficientMargin`), what the same taker has hit before it counted",
          why: "S7 refuses orders for margin; a resting one has none left to be refused with",
        }),
      ],
    }),
    row("118b", "maxOpenInterest, a market each.", {
      assumed: [
        assume("", {
          what: "in contracts, per side; an order that would pass it is refused",
          why: "S8 gives the number; sizes of a market are in contracts",
        }),
      ],
    }),
    row("118c", "priceBandBps, a market each.", {
      bot: "limit priceBand",
      assumed: [
        assume("x9", {
          what: "around the oracle price, and for what would trade at once: a resting price may lie outside",
          why: "only the oracle price stands while the book is empty; a resting order does no harm",
          elsewhere:
            "Drift refuses a fill that is further from the oracle price than the initial margin ratio, or 50 % from its 5-minute mean",
        }),
      ],
    }),
    row("119", "The open-order cap comes from treasury-config.", {
      bot: "limit openOrders",
      assumed: [
        assume("NS-27", {
          what: "200",
          why: "a bound that a market maker does not meet",
          choose: "configuration: openOrderCap",
        }),
        assume("", {
          what: "an order takes a place, waiting stops too, and one more for each exit that its fills may activate, from its acceptance until the exits are active or no longer possible",
          why: "a cap that fills could pass would be none",
          elsewhere:
            "Hyperliquid allows 1,000, and up to 5,000 with volume; Drift 32 a subaccount; dYdX v4 up to 200 stateful orders a subaccount, by its equity",
        }),
      ],
    }),
    row("120", "The withdrawal window is 24 hours."),
  ],
};

export const economics: Section = {
  title: "Economics (S2)",
  rows: [
    row("121a", "Funding: longs pay shorts while mark is above oracle, and the reverse; straight to collateral.", {
      bot: "fair value, profit",
      assumed: [
        assume("", {
          what: "the mark price's premium over the oracle price, sampled each 5 s and averaged over the interval, is what eight hours cost; hourly interest adds to it and never reverses who pays; capped at 625 bps an interval",
          why: "S2.4 gives the direction and the interval; the rest is what exchanges with hourly funding publish",
          choose: "configuration: markets[].premiumPeriodSecs",
          elsewhere:
            "Hyperliquid samples each 5 s too; dYdX v4 averages 60 samples of a minute; Drift takes 1/24 of the gap between hourly means of market and oracle",
        }),
        assume("", {
          what: "markPrice is the mean of both sides' impact prices (what selling and what buying depthThresholdLamports of notional would get on average, in whole size units, floored to 1e-8 USD), held inside the price band; the oracle price while either side lacks that depth",
          why: "dust moves nothing",
          elsewhere:
            "dYdX v4 (500 USDC / initial margin ratio) and Hyperliquid take premiums at impact prices; Hyperliquid's mark is a median of the oracle, its book and other exchanges; dYdX v4's is the oracle price",
          choose: "configuration: markets[].depthThreshold",
        }),
      ],
    }),
    row("121b", "It settles once an interval, hourly unless the market says otherwise.", {
      bot: "channel funding",
      assumed: [
        assume("", {
          what: "at whole multiples of the interval since 1970; a block that spans several settles once",
          why: "S1 says hourly, and hours begin at the full hour",
          choose: "configuration: markets[].fundingIntervalSecs",
        }),
      ],
    }),
    row(
      "122",
      "Fees: the market's asset class, then the highest floor that the family's 30 days reach; a negative maker fee is a rebate.",
      {
        bot: "the fee of its quotes",
        assumed: [
          assume("", {
            what: "thirty days of chain time, by the day",
            why: "volumes are kept by the day, so that an old one leaves at midnight",
            choose: "configuration: feeTiers, accounts[].volume30d",
          }),
        ],
      },
    ),
    row("123a", "A position whose margin is gone is liquidated.", {
      bot: "channel liquidations",
      assumed: [
        assume("x13", {
          what: "by the oracle price for RealEstate; to the book first, above 100,000 USDC a fifth, the rest after 30 s; below two thirds of maintenance to the backstop",
          why: "a real-estate book may be thin for a day; a fifth first spares it",
          elsewhere:
            "Hyperliquid's numbers, by its mark price; dYdX v4 goes by the oracle price and takes a penalty of up to 1.5 %",
        }),
      ],
    }),
    row("123b", "backstopAccountId takes positions over.", {
      assumed: [
        assume("", {
          what: "by a fill: an order of the exchange's own for each side, at the risk price less what the fund keeps (the maintenance margin, or what is left of it after the fee) per contract; the account pays the ordinary taker fee as far as its margin reaches, the backstop account none; the volume counts",
          why: "S6.2 has liquidation fills pay ordinary taker fees and no other, so the price tells the rest, as a takeover at the bankruptcy price does elsewhere",
          elsewhere: "Hyperliquid's liquidator vault keeps the maintenance margin too",
        }),
        assume("", {
          what: "works them off through the book within 1 % of the mark price, above 100,000 USDC by a fifth, every 30 s",
          why: "it holds what it did not choose; a cap and a pause keep it from moving the market",
        }),
      ],
    }),
    row("124a", "Margin tiers with a deduction: maintenance is notional x rate - deduction.", {
      bot: "limit margin",
      assumed: [
        assume("", {
          what: "deductions make maintenance continuous",
          why: "the only deductions that make no step at a floor",
        }),
      ],
    }),
    row("124b", "tierGrandfathered marks a position that follows an older schedule.", {
      assumed: [
        assume("", {
          what: "false always: a devnet's schedule does not change while it runs, and a position follows its tier",
          why: "S2.6 shows the flag and nothing that sets it",
        }),
      ],
    }),
    row("125", "The insurance fund.", {
      assumed: [
        assume("", {
          what: "takes the maintenance margin that a backstop liquidation keeps back, and pays what a closed position leaves owing, the backstop account's too; a deficit is its shortfall, a field of ours",
          why: "S2.11 shows what it has and took in; a deficit must be visible",
          elsewhere:
            "dYdX v4 and Hyperliquid close positions of the other side once an account is worth less than nothing; here nobody is deleveraged",
        }),
      ],
    }),
    row("126", "Invites: allowance, consumed, remaining.", {
      assumed: [
        assume("", {
          what: "ten from the start, one more for each 100,000 USDC that the family ever traded; no override",
          why: "S2.11 shows the fields and no rule",
        }),
      ],
    }),
  ],
};

export const versions: Section = {
  title: "Versions and environments (S9)",
  rows: [
    row("127", "All paths start with /v1, but for the signing path.", {
      bot: "its reads",
      assumed: [
        assume("", {
          what: "a page of any origin may ask both hosts, preflights and refusals included (Access-Control-Allow-Origin: *)",
          why: "nothing depends on cookies: transactions are signed, private reads name a key or a session",
        }),
        assume("", {
          what: "the control listener is on loopback alone: 403 for another Host than 127.0.0.0/8, [::1] or localhost, or an Origin other than its own; 415 for a body that is not application/json",
          why: "it credits deposits: a page in a developer's browser must not reach it",
        }),
        assume("", {
          what: "a head may take 10 s, a request 15 s, an unread answer 30 s; where all 4,096 connections are taken, silent ones are closed first",
          why: "a client on a slow link is served, one that holds on is let go of",
        }),
      ],
    }),
    row("128", "protocol_version and binary_version are whole numbers; build_tag may appear.", {
      bot: "logged",
      assumed: [
        assume("NS-31", {
          what: "no policy is shown: unknown fields are passed over, known ones checked",
          why: "S9 says that fields change as the chain advances",
        }),
      ],
    }),
    row("129", "Chain ids of mainnet and devnet differ, are pinned, and are part of what is signed.", {
      bot: "pinned in its configuration",
    }),
    row("130", "One environment: hosts of two do not mix.", { bot: "one venue a daemon" }),
  ],
};
