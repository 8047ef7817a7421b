// What a contract is worth between prints: the oracle price is old, and funding pays the side that holds against the premium over it.
// Ackerer, Hugonnier and Jermann 2023 (arXiv 2310.11771), at discrete funding settlements.

import { exp, ln } from "../../kernel/real.ts";

export type Carry = {
  /** The current oracle price, and the expected next print, USD. */
  readonly lastPrint: number;
  readonly nextPrint: number;
  /** Expected move of each later print, USD. */
  readonly drift: number;
  /** Cost of a settlement per USD of premium, 0 or more. */
  readonly kappa: number;
  /** Settlements before the next print. */
  readonly settlements: number;
  /** The most that one settlement costs per contract, USD, above 0; absent: no cap. */
  readonly maxFunding?: number;
};

/** Settlements between later prints: funding is hourly, and a print comes once a day (S1). */
const SETTLEMENTS_PER_PRINT = 24;

/** Weight of the last print in the fair value: 1 - (1 + kappa)^-settlements. */
export const lastPrintWeight = (kappa: number, settlements: number): number => 1 - discount(kappa, settlements);

/** What remains of a premium of 1 at the print after so many settlements. */
const discount = (kappa: number, settlements: number): number => exp(-settlements * ln(1 + kappa));

/**
 * Returns the price in USD at which a position held until the next print earns nothing: funding takes what the print adds. Where a cap
 * holds, a premium decays by the cap at each settlement until it is small enough to decay by its share.
 */
export function carryFairValue({ lastPrint, nextPrint, drift, kappa, settlements, maxFunding }: Carry): number {
  const premium = nextPrint + laterPrints(drift, kappa) - lastPrint;
  const size = Math.abs(premium);
  const cap = maxFunding ?? Number.POSITIVE_INFINITY;
  const capped = Math.ceil(Math.max(0, size - (cap * (1 + kappa)) / kappa) / cap);
  const atCap = Math.min(settlements, capped);
  const left = atCap === 0 ? size : size - atCap * cap;
  return lastPrint + Math.sign(premium) * left * discount(kappa, settlements - atCap);
}

/** Returns what the prints after the next one are worth before it: each is discounted, since funding is paid until then. */
function laterPrints(drift: number, kappa: number): number {
  if (drift === 0) return 0;
  const perPrint = discount(kappa, SETTLEMENTS_PER_PRINT);
  return (drift * perPrint) / (1 - perPrint);
}

/**
 * Returns what the prints after the next one are worth at that one, USD: `path` has the expected prints, the next one first. Each later
 * move is discounted by the funding over the prints before it.
 */
export function worthOfLaterPrints(path: readonly number[], kappa: number, settlementsPerPrint: number): number {
  const perPrint = discount(kappa, settlementsPerPrint);
  let [worth, left] = [0, 1];
  for (let at = 1; at < path.length; at += 1) {
    left *= perPrint;
    worth += left * ((path[at] ?? 0) - (path[at - 1] ?? 0));
  }
  return worth;
}

/** Returns the number of funding settlements after `fromSec`, up to `toSec`, chain time. */
export function settlementsBetween(fromSec: number, toSec: number, lastSec: number, everySec: number): number {
  const until = (sec: number) => Math.floor((sec - lastSec) / everySec);
  return Math.max(0, until(toSec) - until(fromSec));
}

export type Perpetual = {
  readonly spot: number;
  /** Anchoring and interest: per year where funding is continuous, per period where it is discrete. */
  readonly kappa: number;
  readonly iota: number;
  /** Interest rates of the quote and the base currency, per year. */
  readonly quoteRate: number;
  readonly baseRate: number;
};

/** A perpetual with continuous funding: spot x (kappa - iota) / (kappa + base - quote). */
export const continuousPerpetual = ({ spot, kappa, iota, quoteRate, baseRate }: Perpetual): number =>
  (spot * (kappa - iota)) / (kappa + baseRate - quoteRate);

/** A perpetual with funding each `years`, on the spot price at the start (`previous`) or the end (`current`) of the period. */
export function discretePerpetual(of: Perpetual, years: number, fundedOn: "previous" | "current"): number {
  const { spot, kappa, iota, quoteRate, baseRate } = of;
  const growth = exp((quoteRate - baseRate) * years);
  const paid = fundedOn === "current" ? growth : 1;
  return (spot * (kappa - iota) * paid) / (1 + kappa * paid - growth);
}
