// What a lie makes of an answer to a read of an account, and what a word from ahead names: one thing is wrong, the rest is as it was.

import { expect, test } from "vitest";
import { Sent } from "../../src/devnet/api/stream/frames.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { ChainWords } from "../../src/sim/chain-words.ts";
import { lie } from "../../src/sim/faults/lies.ts";

const orders = [1, 2, 3, 4, 5, 6, 7, 8].map((orderId) => ({ orderId }));
const account = { accountId: 12, positions: [{ marketId: 1, side: "Long", size: "500000" }], openOrders: orders };
const of = (how: string, json: unknown, path: string): unknown =>
  JSON.parse(lie(how, JSON.stringify(json), path, createPrng(1n)));

test("an account lacks one list or shows an empty one, a part of the orders, or another position", () => {
  const lists = (how: string) => of(how, account, "/v1/accounts/12") as Partial<typeof account>;
  expect(Object.keys(lists("noList"))).toHaveLength(2);
  expect([lists("emptyList").positions?.length, lists("emptyList").openOrders?.length].includes(0)).toBe(true);
  const part = lists("partOfOrders");
  expect(part.positions).toEqual(account.positions);
  expect(part.openOrders?.length).toBeLessThan(orders.length);
  const other = lists("otherPosition");
  expect(other.openOrders).toEqual(orders);
  expect(other.positions?.[0]?.size).toBe("1500000");
});

test("a list that is read alone lies in the same way, and an answer that is no list stays as it is", () => {
  expect(of("noList", orders, "/v1/accounts/12/orders")).toEqual({});
  expect(of("emptyList", orders, "/v1/accounts/12/orders")).toEqual([]);
  expect(of("otherPosition", account.positions, "/v1/accounts/12/positions")).toMatchObject([{ size: "1500000" }]);
  expect(lie("emptyList", "too many requests", "/v1/accounts/12/orders", createPrng(1n))).toBe("too many requests");
});

test("a word from ahead names every height and time so much later, and nothing else of it changes", () => {
  const words = new ChainWords();
  const frame = (text: string): string => words.frame(new Sent(text)).text;
  const reply = (path: string, text: string): string =>
    words.reply(path, { status: 200, contentType: "application/json", text }).text;
  words.beginAhead(1, { ms: 3_600_000, isNow: () => true });
  expect(frame('{"type":"pong","blockHeight":100,"blockTimeMs":5000}')).toBe(
    '{"type":"pong","blockHeight":14500,"blockTimeMs":3605000}',
  );
  expect(frame('{"type":"oraclePriceUpdate","price":"200","valid_until":100}')).toBe(
    '{"type":"oraclePriceUpdate","price":"200","valid_until":3700}',
  );
  const placed = '{"type":"orderPlaced","order_id":1,"timestamp":5}';
  expect(frame(placed)).toBe(placed);
  expect(reply("/v1/markets/1/trades", '[{"timestamp":5}]')).toBe('[{"timestamp":3600005}]');
  words.end(1);
  expect(reply("/v1/markets/1/trades", '[{"timestamp":5}]')).toBe('[{"timestamp":5}]');
});
