// S4.6 to the letter: what is required, what may be null, what must be left out, and what is nothing at all.

import { describe, expect, test } from "vitest";
import { type Json, parseJson, stringifyJson } from "../../../src/kernel/json.ts";
import { decodeTransaction } from "../../../src/wire/transaction.ts";
import { faultOf } from "./fault-of.ts";

type Fields = Readonly<Record<string, Json>>;

const placeOrder: Fields = {
  account_id: 12,
  market_id: 1,
  side: "Long",
  order_type: "Limit",
  price: 21_694_000_000,
  size: 500_000,
  trigger_price: null,
  reduce_only: false,
  post_only: false,
  time_in_force: "GTC",
  take_profit: null,
  stop_loss: null,
};

const key = Array.from({ length: 32 }, (_none, at) => at);

/** The least that each variant needs. */
const least: Readonly<Record<string, Fields>> = {
  PlaceOrder: placeOrder,
  CancelOrder: { order_id: 7 },
  CancelAllOrders: { market_id: null },
  ModifyOrder: { order_id: 7, new_price: 1 },
  AdjustIsolatedMargin: { account_id: 12, market_id: 1, delta: -1 },
  CreateFundedAccount: { mode: "Cross" },
  ApproveAgent: { account_id: 12, agent: key },
  RevokeAgent: { account_id: 12, agent: key },
  CreateSubaccount: { master_account_id: 12 },
  Transfer: { from_account_id: "12", to_account_id: "13", token_id: 0, amount: "1" },
  CloseSubaccount: { account_id: 13 },
  RequestWithdrawal: { account_id: 12, token_id: 0, amount: "1", destination: "address" },
  CancelWithdrawal: { account_id: 12, withdrawal_id: "1" },
};

const decode = (variant: string, fields: Json) => decodeTransaction(parseJson(stringifyJson({ [variant]: fields })));

const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));

describe("PlaceOrder", () => {
  test("reads into the domain's words", () => {
    expect(decode("PlaceOrder", { ...placeOrder, side: "Short", margin_mode: "Isolated", leverage: 0 })).toEqual({
      type: "PlaceOrder",
      accountId: 12n,
      marketId: 1,
      side: "sell",
      orderType: "Limit",
      price: 21_694_000_000n,
      size: 500_000n,
      triggerPrice: null,
      reduceOnly: false,
      postOnly: false,
      timeInForce: "GTC",
      takeProfit: null,
      stopLoss: null,
      maxSlippageBps: null,
      marginMode: "Isolated",
      leverage: 0,
    });
  });

  test.each(["trigger_price", "take_profit", "stop_loss", "max_slippage_bps"])(
    "%s may be null or omitted, which is the same",
    (name) => {
      const omitted = decode("PlaceOrder", without(placeOrder, name));
      expect(decode("PlaceOrder", { ...placeOrder, [name]: null })).toEqual(omitted);
    },
  );

  test.each(["margin_mode", "leverage"])("%s may be omitted; null is refused", (name) => {
    expect(faultOf(() => decode("PlaceOrder", { ...placeOrder, [name]: null }))).toBe(`field_null PlaceOrder.${name}`);
  });

  test.each(["StopLimit", "StopMarket"])("%s needs a trigger price", (orderType) => {
    const order = { ...placeOrder, order_type: orderType };
    expect(faultOf(() => decode("PlaceOrder", order))).toBe("field_conflict PlaceOrder.trigger_price");
    expect(decode("PlaceOrder", { ...order, trigger_price: 5 })).toMatchObject({ orderType, triggerPrice: 5n });
  });

  test.each(["Limit", "Market"])("%s takes none", (orderType) => {
    const order = { ...placeOrder, order_type: orderType, trigger_price: 5 };
    expect(faultOf(() => decode("PlaceOrder", order))).toBe("field_conflict PlaceOrder.trigger_price");
  });

  const exit = { trigger_price: 5, order_type: "StopMarket", limit_price: null };

  test.each(["take_profit", "stop_loss"])("%s is a StopMarket with its limit_price sent as null", (name) => {
    const fault = (value: Json) => faultOf(() => decode("PlaceOrder", { ...placeOrder, [name]: value }));
    const at = `PlaceOrder.${name}`;
    expect(fault(exit)).toBeUndefined();
    expect(fault(without(exit, "limit_price"))).toBe(`field_missing ${at}.limit_price`);
    expect(fault({ ...exit, limit_price: 5 })).toBe(`field_conflict ${at}.limit_price`);
    expect(fault({ ...exit, order_type: "StopLimit" })).toBe(`field_type ${at}.order_type`);
    expect(fault({ ...exit, trigger_price: null })).toBe(`field_type ${at}.trigger_price`);
    expect(fault({ ...exit, size: 1 })).toBe(`field_unknown ${at}.size`);
    expect(fault([])).toBe(`field_type ${at}`);
  });
});

describe("whole numbers", () => {
  const u64Max = 2n ** 64n - 1n;

  test("u64 from 0 to its last", () => {
    expect(decode("CancelOrder", { order_id: 0 })).toMatchObject({ orderId: 0n });
    expect(decode("CancelOrder", { order_id: u64Max })).toMatchObject({ orderId: u64Max });
    expect(faultOf(() => decode("CancelOrder", { order_id: u64Max + 1n }))).toBe("field_range CancelOrder.order_id");
    expect(faultOf(() => decode("CancelOrder", { order_id: -1 }))).toBe("field_range CancelOrder.order_id");
  });

  test("u16 from 0 to its last", () => {
    expect(decode("CancelAllOrders", { market_id: 65_535 })).toMatchObject({ marketId: 65_535 });
    expect(faultOf(() => decode("CancelAllOrders", { market_id: 65_536 }))).toBe(
      "field_range CancelAllOrders.market_id",
    );
  });

  test("i128 from its first to its last", () => {
    const adjust = (delta: bigint) => decode("AdjustIsolatedMargin", { account_id: 1, market_id: 1, delta });
    expect(adjust(-(2n ** 127n))).toMatchObject({ delta: -(2n ** 127n) });
    expect(adjust(2n ** 127n - 1n)).toMatchObject({ delta: 2n ** 127n - 1n });
    expect(faultOf(() => adjust(2n ** 127n))).toBe("field_range AdjustIsolatedMargin.delta");
    expect(faultOf(() => adjust(-(2n ** 127n) - 1n))).toBe("field_range AdjustIsolatedMargin.delta");
  });

  test.each(['"7"', "7.5", "true", "[7]", "{}", "null", "-0", "1e30"])("%s is no order id", (token) => {
    expect(faultOf(() => decodeTransaction(parseJson(`{"CancelOrder":{"order_id":${token}}}`)))).toBe(
      "field_type CancelOrder.order_id",
    );
  });
});

describe("Transfer takes its ids and its amount as decimal strings", () => {
  const transfer = least.Transfer ?? {};

  test.each([7, "07", "+7", "-7", " 7", "7 ", "7.0", "", "0x7", "1e3"])("%j is none", (value) => {
    for (const name of ["from_account_id", "to_account_id", "amount"]) {
      expect(faultOf(() => decode("Transfer", { ...transfer, [name]: value }))).toBe(`field_type Transfer.${name}`);
    }
  });

  test("an amount is above zero and fits i128, an id fits u64", () => {
    const fault = (change: Fields) => faultOf(() => decode("Transfer", { ...transfer, ...change }));
    expect(fault({ amount: "0" })).toBe("field_range Transfer.amount");
    expect(fault({ amount: String(2n ** 127n) })).toBe("field_range Transfer.amount");
    expect(fault({ amount: String(2n ** 127n - 1n) })).toBeUndefined();
    expect(fault({ to_account_id: String(2n ** 64n) })).toBe("field_range Transfer.to_account_id");
    expect(fault({ token_id: "0" })).toBe("field_type Transfer.token_id");
  });
});

describe("keys of agents are 32 numbers", () => {
  test.each([
    ["31 of them", key.slice(1), "field_range ApproveAgent.agent"],
    ["33 of them", [...key, 0], "field_range ApproveAgent.agent"],
    ["a number too large", [...key.slice(1), 256], "field_type ApproveAgent.agent.31"],
    ["a number below zero", [-1, ...key.slice(1)], "field_type ApproveAgent.agent.0"],
    ["a fraction", [0.5, ...key.slice(1)], "field_type ApproveAgent.agent.0"],
    ["text among them", ["0", ...key.slice(1)], "field_type ApproveAgent.agent.0"],
    ["hex", "00".repeat(32), "field_type ApproveAgent.agent"],
  ])("%s", (_name, agent, fault) => {
    expect(faultOf(() => decode("ApproveAgent", { account_id: 1, agent }))).toBe(fault);
  });

  test("a name has up to 64 bytes of well-formed text", () => {
    const fault = (name: Json) => faultOf(() => decode("ApproveAgent", { account_id: 1, agent: key, name }));
    expect(fault("a".repeat(64))).toBeUndefined();
    expect(fault("é".repeat(33))).toBe("field_range ApproveAgent.name");
    expect(fault("")).toBe("field_range ApproveAgent.name");
    expect(fault(5)).toBe("field_type ApproveAgent.name");
    const lone = parseJson(`{"ApproveAgent":{"account_id":1,"agent":${JSON.stringify(key)},"name":"\\ud800"}}`);
    expect(faultOf(() => decodeTransaction(lone))).toBe("field_type ApproveAgent.name");
  });

  test("expires_at is in seconds: milliseconds are a mistake of a thousand", () => {
    const fault = (expires_at: Json) =>
      faultOf(() => decode("ApproveAgent", { account_id: 1, agent: key, expires_at }));
    expect(fault(1_924_905_600)).toBeUndefined();
    expect(fault(1_924_905_600_000)).toBe("field_range ApproveAgent.expires_at");
  });
});

test("ModifyOrder changes something", () => {
  const fault = faultOf(() => decode("ModifyOrder", { order_id: 1, new_price: null, new_size: null }));
  expect(fault).toBe("field_conflict ModifyOrder.new_price");
  expect(decode("ModifyOrder", { order_id: 1, new_size: 2 })).toMatchObject({ newPrice: null, newSize: 2n });
});

test("CancelAllOrders says which: its key cannot be left out", () => {
  expect(faultOf(() => decode("CancelAllOrders", {}))).toBe("field_missing CancelAllOrders.market_id");
});

test("CreateFundedAccount knows Cross alone, and a referral may be null or left out", () => {
  const fault = (fields: Fields) => faultOf(() => decode("CreateFundedAccount", fields));
  expect(fault({ mode: "Isolated" })).toBe("field_type CreateFundedAccount.mode");
  expect(fault({ mode: "Cross", referred_by: null })).toBeUndefined();
});

test("CreateReferredAccount is understood whatever it says, to be refused by name", () => {
  expect(decode("CreateReferredAccount", { mode: "Cross", anything: [1] })).toEqual({ type: "CreateReferredAccount" });
});

describe.each(Object.entries(least))("%s", (variant, fields) => {
  test("is read with the least it needs", () => {
    expect(decode(variant, fields)).toMatchObject({ type: variant });
  });

  test("takes no field that it does not have", () => {
    expect(faultOf(() => decode(variant, { ...fields, surprise: 1 }))).toBe(`field_unknown ${variant}.surprise`);
  });

  test.each([[null], [[]], ["text"], [1]])("takes no %j for its fields", (content) => {
    expect(faultOf(() => decode(variant, content))).toBe(`field_type ${variant}`);
  });
});

const required = Object.entries(least).flatMap(([variant, fields]) =>
  Object.keys(fields)
    .filter((name) => !["trigger_price", "take_profit", "stop_loss", "new_price"].includes(name))
    .map((name) => [variant, name, fields] as const),
);

test.each(required)("%s without %s is refused", (variant, name, fields) => {
  expect(faultOf(() => decode(variant, without(fields, name)))).toBe(`field_missing ${variant}.${name}`);
});

describe("a transaction is one object with one key", () => {
  test.each([
    ["{}", "variant_count"],
    ['{"CancelOrder":{"order_id":1},"CancelAllOrders":{"market_id":null}}', "variant_count"],
    ['{"cancelOrder":{"order_id":1}}', "variant_unknown"],
    ['{"toString":{}}', "variant_unknown"],
    ["[]", "field_type"],
    ['"CancelOrder"', "field_type"],
    ["null", "field_type"],
    ["7", "field_type"],
  ])("%s", (text, fault) => {
    expect(faultOf(() => decodeTransaction(parseJson(text)))).toBe(fault);
  });
});
