// The laws of a description: what is lenient in an answer, what is strict in a request, and where a fault is placed.

import { describe, expect, test } from "vitest";
import * as d from "../../../src/wire/description.ts";
import { WireError } from "../../../src/wire/errors.ts";
import * as asked from "../../../src/wire/transaction/values.ts";
import * as v from "../../../src/wire/values.ts";
import { faultsOf } from "./json-schema.ts";

function faultOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown instanceof WireError ? `${thrown.code} ${thrown.path}` : `not coded: ${thrown}`;
  }
}

describe("an answer", () => {
  const place = d.snakeObject({ marketId: v.marketId, timeMs: d.at("timestamp", v.timeMs) });
  const row = d.object({
    accountId: v.accountId,
    note: d.maybe(v.text),
    hidden: d.omitted(v.text),
    extra: d.orElse(v.count, 7),
    places: d.list(place),
  });
  const least = { accountId: 1, places: [] };

  test("is read in either casing, the documented name first", () => {
    const read = (fields: object) => place.read({ timestamp: 5, ...fields }).marketId;
    expect([read({ market_id: 1 }), read({ marketId: 1 }), read({ marketId: 2, market_id: 1 })]).toEqual([1, 1, 1]);
  });

  test("passes over what nobody knows, and names of every object's own", () => {
    expect(row.read({ ...least, toString: 1, surprise: {} })).toEqual({ ...row.read(least) });
  });

  test("takes null as absence", () => {
    expect(row.read({ ...least, note: null, hidden: null, extra: null })).toMatchObject({ note: null, extra: 7 });
    expect(faultOf(() => row.read({ ...least, accountId: null }))).toBe("field_missing accountId");
  });

  test("has each fault under its path, by the documented name", () => {
    const places = [
      { market_id: 1, timestamp: 5 },
      { marketId: 65_536, timestamp: 5 },
    ];
    expect(faultOf(() => row.read({ ...least, places }))).toBe("field_range places.1.market_id");
    expect(faultOf(() => row.read({ ...least, note: {} }))).toBe("field_type note");
    expect(faultOf(() => row.read([]))).toBe("field_type ");
  });

  test("of what nobody depends on, a fault is passed over", () => {
    expect(row.read({ ...least, extra: "many" }).extra).toBe(7);
  });

  test("is written as its schema says: null where it may be, left out where it may be", () => {
    const value = { accountId: v.accountId.read(2n ** 64n - 1n), note: null, hidden: null, extra: 0, places: [] };
    const text = row.text(value);
    expect(text).toBe('{"accountId":18446744073709551615,"note":null,"extra":0,"places":[]}');
    expect(faultsOf(row.schema, text)).toBeNull();
    expect(faultsOf(row.schema, text.replace('"note":null,', ""))).not.toBeNull();
  });

  test("in a list that may be read in part, one bad element leaves the others", () => {
    expect(d.listOfReadable(v.marketId).read([1, "x", 2])).toEqual([1, 2]);
    expect(faultOf(() => d.list(v.marketId).read([1, "x", 2]))).toBe("field_type 1");
  });

  test("whose member has a name that every object has is none", () => {
    expect(() => d.object({ toString: v.text })).toThrow();
  });
});

describe("a request", () => {
  const order = d.request({ orderId: asked.orderId, price: d.maybe(asked.price), mode: d.optional(v.word(["Cross"])) });

  test("knows the documented name alone, and refuses a member that it does not have", () => {
    expect(faultOf(() => order.read({ orderId: 1 }))).toBe("field_unknown orderId");
    expect(faultOf(() => order.read({ order_id: 1, surprise: 1 }))).toBe("field_unknown surprise");
  });

  test("tells null from absence where the protocol does", () => {
    expect(order.read({ order_id: 1, price: null })).toEqual({ orderId: 1n, price: null, mode: null });
    expect(faultOf(() => order.read({ order_id: 1, mode: null }))).toBe("field_null mode");
    expect(faultOf(() => d.request({ price: d.sent(asked.price) }).read({}))).toBe("field_missing price");
  });

  test("takes no text for a number, and nothing that an object inherits", () => {
    expect(faultOf(() => order.read({ order_id: "1" }))).toBe("field_type order_id");
    expect(faultOf(() => order.read(Object.create({ order_id: 1 })))).toBe("field_missing order_id");
  });
});
