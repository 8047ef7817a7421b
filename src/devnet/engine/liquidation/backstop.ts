// The backstop account of a market: takes over positions whose margin is gone, and closes them through the book. The insurance fund pays
// its losses once it is flat.

import { divideFloor, notional } from "../../../domain/rounding.ts";
import { BPS, NOTIONAL_DIVISOR, type Price, price, type Side, size, type Usdc, usdc } from "../../../domain/units.ts";
import { feeTierOf } from "../clearing.ts";
import { bpsCeil } from "../exact.ts";
import { equityBehind, maintenanceOf } from "../margin/margin.ts";
import { slippageLimit } from "../market/prices.ts";
import { backstopOf, closeOutsideBook } from "../outside-book.ts";
import type { Account, MarketAccount } from "../records.ts";
import type { Core, Step } from "../state.ts";
import { closeThroughBook, firstPart, PAUSE_MS } from "./closing-order.ts";
import { coverIfFlat, depositInInsurance } from "./insurance.ts";

/** Slippage limit of its orders from the mark price. The interface shows neither this nor its pace. */
const SLIPPAGE_BPS = 100;

export function isBackstop(core: Core, account: Account): boolean {
  for (const market of core.markets.values()) if (market.spec.backstopAccountId === account.id) return true;
  return false;
}

/** Closes part of each position through the book, the next part after a pause, and settles with the insurance fund once it is flat. */
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

/**
 * Takes over a whole position at the price that leaves the account its equity beyond the position's maintenance margin, after the ordinary
 * taker fee (S6.2): the risk price less that margin, as far as the equity covers it. The margin goes to the insurance fund.
 */
export function transferToBackstop(step: Step, marketAccount: MarketAccount): void {
  const { core } = step;
  const { account, market, units } = marketAccount;
  const held = size(BigInt(Math.abs(units)));
  const side: Side = units > 0 ? "buy" : "sell";
  const { kept, ...terms } = takeoverOf(marketAccount);
  closeOutsideBook(step, marketAccount, terms);
  depositInInsurance(core, backstopOf(core, market), kept);
  step.events.push({
    type: "BackstopTransfer",
    accountId: account.id,
    marketId: market.id,
    side,
    size: held,
    price: terms.price,
  });
}

/** `kept`: margin that the price takes from the account in addition to the fee, USDC base units; 0 if the margin covers at most the fee. */
function takeoverOf(marketAccount: MarketAccount): { price: Price; value: bigint; fee: Usdc; kept: bigint } {
  const { account, market, units } = marketAccount;
  const held = BigInt(Math.abs(units));
  const feeBps = feeTierOf(account, market).takerFeeBps;
  const equity = equityBehind(marketAccount);
  const maintenance = maintenanceOf(marketAccount);
  const margin = equity < 0n ? 0n : equity < maintenance ? equity : maintenance;
  const atRisk = notional(market.risk.price, size(held));
  const ordinary = usdc(bpsCeil(atRisk, feeBps));
  if (margin <= ordinary) return { price: market.risk.price, value: atRisk, fee: usdc(margin), kept: 0n };
  // A long is valued lower at the lower price, and its fee falls with it; for a short both rise.
  const away = units > 0 ? -1n : 1n;
  const wanted = divideFloor(margin * BPS - atRisk * BigInt(feeBps), BPS + away * BigInt(feeBps));
  const takeover = price(market.risk.price + away * divideFloor(wanted * NOTIONAL_DIVISOR, held));
  const value = notional(takeover, size(held));
  return { price: takeover, value, fee: usdc(bpsCeil(value, feeBps)), kept: away * (value - atRisk) };
}
