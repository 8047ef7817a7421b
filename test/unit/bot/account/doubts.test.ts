// A read that says something else counts at once, is judged by the next one, and is dropped when two later ones contradict it.

import { describe, expect, test } from "vitest";
import { Doubts, type PlaceWord } from "../../../../src/bot/account/doubts.ts";
import { type MarketId, type Size, size } from "../../../../src/domain/units.ts";

const at = (receivedMs: number) => ({ askedMs: receivedMs - 10, receivedMs });
const contracts = (count: bigint): Size => size(count * 1_000_000n);
const position = (found: bigint, marketId: MarketId = 1): PlaceWord => ({
  key: `position:${marketId}`,
  marketId,
  differs: { what: "position", expected: "0", found: `${found}`, inventory: contracts(found) },
});
const nothing: PlaceWord = { key: "position:1", marketId: 1, differs: null };
const unconfirmed = (): Doubts => {
  const doubts = new Doubts();
  expect(doubts.hear(position(2n), at(1000))).toBeUndefined();
  return doubts;
};

describe("a doubt", () => {
  test("is repeated by the next read that differs, whatever it says", () => {
    for (const found of [2n, -5n])
      expect(unconfirmed().hear(position(found), at(2000))).toMatchObject({ sinceMs: 1000 });
  });

  test("is not repeated by a read that was asked before the first one came", () => {
    expect(unconfirmed().hear(position(2n), { askedMs: 1000, receivedMs: 2000 })).toBeUndefined();
  });

  test("ends with two later reads that say nothing new, and not with one", () => {
    const doubts = unconfirmed();
    doubts.hear(nothing, at(2000));
    expect(doubts.size).toBe(1);
    doubts.hear(nothing, at(3000));
    expect(doubts.size).toBe(0);
    expect(doubts.hear(position(2n), at(4000)), "a later one is the first again").toBeUndefined();
  });

  test("does not end with reads that were asked before it", () => {
    const doubts = unconfirmed();
    for (let round = 0; round < 3; round += 1) doubts.hear(nothing, { askedMs: 1000, receivedMs: 2000 });
    expect(doubts.size).toBe(1);
  });

  test("ends with two later reads that have no word about its place: an order that is over, and no longer listed", () => {
    const doubts = unconfirmed();
    for (const askedMs of [1000, 2000]) doubts.receivedAll([], askedMs);
    expect(doubts.size, "the first of them was asked before").toBe(1);
    doubts.receivedAll([], 3000);
    expect(doubts.size).toBe(0);
  });

  test("stays where a read cannot judge its place", () => {
    const doubts = unconfirmed();
    const unjudged = { ...nothing, differs: undefined };
    for (const ms of [2000, 3000, 4000]) {
      expect(doubts.hear(unjudged, at(ms))).toBeUndefined();
      doubts.receivedAll([unjudged], ms - 10);
    }
    expect(doubts.size).toBe(1);
  });

  test("is of its market alone", () => {
    const doubts = unconfirmed();
    doubts.hear(position(1n, 2), at(1000));
    expect(doubts.in(2)).toMatchObject([{ marketId: 2 }]);
    doubts.clear(1);
    expect([...doubts.all()]).toMatchObject([{ marketId: 2 }]);
    doubts.clear(null);
    expect(doubts.size).toBe(0);
  });

  test("changes what its market may cost when it comes and when it goes", () => {
    const doubts = unconfirmed();
    const touched = () => {
      const all = [...doubts.touched];
      doubts.touched.clear();
      return all;
    };
    expect(touched()).toEqual([1]);
    doubts.hear(nothing, at(2000));
    expect(touched()).toEqual([]);
    doubts.hear(nothing, at(3000));
    expect(touched()).toEqual([1]);
  });
});

describe("fills after a doubt about a position", () => {
  test("may be in what the read showed, or not: both count", () => {
    const doubts = unconfirmed();
    doubts.filled(1, "buy", contracts(1n), contracts(1n));
    doubts.filled(1, "sell", contracts(3n), contracts(-2n));
    doubts.filled(2, "sell", contracts(9n), contracts(-9n));
    expect(doubts.in(1)).toMatchObject([{ bought: contracts(1n), sold: contracts(3n) }]);
  });

  test("that lead to the position that the read showed end it", () => {
    const doubts = unconfirmed();
    doubts.filled(1, "buy", contracts(2n), contracts(2n));
    expect(doubts.size).toBe(0);
  });
});
