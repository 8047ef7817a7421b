// A snapshot comes back exactly, or is refused by name.

import { expect, test } from "vitest";
import { foldPnl, startPnl } from "../../../../src/bot/accounting/market-book.ts";
import { readPnlState, SnapshotError } from "../../../../src/bot/accounting/snapshot.ts";
import { price, size } from "../../../../src/domain/units.ts";
import { type Json, parseJson, stringifyJson } from "../../../../src/kernel/json.ts";
import { fillOf } from "./fill.ts";

const far = 2n ** 70n;
const start = startPnl({ inventory: size(5n), entryPrice: price(far), oraclePrice: price(20_000_000_000n) });
const fill = fillOf({ key: "1:h:2:3:maker", side: "sell", price: 19_000_000_000n, size: 9_000_000n, fee: null });
const state = foldPnl(start, { kind: "fill", fill, referencePrice: null });
const written = (value: Json): unknown => parseJson(stringifyJson(value));

test("a profit comes back exactly, short and long integers alike", () => {
  expect(readPnlState(written(state))).toEqual(state);
});

test("a profit written before what fills explain was kept explains all of its position", () => {
  const moved = foldPnl(state, { kind: "position", inventory: size(77n), entryPrice: price(1n) });
  const { explained: _, ...old } = moved;
  expect(readPnlState(written(old))).toEqual({ ...moved, explained: 77n });
});

test.each([
  ["no object", null, "pnl"],
  ["a list", [], "pnl"],
  ["an amount that is missing", { ...state, cost: undefined }, "cost"],
  ["an amount with a fraction", { ...state, spread: 0.5 }, "spread"],
  ["an amount as text", { ...state, funding: "12" }, "funding"],
  ["keys that are no list", { ...state, bookedKeys: {} }, "bookedKeys"],
  ["a key that is no text", { ...state, bookedKeys: [7] }, "bookedKeys"],
  ["an unpriced fill without its profit", { ...state, unpriced: [{ key: "a" }] }, "realized"],
])("refused: %s", (_, value, name) => {
  const thrown = (() => {
    try {
      return readPnlState(value);
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(SnapshotError);
  expect(thrown).toMatchObject({ code: "snapshot_malformed", facts: { name } });
});
