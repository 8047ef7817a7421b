// The account of last resort: it takes positions over at the risk price, without the book and without fees.

import { notional } from "../../domain/rounding.ts";
import { type Side, size } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import { holdingOf, keepHolding } from "./accounts/holdings.ts";
import { tradePosition } from "./clearing.ts";
import { keepMaintenance } from "./liquidation/insurance.ts";
import { equityBehind, maintenanceOf, refresh } from "./margin/margin.ts";
import { dropIdleExits } from "./orders/exits.ts";
import { type Holding, keyOf } from "./records.ts";
import type { Step } from "./step.ts";

/** The account keeps what is left beyond the maintenance margin of the position, which goes to the insurance fund. */
export function transferToBackstop(step: Step, holding: Holding): void {
  const { core } = step;
  const { account, market } = holding;
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  assert(backstop !== undefined, `market ${market.id} has a backstop account`);
  const receiving = holdingOf(backstop, market);
  keepHolding(receiving);
  const held = Math.abs(holding.units);
  const side: Side = holding.units > 0 ? "buy" : "sell";
  const closing: Side = side === "buy" ? "sell" : "buy";
  const equity = equityBehind(holding);
  const maintenance = maintenanceOf(holding);
  const value = notional(market.risk.price, size(BigInt(held)));
  tradePosition(step, holding, closing, held, value);
  tradePosition(step, receiving, side, held, value);
  keepMaintenance(core, account, equity < maintenance ? equity : maintenance);
  refresh(holding);
  refresh(receiving);
  dropIdleExits(step, holding);
  step.events.push({
    type: "BackstopTransfer",
    accountId: account.id,
    marketId: market.id,
    side,
    size: size(BigInt(held)),
    price: market.risk.price,
  });
}
