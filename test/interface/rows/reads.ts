// Rows 10 to 44: what can be read of both hosts (S4.1 to S4.4).

import { assume, row, type Section } from "../row.ts";

const MARKETS = ["api/routes/markets.ts"];
const ACCOUNTS = ["api/routes/accounts.ts"];

export const exchangeReads: Section = {
  title: "Reads: markets and exchange (S4.1)",
  rows: [
    row("10", "GET /v1/markets: the active markets, as an array.", {
      devnet: MARKETS,
      client: ["exchange.marketIds"],
      tests: ["exchange-reads > markets > the list of markets has the active ones alone"],
    }),
    row("11a", "GET /v1/markets/{id}: one market, in any status.", {
      devnet: MARKETS,
      client: ["exchange.market"],
      bot: "status, oracle, ticks, tiers",
      tests: [
        "exchange-reads > markets > a market is read by its id in any status",
        "exchange-reads > markets > a market that is not there is 404, what is no market id 400",
      ],
    }),
    row(
      "11b",
      "A market has the fields of S2.2: prices and amounts as text, lastOracleTimestamp in ms, oracleValidUntil in s.",
      {
        devnet: ["wire/rest/markets.ts", "engine/describe.ts"],
        client: ["exchange.market"],
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
        tests: [
          "exchange-reads > markets > a market has the fields of S2.2 with their types and units",
          "exchange-reads > markets > a market that printed once has that print for the last one too",
          "exchange-reads > markets > open interest counts both sides alike",
        ],
      },
    ),
    row("12", "GET /v1/markets/{id}/orderbook: levels with price and size as text, orderCount as a number.", {
      devnet: MARKETS,
      client: ["exchange.book"],
      bot: "the book when it reconciles",
      assumed: [assume("", { what: "all levels, best first", why: "S2.3 shows lists and no depth" })],
      tests: [
        "exchange-reads > markets > the order book has prices and sizes as text and counts as numbers, best first",
      ],
    }),
    row("13", "GET /v1/markets/{id}/funding: running rate, index, last settlement, interval, cap.", {
      devnet: MARKETS,
      client: ["exchange.funding"],
      bot: "fair value",
      tests: [
        "exchange-reads > markets > the funding state has rate and index as signed text, and the cap",
        "exchange-reads > configuration of the exchange > a market's interest rate, depth threshold and funding cap are its own",
      ],
    }),
    row("14", "GET /v1/markets/{id}/trades: recent public trades, snake_case, in ms.", {
      devnet: MARKETS,
      client: ["exchange.trades"],
      bot: "volatility at start",
      assumed: [assume("", { what: "recent is the newest 100, newest first", why: "S4.1 says recent and no number" })],
      tests: ["exchange-reads > markets > recent trades have the taker's side, snake_case ids and ms, newest first"],
    }),
    row("15", "GET /v1/oracle/{id}: price, ms, yyyymmdd, status, expiry in s.", {
      devnet: MARKETS,
      client: ["exchange.oracle"],
      bot: "index price and its expiry",
      tests: ["exchange-reads > oracle > the current state has ms, yyyymmdd and seconds"],
    }),
    row("16", "GET /v1/oracle/{id}/history: time in s and price; one point a day for real estate.", {
      devnet: ["api/routes/markets.ts", "engine/market/oracle.ts"],
      client: ["exchange.oracleHistory"],
      assumed: [
        assume("", {
          what: "a day's last print stands for it; ten years are kept",
          why: "S2.10 says one point a day; a read needs a bound",
        }),
      ],
      tests: [
        "exchange-reads > oracle > the history of real estate has one point a day, in seconds, the day's last print",
      ],
    }),
    row("17", "GET /v1/fee-tiers: tier_count and tiers with asset class, volume floor, maker and taker fee.", {
      devnet: MARKETS,
      client: ["exchange.feeTiers"],
      bot: "the fee of its quotes",
      tests: [
        "exchange-reads > configuration of the exchange > fee tiers carry their asset class; a negative maker fee is a rebate",
      ],
    }),
    row(
      "18",
      "GET /v1/treasury-config: activation fee, subaccount and vault capacity, open-order cap, as scaled text.",
      {
        devnet: ["api/routes/markets.ts", "accounts/treasury.ts"],
        client: ["exchange.treasury", "exchange.activationFee", "exchange.openOrderCap"],
        bot: "the open-order cap",
        assumed: [
          assume("NS-3", {
            what: "names of all settings but account_activation_fee_usdc; the client finds the open-order cap under several",
            why: "S2.11 names four groups and one field",
          }),
        ],
        tests: [
          "exchange-reads > configuration of the exchange > the treasury's settings are whole numbers as text, the activation fee among them",
        ],
      },
    ),
    row("19", "GET /v1/node/info: versions, build, height, time, state root, chain id.", {
      devnet: MARKETS,
      client: ["exchange.node"],
      bot: "chain id and clock",
      assumed: [
        assume("", {
          what: "block_timestamp is in seconds; the client understands ms too",
          why: "the unit is not shown, and its size tells the two apart",
        }),
      ],
      tests: ["exchange-reads > configuration of the exchange > node info is snake_case and follows the chain"],
    }),
    row("20", "GET /v1/insurance-fund: balance and total deposited.", {
      devnet: ["api/routes/markets.ts", "engine/liquidation/insurance.ts"],
      client: ["exchange.insuranceFund"],
      tests: ["exchange-reads > configuration of the exchange > the insurance fund has balance and total as text"],
    }),
    row("21", "GET /v1/tokens: 0 is USDC and 1 NATIVE, with approved sources; capabilities of the registry.", {
      devnet: ["accounts/tokens.ts"],
      client: ["exchange.tokens"],
      assumed: [
        assume("", {
          what: "sources are listed with their token, capabilities beside the list",
          why: "S2.8 names both but not where they are",
        }),
      ],
      tests: [
        "exchange-reads > configuration of the exchange > token 0 is USDC, token 1 NATIVE, with sources and capabilities",
      ],
    }),
    row("22", "GET /v1/bridge/state: availability, window, pending totals, limits and what was used of them.", {
      devnet: ["api/routes/markets.ts", "accounts/bridge.ts"],
      client: ["exchange.bridge"],
      assumed: [
        assume("NS-4", { what: "names beyond owner and unclaimed_usdc", why: "S4.1 describes the rest without names" }),
        assume("NS-28", {
          what: "limits a token and direction over a rolling 24 hours, counted by the hour",
          why: "S4.1 says limits and use; a rolling day needs a grain",
          choose: "configuration: bridge",
        }),
      ],
      tests: [
        "exchange-reads > bridge > the state has window, limits, use and pending totals in smallest units",
        "exchange-reads > bridge > availability and limits are told, token by token, and hold",
        "exchange-reads > bridge > a direction that is closed is told by bridge and token registry, and lets nothing pass",
      ],
    }),
    row(
      "23",
      "GET /v1/bridge/state?owner=: the same with the key in lowercase and its unclaimed USDC; needs no account, a bad key is 400.",
      {
        devnet: ["api/routes/markets.ts"],
        client: ["exchange.unclaimed"],
        tests: [
          "exchange-reads > bridge > with an owner it tells what awaits that key, which needs no account",
          "exchange-reads > bridge > the owner comes back as 64 lowercase hex characters, however it was asked for",
          "exchange-reads > bridge > a malformed owner is 400: %j",
        ],
      },
    ),
  ],
};

export const accountReads: Section = {
  title: "Reads: accounts (S4.2)",
  rows: [
    row("24a", "GET /v1/accounts/{id}: collateral, positions, open orders, volumes, policy, agents.", {
      devnet: ACCOUNTS,
      client: ["accounts.byId"],
      bot: "all of it, each reconcile",
      tests: [
        "account-reads > accounts > an account has the fields of S2.6 with their types",
        "account-reads > accounts > agents are left out where there are none",
        "account-reads > accounts > an account that is not there is 404, what is no account id 400",
      ],
    }),
    row("24b", "availableCollateral is what positions and open orders leave to transfer.", {
      devnet: ["engine/describe.ts"],
      client: ["accounts.byId"],
      bot: "shown; not a margin ratio",
      assumed: [
        assume("", {
          what: "unrealized profit does not count, unrealized loss does",
          why: "a transfer must be covered whatever the next print is",
          elsewhere:
            "dYdX v4 counts it: free collateral is the account's value less initial margin; Drift lets out what is settled",
        }),
      ],
      tests: ["account-reads > accounts > available collateral is what positions and open orders leave"],
    }),
    row("24c", "volume30d is the account's, feeTierVolume30d the family's, lifetimeVolume all time.", {
      devnet: ["engine/accounts/volume.ts"],
      client: ["accounts.byId"],
      bot: "the fee tier",
      tests: ["account-reads > accounts > volumes count what was traded; the fee tier's is the family's"],
    }),
    row("25", "GET /v1/accounts/by-owner/{pubkey}: the key's personal account, same shape.", {
      devnet: ACCOUNTS,
      client: ["accounts.byOwner"],
      tests: ["account-reads > owners > a key's personal account has the shape of the account"],
    }),
    row("26", "GET /v1/accounts/by-owner/{owner}/list: all accounts of the key, isVault each.", {
      devnet: ACCOUNTS,
      client: ["accounts.ownedBy"],
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
      tests: [
        "account-reads > owners > the list says of each account whether it is a vault",
        "account-transactions > Transfer > of a vault stays in the vault's family",
      ],
    }),
    row(
      "27",
      "GET /v1/accounts/by-owner/{pubkey}/assets: balances by account and token, what awaits a master, staked and unbonding; a bad key is 400, an unknown one empty.",
      {
        devnet: ["accounts/owner-assets.ts"],
        client: ["accounts.assets"],
        tests: [
          "account-reads > owners > the asset summary has every account's balances by token",
          "account-reads > owners > no key lists the backstop account: nobody owns it",
          "account-reads > owners > of a key without accounts the summary is empty, a wrong key is 400",
          "staking > NATIVE > that arrives before there is a master is unallocated, and goes to it",
        ],
      },
    ),
    row("28", "GET /v1/accounts/{id}/positions.", {
      devnet: ACCOUNTS,
      client: ["accounts.positions"],
      bot: "with the account",
      tests: ["account-reads > accounts > positions have the fields of S2.6, unrealized profit at the oracle price"],
    }),
    row("29", "GET /v1/accounts/{id}/orders on the validator: the open orders.", {
      devnet: ACCOUNTS,
      client: ["accounts.openOrders"],
      bot: "with the account",
      assumed: [
        assume("NS-1", {
          what: "fields of an order's record, camelCase, size and price as text, times in ms; the client knows likely others",
          why: "the names of PlaceOrder's fields, in the validator's spelling",
        }),
      ],
      tests: ["account-reads > accounts > the validator's orders are the open ones, with filled and remaining size"],
    }),
    row("30", "GET /v1/accounts/{id}/rate-limit: on-chain request budget and congestion quota.", {
      devnet: ["accounts/budget.ts"],
      client: ["accounts.rateLimit"],
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
      tests: [
        "account-reads > accounts > the rate limit tells used, cap and remaining",
        "account-reads > accounts > the congestion quota is what a throttle of %j lets through in a second",
        "account-reads > accounts > a used-up budget is 429, and cancels go on",
        "account-reads > accounts > too many requests are 429 with the time to wait",
      ],
    }),
    row("31", "GET /v1/accounts/{id}/invites.", {
      devnet: ["accounts/invites.ts"],
      client: ["accounts.invites"],
      tests: ["account-reads > accounts > invites have the fields of S2.11; the next unlock is always null"],
    }),
    row(
      "32",
      "GET /v1/transfers/recipient: by user name, wallet (base58 or hex) or account; ids as text; 400 bad, 404 missing; authenticated.",
      {
        devnet: ["api/routes/accounts.ts", "accounts/recipients.ts"],
        client: ["transfers.recipient"],
        assumed: [
          assume("", {
            what: "a recipient that awaits activation or is closed is ineligible",
            why: "S4.6: the destination must exist and be active",
          }),
        ],
        tests: [
          "account-reads > transfer recipients > are found by %s",
          "account-reads > transfer recipients > a wallet may be base58 of the external chain",
          "account-reads > transfer recipients > an account may be a subaccount, which names its master",
          "account-reads > transfer recipients > an account may be a subaccount, which names its master",
          "account-reads > transfer recipients > ids are decimal text",
          "account-reads > transfer recipients > one that is missing is 404: %s %s",
          "account-reads > transfer recipients > invalid input is 400: %s",
          "account-reads > transfer reads need a credential: an API key or an owner session",
        ],
      },
    ),
    row(
      "33",
      "GET /v1/transfers/history: up to 50 items and a cursor or null; own transfers once; a bad cursor is 400; authenticated.",
      {
        devnet: ["api/routes/accounts.ts", "chain/transfer-history.ts"],
        client: ["transfers.history"],
        assumed: [
          assume("", {
            what: "a cursor is a page's last item; any other text is an error",
            why: "S7: an invalid cursor is HTTP 400",
          }),
          assume("", { what: "newest first", why: "readers want the newest first" }),
        ],
        tests: [
          "account-reads > transfer history > an item has the fields of S2.9, seen from each end",
          "account-reads > transfer history > between own accounts an item appears once",
          "account-reads > transfer history > pages hold 50 items, and the cursor leads through all of them once",
          "account-reads > transfer history > a cursor that no page gave is 400",
        ],
      },
    ),
  ],
};

const HISTORY = ["api/routes/history-routes.ts", "api/routes/history.ts"];

export const historyReads: Section = {
  title: "Reads: indexed history on the REST host (S4.3)",
  rows: [
    row("34", "GET /v1/accounts/{id}/trades: fill history.", {
      devnet: HISTORY,
      client: ["history.fills"],
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
      tests: [
        "history > fills > a row carries the names of the stream's fill, and the account's own side, fee and profit",
        "history > fills > both sides of a fill have it in their history, newest first",
        "history > fills > of a closed account stay readable for its owner, and for nobody else",
      ],
    }),
    row("35", "GET /v1/accounts/{id}/trades/csv: all rows that match, as CSV.", {
      devnet: HISTORY,
      client: ["history.fillsCsv"],
      assumed: [
        assume("NS-12", {
          what: "columns are named as the rows are; RFC 4180",
          why: "one name a fact, and the usual form of CSV",
        }),
      ],
      tests: [
        "history > fills as CSV > has a header, CRLF, and the same values under the same names",
        "history > fills as CSV > returns all rows that match, whatever the page",
      ],
    }),
    row("36", "GET /v1/accounts/{id}/orders on the REST host: order history, where the validator has the open ones.", {
      devnet: HISTORY,
      client: ["history.orders"],
      tests: [
        "history > orders and funding > the REST host's orders are the history of all, the validator's the open ones",
        "history > orders and funding > a stop that filled in part waits in both, with what is left of it",
      ],
    }),
    row("37", "GET /v1/accounts/{id}/funding: funding payments.", {
      devnet: HISTORY,
      client: ["history.funding"],
      assumed: [
        assume("NS-12", {
          what: "the amount is above zero where it was received",
          why: "money that arrives is positive everywhere else",
        }),
      ],
      tests: ["history > orders and funding > funding payments are rows of signed USDC, above zero where received"],
    }),
    row("38", "GET /v1/stats: counts and volumes of the exchange; may lag; authenticated.", {
      devnet: HISTORY,
      client: ["history.stats"],
      assumed: [assume("NS-13", { what: "names of the totals", why: "S4.3 says counts and volumes" })],
      tests: [
        "history > statistics count trades and volume of the whole exchange, as text",
        "scope > reads > %s needs a session or an API key",
      ],
    }),
    row("39", "Filters: limit, offset, startTime, endTime, marketId.", {
      devnet: HISTORY,
      client: ["history.fills"],
      assumed: [
        assume("", {
          what: "limit from 1 to 1000, 100 unless said; times in ms, both ends included; a malformed one is 400",
          why: "a list needs a bound; times are as the rows show them",
        }),
      ],
      tests: [
        "history > fills > limit and offset cut a page",
        "history > fills > startTime and endTime are milliseconds, both included",
        "history > fills > marketId filters",
        "history > fills > a malformed filter is 400: %s",
      ],
    }),
    row("40", "Needs an owner session or X-API-Key, and answers of owned accounts alone.", {
      devnet: ["api/http/credentials.ts", "api/routes/history-routes.ts"],
      client: ["client/client.ts"],
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
      tests: [
        "history > who may ask > %s needs a credential",
        "history > who may ask > %s is of owned accounts alone",
        "history > who may ask > an owner session and an API key see all accounts of their owner",
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
    row("41", "GET /v1/staking/validators: stake, commission, uptime, status.", {
      devnet: ["api/routes/markets.ts", "accounts/staking.ts"],
      client: ["staking.validators"],
      assumed: STAKING_NAMES,
      tests: ["staking > reads > validators have stake, commission, uptime and status"],
    }),
    row("42", "GET /v1/staking/info: total staked, active validators, epoch, yield.", {
      devnet: ["api/routes/markets.ts", "chain/owner-reads.ts"],
      client: ["staking.state"],
      tests: ["staking > reads > staking info has total staked, active validators, epoch and yield"],
    }),
    row(
      "43",
      "GET /v1/staking/balance/{pubkey}: what the master has available, or what is unallocated before there is one.",
      {
        devnet: ["api/routes/accounts.ts"],
        client: ["staking.balance"],
        tests: ["staking > reads > a key's balance tells what its master has available, or what awaits one"],
      },
    ),
    row("44a", "GET /v1/staking/delegations/{pubkey}: all of a key's.", {
      devnet: ["api/routes/accounts.ts"],
      client: ["staking.delegations"],
      tests: ["staking > reads > delegations are all of a key's"],
    }),
    row("44b", "A block explorer over REST is named, without a path.", {
      devnet: ["api/routes/devnet-reads.ts"],
      client: ["devnet.block", "devnet.blocks"],
      assumed: [
        assume("NS-15", {
          what: "GET /v1/explorer/blocks and /{height}, ours and marked so",
          why: "the stream sends a block's first transaction alone, and the others must be readable somewhere",
        }),
      ],
      tests: [
        "stream > explorer > a block can be read back by its height, under a path of our own",
        "stream > explorer > of several transactions in a block the read lists all, in the order of execution",
      ],
    }),
  ],
};
