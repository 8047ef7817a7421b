// Isolated margin: a bucket of USDC that stands for one position alone. It is filled from the cross collateral as the position
// grows, and gives back its share, with the profit or less the loss, as the position shrinks.

import { divideFloor } from "../../domain/rounding.ts";
import { coverDeficit } from "./insurance.ts";
import { type Carried, initialOf, valueAtRisk } from "./margin.ts";
import { post } from "./postings.ts";
import type { Holding, MarketState } from "./records.ts";
import type { Core } from "./state.ts";

/**
 * Cross collateral that growing from `held` units to the position in `next` takes: the margin of what is added, and the loss
 * against the risk price that it starts with. 0 when the position only shrinks.
 */
export function marginToGrow(
  market: MarketState,
  held: number,
  next: Pick<Carried, "units" | "leverage">,
  loss: bigint,
): bigint {
  const flipped = held !== 0 && held > 0 !== next.units > 0;
  const base = flipped ? 0 : held;
  if (Math.abs(next.units) <= Math.abs(base)) return 0n;
  const margin = initialOf(market, next.units, next.leverage) - initialOf(market, base, next.leverage);
  return margin + (loss > 0n ? loss : 0n);
}

/**
 * Pays the profit that a trade realized to where it belongs, and moves the margin that the trade calls for. `held` and
 * `heldCost` are the position before the trade. A loss beyond the
 * bucket is the insurance fund's.
 */
export function settleTrade(core: Core, holding: Holding, held: number, heldCost: bigint, realized: bigint): void {
  const { log, ledgers } = core;
  const { account, bucket, market, units } = holding;
  if (holding.mode === "Cross") {
    post(log, ledgers.clearing, account, realized);
    return;
  }
  const flipped = held !== 0 && units !== 0 && held > 0 !== units > 0;
  const closed = flipped ? Math.abs(held) : Math.max(0, Math.abs(held) - Math.abs(units));
  if (closed > 0) {
    const share = divideFloor(bucket.balance * BigInt(closed), BigInt(Math.abs(held)));
    post(log, ledgers.clearing, bucket, realized);
    if (share + realized > 0n) post(log, bucket, account, share + realized);
    if (closed === Math.abs(held)) coverDeficit(core, bucket, market);
  }
  const base = flipped ? 0 : held;
  const added = holding.cost - (flipped ? 0n : heldCost);
  const loss = added - (valueAtRisk(market, units) - valueAtRisk(market, base));
  post(log, account, bucket, marginToGrow(market, base, holding, loss));
}
