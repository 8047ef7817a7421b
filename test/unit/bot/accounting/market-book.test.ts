// What a market's book says, in figures that can be checked by hand; the laws over all histories are in test/property.

import { describe, expect, test } from "vitest";
import {
  type AccountBook,
  type BookEvent,
  foldBook,
  freeTransferKey,
  readsIn,
  type TransferEvent,
  unattributedIn,
} from "../../../../src/bot/accounting/account-book.ts";
import { lacksFee, pendingFills } from "../../../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../../../src/bot/accounting/totals.ts";
import { usdc } from "../../../../src/domain/units.ts";
import {
  bookOf,
  type FillContext,
  type FillFigures,
  filled,
  marketIn,
  type PositionFigures,
  pnlAt,
  positionRead,
  transferOf,
} from "./books.ts";

const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 100)) * 1_000_000n;
const contracts = (count: number): bigint => BigInt(count) * 1_000_000n;
const dollars = (count: number) => usdc(BigInt(Math.round(count * 1_000_000)));

const flat = positionRead({ inventory: 0n });
const bought = (figures: Partial<FillFigures> & { readonly key: string }, context: FillContext = {}): BookEvent =>
  filled({ side: "buy", price: usd(199), size: contracts(2), ...figures }, { referencePrice: usd(200), ...context });
const read = (number: number, held: number, of: Partial<PositionFigures> = {}): BookEvent =>
  positionRead({ number, inventory: contracts(held), entryPrice: usd(199), ...of });
const folded = (...events: readonly BookEvent[]): AccountBook => bookOf(flat, ...events);
const posted = (amount: bigint, ...fillKeys: string[]): TransferEvent => ({
  ...transferOf("fills:1", amount, "fills"),
  marketId: 1,
  fillKeys,
});
const deposit = (amount: bigint): TransferEvent => transferOf("a", amount, "transfer");

describe("PnL by source", () => {
  test("a buy below the mid earns its distance as spread, and what is held moves with the mark", () => {
    expect(pnlAt(folded(bought({ key: "a" })), usd(195))).toEqual({
      spread: dollars(2),
      inventory: dollars(-10),
      jump: dollars(0),
      funding: dollars(0),
      fees: dollars(0),
      total: dollars(-8),
    });
  });

  test("a sell above the mid earns its distance as spread", () => {
    const book = folded(bought({ key: "a", side: "sell", price: usd(201.5) }));
    expect(pnlAt(book, usd(200))).toMatchObject({ spread: dollars(3), total: dollars(3) });
  });

  test("where nothing was known to measure a fill against, it has no spread", () => {
    const book = folded(bought({ key: "a" }, { referencePrice: null }));
    expect(pnlAt(book, usd(200))).toMatchObject({ spread: 0n, inventory: dollars(2), total: dollars(2) });
  });

  test("a mid away from the mark counts as inventory until the contracts are sold", () => {
    const book = folded(bought({ key: "a", price: usd(198) }, { referencePrice: usd(198.5) }));
    expect(pnlAt(book, usd(200))).toMatchObject({ spread: dollars(1), inventory: dollars(3), total: dollars(4) });
  });

  test("what a print moved is taken out of inventory, and once", () => {
    const print = { kind: "print", marketId: 1, validUntilSec: 5, amount: dollars(-10) } as const;
    const book = folded(bought({ key: "a" }), print, print);
    expect(pnlAt(book, usd(195))).toMatchObject({ spread: dollars(2), inventory: 0n, jump: dollars(-10) });
    expect(pnlAt(book, usd(195)).total).toBe(dollars(-8));
    expect(book.collateral).toBe(folded(bought({ key: "a" })).collateral);
  });

  test("a fee paid stands below zero, a rebate above, funding received above", () => {
    const paid = folded(bought({ key: "a", price: usd(200), fee: dollars(0.2) }));
    expect(pnlAt(paid, usd(200))).toMatchObject({ fees: dollars(-0.2), total: dollars(-0.2) });
    const rebate = folded(bought({ key: "a", price: usd(200), fee: dollars(-0.04) }), {
      kind: "funding",
      marketId: 1,
      atSec: 1,
      amount: dollars(0.5),
    });
    expect(pnlAt(rebate, usd(200))).toMatchObject({ fees: dollars(0.04), funding: dollars(0.5), total: dollars(0.54) });
  });

  test("begins at zero, whatever the position at its start has gained or lost", () => {
    const book = bookOf(read(1, -3, { entryPrice: usd(180), oraclePrice: usd(200) }));
    expect(pnlAt(book, usd(200)).total).toBe(0n);
    expect(pnlAt(book, usd(199))).toMatchObject({ inventory: dollars(3), total: dollars(3) });
    foldBook(book, bought({ key: "a", price: usd(200), size: contracts(3), realizedPnl: dollars(-60) }));
    expect(pnlAt(book, usd(200)).total, "the old loss is not booked again").toBe(0n);
  });

  test("a profit that the exchange rounds in its own way is taken at its word once flat", () => {
    const realizedPnl = dollars(6) - 1n;
    const book = folded(
      bought({ key: "a", price: usd(200), timestampMs: 1 }),
      bought({ key: "b", side: "sell", price: usd(203), realizedPnl, timestampMs: 2 }),
    );
    expect(pnlAt(book, usd(200)).total).toBe(realizedPnl);
  });

  test("a fill through zero closes the old position and opens the new one at its own price", () => {
    const book = folded(
      bought({ key: "a", price: usd(200), timestampMs: 1 }),
      bought({ key: "b", side: "sell", price: usd(210), size: contracts(5), timestampMs: 2 }),
    );
    expect(marketIn(book).now).toMatchObject({
      inventory: -contracts(3),
      cost: dollars(-630),
      realized: dollars(20),
    });
    expect(pnlAt(book, usd(205)).total).toBe(dollars(35));
  });
});

describe("a fill without its fee", () => {
  test("waits outside the collateral until the fee is told, once", () => {
    const book = folded(bought({ key: "a", fee: null }));
    expect([...pendingFills(marketIn(book))].map(({ key }) => key)).toEqual(["a"]);
    expect(collateralOf(book)).toBe(0n);
    for (const fee of [dollars(0.1), dollars(9)]) foldBook(book, bought({ key: "a", fee }));
    expect(pnlAt(book, usd(200))).toMatchObject({ fees: dollars(-0.1), spread: dollars(2), total: dollars(1.9) });
    expect([collateralOf(book), [...pendingFills(marketIn(book))]]).toEqual([dollars(-0.1), []]);
  });

  test("is settled by a transfer that stands for it; a fee that is told later is only kept", () => {
    const book = folded(
      bought({ key: "a", price: usd(200), fee: null, timestampMs: 1 }),
      bought({ key: "b", side: "sell", price: usd(203), fee: null, timestampMs: 2 }),
      posted(dollars(5.75), "a", "b"),
    );
    expect(lacksFee(marketIn(book), "a")).toBe(true);
    foldBook(book, bought({ key: "a", price: usd(200), fee: dollars(9) }));
    expect(lacksFee(marketIn(book), "a")).toBe(false);
    expect(pnlAt(book, usd(200))).toMatchObject({ fees: dollars(-0.25), total: dollars(5.75) });
    expect(collateralOf(book)).toBe(dollars(5.75));
  });

  test("of a read that had its money counts as profit and is no part of the collateral", () => {
    const book = folded(
      bought({ key: "a", price: usd(200), timestampMs: 1 }),
      bought({ key: "b", side: "sell", price: usd(203), fee: null, timestampMs: 2 }, { money: "read" }),
      read(2, 0),
    );
    expect([pnlAt(book, usd(200)).total, collateralOf(book)]).toEqual([dollars(6), 0n]);
  });
});

describe("a position as it was read", () => {
  const held = bought({ key: "a", timestampMs: 1 });

  test("leaves our exact cost alone where it agrees, and is believed where it does not", () => {
    const cost = marketIn(folded(held)).now.cost;
    expect(marketIn(folded(held, read(2, 2, { entryPrice: usd(150) }))).now.cost).toBe(cost);
    expect(marketIn(folded(held, read(2, 0))).now).toMatchObject({ inventory: 0n, cost: 0n });
    expect(marketIn(folded(held, read(2, 5, { entryPrice: usd(150) }))).now.cost).toBe(dollars(750));
  });

  test("moved at the oracle price, whatever it is said to have cost: the PnL at that price stays", () => {
    const before = pnlAt(folded(held), usd(210)).total;
    for (const contracts of [0, 1, 5, -4])
      for (const entryPrice of [usd(1), usd(205), usd(9000)]) {
        const book = folded(held, read(2, contracts, { entryPrice, oraclePrice: usd(210), isAdopted: contracts > 0 }));
        expect(pnlAt(book, usd(210)).total).toBe(before);
        expect(pnlAt(book, usd(211)).total).toBe(before + dollars(contracts));
      }
  });

  test("moved at its cost where no oracle price was known: no profit", () => {
    const unknown = { oraclePrice: 0n };
    expect(pnlAt(folded(held, read(2, 0, unknown)), usd(200)).total).toBe(0n);
    const opened = folded(read(2, 3, { ...unknown, entryPrice: usd(190) }));
    expect(pnlAt(opened, usd(190)).total).toBe(0n);
  });

  test("is no matter of what the collateral did meanwhile", () => {
    const book = folded(held, read(2, 3, { oraclePrice: usd(200), isAdopted: true }), deposit(dollars(498.61)));
    expect(pnlAt(book, usd(200)).total).toBe(pnlAt(folded(held), usd(200)).total);
    expect(book.unassigned).toBe(0n);
    expect(collateralOf(book)).toBe(collateralOf(folded(held)) + dollars(498.61));
  });

  test("has the fills from before it, whenever they are found", () => {
    const late = bought({ key: "late", side: "sell" }, { readsBefore: 1, money: "read" });
    const book = folded(held, read(2, 0), late);
    expect([marketIn(book).now.inventory, unattributedIn(book, 1)]).toEqual([0n, 0n]);
  });

  test("a fill that is found later is what moved it, at its own price", () => {
    const found = bought({ key: "late", side: "sell", price: usd(205), fee: null, timestampMs: 2 }, { money: "read" });
    const book = folded(held, read(2, 0, { oraclePrice: usd(200), isAdopted: true }), found);
    expect([pnlAt(book, usd(200)).total, collateralOf(book)]).toEqual([dollars(12), 0n]);
  });

  test("is unattributed as far as no fill explains it, until that is accepted", () => {
    const book = folded(held, read(2, 5), bought({ key: "b", side: "sell", size: contracts(1) }, { readsBefore: 2 }));
    expect([marketIn(book).now.inventory, unattributedIn(book, 1)]).toEqual([contracts(4), contracts(3)]);
    foldBook(book, { kind: "accepted", marketId: 1, number: 2 });
    expect([marketIn(book).now.inventory, unattributedIn(book, 1)]).toEqual([contracts(4), 0n]);
  });

  test("is numbered after every fill, even where an earlier read was lost", () => {
    const book = bookOf(bought({ key: "a" }, { readsBefore: 3 }));
    expect(readsIn(book, 1)).toBe(3);
    foldBook(book, read(4, 2));
    expect(marketIn(book).now.inventory).toBe(contracts(2));
  });

  test("of a market that no earlier run knew leaves nothing to attribute", () => {
    expect(unattributedIn(bookOf(read(1, 5)), 1)).toBe(0n);
  });
});

test("a payment, a transfer and a fill count once, however often they come", () => {
  const payment = { kind: "funding", marketId: 1, atSec: 3600, amount: dollars(1) } as const;
  const events = [payment, transferOf("opening", dollars(100)), deposit(dollars(10)), bought({ key: "a" })];
  const book = folded(...events, ...events, ...events);
  expect(collateralOf(book)).toBe(dollars(111));
  expect(marketIn(book).now).toMatchObject({ inventory: contracts(2), fillCount: 1 });
});

test("fills fold in the exchange's order, those of one moment by their keys", () => {
  const events = [
    bought({ key: "b", side: "sell", price: usd(210), timestampMs: 2 }),
    bought({ key: "c", price: usd(190), timestampMs: 2 }),
    bought({ key: "a", price: usd(200), timestampMs: 1 }),
  ];
  for (const order of [events, events.toReversed()]) {
    expect(marketIn(folded(...order)).now).toMatchObject({ cost: dollars(380), realized: dollars(20) });
  }
});

describe("bounds", () => {
  const many = Array.from({ length: 2000 }, (_, index) => bought({ key: `${index}`, size: 1n, timestampMs: index }));

  test("only the newest fills can change places; all of them count", () => {
    const book = folded(...many);
    expect(marketIn(book).tail.length).toBeLessThan(1000);
    expect(marketIn(book).now).toMatchObject({ fillCount: 2000, inventory: 2000n });
  });

  test("a fill whose fee nobody told in all that time no longer waits for it; its profit stays", () => {
    const closing = filled({ key: "c", side: "sell", price: usd(203), size: contracts(2), fee: null, timestampMs: -1 });
    const book = folded(bought({ key: "b", price: usd(200), timestampMs: -2 }), closing, ...many);
    expect([...pendingFills(marketIn(book))]).toEqual([]);
    expect(marketIn(book).now).toMatchObject({ pendingCount: 0, pending: 0n, estimated: dollars(6) });
  });

  test("a read that is accepted after it left the tail is accepted all the same", () => {
    const book = bookOf(read(1, 0), read(2, 3), ...many.map((event) => ({ ...event, readsBefore: 2 }) as BookEvent));
    expect(unattributedIn(book, 1)).toBe(contracts(3));
    foldBook(book, { kind: "accepted", marketId: 1, number: 2 });
    expect(unattributedIn(book, 1)).toBe(0n);
  });

  test("a key for a transfer is one that no transfer has", () => {
    const book = bookOf(transferOf("opening", 1n), transferOf("rounding:3", 1n, "rounding"));
    expect(freeTransferKey(book, "opening")).toBe("opening");
    expect(freeTransferKey(book, "rounding")).toBe("rounding:4");
  });
});
