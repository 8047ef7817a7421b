// Random histories of an account: what two markets' fills, reads, payments, prints and transfers can look like to the book.

import fc from "fast-check";
import type { BookEvent, TransferReason } from "../../../../src/bot/accounting/account-book.ts";
import { type Side, usdc } from "../../../../src/domain/units.ts";
import { filled, positionRead } from "./books.ts";

export type History = BookEvent[];

const amount = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).map(usdc);
const marketId = fc.constantFrom(1, 2);

/** A fill whole, or its two halves: without its money first, told later. */
const fill: fc.Arbitrary<readonly BookEvent[]> = fc
  .record({
    nth: fc.nat(40),
    marketId,
    side: fc.constantFrom<Side>("buy", "sell"),
    price: fc.bigInt({ min: 1n, max: 50_000_000_000n }),
    size: fc.bigInt({ min: 1n, max: 5_000_000n }),
    fee: fc.bigInt({ min: -1_000n, max: 5_000n }),
    realizedPnl: fc.option(amount),
    timestampMs: fc.option(fc.nat(20)),
    readsBefore: fc.nat(3),
    money: fc.constantFrom("own" as const, "read" as const),
    told: fc.constantFrom("once", "late", "never"),
  })
  .map(({ nth, readsBefore, money, told, ...figures }) => {
    const whole = filled(
      { ...figures, key: `${figures.marketId}:${nth}` },
      { referencePrice: 100n, readsBefore, money },
    );
    const bare = { ...whole, fill: { ...whole.fill, fee: null, realizedPnl: null, timestampMs: null } };
    return told === "once" ? [whole] : told === "never" ? [bare] : [bare, whole];
  });
const position: fc.Arbitrary<readonly BookEvent[]> = fc
  .record({
    marketId,
    number: fc.integer({ min: 1, max: 3 }),
    inventory: fc.bigInt({ min: -9_000_000n, max: 9_000_000n }),
    entryPrice: fc.bigInt({ min: 1n, max: 50_000_000_000n }),
    isAdopted: fc.boolean(),
    isAccepted: fc.boolean(),
  })
  .map(({ isAccepted, ...figures }) => [
    positionRead(figures),
    ...(isAccepted ? [{ kind: "accepted" as const, marketId: figures.marketId, number: figures.number }] : []),
  ]);
const funding: fc.Arbitrary<readonly BookEvent[]> = fc
  .record({ marketId, atSec: fc.nat(9), amount })
  .map((payment) => [{ kind: "funding", ...payment }]);
const print: fc.Arbitrary<readonly BookEvent[]> = fc
  .record({ marketId, validUntilSec: fc.nat(9), amount })
  .map((moved) => [{ kind: "print", ...moved }]);
const reasons: readonly TransferReason[] = ["opening", "whileAway", "transfer", "rounding", "fills"];
const transfer: fc.Arbitrary<readonly BookEvent[]> = fc
  .record({
    key: fc.constantFrom("a", "b", "c", "d"),
    reason: fc.constantFrom(...reasons),
    marketId: fc.option(marketId),
    amount,
    fills: fc.array(fc.nat(40), { maxLength: 5 }),
  })
  .map(({ fills, ...of }) => {
    const standsForFills = of.reason === "fills" && of.marketId !== null;
    return [{ kind: "transfer", ...of, fillKeys: standsForFills ? fills.map((nth) => `${of.marketId}:${nth}`) : [] }];
  });

/** Events as the exchange made them: each name stands for one thing that happened. */
export const historyOfBook: fc.Arbitrary<History> = fc
  .array(fc.oneof({ weight: 6, arbitrary: fill }, position, funding, print, transfer), { maxLength: 60 })
  .map((groups) => {
    const named = new Map(groups.map((events) => [nameOf(events[0]), events]));
    return [...named.values()].flat();
  });

function nameOf(event: BookEvent | undefined): string {
  switch (event?.kind) {
    case "fill":
      return `fill ${event.fill.key}`;
    case "position":
      return `position ${event.marketId} ${event.number}`;
    case "funding":
      return `funding ${event.marketId} ${event.atSec}`;
    case "print":
      return `print ${event.marketId} ${event.validUntilSec}`;
    case "transfer":
      return `transfer ${event.key}`;
    default:
      return "";
  }
}
