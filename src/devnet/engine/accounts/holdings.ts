// Making accounts' records: a holding appears with the first order that is accepted, and stays with the account.

import type { AccountId } from "../../../domain/units.ts";
import type { Account, Family, Holding, MarketState } from "../records.ts";
import { accountAddress, bucketAddress } from "./postings.ts";
import type { Volume } from "./volume.ts";

export function makeAccount(id: AccountId, masterId: AccountId | null, family: Family, volume: Volume): Account {
  return {
    id,
    masterId,
    family,
    address: accountAddress(id),
    balance: 0n,
    holdings: new Map(),
    volume,
    orderCount: 0,
    unrealized: 0n,
    initial: 0n,
  };
}

/** The account's holding in a market, or an empty one that nobody knows of until `keepHolding`. */
export function holdingOf(account: Account, market: MarketState): Holding {
  return account.holdings.get(market.id) ?? makeHolding(account, market);
}

function makeHolding(account: Account, market: MarketState): Holding {
  return {
    account,
    market,
    units: 0,
    cost: 0n,
    mode: "Cross",
    leverage: 0,
    buyUnits: 0,
    sellUnits: 0,
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

export function keepHolding(holding: Holding): void {
  const { account, market } = holding;
  if (account.holdings.has(market.id)) return;
  account.holdings.set(market.id, holding);
  market.holdings.push(holding);
}
