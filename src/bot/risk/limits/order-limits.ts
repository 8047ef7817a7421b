// Limits on a single order: account, form, size and price. Every comparison is written so that NaN exceeds the limit.

import { notionalCeil, usdOf } from "../../../domain/rounding.ts";
import { BPS, type Price } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { answersOf } from "../adverse.ts";
import { isFlatten, reducible } from "../classify.ts";
import { collarBps } from "../collar.ts";
import { distance } from "../prints.ts";
import type { RiskInputs } from "../risk-state.ts";
import type { LimitId, LimitRule } from "./limit-rule.ts";
import type { Proposal } from "./proposal.ts";

export const orderLimits = {
  scope: {
    controls: "A16",
    rule: "The command names the account and the market of the view.",
    missing: "denied",
    limits: [],
    judges: "every",
    resting: false,
    exceeded: ({ command }, { view }) => {
      const same = command.accountId === view.accountId && command.marketId === view.marketId;
      return same ? null : { accountId: command.accountId, marketId: command.marketId };
    },
  },

  wellFormed: {
    controls: "A4 A17",
    rule: "Size and price are above zero; a market order has a slippage cap; a modify names a working order without a pending change and leaves something to fill.",
    missing: "denied",
    limits: [],
    judges: "every",
    resting: false,
    exceeded: malformation,
  },

  tick: {
    controls: "A17",
    rule: "The price is a multiple of the market's current tick.",
    missing: "an increase is denied; a reduction passes, and the exchange decides",
    limits: [],
    judges: "every",
    resting: true,
    exceeded: ({ command, actionClass, price }, { view }) => {
      if (command.kind === "place" && command.orderType === "Market") return null;
      const market = lastKnown(view.market);
      if (market === undefined || price === null) return unlessReducing(actionClass, { market: "absent" });
      return price % market.tickSize === 0n ? null : { price, tickSize: market.tickSize };
    },
  },

  orderSize: {
    controls: "A4",
    rule: "The size that may still fill is within the limit.",
    missing: "the configuration is refused: the limit is required",
    limits: ["maxOrderSize"],
    judges: "every",
    resting: true,
    exceeded: ({ remaining }, { limits }) => {
      const { maxOrderSize } = limits.market;
      return remaining <= maxOrderSize ? null : { size: remaining, maxOrderSize };
    },
  },

  orderNotional: {
    controls: "A4",
    rule: "The notional at the order's own price is within the limit.",
    missing: "an increase without a price is denied; a reduction passes",
    limits: ["maxOrderNotional"],
    judges: "every",
    resting: true,
    exceeded: ({ remaining, price, actionClass }, { limits }) => {
      if (price === null) return unlessReducing(actionClass, { price: "unknown" });
      const notional = notionalCeil(price, remaining);
      const { maxOrderNotional } = limits.market;
      return notional <= maxOrderNotional ? null : { notional, maxOrderNotional };
    },
  },

  priceBand: {
    controls: "A3",
    rule: "The price is inside the exchange's band around the oracle price, where it tells one.",
    missing: "an increase is denied; a reduction passes, and the exchange decides",
    limits: [],
    judges: "every",
    resting: true,
    exceeded: (proposal, { view }) => {
      const bandBps = lastKnown(view.market)?.priceBandBps;
      if (bandBps === undefined) return unlessReducing(proposal.actionClass, { market: "absent" });
      if (bandBps === null) return null;
      return outside(proposal, lastKnown(view.oracle)?.price, bandBps);
    },
  },

  oraclePriceCollar: {
    controls: "A3",
    rule: "The price is within our own collar around the last trusted print. An operator's flatten has its own cap on slippage instead.",
    missing: "an increase is denied; a reduction passes",
    limits: ["maxOracleDistanceBps"],
    judges: "every",
    resting: true,
    exceeded: (proposal, inputs) => {
      if (isFlatten(proposal.command)) return null;
      return outside(proposal, trustedPrice(inputs), collarBps(inputs.limits.market, inputs.view.signals));
    },
  },

  fairValueCollar: {
    controls: "A3 A18",
    rule: "The strategy's own fair value is within that collar, and the price is on our side of it by its fee at least, so that a fill is no loss. An order that fits into the position that it closes may lose as much as the limit.",
    missing:
      "no fair value: the oracle price replaces it, and without that the order is denied; no fee tier: an assumed fee",
    limits: ["maxOracleDistanceBps", "maxThroughFairBps", "assumedFeeBps"],
    judges: "adding",
    resting: true,
    exceeded: ({ side, price, postOnly, remaining }, inputs) => {
      const { view, limits, state } = inputs;
      const oracle = trustedPrice(inputs);
      if (oracle === undefined || price === null) return { fairValue: "absent" };
      const oracleUsd = usdOf(oracle);
      const fair = state.fairValueUsd ?? oracleUsd;
      const bandBps = collarBps(limits.market, view.signals);
      const near = (Math.abs(fair - oracleUsd) / oracleUsd) * 10_000 <= bandBps;
      if (!near) return { fairValueUsd: fair, oracleUsd, bandBps };
      const awayBps = ((side === "buy" ? fair - usdOf(price) : usdOf(price) - fair) / fair) * 10_000;
      const fee = feeOf(postOnly, inputs);
      const isClosing = remaining <= reducible(view, side);
      const maxLossBps = isClosing ? limits.market.maxThroughFairBps : 0;
      if (withoutNoise(awayBps - fee.bps) >= -maxLossBps) return null;
      return { awayBps, feeBps: fee.bps, isFeeKnown: fee.isKnown, maxLossBps, fairValueUsd: fair };
    },
  },

  adverseFills: {
    controls: "A18 B6 B7",
    rule: "The loss that a side's fills surely show in the present phase (between prints, before one, after one) is within the limit: their mean markout in half-spreads of ours, three neutral fills added, plus 1.5 half-spreads over the root of their number. Markouts after 60 s count in full, shorter and longer ones half. From a quarter of the limit on the side stands further away by what is lost, from a half it has half of its size, from three quarters a quarter; beyond the limit nothing on it adds. The other side and reductions are untouched.",
    missing: "passes: no fills to judge, or no price to judge them by",
    limits: ["maxAdverseHalfSpreads", "adverseFillsMin", "adverseFillsCoolDownMs"],
    judges: "adding",
    resting: true,
    exceeded: ({ side }, { view, limits, state }) => {
      const answer = answersOf(state.observed.adverse, view, limits.market)[side];
      return answer.level === "stopped" ? { side, phase: answer.phase, ...answer.cause } : null;
    },
  },
} as const satisfies Partial<Record<LimitId, Omit<LimitRule, "id">>>;

const unlessReducing = (actionClass: Proposal["actionClass"], facts: Facts): Facts | null =>
  actionClass === "reduce" ? null : facts;

/** Rounds a distance to a millionth of a basis point, which removes the float error. */
const withoutNoise = (bps: number): number => Math.round(bps * 1e6) / 1e6;

/** If the tier is absent or stale, the assumed fee counts, or the last known one if it is higher. */
function feeOf(postOnly: boolean, { view, limits }: RiskInputs): { readonly bps: number; readonly isKnown: boolean } {
  const { assumedFeeBps } = limits.market;
  const tier = lastKnown(view.feeTier);
  if (tier === undefined) return { bps: assumedFeeBps, isKnown: false };
  const last = postOnly ? tier.makerFeeBps : tier.takerFeeBps;
  const isKnown = view.feeTier.state === "fresh";
  return { bps: isKnown ? last : Math.max(last, assumedFeeBps), isKnown };
}

/** The center of the collars: the newest print, or the previous one while that is unconfirmed. */
function trustedPrice({ view, state }: RiskInputs): Price | undefined {
  const oracle = lastKnown(view.oracle)?.price;
  return oracle === undefined ? undefined : (state.observed.prints.trusted?.price ?? oracle);
}

/** The edge counts as inside. */
function outside({ price, actionClass }: Proposal, center: Price | undefined, bandBps: number): Facts | null {
  if (center === undefined || price === null) return unlessReducing(actionClass, { oracle: "absent" });
  const inside = distance(price, center) * BPS <= center * BigInt(bandBps);
  return inside ? null : { price, oraclePrice: center, bandBps };
}

function malformation({ command, order, price, remaining }: Proposal): Facts | null {
  if (!(remaining > 0n)) return { remaining };
  if (command.kind === "place") {
    if (command.orderType === "Limit") return command.price > 0n ? null : { price: command.price };
    if (command.price !== 0n) return { price: command.price };
    return command.maxSlippageBps === null || command.postOnly ? { maxSlippageBps: command.maxSlippageBps } : null;
  }
  if (order === null || order.state !== "working" || order.pending !== null) return { order: order?.state ?? "absent" };
  if (command.side !== order.side || command.reduceOnly !== order.reduceOnly) return { side: command.side };
  if (command.newPrice === null && command.newSize === null) return { newPrice: null, newSize: null };
  return price !== null && price > 0n ? null : { price };
}
