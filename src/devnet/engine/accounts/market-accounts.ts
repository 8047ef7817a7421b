// Creates market accounts: one is kept from the first accepted order on, for as long as the account exists.

import type { AccountId } from "../../../domain/units.ts";
import type { Account, Family, MarketAccount, MarketState } from "../records.ts";
import { accountAddress, bucketAddress } from "./postings.ts";
import type { Volume } from "./volume.ts";

export function makeAccount(id: AccountId, masterId: AccountId | null, family: Family, volume: Volume): Account {
  return {
    id,
    masterId,
    family,
    address: accountAddress(id),
    balance: 0n,
    markets: new Map(),
    volume,
    placesTaken: 0,
    unrealized: 0n,
    initial: 0n,
  };
}

/** The account in one market, or an empty record that is not stored until `keepMarketAccount`. */
export function marketAccountOf(account: Account, market: MarketState): MarketAccount {
  return account.markets.get(market.id) ?? makeMarketAccount(account, market);
}

function makeMarketAccount(account: Account, market: MarketState): MarketAccount {
  return {
    account,
    market,
    units: 0,
    cost: 0n,
    mode: "Cross",
    leverage: 0,
    asked: 0,
    buyUnits: 0,
    sellUnits: 0,
    reducingBuys: 0,
    reducingSells: 0,
    adverse: 0n,
    unrealized: 0n,
    initial: 0n,
    memo: { rate: market.risk, units: 0, leverage: 0, margin: 0n },
    oldest: null,
    newest: null,
    exitCount: 0,
    bucket: { address: bucketAddress(account.id, market.id), balance: 0n },
    openedAtMs: 0,
    fundingIndex: 0n,
    partialAtMs: 0,
  };
}

export function keepMarketAccount(marketAccount: MarketAccount): void {
  const { account, market } = marketAccount;
  if (account.markets.has(market.id)) return;
  account.markets.set(market.id, marketAccount);
  market.accounts.push(marketAccount);
}
