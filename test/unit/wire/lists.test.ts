// Lists that are told in another way: in an envelope, under their own path, or as HTTP 404 where nothing is in them.

import { describe, expect, test } from "vitest";
import { accountId } from "../../../src/domain/units.ts";
import { createListReads } from "../../../src/wire/lists.ts";

const ACCOUNT = accountId(12n);
const OWNER = "0f".repeat(32);
const ORDERS = "/v1/accounts/12/orders";
const POSITIONS = "/v1/accounts/12/positions";
const order = { id: 7, market_id: 1, side: "Buy", price: "5", size: "10" };
const position = { market_id: 1, side: "Long", size: "3", entry_price: "5" };
const account = { accountId: 12, owner: OWNER, collateral: "5", openOrders: [], positions: [] };

class Missing extends Error {}

/** `answers` by path, as they are at the time of asking; undefined: HTTP 404. */
function readsOf(answers: Record<string, unknown>, given = new Set<string>(), isMissingEmpty = false) {
  const asked: string[] = [];
  const reads = createListReads({
    async get({ path, decode }) {
      asked.push(path);
      if (answers[path] === undefined) throw new Missing(path);
      return decode(answers[path]);
    },
    isMissing: (failure) => failure instanceof Missing,
    given,
    isMissingEmpty,
  });
  return { reads, asked };
}

test("lists come in an envelope or without, alike", async () => {
  const { reads } = readsOf({ [ORDERS]: { orders: [order], total: 1 }, [POSITIONS]: { data: [position] } });
  expect((await reads.orders(ACCOUNT)).openOrders).toMatchObject([{ orderId: 7n, side: "buy" }]);
  expect((await reads.positions(ACCOUNT)).positions).toMatchObject([{ marketId: 1, size: 3n }]);
});

describe("HTTP 404 for a list", () => {
  test("is an empty one of orders and positions where the dialect says so, never of trades", async () => {
    const { reads } = readsOf({}, new Set(), true);
    expect((await reads.orders(ACCOUNT)).openOrders).toEqual([]);
    expect((await reads.positions(ACCOUNT)).positions).toEqual([]);
    await expect(reads.trades(1)).rejects.toThrow(Missing);
  });

  test("is not an empty one by itself", async () => {
    const { reads } = readsOf({});
    await expect(reads.orders(ACCOUNT)).rejects.toThrow(Missing);
    await expect(reads.positions(ACCOUNT)).rejects.toThrow(Missing);
    await expect(reads.trades(1)).rejects.toThrow(Missing);
  });

  test("is one where the path has given a list before", async () => {
    const answers: Record<string, unknown> = { [ORDERS]: [order] };
    const { reads } = readsOf(answers);
    await reads.orders(ACCOUNT);
    delete answers[ORDERS];
    expect(await reads.orders(ACCOUNT)).toEqual({ openOrders: [], unreadable: [] });
    await expect(reads.positions(ACCOUNT)).rejects.toThrow(Missing);
  });

  test("is one where the account says that nothing is there, and is none where it names something", async () => {
    const answers: Record<string, unknown> = { "/v1/accounts/12": { ...account, positions: [position] } };
    const { reads } = readsOf(answers);
    expect(await reads.orders(ACCOUNT)).toEqual({ openOrders: [], unreadable: [] });
    await expect(reads.positions(ACCOUNT)).rejects.toThrow(Missing);
    // Something is there that cannot be read.
    answers["/v1/accounts/12"] = { ...account, openOrders: [{ id: 7 }] };
    await expect(reads.orders(ACCOUNT)).rejects.toThrow(Missing);
  });

  test("is one where the account tells no list, and its owner's assets count none", async () => {
    const counts = { accountId: 12, masterAccountId: null, isVault: false, openOrderCount: 0, positionCount: 1 };
    const { reads } = readsOf({
      "/v1/accounts/12": { ...account, openOrders: null, positions: null },
      [`/v1/accounts/by-owner/${OWNER}/assets`]: { accounts: [counts] },
    });
    expect(await reads.orders(ACCOUNT)).toEqual({ openOrders: [], unreadable: [] });
    await expect(reads.positions(ACCOUNT)).rejects.toThrow(Missing);
    await expect(reads.account(ACCOUNT)).rejects.toThrow(Missing);
  });
});

test("what an account does not tell of itself comes from the lists beside it", async () => {
  const bare = { ...account, openOrders: [7], positions: null };
  const { reads, asked } = readsOf({
    "/v1/accounts/12": bare,
    [`/v1/accounts/by-owner/${OWNER}`]: bare,
    [ORDERS]: [order, { id: 8 }],
    [POSITIONS]: { positions: [position] },
  });
  const whole = {
    openOrders: [{ orderId: 7n }],
    positions: [{ marketId: 1 }],
    unreadable: [{ what: "order", orderId: 8n }],
  };
  expect(await reads.account(ACCOUNT)).toMatchObject(whole);
  expect(await reads.accountOf(OWNER)).toMatchObject(whole);
  expect(asked).toContain(ORDERS);
});

test("an account that tells both lists is asked for alone", async () => {
  const { reads, asked } = readsOf({ "/v1/accounts/12": account });
  expect(await reads.account(ACCOUNT)).toMatchObject({ openOrders: [], positions: [] });
  expect(asked).toEqual(["/v1/accounts/12"]);
});
