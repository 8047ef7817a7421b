// The backstop account of a market: it takes over positions that no collateral carries, and works them off through the book. What
// it has lost when it is flat is the insurance fund's to pay.

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

/** How far from the mark price it trades. The interface shows neither this nor its pace. */
const SLIPPAGE_BPS = 100;

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

/**
 * Takes a whole position over at the price that leaves the account what its equity has beyond the position's maintenance margin, after
 * the ordinary taker fee (S6.2): the risk price less that margin, as far as it is there. The margin goes to the insurance fund.
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

/** `kept`: what the price takes of the account's margin beside the fee, USDC base units; 0 where the margin only pays the fee, or less. */
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
  // A long is worth less at the lower price, and so is its fee; a short costs more.
  const away = units > 0 ? -1n : 1n;
  const wanted = divideFloor(margin * BPS - atRisk * BigInt(feeBps), BPS + away * BigInt(feeBps));
  const takeover = price(market.risk.price + away * divideFloor(wanted * NOTIONAL_DIVISOR, held));
  const value = notional(takeover, size(held));
  return { price: takeover, value, fee: usdc(bpsCeil(value, feeBps)), kept: away * (value - atRisk) };
}
