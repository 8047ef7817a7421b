// Fills outside the book: positions that the exchange closes at its own price, against the market's backstop account. Each side gets an
// order by the exchange, so that every position is the sum of its account's fills.

import { opposite, type Price, type Usdc, usdc } from "../../domain/units.ts";
import { assert } from "../../kernel/assert.ts";
import { keepMarketAccount, marketAccountOf } from "./accounts/market-accounts.ts";
import { clearAt } from "./clearing.ts";
import { orderOf } from "./describe.ts";
import { refresh } from "./margin/margin.ts";
import { reducingOrder } from "./orders/draft-order.ts";
import { fitExits } from "./orders/exits.ts";
import { numberOrder } from "./orders/live-orders.ts";
import { fitReduceOnly } from "./orders/reduce-only.ts";
import { type Account, keyOf, type LiveOrder, type MarketAccount, type MarketState } from "./records.ts";
import type { Core, Step } from "./state.ts";

export function backstopOf(core: Core, market: MarketState): Account {
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  assert(backstop !== undefined, `market ${market.id} has a backstop account`);
  return backstop;
}

/**
 * Closes a whole position against the backstop account, which takes it over. `value`: USDC base units that both sides book for it; the
 * backstop account, as maker, pays no fee.
 */
export function closeOutsideBook(
  step: Step,
  marketAccount: MarketAccount,
  terms: { readonly price: Price; readonly value: bigint; readonly fee: Usdc },
): void {
  const { core, ctx } = step;
  const receiving = marketAccountOf(backstopOf(core, marketAccount.market), marketAccount.market);
  keepMarketAccount(receiving);
  const units = Math.abs(marketAccount.units);
  const taker = reducingOrder(marketAccount, "Market", units, ctx.timeMs);
  const maker: LiveOrder = {
    ...taker,
    marketAccount: receiving,
    side: opposite(taker.side),
    reduceOnly: false,
    mode: "Cross",
    leverage: 0,
  };
  for (const order of [taker, maker]) {
    numberOrder(core, order);
    step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  }
  const { price, value, fee } = terms;
  clearAt(step, taker, maker, { price, units, value, takerFee: fee, makerFee: usdc(0n) });
  refresh(marketAccount);
  refresh(receiving);
  fitExits(step, marketAccount);
  fitReduceOnly(step, marketAccount);
  fitReduceOnly(step, receiving);
}
