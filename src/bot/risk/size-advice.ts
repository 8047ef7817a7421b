// The order size that a market can carry: from what others offer near the mid, what takers take, and what a print may cost. Beyond it, risk
// grows with the size and income does not; docs/risk-controls.md has the measurement.

import type { Book } from "../../domain/book.ts";
import { mid } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { Order } from "../../domain/order.ts";
import { contractsOf, usdcOf, usdOf } from "../../domain/rounding.ts";
import type { Price, Side, Usdc } from "../../domain/units.ts";
import { quantile } from "../../kernel/quantile.ts";

export type SizeFacts = {
  /** The whole book, including our orders. */
  readonly book: Book;
  /** Our orders in it. */
  readonly own: readonly Pick<Order, "side" | "price" | "remainingSize">[];
  readonly trades: readonly Pick<Trade, "takerOrderId" | "size">[];
  readonly equity: Usdc;
  readonly price: Price;
  /** How far a print moves the price in 1 % of the cases on either side. */
  readonly tailMoveBps: number;
};

/** Contracts. Null if the market does not show it. */
export type SizeAdvice = {
  readonly contracts: number;
  readonly binds: "depth" | "takers" | "equity";
  readonly depth: number | null;
  readonly medianTaker: number | null;
};

/** Assumed distance from the mid over which the fill rate falls by the factor e (1 / k), until there are fills. */
export const NEAR_BPS = 10;
export const DEPTH_SHARE = 0.5;
export const TAKERS = 2;
/** Fewer takers give no reliable median. */
const TAKERS_MIN = 20;
/** Assumed position over a print, in orders of one side, and the share of equity that it may lose in one of a hundred prints. */
export const ORDERS_HELD = 10;
export const EQUITY_SHARE = 0.01;

/** The least of the three; a fact that the market does not show leaves its own out. */
export function sizeAdvice({ book, own, trades, equity, price, tailMoveBps }: SizeFacts): SizeAdvice {
  const depth = depthOf(book, own);
  const takers = takersOf(trades);
  const medianTaker = takers.length < TAKERS_MIN ? null : (quantile(takers, 0.5) ?? null);
  const lossEach = usdOf(price) * (tailMoveBps / 10_000) * ORDERS_HELD;
  const sizes = [
    { binds: "depth", contracts: depth === null ? null : DEPTH_SHARE * depth },
    { binds: "takers", contracts: medianTaker === null ? null : TAKERS * medianTaker },
    { binds: "equity", contracts: (EQUITY_SHARE * Math.max(0, usdcOf(equity))) / lossEach },
  ] as const;
  const least = sizes.reduce<Pick<SizeAdvice, "binds" | "contracts">>(
    (found, { binds, contracts }) => (contracts !== null && contracts < found.contracts ? { binds, contracts } : found),
    { binds: "equity", contracts: Number.POSITIVE_INFINITY },
  );
  return { ...least, depth, medianTaker };
}

/** One sentence. */
export function sizeAdviceText({ contracts, binds, depth, medianTaker }: SizeAdvice): string {
  const by = {
    depth: `half of the ${shown(depth)} that others offer on each side within ${NEAR_BPS} bps`,
    takers: `${TAKERS} median takers of ${shown(medianTaker)}`,
    equity: `with ${ORDERS_HELD} such orders held, one print in 100 may lose ${100 * EQUITY_SHARE} % of equity`,
  };
  return `suggested size ${shown(contracts)} contracts: ${by[binds]}`;
}

const shown = (contracts: number | null): string => (contracts ?? 0).toPrecision(2);

/** Others' contracts within reach of the mid, on the thinner side; null without a mid. */
function depthOf(book: Book, own: SizeFacts["own"]): number | null {
  const middle = mid(book);
  if (middle === undefined) return null;
  const near = ({ price }: { readonly price: Price }) =>
    Math.abs(usdOf(price) / usdOf(middle) - 1) * 10_000 <= NEAR_BPS;
  const on = (side: Side): number => {
    const all = (side === "buy" ? book.bids : book.asks).filter(near);
    const ours = own.filter((order) => order.side === side && near(order));
    const sum = all.reduce((total, { size }) => total + contractsOf(size), 0);
    return Math.max(
      0,
      ours.reduce((left, { remainingSize }) => left - contractsOf(remainingSize), sum),
    );
  };
  return Math.min(on("buy"), on("sell"));
}

function takersOf(trades: SizeFacts["trades"]): readonly number[] {
  const takers = new Map<unknown, number>();
  for (const { takerOrderId, size } of trades)
    takers.set(takerOrderId, (takers.get(takerOrderId) ?? 0) + contractsOf(size));
  return [...takers.values()];
}
