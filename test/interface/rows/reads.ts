// Rows 10 to 44: what can be read of both hosts (S4.1 to S4.4).

import { assume, row, type Section } from "../row.ts";

export const exchangeReads: Section = {
  title: "Reads: markets and exchange (S4.1)",
  rows: [
    row("10", "GET /v1/markets: the active markets, as an array."),
    row("11a", "GET /v1/markets/{id}: one market, in any status.", { bot: "status, oracle, ticks, tiers" }),
    row(
      "11b",
      "A market has the fields of S2.2: prices and amounts as text, lastOracleTimestamp in ms, oracleValidUntil in s.",
      {
        bot: "all of it",
        assumed: [
          assume("x8", {
            what: "fundingRate in parts per billion of notional an interval, lastFundingTimestamp in s, an interestRateMicroBps is 1e-10 an hour, the depth threshold in USDC base units",
            why: "the names say micro basis points and smallest units of USDC; the other two have no unit at all",
          }),
          assume("x1", {
            what: "a lot is one size unit, and there is no least notional",
            why: "no field of a market tells one",
          }),
          assume("", {
            what: "lastOraclePrice is the print before oraclePrice; in a position it is the print that values it",
            why: "two names of one price would be useless; a position is valued at its print",
          }),
        ],
      },
    ),
    row("12", "GET /v1/markets/{id}/orderbook: levels with price and size as text, orderCount as a number.", {
      bot: "the book when it reconciles",
      assumed: [assume("", { what: "all levels, best first", why: "S2.3 shows lists and no depth" })],
    }),
    row("13", "GET /v1/markets/{id}/funding: running rate, index, last settlement, interval, cap.", {
      bot: "fair value",
    }),
    row("14", "GET /v1/markets/{id}/trades: recent public trades, snake_case, in ms.", {
      bot: "volatility at start",
      assumed: [assume("", { what: "recent is the newest 100, newest first", why: "S4.1 says recent and no number" })],
    }),
    row("15", "GET /v1/oracle/{id}: price, ms, yyyymmdd, status, expiry in s.", { bot: "index price and its expiry" }),
    row("16", "GET /v1/oracle/{id}/history: time in s and price; one point a day for real estate.", {
      assumed: [
        assume("", {
          what: "a day's last print stands for it; ten years are kept",
          why: "S2.10 says one point a day; a read needs a bound",
        }),
      ],
    }),
    row("17", "GET /v1/fee-tiers: tier_count and tiers with asset class, volume floor, maker and taker fee.", {
      bot: "the fee of its quotes",
    }),
    row(
      "18",
      "GET /v1/treasury-config: activation fee, subaccount and vault capacity, open-order cap, as scaled text.",
      {
        bot: "the open-order cap",
        assumed: [
          assume("NS-3", {
            what: "names of all settings but account_activation_fee_usdc; the client finds the open-order cap under several",
            why: "S2.11 names four groups and one field",
          }),
        ],
      },
    ),
    row("19", "GET /v1/node/info: versions, build, height, time, state root, chain id.", {
      bot: "chain id and clock",
      assumed: [
        assume("", {
          what: "block_timestamp is in seconds; the client understands ms too",
          why: "the unit is not shown, and its size tells the two apart",
        }),
      ],
    }),
    row("20", "GET /v1/insurance-fund: balance and total deposited."),
    row("21", "GET /v1/tokens: 0 is USDC and 1 NATIVE, with approved sources; capabilities of the registry.", {
      assumed: [
        assume("", {
          what: "sources are listed with their token, capabilities beside the list",
          why: "S2.8 names both but not where they are",
        }),
      ],
    }),
    row("22", "GET /v1/bridge/state: availability, window, pending totals, limits and what was used of them.", {
      assumed: [
        assume("NS-4", { what: "names beyond owner and unclaimed_usdc", why: "S4.1 describes the rest without names" }),
        assume("NS-28", {
          what: "limits a token and direction over a rolling 24 hours, counted by the hour",
          why: "S4.1 says limits and use; a rolling day needs a grain",
          choose: "configuration: bridge",
        }),
      ],
    }),
    row(
      "23",
      "GET /v1/bridge/state?owner=: the same with the key in lowercase and its unclaimed USDC; needs no account, a bad key is 400.",
      {},
    ),
  ],
};

export const accountReads: Section = {
  title: "Reads: accounts (S4.2)",
  rows: [
    row("24a", "GET /v1/accounts/{id}: collateral, positions, open orders, volumes, policy, agents.", {
      bot: "all of it, each reconcile",
    }),
    row("24b", "availableCollateral is what positions and open orders leave to transfer.", {
      bot: "shown; not a margin ratio",
      assumed: [
        assume("", {
          what: "unrealized profit does not count, unrealized loss does",
          why: "a transfer must be covered whatever the next print is",
          elsewhere:
            "dYdX v4 counts it: free collateral is the account's value less initial margin; Drift lets out what is settled",
        }),
      ],
    }),
    row("24c", "volume30d is the account's, feeTierVolume30d the family's, lifetimeVolume all time.", {
      bot: "the fee tier",
    }),
    row("25", "GET /v1/accounts/by-owner/{pubkey}: the key's personal account, same shape."),
    row("26", "GET /v1/accounts/by-owner/{owner}/list: all accounts of the key, isVault each.", {
      assumed: [
        assume("NS-10", {
          what: "an object with a list; the client takes a bare list as well",
          why: "an object can grow, a bare list cannot",
        }),
        assume("NS-2", {
          what: "a vault's name, leader and shares under GET /v1/vaults/{id}, ours and marked so",
          why: "S2.7 shows isVault alone",
        }),
      ],
    }),
    row(
      "27",
      "GET /v1/accounts/by-owner/{pubkey}/assets: balances by account and token, what awaits a master, staked and unbonding; a bad key is 400, an unknown one empty.",
      {},
    ),
    row("28", "GET /v1/accounts/{id}/positions.", { bot: "with the account" }),
    row("29", "GET /v1/accounts/{id}/orders on the validator: the open orders.", {
      bot: "with the account",
      assumed: [
        assume("NS-1", {
          what: "fields of an order's record, camelCase, size and price as text, times in ms; the client knows likely others",
          why: "the names of PlaceOrder's fields, in the validator's spelling",
        }),
      ],
    }),
    row("30", "GET /v1/accounts/{id}/rate-limit: on-chain request budget and congestion quota.", {
      bot: "its queue",
      assumed: [
        assume("NS-11", {
          what: "used, cap, remaining, cancel cap; one more request for each USDC ever traded",
          why: "trading earns requests, as on other chains without gas",
          elsewhere: "Hyperliquid's rule, with 10,000 requests to begin with",
          choose: "configuration: throttle.actionBudget",
        }),
        assume("NS-26", {
          what: "HTTP 429 with Retry-After; the congestion quota is how many requests may pass within a second, null without a throttle",
          why: "what HTTP has for it",
          choose: "configuration: throttle.requestsPerSecond",
        }),
      ],
    }),
    row("31", "GET /v1/accounts/{id}/invites."),
    row(
      "32",
      "GET /v1/transfers/recipient: by user name, wallet (base58 or hex) or account; ids as text; 400 bad, 404 missing; authenticated.",
      {
        assumed: [
          assume("", {
            what: "a recipient that awaits activation or is closed is ineligible",
            why: "S4.6: the destination must exist and be active",
          }),
        ],
      },
    ),
    row(
      "33",
      "GET /v1/transfers/history: up to 50 items and a cursor or null; own transfers once; a bad cursor is 400; authenticated.",
      {
        assumed: [
          assume("", {
            what: "a cursor is a page's last item; any other text is an error",
            why: "S7: an invalid cursor is HTTP 400",
          }),
          assume("", { what: "newest first", why: "readers want the newest first" }),
        ],
      },
    ),
  ],
};

export const historyReads: Section = {
  title: "Reads: indexed history on the REST host (S4.3)",
  rows: [
    row("34", "GET /v1/accounts/{id}/trades: fill history.", {
      assumed: [
        assume("NS-12", {
          what: "rows carry the names of the stream's fill, and the account's own side, role, fee and profit; newest first",
          why: "the same facts keep the names that are shown",
        }),
        assume("", {
          what: "an account keeps its newest 100,000 fills, and 10,000 each of orders and funding payments, an owner 10,000 transfers; a request for older rows is 410, never a partial answer",
          why: "memory is bounded over any number of transactions, and nothing may be dropped silently",
        }),
      ],
    }),
    row("35", "GET /v1/accounts/{id}/trades/csv: all rows that match, as CSV.", {
      assumed: [
        assume("NS-12", {
          what: "columns are named as the rows are; RFC 4180",
          why: "one name a fact, and the usual form of CSV",
        }),
      ],
    }),
    row("36", "GET /v1/accounts/{id}/orders on the REST host: order history, where the validator has the open ones."),
    row("37", "GET /v1/accounts/{id}/funding: funding payments.", {
      assumed: [
        assume("NS-12", {
          what: "the amount is above zero where it was received",
          why: "money that arrives is positive everywhere else",
        }),
      ],
    }),
    row("38", "GET /v1/stats: counts and volumes of the exchange; may lag; authenticated.", {
      assumed: [assume("NS-13", { what: "names of the totals", why: "S4.3 says counts and volumes" })],
    }),
    row("39", "Filters: limit, offset, startTime, endTime, marketId.", {
      assumed: [
        assume("", {
          what: "limit from 1 to 1000, 100 unless said; times in ms, both ends included; a malformed one is 400",
          why: "a list needs a bound; times are as the rows show them",
        }),
      ],
    }),
    row("40", "Needs an owner session or X-API-Key, and answers of owned accounts alone.", {
      assumed: [
        assume("NS-17", {
          what: "an API key is opaque",
          why: "S5 calls it the authorization token",
          choose: "configuration: apiKeys",
        }),
        assume("NS-18", {
          what: "a session is a bearer token",
          why: "HTTP's own way of carrying one",
          choose: "configuration: sessions",
        }),
      ],
    }),
  ],
};

const STAKING_NAMES = [
  assume("NS-14", {
    what: "all field names; epochs are days, no rewards are paid, unbonding takes 7 days",
    why: "S4.4 names the reads and no field",
  }),
];

export const stakingReads: Section = {
  title: "Reads: staking (S4.4)",
  rows: [
    row("41", "GET /v1/staking/validators: stake, commission, uptime, status.", { assumed: STAKING_NAMES }),
    row("42", "GET /v1/staking/info: total staked, active validators, epoch, yield."),
    row(
      "43",
      "GET /v1/staking/balance/{pubkey}: what the master has available, or what is unallocated before there is one.",
      {},
    ),
    row("44a", "GET /v1/staking/delegations/{pubkey}: all of a key's."),
    row("44b", "A block explorer over REST is named, without a path.", {
      assumed: [
        assume("NS-15", {
          what: "GET /v1/explorer/blocks and /{height}, ours and marked so",
          why: "the stream sends a block's first transaction alone, and the others must be readable somewhere",
        }),
      ],
    }),
  ],
};
