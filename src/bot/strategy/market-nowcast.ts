// What the market says of the next print. Funding holds a contract near the last print, so its price shows only a share of what is
// expected; divided by that share it is a second estimate beside the one from past prints. Whoever moves the book moves it too:
// therefore it counts by its precision, and moves the nowcast slowly.

import { HOUR_MS } from "../../kernel/clock.ts";

/** A log price over the last print, and its standard error. */
export type Estimate = { readonly log: number; readonly error: number };

/** Beyond this weight of the last print the market shows too little of the next one. */
const LAST_PRINT_WEIGHT_MAX = 0.8;
/** The book alone moves the nowcast at most this many surprises an hour. */
const SURPRISES_PER_HOUR = 0.5;
const SURPRISES_MAX = 3;

/** What a log price over the last print implies; null where funding hides it. Errors of the market's price grow likewise. */
export function impliedByMarket(market: Estimate, lastPrintWeight: number): Estimate | null {
  if (lastPrintWeight >= LAST_PRINT_WEIGHT_MAX) return null;
  const share = 1 - lastPrintWeight;
  return { log: market.log / share, error: market.error / share };
}

/** How far the market would move an estimate, each weighing by its precision; 0 where both errors are. */
export function wantedShift(own: Estimate, market: Estimate): number {
  const variances = own.error ** 2 + market.error ** 2;
  return variances === 0 ? 0 : ((market.log - own.log) * own.error ** 2) / variances;
}

/** The shift after `elapsedMs`, on its way from the last one to the wanted one. `surprise` in log price. */
export function nextShift(shift: number, wanted: number, elapsedMs: number, surprise: number): number {
  const most = (SURPRISES_PER_HOUR * surprise * Math.max(0, elapsedMs)) / HOUR_MS;
  return shift + clamp(wanted - shift, most);
}

/** An estimate with its shift: the market moves none further than three surprises from the last print. */
export const shifted = (log: number, shift: number, surprise: number): number =>
  clamp(log + shift, Math.max(SURPRISES_MAX * surprise, Math.abs(log)));

const clamp = (value: number, most: number): number => Math.min(most, Math.max(-most, value));
