// Profit of one account in one market since its ledger began, by source, exact to the base unit. The total is the account's own
// record: realized + unrealized + funding - fees, at the oracle price, so that it moves as equity does. Spread is what each fill
// beat the reference price by; inventory is the rest of trading: what was held, times how the reference moved under it.

import type { Fill } from "../../domain/fill.ts";
import { notional } from "../../domain/rounding.ts";
import { type Price, price, type Size, signOf, size, type Usdc, usdc } from "../../domain/units.ts";
import { afterFill, type Holding, holdingAt, realizedBy, valueAt } from "./holding.ts";

export const pnlComponents = ["spread", "inventory", "funding", "fees", "total"] as const;
/** Gains above zero, so `fees` paid stand below it: spread + inventory + funding + fees = total. */
export type Pnl = Readonly<Record<(typeof pnlComponents)[number], Usdc>>;

/** A fill without its fee, and the profit booked for it until both are told. */
export type UnpricedFill = { readonly key: string; readonly realized: Usdc };

/** Plain data: `stringifyJson` writes it, `readPnlState` brings it back. */
export type PnlState = Holding & {
  readonly oraclePrice: Price;
  /** Since the ledger began, less what was unrealized then. */
  readonly realized: Usdc;
  readonly spread: Usdc;
  readonly funding: Usdc;
  /** Rebates below zero. */
  readonly feesPaid: Usdc;
  readonly fillCount: number;
  /** Signed position that the fills come to: what the exchange's differs by moved without a fill that we know. */
  readonly explained: Size;
  /** Oldest first. */
  readonly unpriced: readonly UnpricedFill[];
  /** Keys of the newest fills, oldest first: what may be told again. */
  readonly bookedKeys: readonly string[];
};

/** The position that the ledger begins with. */
export type PnlStart = { readonly inventory: Size; readonly entryPrice: Price; readonly oraclePrice: Price };

export type PnlEvent =
  /**
   * A fill, or one told again: known keys change nothing, but for the fee that was missing. `referencePrice` is the mid when it
   * happened, without our own orders; null where none was fresh: the oracle price stands in.
   */
  | { readonly kind: "fill"; readonly fill: Fill; readonly referencePrice: Price | null }
  | { readonly kind: "print"; readonly oraclePrice: Price }
  /** Positive: we received. */
  | { readonly kind: "funding"; readonly amount: Usdc }
  /** What collateral gained by these fills together, realized less fees: ends the wait for their fees. */
  | { readonly kind: "fillsSettled"; readonly fillKeys: readonly string[]; readonly amount: Usdc }
  /** A change of collateral by trading that no fill tells of: rounding, a position that was closed behind our back. */
  | { readonly kind: "adjustment"; readonly amount: Usdc }
  /** The position as the exchange has it. Where it agrees our exact cost stays; else its word is taken. */
  | { readonly kind: "position"; readonly inventory: Size; readonly entryPrice: Price }
  /** What moved the position is no longer looked for. */
  | { readonly kind: "accepted" };

/** The feed drops what is told twice over hours; this net is for the overlap of a snapshot and what is replayed after it. */
const BOOKED_KEYS_MAX = 512;
/** A reconcile every 10 s settles them; more fills than this in between are beyond every limit of the guard. */
const UNPRICED_MAX = 512;

export function startPnl({ inventory, entryPrice, oraclePrice }: PnlStart): PnlState {
  const holding = holdingAt(entryPrice, inventory);
  const none = usdc(0n);
  const before = valueAt(oraclePrice, inventory) - holding.cost;
  const counts = { realized: usdc(-before), spread: none, funding: none, feesPaid: none, fillCount: 0 };
  return { ...holding, oraclePrice, ...counts, explained: inventory, unpriced: [], bookedKeys: [] };
}

/** The state after an event; the same object where nothing changed. */
export function foldPnl(state: PnlState, event: PnlEvent): PnlState {
  switch (event.kind) {
    case "fill":
      return state.unpriced.some(({ key }) => key === event.fill.key)
        ? withFee(state, event.fill)
        : withFill(state, event.fill, event.referencePrice ?? state.oraclePrice);
    case "print":
      return event.oraclePrice === state.oraclePrice ? state : { ...state, oraclePrice: event.oraclePrice };
    case "funding":
      return { ...state, funding: usdc(state.funding + event.amount) };
    case "fillsSettled":
      return withSettled(state, event.fillKeys, event.amount);
    case "adjustment":
      return { ...state, realized: usdc(state.realized + event.amount) };
    case "position":
      return event.inventory === state.inventory
        ? state
        : { ...state, ...holdingAt(event.entryPrice, event.inventory) };
    case "accepted":
      return state.explained === state.inventory ? state : { ...state, explained: state.inventory };
  }
}

/** Profit by source. Each fill's spread truncates to the base unit; what that leaves is in `inventory`, so the sum is exact. */
export function pnlOf(state: PnlState): Pnl {
  const { realized, spread, funding, feesPaid } = state;
  const traded = realized + valueAt(state.oraclePrice, state.inventory) - state.cost;
  return {
    spread,
    inventory: usdc(traded - spread),
    funding,
    fees: usdc(-feesPaid),
    total: usdc(traded + funding - feesPaid),
  };
}

/** Realized profit booked for those of the fills that wait for a fee here: a market's share of an amount that covers several. */
export function unpricedProfit(state: PnlState, fillKeys: readonly string[]): Usdc {
  const waiting = state.unpriced.filter(({ key }) => fillKeys.includes(key));
  return usdc(waiting.reduce((sum, { realized }) => sum + realized, 0n));
}

function withFill(state: PnlState, fill: Fill, referencePrice: Price): PnlState {
  if (state.bookedKeys.includes(fill.key)) return state;
  const realized = fill.realizedPnl ?? realizedBy(state, fill);
  const edge = price(signOf(fill.side) * (referencePrice - fill.price));
  const { key } = fill;
  return {
    ...state,
    ...afterFill(state, fill, realized),
    realized: usdc(state.realized + realized),
    spread: usdc(state.spread + notional(edge, fill.size)),
    feesPaid: usdc(state.feesPaid + (fill.fee ?? 0n)),
    fillCount: state.fillCount + 1,
    explained: size(state.explained + signOf(fill.side) * fill.size),
    unpriced: fill.fee === null ? newest([...state.unpriced, { key, realized }], UNPRICED_MAX) : state.unpriced,
    bookedKeys: newest([...state.bookedKeys, key], BOOKED_KEYS_MAX),
  };
}

function withFee(state: PnlState, fill: Fill): PnlState {
  const { fee } = fill;
  const booked = state.unpriced.find(({ key }) => key === fill.key);
  if (fee === null || booked === undefined) return state;
  const correction = (fill.realizedPnl ?? booked.realized) - booked.realized;
  return {
    ...state,
    cost: usdc(state.inventory === 0n ? 0n : state.cost + correction),
    realized: usdc(state.realized + correction),
    feesPaid: usdc(state.feesPaid + fee),
    unpriced: state.unpriced.filter((unpriced) => unpriced !== booked),
  };
}

function withSettled(state: PnlState, fillKeys: readonly string[], amount: Usdc): PnlState {
  const fees = unpricedProfit(state, fillKeys) - amount;
  const unpriced = state.unpriced.filter(({ key }) => !fillKeys.includes(key));
  return { ...state, feesPaid: usdc(state.feesPaid + fees), unpriced };
}

const newest = <T>(items: readonly T[], countMax: number): readonly T[] => items.slice(-countMax);
