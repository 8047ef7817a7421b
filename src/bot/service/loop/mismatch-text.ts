// A difference between our records and the exchange's, as a sentence for people. By then the exchange's figure has replaced ours.

import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../../../domain/units.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import type { FeedEffect, MismatchKind } from "../../feed/effects.ts";

type Figures = Pick<Extract<FeedEffect, { readonly kind: "mismatch" }>, "expected" | "found">;

/** `name`: of the market, or of the account where no market is concerned. */
export const mismatchText = (name: string, what: MismatchKind, figures: Figures): string =>
  `${name}: ${texts[what](figures)}`;

const corrected = (subject: string, scale: number) => (figures: Figures) =>
  `${subject} corrected from ${formatDecimal(BigInt(figures.expected), scale)} to ${formatDecimal(BigInt(figures.found), scale)}`;

const texts: Readonly<Record<MismatchKind, (figures: Figures) => string>> = {
  orderMissing: () => "the exchange no longer lists one of our orders; removed",
  orderForeign: ({ found }) => `foreign order ${found}`,
  orderPrice: corrected("order price", PRICE_SCALE),
  orderRemaining: corrected("remaining order size", SIZE_SCALE),
  orderReappeared: () => "the exchange lists an order that had ended; tracked again",
  position: (figures) =>
    `${corrected("position", SIZE_SCALE)(figures)}: no fill shows the difference, booked as unattributed`,
  fillMissed: () => "recovered a missed fill",
  collateral: corrected("collateral", AMOUNT_SCALE),
  book: () => "the streamed book differs from the one read; reconnecting",
};
