// The backstop account of a market: it takes over positions that no collateral carries, and works them off through the book. What
// it has lost when it is flat is the insurance fund's to pay.

import { notional } from "../../../domain/rounding.ts";
import { opposite, type Side, size } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import { keepMarketAccount, marketAccountOf } from "../accounts/market-accounts.ts";
import { tradePosition } from "../clearing.ts";
import { equityBehind, maintenanceOf, refresh } from "../margin/margin.ts";
import { slippageLimit } from "../market/prices.ts";
import { dropIdleExits } from "../orders/exits.ts";
import { type Account, keyOf, type MarketAccount, type MarketState } from "../records.ts";
import type { Core, Step } from "../state.ts";
import { closeThroughBook, firstPart, PAUSE_MS } from "./closing-order.ts";
import { coverIfFlat, keepMaintenance } from "./insurance.ts";

/** How far from the mark price it trades. The interface shows neither this nor its pace. */
const SLIPPAGE_BPS = 100;

function backstopOf(core: Core, market: MarketState): Account {
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  assert(backstop !== undefined, `market ${market.id} has a backstop account`);
  return backstop;
}

export function isBackstop(core: Core, account: Account): boolean {
  for (const market of core.markets.values()) if (market.spec.backstopAccountId === account.id) return true;
  return false;
}

/** Takes part of each position to the book, the next after a pause, and settles with the insurance fund once nothing is left. */
export function runBackstops(step: Step): void {
  for (const market of step.core.markets.values()) {
    const backstop = backstopOf(step.core, market);
    const marketAccount = backstop.markets.get(market.id);
    if (marketAccount !== undefined && marketAccount.units !== 0) workOff(step, marketAccount);
    coverIfFlat(step.core, backstop);
  }
}

function workOff(step: Step, marketAccount: MarketAccount): void {
  const { timeMs } = step.ctx;
  if (marketAccount.partialAtMs !== 0 && timeMs - marketAccount.partialAtMs < PAUSE_MS) return;
  const limit = slippageLimit(marketAccount.market, marketAccount.units > 0 ? "sell" : "buy", SLIPPAGE_BPS);
  if (closeThroughBook(step, marketAccount, firstPart(marketAccount), limit)) marketAccount.partialAtMs = timeMs;
}

/** The account keeps what is left beyond the maintenance margin of the position, which goes to the insurance fund. */
export function transferToBackstop(step: Step, marketAccount: MarketAccount): void {
  const { core } = step;
  const { account, market } = marketAccount;
  const receiving = marketAccountOf(backstopOf(core, market), market);
  keepMarketAccount(receiving);
  const held = Math.abs(marketAccount.units);
  const side: Side = marketAccount.units > 0 ? "buy" : "sell";
  const equity = equityBehind(marketAccount);
  const maintenance = maintenanceOf(marketAccount);
  const value = notional(market.risk.price, size(BigInt(held)));
  tradePosition(step, marketAccount, { side: opposite(side), leverage: 0 }, held, value);
  tradePosition(step, receiving, { side, leverage: 0 }, held, value);
  keepMaintenance(core, account, equity < maintenance ? equity : maintenance);
  refresh(marketAccount);
  refresh(receiving);
  dropIdleExits(step, marketAccount);
  step.events.push({
    type: "BackstopTransfer",
    accountId: account.id,
    marketId: market.id,
    side,
    size: size(BigInt(held)),
    price: market.risk.price,
  });
}
