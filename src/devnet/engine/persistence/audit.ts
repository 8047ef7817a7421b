// Proves that no base unit was created or lost, and that every derived field equals what it is derived from.

import { assert } from "../../../kernel/assert.ts";
import { adverseOf, requirementOf, valueAtRisk } from "../margin/margin.ts";
import { askedOf, ordersIn, placesOf } from "../orders/live-orders.ts";
import type { Account, MarketAccount } from "../records.ts";
import type { Core } from "../state.ts";

/** Throws InvariantError if the ledgers do not balance. */
export function auditBalances(core: Core): void {
  let sum = 0n;
  let cost = 0n;
  for (const ledger of Object.values(core.ledgers)) sum += ledger.balance;
  for (const account of core.accounts.values()) {
    sum += account.balance;
    for (const marketAccount of account.markets.values()) {
      sum += marketAccount.bucket.balance;
      cost += marketAccount.cost;
      auditMarketAccount(marketAccount);
    }
    auditAccount(core, account);
  }
  assert(sum === 0n, `all balances sum to zero, not to ${sum}`);
  const { clearing } = core.ledgers;
  assert(clearing.balance + cost === 0n, `clearing ${clearing.balance} is what open positions cost, ${cost}`);
  assert(core.ledgers.rounding.balance >= 0n, "rounding is never against the exchange");
  auditOpenInterest(core);
}

function auditMarketAccount(marketAccount: MarketAccount): void {
  const { market, units } = marketAccount;
  assert(units !== 0 || marketAccount.cost === 0n, "a flat position has no cost");
  assert(
    marketAccount.bucket.balance === 0n || (marketAccount.mode === "Isolated" && units !== 0),
    "a bucket stands for a position",
  );
  let buyUnits = 0;
  let sellUnits = 0;
  let reducingBuys = 0;
  let reducingSells = 0;
  let adverse = 0n;
  const orders = ordersIn(marketAccount);
  for (const order of orders) {
    if (order.level === null) continue;
    adverse += adverseOf(order.side, order.price, order.remaining, market);
    if (order.reduceOnly && order.side === "buy") reducingBuys += order.remaining;
    else if (order.reduceOnly) reducingSells += order.remaining;
    else if (order.side === "buy") buyUnits += order.remaining;
    else sellUnits += order.remaining;
  }
  const exits = orders.filter((order) => order.untriggered && order.entryId !== null);
  assert(exits.length === marketAccount.exitCount, "the count of waiting exits is right");
  assert(
    buyUnits === marketAccount.buyUnits && sellUnits === marketAccount.sellUnits,
    "open units are those of the open orders",
  );
  assert(
    reducingBuys === marketAccount.reducingBuys && reducingSells === marketAccount.reducingSells,
    "reducing units are those of the reduce-only orders",
  );
  assert(reducingBuys <= Math.max(0, -units), "reduce-only buys rest only as far as there is a short to close");
  assert(reducingSells <= Math.max(0, units), "reduce-only sells rest only as far as there is a long to close");
  assert(askedOf(marketAccount) === marketAccount.asked, "the lowest leverage asked for is that of the open orders");
  assert(units !== 0 || marketAccount.leverage === 0, "a flat position has no leverage");
  assert(adverse === marketAccount.adverse, "the adverse amount is that of the open orders");
  assert(
    requirementOf({ ...marketAccount, memo: { ...marketAccount.memo, units: -1 } }, marketAccount) ===
      marketAccount.initial,
    "the margin requirement is up to date",
  );
  const unrealized =
    marketAccount.mode === "Cross" && units !== 0 ? valueAtRisk(market, units) - marketAccount.cost : 0n;
  assert(unrealized === marketAccount.unrealized, "the unrealized profit is up to date");
}

function auditAccount(core: Core, account: Account): void {
  let unrealized = 0n;
  let initial = 0n;
  let places = 0;
  for (const marketAccount of account.markets.values()) {
    unrealized += marketAccount.unrealized;
    initial += marketAccount.initial;
    for (const order of ordersIn(marketAccount)) places += placesOf(core, order);
  }
  assert(
    unrealized === account.unrealized && initial === account.initial,
    "an account's sums are those of its markets",
  );
  assert(places === account.placesTaken, "the places taken are those of the open orders and their exits");
}

function auditOpenInterest(core: Core): void {
  for (const market of core.markets.values()) {
    let long = 0;
    let short = 0;
    for (const marketAccount of market.accounts) {
      if (marketAccount.units > 0) long += marketAccount.units;
      else short -= marketAccount.units;
    }
    assert(
      long === short && long === market.openInterest,
      `open interest of market ${market.id} is that of its positions`,
    );
  }
}
