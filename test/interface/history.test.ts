// Rows 34 to 40: indexed history on the REST host, of owned accounts alone (S4.3).

import { describe, expect } from "vitest";
import { decodeCsv } from "../../src/kernel/csv.ts";
import { plainMarket as market } from "../support/plain-exchange.ts";
import {
  ALICE,
  ALICE_SUB,
  alice,
  aliceKey,
  aliceSession,
  BOB,
  bob,
  bobSession,
  bobs,
  contracts,
  dollars,
  HOUR_MS,
  order,
  START_MS,
  usd,
} from "./actors.ts";
import { it, openWorld, placedId, trade, type World } from "./world.ts";

const headers = { "x-api-key": aliceKey.key };
const historyOf = (world: World) => world.clientWith({ credential: aliceKey }).history;

/** Fills of Alice's at 200 USD, a second apart, from START on: contracts 1, 2, 3 and so on, by turns bought and sold. */
async function fills(world: World, count: number): Promise<void> {
  for (let at = 1; at <= count; at += 1) {
    await trade(world, { side: at % 2 === 1 ? "buy" : "sell", price: usd(200), size: contracts(at) });
    await world.advance(1000);
  }
}

describe("fills", () => {
  it("a row carries the names of the stream's fill, and the account's own side, fee and profit [34]", async ({
    world,
  }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    const { json } = await world.get(`/v1/accounts/${ALICE}/trades`, { rest: true, headers });
    expect(json).toEqual([
      {
        account_id: 12,
        market_id: 1,
        side: "Long",
        fee_role: "taker",
        price: "20000000000",
        size: "1000000",
        fee: "100000",
        realized_pnl: "0",
        taker_order_id: expect.any(Number),
        maker_order_id: expect.any(Number),
        taker_account_id: 12,
        maker_account_id: 20,
        taker_side: "Long",
        taker_fee: "100000",
        maker_fee: "-20000",
        taker_realized_pnl: "0",
        maker_realized_pnl: "0",
        timestamp: START_MS,
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        block_height: expect.any(Number),
        event_index: expect.any(Number),
      },
    ]);
  });

  it("both sides of a fill have it in their history, newest first [34]", async ({ world }) => {
    await fills(world, 3);
    const ours = await historyOf(world).fills(ALICE);
    const theirs = await world.clientWith({ credential: bobSession }).history.fills(BOB);
    expect(ours.map(({ execution }) => execution.size)).toEqual([contracts(3), contracts(2), contracts(1)]);
    expect(ours.every(({ liquidity }) => liquidity === "taker")).toBe(true);
    expect(theirs.map(({ execution }) => execution)).toEqual(ours.map(({ execution }) => execution));
    expect(theirs.every(({ liquidity }) => liquidity === "maker")).toBe(true);
  });

  it("of a closed account stay readable for its owner, and for nobody else [34]", async ({ world }) => {
    for (const side of ["buy", "sell"] as const) {
      await world.run(bobs({ side: side === "buy" ? "sell" : "buy", price: usd(200) }), bob);
      await world.run(order({ accountId: ALICE_SUB, side, price: usd(200) }));
    }
    await world.run({ type: "CloseSubaccount", accountId: ALICE_SUB }, alice);
    expect(await historyOf(world).fills(ALICE_SUB)).toHaveLength(2);
    expect(await historyOf(world).orders(ALICE_SUB)).toHaveLength(2);
    const theirs = world.clientWith({ credential: bobSession }).history.fills(ALICE_SUB);
    await expect(theirs).rejects.toMatchObject({ httpStatus: 403 });
  });

  it("limit and offset cut a page [39]", async ({ world }) => {
    await fills(world, 4);
    const page = await historyOf(world).fills(ALICE, { limit: 2, offset: 1 });
    expect(page.map(({ execution }) => execution.size)).toEqual([contracts(3), contracts(2)]);
  });

  it("startTime and endTime are milliseconds, both included [39]", async ({ world }) => {
    await fills(world, 4);
    const between = await historyOf(world).fills(ALICE, { startTimeMs: START_MS + 1000, endTimeMs: START_MS + 2000 });
    expect(between.map(({ execution }) => execution.size)).toEqual([contracts(3), contracts(2)]);
  });

  it("marketId filters [39]", async () => {
    await using world = await openWorld({ markets: [market, { ...market, marketId: 2 }] });
    await fills(world, 1);
    await world.run(bobs({ marketId: 2, price: usd(200) }), bob);
    await world.run(order({ marketId: 2, price: usd(200) }));
    expect(await historyOf(world).fills(ALICE)).toHaveLength(2);
    expect(await historyOf(world).fills(ALICE, { marketId: 2 })).toMatchObject([{ execution: { marketId: 2 } }]);
  });

  it.each(["limit=0", "limit=x", "limit=1001", "offset=-1", "startTime=yesterday", "marketId=65536"])(
    "a malformed filter is 400: %s [39]",
    async (query) => {
      await using world = await openWorld();
      expect((await world.get(`/v1/accounts/${ALICE}/trades?${query}`, { rest: true, headers })).status).toBe(400);
    },
  );
});

describe("fills as CSV", () => {
  it("has a header, CRLF, and the same values under the same names [35]", async ({ world }) => {
    await fills(world, 2);
    const answer = await world.get(`/v1/accounts/${ALICE}/trades/csv`, { rest: true, headers });
    expect(answer.headers.get("content-type")).toMatch(/^text\/csv/);
    expect(answer.text.split("\r\n")).toHaveLength(4);
    const [header = [], first = []] = decodeCsv(answer.text).map(({ cells }) => cells);
    const { json } = await world.get(`/v1/accounts/${ALICE}/trades`, { rest: true, headers });
    const [row] = json as Record<string, unknown>[];
    expect(new Set(header)).toEqual(new Set(Object.keys(row ?? {})));
    expect(first).toEqual(header.map((name) => String(row?.[name])));
    expect(await historyOf(world).fillsCsv(ALICE)).toEqual(await historyOf(world).fills(ALICE));
  });

  it("returns all rows that match, whatever the page [35]", async ({ world }) => {
    await fills(world, 4);
    const rows = await historyOf(world).fillsCsv(ALICE, { limit: 1, offset: 2, startTimeMs: START_MS + 1000 });
    expect(rows).toHaveLength(3);
  });
});

describe("orders and funding", () => {
  it("the REST host's orders are the history of all, the validator's the open ones [36]", async ({ world }) => {
    const canceled = placedId(await world.run(order()));
    await world.run({ type: "CancelOrder", orderId: canceled });
    const open = placedId(await world.run(order()));
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    const rows = await historyOf(world).orders(ALICE);
    expect(rows.map((row) => row.order.status)).toEqual(["Filled", "Open", "Canceled"]);
    expect((await world.client.accounts.openOrders(ALICE)).map(({ orderId }) => orderId)).toEqual([open]);
    const { json } = await world.get(`/v1/accounts/${ALICE}/orders`, { rest: true, headers });
    expect(json).toHaveLength(3);
  });

  it("a stop that filled in part waits in both, with what is left of it [36]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(2) });
    const stop = {
      side: "sell",
      orderType: "StopMarket",
      price: usd(0),
      triggerPrice: usd(190),
      reduceOnly: true,
    } as const;
    const id = placedId(await world.run(order({ ...stop, size: contracts(3) })));
    const row = async () =>
      (await historyOf(world).orders(ALICE)).find(({ order: { orderId } }) => orderId === id)?.order;
    await world.run(bobs({ side: "buy", price: usd(189), size: contracts(0.5) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "190" });
    await world.advance(200);
    const [open] = await world.client.accounts.openOrders(ALICE);
    expect(open).toMatchObject({ status: "Untriggered", size: contracts(3), remainingSize: contracts(2.5) });
    expect(await row()).toEqual(open);
    await world.run(bobs({ side: "buy", price: usd(189), size: contracts(5) }), bob);
    await world.advance(200);
    expect(await row()).toMatchObject({ status: "Filled", size: contracts(2), filledSize: contracts(2) });
  });

  it("funding payments are rows of signed USDC, above zero where received [37]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(100) });
    await world.run(bobs({ side: "buy", price: usd(210), size: contracts(100) }), bob);
    await world.run(bobs({ price: usd(211), size: contracts(100) }), bob);
    for (let at = 0; at < 12; at += 1) await world.advance(HOUR_MS / 12);
    const [paid] = await historyOf(world).funding(ALICE);
    const [received] = await world.clientWith({ credential: bobSession }).history.funding(BOB);
    expect(paid?.payment).toMatchObject({ accountId: ALICE, marketId: 1, inventory: contracts(100) });
    expect(paid?.payment.amount).toBeLessThan(0n);
    expect(received?.payment.amount).toBe(-(paid?.payment.amount ?? 0n));
    const { json } = await world.get(`/v1/accounts/${ALICE}/funding`, { rest: true, headers });
    expect(json).toMatchObject([
      { account_id: 12, market_id: 1, size: "100000000", amount: expect.stringMatching(/^-\d+$/) },
    ]);
  });
});

describe("who may ask", () => {
  const paths = ["trades", "trades/csv", "orders", "funding"];

  it.each(paths)("%s needs a credential [40]", async (rows) => {
    await using world = await openWorld();
    expect((await world.get(`/v1/accounts/${ALICE}/${rows}`, { rest: true })).status).toBe(401);
    const wrong = { "x-api-key": "wrong" };
    expect((await world.get(`/v1/accounts/${ALICE}/${rows}`, { rest: true, headers: wrong })).status).toBe(401);
  });

  it.each(paths)("%s is of owned accounts alone [40]", async (rows) => {
    await using world = await openWorld();
    expect((await world.get(`/v1/accounts/${BOB}/${rows}`, { rest: true, headers })).status).toBe(403);
    expect((await world.get(`/v1/accounts/999/${rows}`, { rest: true, headers })).status).toBe(404);
  });

  it("an owner session and an API key see all accounts of their owner [40]", async ({ world }) => {
    for (const credential of [aliceKey, aliceSession]) {
      const { history } = world.clientWith({ credential });
      for (const account of [ALICE, ALICE_SUB]) expect(await history.fills(account)).toEqual([]);
      await expect(history.fills(BOB)).rejects.toMatchObject({ httpStatus: 403 });
    }
    await expect(world.client.history.orders(ALICE)).rejects.toMatchObject({ httpStatus: 401 });
  });
});

it("statistics count trades and volume of the whole exchange, as text [38]", async ({ world }) => {
  await fills(world, 2);
  expect((await world.get("/v1/stats", { rest: true, headers })).json).toMatchObject({
    totalTrades: "2",
    totalVolume: "600000000",
    totalOrders: "4",
  });
  const stats = await historyOf(world).stats();
  expect(stats).toMatchObject({ totalTrades: 2n, totalVolume: dollars(600) });
});
