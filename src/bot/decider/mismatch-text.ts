// A difference between our records and the exchange's, as a sentence for people.

import {
  type AccountId,
  AMOUNT_SCALE,
  type MarketId,
  PRICE_SCALE,
  SIZE_SCALE,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import type { AwayChange, MismatchKind } from "../account/effects.ts";
import type { FoldEffect } from "./fold.ts";

type Figures = Pick<Extract<FoldEffect, { readonly kind: "mismatch" }>, "expected" | "found">;

/** `name`: the market's, or the account's where no market is concerned. */
export const mismatchText = (name: string, what: MismatchKind, figures: Figures): string =>
  `${name}: ${texts[what](figures)}`;

const differs = (subject: string, scale: number) => (figures: Figures) =>
  `our ${subject} is ${formatDecimal(BigInt(figures.expected), scale)}, two reads say ${formatDecimal(BigInt(figures.found), scale)}`;

const texts: Readonly<Record<MismatchKind, (figures: Figures) => string>> = {
  orderMissing: () => "two reads lack one of our orders",
  orderForeign: ({ found }) => `foreign order ${found}`,
  orderPrice: differs("order price", PRICE_SCALE),
  orderRemaining: differs("remaining order size", SIZE_SCALE),
  orderReappeared: () => "two reads list an order that had ended",
  position: differs("position", SIZE_SCALE),
  fillMissed: () => "recovered a missed fill",
  book: () => "the streamed book differs from the one read",
};

/** A resync found a position moved, and no fill explains it. */
export const unattributedText = (
  accountId: AccountId,
  marketId: MarketId,
  { contracts, from, to }: Pick<Extract<FoldEffect, { readonly kind: "unattributed" }>, "contracts" | "from" | "to">,
): string =>
  `account ${accountId}: the position in market ${marketId} went from ${formatDecimal(from, SIZE_SCALE)} to ${formatDecimal(to, SIZE_SCALE)}` +
  ` contracts; no fill explains ${formatDecimal(contracts, SIZE_SCALE)} of it: booked at the oracle price`;

/** Collateral changed while we watched, and neither a fill nor funding explains it. */
export const transferText = (accountId: AccountId, amount: Usdc): string =>
  `account ${accountId}: the collateral changed by ${signed(amount)} USDC, and no fill, fee or funding explains it: ` +
  `booked as a transfer (a ${amount > 0n ? "deposit" : "withdrawal"}), not as PnL`;

/** Differences that the start found from the book of earlier runs. */
export function awayText(accountId: AccountId, { amount, pnl, worth, moved }: AwayChange): string {
  const changes = [
    ...(amount === 0n
      ? []
      : [
          `the collateral changed by ${signed(amount)} USDC${pnl === 0n ? "" : `, ${signed(pnl)} of it by fills and funding`}`,
        ]),
    ...moved.map(
      ({ marketId, from, to }) =>
        `the position in market ${marketId} went from ${formatDecimal(from, SIZE_SCALE)} to ${formatDecimal(to, SIZE_SCALE)} contracts`,
    ),
  ];
  const told = `account ${accountId}: while the daemon was away ${changes.join(" and ")}`;
  if (amount === pnl && moved.length === 0) return told;
  return `${told}; ${signed(usdc(worth - pnl))} USDC of it, beyond the price's own move, is booked as a transfer, not as PnL`;
}

const signed = (amount: Usdc): string => `${amount > 0n ? "+" : ""}${formatDecimal(amount, AMOUNT_SCALE)}`;
