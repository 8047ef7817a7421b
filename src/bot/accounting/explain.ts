// Explains a difference between the collateral as read and as expected: fills with unknown fees, funding within its cap, a base unit of
// rounding per fill. The rest is a transfer of the account, and no profit.

import { divideCeil, divideFloor } from "../../domain/rounding.ts";
import { BPS, type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import type { TransferEvent } from "./account-book.ts";

/** The cause of a change of collateral; above zero: it grew. */
export type Posting =
  | { readonly kind: "funding"; readonly marketId: MarketId; readonly amount: Usdc }
  | ({ readonly kind: "transfer" } & Omit<TransferEvent, "kind" | "key">);

type FillsPosting = Extract<Posting, { readonly kind: "transfer" }>;

/** Fills of a market with unknown fees. */
export type PendingMoney = {
  readonly marketId: MarketId;
  readonly fillKeys: readonly string[];
  /** The profit that we computed. */
  readonly realized: bigint;
  /** Fees by the schedule. */
  readonly fees: bigint;
  readonly notional: bigint;
};

/** A settlement that may be in the difference. `estimate` has the right sign and proportion, not the right scale. */
export type Settlement = { readonly marketId: MarketId; readonly cap: bigint; readonly estimate: bigint };

export type Causes = {
  readonly pending: readonly PendingMoney[];
  readonly settlements: readonly Settlement[];
  /** Fills since the collateral last agreed, each of which the exchange rounded. */
  readonly fillCount: number;
};

/** Possible distance of a fee from the scheduled one: 20 bps of notional covers every published tier. */
const FEE_SPAN_BPS = 20n;

/** Returns postings that add up to `difference`; the last is the unexplained rest, if any. */
export function explain(difference: Usdc, { pending, settlements, fillCount }: Causes): readonly Posting[] {
  const { fills: postings, rest: left } = explainByFills(difference, pending);
  if (left === 0n) return postings;
  const roundings = BigInt(fillCount);
  const cap = settlements.reduce((sum, settlement) => sum + settlement.cap, 0n);
  if (settlements.length > 0 && abs(left) <= cap + roundings) {
    return [...postings, ...fundingPostings(settlements, left)];
  }
  const reason = abs(left) <= roundings ? "rounding" : "transfer";
  return [...postings, { kind: "transfer", reason, marketId: null, amount: usdc(left), fillKeys: [] }];
}

/** Returns what those fills explain of a difference, and the rest. */
export function explainByFills(
  difference: Usdc,
  pending: readonly PendingMoney[],
): { readonly fills: readonly FillsPosting[]; readonly rest: Usdc } {
  const fills = pending.length === 0 ? [] : fillsPostings(pending, difference);
  return { fills, rest: usdc(fills.reduce<bigint>((rest, { amount }) => rest - amount, difference)) };
}

/**
 * Fills without a fee take the whole difference where they can explain it: from nothing to their expected realized profit (which depends on
 * their order), and a span for their fees. Otherwise something else is in it, and they take their expected amounts. Each market gets its
 * computed profit; the first market also gets the rest.
 */
function fillsPostings(pending: readonly PendingMoney[], difference: bigint): readonly FillsPosting[] {
  const sumOf = (read: (money: PendingMoney) => bigint) => pending.reduce((sum, money) => sum + read(money), 0n);
  const estimate = sumOf(({ realized, fees }) => realized - fees);
  const span = divideCeil(sumOf(({ notional }) => notional) * FEE_SPAN_BPS, BPS) + sumOf(countOf);
  const low = (estimate < 0n ? estimate : 0n) - span;
  const high = (estimate > 0n ? estimate : 0n) + span;
  const amount = low <= difference && difference <= high ? difference : estimate;
  const rest = amount - sumOf(({ realized }) => realized);
  return pending.map(({ marketId, fillKeys, realized }, at) => {
    const money = usdc(at === 0 ? realized + rest : realized);
    return { kind: "transfer", reason: "fills", marketId, amount: money, fillKeys };
  });
}

const countOf = ({ fillKeys }: PendingMoney): bigint => BigInt(fillKeys.length);

/** Splits an amount over the markets in proportion to their estimates; over their caps where the estimates cancel out. */
function fundingPostings(due: readonly Settlement[], amount: bigint): readonly Posting[] {
  const estimates = due.reduce((sum, { estimate }) => sum + estimate, 0n);
  const aligned = estimates !== 0n && due.every(({ estimate }) => estimate === 0n || estimate > 0n === estimates > 0n);
  const weights = due.map(({ estimate, cap }) => (aligned ? abs(estimate) : cap));
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  let left = amount;
  return due.map(({ marketId }, at) => {
    const share = at === due.length - 1 || whole === 0n ? left : divideFloor(amount * (weights[at] ?? 0n), whole);
    left -= share;
    return { kind: "funding", marketId, amount: usdc(share) };
  });
}

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
