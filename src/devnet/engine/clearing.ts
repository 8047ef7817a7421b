// Clears a fill: fees, positions, realized profit and volumes of both sides, and its event.

import type { FeeTier } from "../../domain/market.ts";
import { type Price, size, type Usdc, usdc } from "../../domain/units.ts";
import { post } from "./accounts/postings.ts";
import { trailingOf } from "./accounts/volume.ts";
import { bpsCeil, tickValueFloor } from "./exact.ts";
import { settleTrade } from "./margin/isolated.ts";
import { bookTrade, isNew, leverageAfter, longChange } from "./margin/position.ts";
import type { Account, LiveOrder, MarketAccount, MarketState } from "./records.ts";
import type { Step } from "./state.ts";

/** Current fees of an account: the tier of the market's asset class with the highest minimum volume that the family has reached (S4.1). */
export function feeTierOf(account: Account, market: MarketState): FeeTier {
  const volume = trailingOf(account.family.volume);
  for (const tier of market.feeTiers) if (tier.minVolume30d <= volume) return tier;
  throw new RangeError(`no fee tier of ${market.spec.assetClass} reaches down to volume 0`);
}

/** Clears one fill at the maker's price. The caller updates the remaining sizes of both orders. */
export function clearFill(step: Step, taker: LiveOrder, maker: LiveOrder, units: number): void {
  const { market } = maker.marketAccount;
  const value = tickValueFloor(maker.ticks, units, market.tickRate);
  const takerFee = usdc(bpsCeil(value, feeTierOf(taker.marketAccount.account, market).takerFeeBps));
  const makerFee = usdc(bpsCeil(value, feeTierOf(maker.marketAccount.account, market).makerFeeBps));
  clearAt(step, taker, maker, { price: maker.price, units, value, takerFee, makerFee });
}

/** Terms of a fill. `value`: USDC base units that both sides book for it; a positive fee is paid. */
export type FillTerms = {
  readonly price: Price;
  readonly units: number;
  readonly value: bigint;
  readonly takerFee: Usdc;
  readonly makerFee: Usdc;
};

/** Clears one fill at the given terms, and emits its event. */
export function clearAt(step: Step, taker: LiveOrder, maker: LiveOrder, terms: FillTerms): void {
  const { market } = maker.marketAccount;
  const { core, ctx } = step;
  const { price, units, value, takerFee, makerFee } = terms;
  core.log.fill(maker, taker, units);
  const takerRealizedPnl = clearSide(step, taker, units, value, takerFee);
  const makerRealizedPnl = clearSide(step, maker, units, value, makerFee);
  step.events.push({
    type: "Fill",
    execution: {
      marketId: market.id,
      price,
      size: size(BigInt(units)),
      takerSide: taker.side,
      takerOrderId: taker.orderId,
      makerOrderId: maker.orderId,
      txHash: ctx.txHash,
      timestampMs: ctx.emittedMs,
      takerAccountId: taker.marketAccount.account.id,
      makerAccountId: maker.marketAccount.account.id,
      takerFee,
      makerFee,
      takerRealizedPnl,
      makerRealizedPnl,
    },
  });
}

function clearSide(step: Step, order: LiveOrder, units: number, value: bigint, fee: bigint): Usdc {
  const { core } = step;
  const { account } = order.marketAccount;
  post(core.log, account, core.ledgers.fees, fee);
  const realized = tradePosition(step, order.marketAccount, order, units, value);
  account.volume.today += value;
  account.family.volume.today += value;
  return usdc(realized);
}

/** Books one side of a fill; returns the profit it realized. */
function tradePosition(
  step: Step,
  marketAccount: MarketAccount,
  { side, leverage: said }: Pick<LiveOrder, "side" | "leverage">,
  units: number,
  value: bigint,
): bigint {
  const { core, ctx } = step;
  const { market, units: held, cost, leverage } = marketAccount;
  const before = { units: held, cost, leverage };
  market.openInterest += longChange(held, side, units);
  const realized = bookTrade(marketAccount, side, units, value);
  marketAccount.leverage = leverageAfter(before, marketAccount.units, said);
  settleTrade(core, marketAccount, before, realized);
  if (isNew(held, marketAccount.units)) {
    marketAccount.openedAtMs = ctx.timeMs;
    marketAccount.fundingIndex = market.funding.cumulative;
    marketAccount.partialAtMs = 0;
  }
  core.log.marketAccount(marketAccount);
  return realized;
}
