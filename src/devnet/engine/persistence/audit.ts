// The proof that no base unit was made or lost, and that nothing derived has drifted from what it is derived from.

import { assert } from "../../../kernel/assert.ts";
import { adverseOf, requirementOf, valueAtRisk } from "../margin/margin.ts";
import { ordersIn } from "../orders/live-orders.ts";
import type { Account, Holding } from "../records.ts";
import type { Core } from "../state.ts";

/** Throws InvariantError when the books do not balance. */
export function auditBalances(core: Core): void {
  let sum = 0n;
  let cost = 0n;
  for (const ledger of Object.values(core.ledgers)) sum += ledger.balance;
  for (const account of core.accounts.values()) {
    sum += account.balance;
    for (const holding of account.holdings.values()) {
      sum += holding.bucket.balance;
      cost += holding.cost;
      auditHolding(holding);
    }
    auditAccount(account);
  }
  assert(sum === 0n, `all balances sum to zero, not to ${sum}`);
  const { clearing } = core.ledgers;
  assert(clearing.balance + cost === 0n, `clearing ${clearing.balance} is what open positions cost, ${cost}`);
  assert(core.ledgers.rounding.balance >= 0n, "rounding is never against the exchange");
  auditOpenInterest(core);
}

function auditHolding(holding: Holding): void {
  const { market, units } = holding;
  assert(units !== 0 || holding.cost === 0n, "a flat position has no cost");
  assert(
    holding.bucket.balance === 0n || (holding.mode === "Isolated" && units !== 0),
    "a bucket stands for a position",
  );
  let buyUnits = 0;
  let sellUnits = 0;
  let adverse = 0n;
  const orders = ordersIn(holding);
  for (const order of orders) {
    if (order.level === null) continue;
    adverse += adverseOf(order.side, order.price, order.remaining, market);
    if (order.reduceOnly) continue;
    if (order.side === "buy") buyUnits += order.remaining;
    else sellUnits += order.remaining;
  }
  const exits = orders.filter((order) => order.untriggered && order.entryId !== null);
  assert(exits.length === holding.exitCount, "the count of waiting exits is right");
  assert(buyUnits === holding.buyUnits && sellUnits === holding.sellUnits, "open units are those of the open orders");
  assert(adverse === holding.adverse, "the adverse amount is that of the open orders");
  assert(
    requirementOf({ ...holding, memo: { ...holding.memo, units: -1 } }, holding) === holding.initial,
    "the margin requirement is up to date",
  );
  const unrealized = holding.mode === "Cross" && units !== 0 ? valueAtRisk(market, units) - holding.cost : 0n;
  assert(unrealized === holding.unrealized, "the unrealized profit is up to date");
}

function auditAccount(account: Account): void {
  let unrealized = 0n;
  let initial = 0n;
  let orders = 0;
  for (const holding of account.holdings.values()) {
    unrealized += holding.unrealized;
    initial += holding.initial;
    orders += ordersIn(holding).length;
  }
  assert(
    unrealized === account.unrealized && initial === account.initial,
    "an account's sums are those of its holdings",
  );
  assert(orders === account.orderCount, "the count of orders is that of the holdings");
}

function auditOpenInterest(core: Core): void {
  for (const market of core.markets.values()) {
    let long = 0;
    let short = 0;
    for (const holding of market.holdings) {
      if (holding.units > 0) long += holding.units;
      else short -= holding.units;
    }
    assert(
      long === short && long === market.openInterest,
      `open interest of market ${market.id} is that of its positions`,
    );
  }
}
