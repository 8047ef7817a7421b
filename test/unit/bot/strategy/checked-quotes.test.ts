// Whatever a strategy's file returns is quotes, or a fault that says what it is instead.

import { describe, expect, test } from "vitest";
import { checkedQuotes, QuoteFault } from "../../../../src/bot/strategy/checked-quotes.ts";
import { price } from "../../../../src/domain/units.ts";
import { quote, targets } from "./quotes.ts";

function faultOf(quote: () => unknown): string {
  try {
    checkedQuotes(quote);
    return "none";
  } catch (error) {
    return error instanceof QuoteFault ? `${error.code}: ${error.message}` : `not coded: ${error}`;
  }
}

const good = targets(quote("buy", 0, 199), quote("sell", 0, 201));
const [bid] = good.quotes;

test("quotes are what they were when they were checked, whatever the strategy does with its own", () => {
  const lean = { inventory: 1, wantedStd: 2 };
  const own = { ...good, quotes: good.quotes.map((each) => ({ ...each })), lean };
  const checked = checkedQuotes(() => own);
  for (const each of own.quotes) each.price = price(1n);
  own.quotes.length = 0;
  own.fairValueUsd = 1;
  lean.wantedStd = -1;
  expect(checked).toEqual({ ...good, lean: { inventory: 1, wantedStd: 2 } });
  const none = { quotes: [], fairValueUsd: null, reason: "the fair value is unknown" };
  expect(checkedQuotes(() => none)).toEqual(none);
});

describe("a fault", () => {
  test.each<[string, () => unknown, string]>([
    ["a throw", () => JSON.parse("{"), "threw: threw: "],
    [
      "a size times a number",
      () => (500_000n as unknown as number) * 10,
      "threw: threw: Cannot mix BigInt and other types, use explicit conversions (sizes and prices are bigint units: scaled(size, 10)",
    ],
    [
      "the larger of a size and a number",
      () => Math.max(500_000n as unknown as number, 1),
      "bigint units: scaled(size, 10)",
    ],
    ["half a unit", () => BigInt(0.5), "bigint units: scaled(size, 10)"],
    ["a forgotten return", () => {}, "nothing: returned nothing"],
    ["null", () => null, "nothing: returned nothing"],
    ["a promise", async () => good, "promise: returned a promise"],
    ["a promise that fails", () => Promise.reject(new Error("late")), "promise: returned a promise"],
    ["no list of quotes", () => ({ ...good, quotes: undefined }), "malformed: returned wrong quotes"],
    ["too many quotes", () => ({ ...good, quotes: Array(1001).fill(bid) }), "malformed: returned wrong quotes"],
    [
      "a price that is a number",
      () => ({ ...good, quotes: [bid, { ...bid, price: 199 }] }),
      "malformed: returned price 199 in quote 1 (must be what priceFromUsd returns)",
    ],
    [
      "a price that is not a number",
      () => ({ ...good, quotes: [{ ...bid, price: Number.NaN }] }),
      "malformed: returned price NaN in quote 0 (must be what priceFromUsd returns)",
    ],
    [
      "a size that is text",
      () => ({ ...good, quotes: [{ ...bid, size: "1" }] }),
      'malformed: returned size "1" in quote 0 (must be what sizeFromContracts or scaled returns)',
    ],
    [
      "a level between levels",
      () => ({ ...good, quotes: [{ ...bid, level: 0.5 }] }),
      "malformed: returned level 0.5 in quote 0 (must be a whole number from 0 at the touch)",
    ],
    [
      "a side of the wire",
      () => ({ ...good, quotes: [{ ...bid, side: "Long" }] }),
      'malformed: returned side "Long" in quote 0 (must be "buy" or "sell")',
    ],
    [
      "no word on reduceOnly",
      () => ({ ...good, quotes: [{ ...bid, reduceOnly: undefined }] }),
      "malformed: returned no reduceOnly in quote 0 (must be true or false)",
    ],
    [
      "an intent that nobody knows",
      () => ({ ...good, quotes: [{ ...bid, intent: "maybe" }] }),
      'malformed: returned intent "maybe" in quote 0 (must be "rest" or "take")',
    ],
    ["no quote at all", () => ({ ...good, quotes: [null] }), "malformed: returned no side in quote 0"],
    [
      "a fair value of NaN",
      () => ({ ...good, fairValueUsd: Number.NaN }),
      "malformed: returned fairValueUsd NaN (must be a finite number or null)",
    ],
    [
      "an endless fair value",
      () => ({ ...good, fairValueUsd: Infinity }),
      "malformed: returned fairValueUsd Infinity (must be",
    ],
    ["a reason that is no text", () => ({ ...good, reason: 7 }), "malformed: returned reason 7 (must be text or null)"],
    ["a bid above an ask", () => targets(quote("buy", 0, 202), quote("sell", 0, 201)), "crossed: returned a bid"],
    [
      "a bid at an ask",
      () => targets(quote("sell", 1, 203), quote("sell", 0, 201), quote("buy", 0, 201)),
      "crossed: returned a bid",
    ],
    [
      "a bid above an ask among better ones",
      () => targets(quote("buy", 1, 198), quote("buy", 0, 202), quote("sell", 0, 201)),
      "crossed",
    ],
  ])("%s", (_, returned, fault) => {
    expect(faultOf(returned)).toContain(fault);
  });

  test.each([quote("sell", 0, 199, 0), quote("sell", 0, 0)])(
    "a quote of nothing, or at no price, crosses nothing",
    (nothing) => {
      expect(faultOf(() => targets(quote("buy", 0, 200), nothing))).toBe("none");
    },
  );
});
