// Rows 53 to 60: PlaceOrder with all its fields, CancelOrder, CancelAllOrders, ModifyOrder (S4.6).

import { describe, expect } from "vitest";
import type { Order } from "../../src/domain/order.ts";
import { orderId, size } from "../../src/domain/units.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { plainMarket as market } from "../support/plain-exchange.ts";
import { ALICE, ALICE_SUB, agent, alice, BOB, bob, bobs, contracts, order, usd } from "./actors.ts";
import { eventsOf, it, openWorld, placedId, trade, type World } from "./world.ts";

const bookOf = async (world: World) => {
  const { bids, asks } = await world.client.exchange.book(1);
  const flat = (levels: typeof bids) => levels.map(({ price, size }) => [price, size]);
  return { bids: flat(bids), asks: flat(asks) };
};
const positionOf = async (world: World, account = ALICE) => {
  const [position] = await world.client.accounts.positions(account);
  return position === undefined ? 0n : position.side === "buy" ? position.size : -position.size;
};
const openOf = (world: World) => world.client.accounts.openOrders(ALICE);

describe("limit orders", () => {
  it("rest at their price until somebody meets them: price first, then time [53a]", async ({ world }) => {
    const first = placedId(await world.run(order({ price: usd(200) })));
    const second = placedId(await world.run(order({ price: usd(200) })));
    const better = placedId(await world.run(order({ price: usd(200.01) })));
    const events = await world.run(bobs({ price: usd(200), size: contracts(2.5) }), bob);
    const fills = eventsOf(events, "fill").map(({ execution }) => execution);
    expect(fills.map(({ makerOrderId, price, size }) => [makerOrderId, price, size])).toEqual([
      [better, usd(200.01), contracts(1)],
      [first, usd(200), contracts(1)],
      [second, usd(200), contracts(0.5)],
    ]);
  });

  it("never meet one of their own account [53a]", async ({ world }) => {
    await world.run(order({ price: usd(200) }));
    const events = await world.run(order({ side: "sell", price: usd(199) }));
    expect(eventsOf(events, "fill")).toEqual([]);
    expect(eventsOf(events, "orderCanceled")).toMatchObject([{ reason: "SelfTrade" }]);
    expect((await bookOf(world)).bids).toEqual([[usd(200), contracts(1)]]);
  });

  it("IOC takes what is there and the rest is canceled [53b]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    const events = await world.run(order({ price: usd(200), size: contracts(3), timeInForce: "IOC" }));
    expect(eventsOf(events, "fill")).toMatchObject([{ execution: { size: contracts(1) } }]);
    expect(eventsOf(events, "orderCanceled")).toMatchObject([{ reason: "IocRemainder" }]);
    expect(await openOf(world)).toEqual([]);
  });

  it("FOK fills whole or not at all [53b]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    const wanted = order({ price: usd(200), size: contracts(1.1), timeInForce: "FOK" });
    expect(await world.submit(wanted)).toMatchObject({ kind: "refused" });
    expect((await bookOf(world)).asks).toEqual([[usd(200), contracts(1)]]);
    await world.run({ ...wanted, size: contracts(1) });
    expect(await positionOf(world)).toBe(contracts(1));
  });

  it("a price off the tick, of zero, and a size of zero are refused [53a]", async ({ world }) => {
    const wrongs = [{ price: (usd(199) + 1n) as ReturnType<typeof usd> }, { price: usd(0) }, { size: contracts(0) }];
    for (const wrong of wrongs) expect(await world.submit(order(wrong))).toMatchObject({ kind: "refused" });
  });

  it("one that would trade beyond the price band is refused, one that rests outside is not [118c]", async ({
    world,
  }) => {
    await world.run(bobs({ price: usd(230) }), bob);
    expect(await world.submit(order({ price: usd(230) }))).toMatchObject({ kind: "refused" });
    await world.run(order({ price: usd(150) }));
  });
});

describe("post only", () => {
  it("is refused where it would fill at once, and rests where it would not [55]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    expect(await world.submit(order({ price: usd(200), postOnly: true }))).toMatchObject({ kind: "refused" });
    await world.run(order({ price: usd(199.99), postOnly: true }));
    expect(await openOf(world)).toMatchObject([{ postOnly: true, price: usd(199.99) }]);
  });
});

describe("reduce only", () => {
  it("only ever reduces: clipped to the position, refused without one [53d]", async ({ world }) => {
    await world.run(order({ price: usd(200), size: contracts(5) }), alice);
    const reduce = bobs({ price: usd(200), size: contracts(3), reduceOnly: true });
    expect(await world.submit(reduce, bob)).toMatchObject({ kind: "refused" });
    await world.run(bobs({ price: usd(200), size: contracts(2) }), bob);
    await world.run(order({ side: "sell", price: usd(201), size: contracts(9), reduceOnly: true }));
    expect((await bookOf(world)).asks).toEqual([[usd(201), contracts(2)]]);
  });

  it("more than the position closes it and no more [53d]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(2) });
    await world.run(bobs({ side: "buy", price: usd(200), size: contracts(9) }), bob);
    await world.run(order({ side: "sell", price: usd(200), size: contracts(9), reduceOnly: true, timeInForce: "IOC" }));
    expect(await positionOf(world)).toBe(0n);
  });

  it("rests only as far as the position leaves room: the worst placed shrink or go, and the owner hears it [53d]", async ({
    world,
  }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(10) });
    const exit = { side: "sell", reduceOnly: true } as const;
    await world.run(order({ ...exit, price: usd(201), size: contracts(4) }));
    await world.run(order({ ...exit, price: usd(202), size: contracts(3) }));
    await world.run(order({ ...exit, price: usd(203), size: contracts(9) }));
    expect((await bookOf(world)).asks).toEqual([
      [usd(201), contracts(4)],
      [usd(202), contracts(3)],
      [usd(203), contracts(3)],
    ]);
    const [, second, third] = await openOf(world);
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.run(order({ side: "sell", price: usd(200.5), size: contracts(5) }));
    await world.run(bobs({ side: "buy", price: usd(200.5), size: contracts(5) }), bob);
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ orderId: third?.orderId, reason: "ReduceOnly" }]);
    expect(of("orderModified")).toMatchObject([{ orderId: second?.orderId, size: contracts(1) }]);
    expect((await bookOf(world)).asks).toEqual([
      [usd(201), contracts(4)],
      [usd(202), contracts(1)],
    ]);
  });
});

describe("market orders", () => {
  const take = { orderType: "Market", price: usd(0), timeInForce: "IOC" } as const;

  it("send price 0 and take the book [53c]", async ({ world }) => {
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    await world.run(bobs({ price: usd(201), size: contracts(1) }), bob);
    const events = await world.run(order({ ...take, size: contracts(1.5) }));
    expect(eventsOf(events, "fill").map(({ execution }) => execution.price)).toEqual([usd(200), usd(201)]);
    expect(await world.submit(order({ ...take, price: usd(200) }))).toMatchObject({ kind: "refused" });
  });

  it("max_slippage_bps stops them; without it the price band does [53c]", async ({ world }) => {
    for (const at of [200, 201, 219, 221]) await world.run(bobs({ price: usd(at) }), bob);
    const capped = await world.run(order({ ...take, size: contracts(4), maxSlippageBps: 60 }));
    expect(eventsOf(capped, "fill").map(({ execution }) => execution.price)).toEqual([usd(200), usd(201)]);
    const uncapped = await world.run(order({ ...take, size: contracts(4) }));
    expect(eventsOf(uncapped, "fill").map(({ execution }) => execution.price)).toEqual([usd(219)]);
    expect((await bookOf(world)).asks).toEqual([[usd(221), contracts(1)]]);
  });

  it("never rest, whatever time in force they carry [53c]", async ({ world }) => {
    await world.run(order({ ...take, timeInForce: "GTC" }));
    expect(await openOf(world)).toEqual([]);
  });
});

describe("stop orders", () => {
  it.each(["StopLimit", "StopMarket"] as const)(
    "%s needs a trigger, and nothing else may have one [54a]",
    async (orderType) => {
      await using world = await openWorld();
      const price = orderType === "StopLimit" ? usd(211) : usd(0);
      const text = encodeTransaction(order({ orderType, price, triggerPrice: null }));
      expect(await world.postText(text)).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
      const limit = encodeTransaction(order({ triggerPrice: usd(211) }));
      expect(await world.postText(limit)).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
    },
  );

  it("wait out of the book, and enter it when the oracle price reaches the trigger [54b]", async ({ world }) => {
    await world.run(bobs({ price: usd(211) }), bob);
    const stop = order({ orderType: "StopLimit", price: usd(212), triggerPrice: usd(210) });
    const id = placedId(await world.run(stop));
    expect((await bookOf(world)).bids).toEqual([]);
    expect(await openOf(world)).toMatchObject([{ orderId: id, status: "Untriggered", triggerPrice: usd(210) }]);
    await world.control("PATCH", "/oracle/1", { price: "209.99" });
    await world.advance(200);
    expect(await positionOf(world)).toBe(0n);
    await world.control("PATCH", "/oracle/1", { price: "210" });
    await world.advance(200);
    expect(await positionOf(world)).toBe(contracts(1));
  });

  it("a sell stop goes off at or below its trigger, at the market [54b]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.run(bobs({ side: "buy", price: usd(190) }), bob);
    const stop = {
      side: "sell",
      orderType: "StopMarket",
      price: usd(0),
      triggerPrice: usd(195),
      reduceOnly: true,
    } as const;
    await world.run(order(stop));
    await world.control("PATCH", "/oracle/1", { price: "195" });
    await world.advance(200);
    expect(await positionOf(world)).toBe(0n);
  });

  it("the book's mid moves no trigger of real estate, and the mark moves those of other classes [54b]", async () => {
    const metal = { ...market, marketId: 2, assetClass: "Commodities" };
    await using world = await openWorld({
      markets: [market, metal],
      feeTiers: ["RealEstate", "Commodities"].map((assetClass) => ({
        assetClass,
        minVolume30d: contracts(0) as never,
        makerFeeBps: 0,
        takerFeeBps: 0,
      })),
    });
    for (const marketId of [1, 2]) {
      const stop = { marketId, orderType: "StopLimit", price: usd(206), triggerPrice: usd(204) } as const;
      await world.run(order(stop));
      await world.run(bobs({ marketId, side: "buy", price: usd(205), size: contracts(5) }), bob);
      await world.run(bobs({ marketId, price: usd(207), size: contracts(5) }), bob);
    }
    await world.advance(200);
    await world.advance(200);
    const untriggered = (await openOf(world)).filter(({ status }) => status === "Untriggered");
    expect(untriggered.map(({ marketId }) => marketId)).toEqual([1]);
  });
});

describe("attached exits", () => {
  const exit = (at: number) => ({ triggerPrice: usd(at) });
  const withExits = (of: object = {}) => order({ price: usd(200), takeProfit: exit(210), stopLoss: exit(190), ...of });
  const waiting = async (world: World): Promise<readonly Order[]> =>
    (await openOf(world)).filter(({ status }) => status === "Untriggered");

  it("come to life as reduce-only StopMarket orders when the entry fills, sized as it filled [56a]", async ({
    world,
  }) => {
    await world.run(withExits({ size: contracts(3) }));
    expect(await waiting(world)).toEqual([]);
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    const expected = { orderType: "StopMarket", side: "sell", reduceOnly: true };
    expect(await waiting(world)).toMatchObject([
      { ...expected, size: contracts(1) },
      { ...expected, size: contracts(1) },
    ]);
    await world.run(bobs({ price: usd(200), size: contracts(2) }), bob);
    expect((await waiting(world)).map(({ size }) => size)).toEqual([contracts(3), contracts(3)]);
  });

  it("the one that goes off cancels the other [56a]", async ({ world }) => {
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.run(bobs({ price: usd(200) }), bob);
    await world.run(withExits());
    await world.run(bobs({ side: "buy", price: usd(209) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "210" });
    await world.advance(200);
    await settled();
    expect(await positionOf(world)).toBe(0n);
    expect(await openOf(world)).toEqual([]);
    expect(of("orderCanceled")).toMatchObject([{ reason: "Oco" }]);
  });

  it("outlive an empty book: a market stop that filled nothing stays armed, and its sibling with it [56a]", async ({
    world,
  }) => {
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.run(bobs({ price: usd(200), size: contracts(2) }), bob);
    await world.run(withExits({ size: contracts(2) }));
    await world.control("PATCH", "/oracle/1", { price: "190" });
    for (let blocks = 0; blocks < 3; blocks += 1) await world.advance(200);
    expect(await waiting(world)).toHaveLength(2);
    await world.run(bobs({ side: "buy", price: usd(189), size: contracts(0.5) }), bob);
    await world.advance(200);
    expect(await waiting(world)).toMatchObject([{ remainingSize: contracts(1.5) }, { remainingSize: contracts(1.5) }]);
    await settled();
    expect(of("orderCanceled")).toEqual([]);
    await world.run(bobs({ side: "buy", price: usd(189), size: contracts(5) }), bob);
    await world.advance(200);
    await settled();
    expect(await positionOf(world)).toBe(0n);
    expect(await openOf(world)).toEqual([]);
    expect(of("orderCanceled")).toMatchObject([{ reason: "Oco" }]);
  });

  it("shrink with the position, and the end of each is reported [56a]", async ({ world }) => {
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.run(bobs({ price: usd(200), size: contracts(3) }), bob);
    await world.run(withExits({ size: contracts(3) }));
    await world.run(bobs({ side: "buy", price: usd(200), size: contracts(2) }), bob);
    const events = await world.run(order({ side: "sell", price: usd(200), size: contracts(2) }));
    expect(eventsOf(events, "orderModified").map(({ size }) => size)).toEqual([contracts(1), contracts(1)]);
    expect((await waiting(world)).map(({ size }) => size)).toEqual([contracts(1), contracts(1)]);
    await settled();
    expect(of("orderModified").map(({ size }) => size)).toEqual([contracts(1), contracts(1)]);
  });

  it("have their trigger modified by new_price, which stays on its side of the other [60a]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    await world.run(withExits());
    const [profit, loss] = (await waiting(world)).map((exit) => exit.orderId);
    const modify = (id: typeof profit, to: number) =>
      ({ type: "ModifyOrder", orderId: id!, newPrice: usd(to), newSize: null }) as const;
    expect(await world.submit(modify(loss, 210))).toMatchObject({ kind: "refused" });
    await world.run(modify(loss, 199));
    await world.run(modify(profit, 220));
    expect((await waiting(world)).map(({ triggerPrice }) => triggerPrice)).toEqual([usd(220), usd(199)]);
    await world.run(bobs({ side: "buy", price: usd(198) }), bob);
    await world.control("PATCH", "/oracle/1", { price: "199" });
    await world.advance(200);
    expect(await positionOf(world)).toBe(0n);
  });

  it("go when the position they would close is gone [56a]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    await world.run(withExits());
    await world.run(bobs({ side: "buy", price: usd(200) }), bob);
    await world.run(order({ side: "sell", price: usd(200) }));
    expect(await openOf(world)).toEqual([]);
  });

  it.each([
    ["a limit price", `"limit_price":null`, `"limit_price":21000000000`],
    ["no limit_price key", `,"limit_price":null`, ""],
    ["a StopLimit", `"order_type":"StopMarket"`, `"order_type":"StopLimit"`],
  ])("with %s is 400: StopMarket alone, limit_price there and null [56b]", async (_, written, changed) => {
    await using world = await openWorld();
    const text = encodeTransaction(withExits());
    expect(text).toContain(written);
    expect(await world.postText(text.replace(written, changed))).toMatchObject({
      status: 400,
      json: { code: "MALFORMED" },
    });
  });

  it("a StopLimit of its own stays possible [56b]", async ({ world }) => {
    await world.run(order({ orderType: "StopLimit", price: usd(206), triggerPrice: usd(205) }));
    expect(await openOf(world)).toMatchObject([{ orderType: "StopLimit" }]);
  });
});

describe("leverage", () => {
  it.each([null, 0])("%s means the market's maximum [57]", async (leverage) => {
    await using world = await openWorld();
    await world.run(bobs({ price: usd(200) }), bob);
    await world.run(order({ price: usd(200), leverage }));
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ leverage: 20 }]);
  });

  it("is capped at floor(10000 / IMR): one more is refused, not clamped [57]", async () => {
    await using world = await openWorld({
      markets: [
        {
          ...market,
          initialMarginRatioBps: 300,
          marginTiers: market.marginTiers.map((tier) => ({ ...tier, maxLeverage: 33 })),
        },
      ],
    });
    expect(await world.submit(order({ leverage: 34 }))).toMatchObject({ kind: "refused" });
    await world.run(order({ leverage: 33 }));
  });

  it("a lower one ties up more collateral [57]", async ({ world }) => {
    const before = (await world.client.accounts.byId(ALICE)).availableCollateral;
    await world.run(order({ price: usd(200), size: contracts(10), leverage: 5 }));
    const after = (await world.client.accounts.byId(ALICE)).availableCollateral;
    expect(before! - after!).toBe(400_000_000n); // 2,000 USDC at 5x
  });

  it.each([null, 20])(
    "of a position is not raised, and no margin freed, by a small order that says %s [57]",
    async (says) => {
      await using world = await openWorld();
      await trade(world, { side: "buy", price: usd(200), size: contracts(10), leverage: 2 });
      const read = async () => {
        const { availableCollateral } = await world.client.accounts.byId(ALICE);
        const [position] = await world.client.accounts.positions(ALICE);
        return { availableCollateral, leverage: position?.leverage };
      };
      const before = await read();
      expect(before.leverage).toBe(2);
      await world.run(order({ price: usd(190), size: size(1n), leverage: says }));
      expect(await read()).toEqual({ leverage: 2, availableCollateral: before.availableCollateral! - 100n });
      await world.run(bobs({ price: usd(200), size: size(1n) }), bob);
      await world.run(order({ price: usd(200), size: size(1n), leverage: says }));
      expect((await read()).leverage).toBe(2);
      expect((await read()).availableCollateral! < before.availableCollateral!).toBe(true);
    },
  );

  it("of a position is lowered by the fill of an order that says a lower one [57]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.run(order({ price: usd(200), size: contracts(1), leverage: 5 }));
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ leverage: 20 }]);
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ leverage: 5 }]);
  });
});

describe("CancelOrder", () => {
  it("takes the order out, once [58]", async ({ world }) => {
    const id = placedId(await world.run(order()));
    const events = await world.run({ type: "CancelOrder", orderId: id });
    expect(eventsOf(events, "orderCanceled")).toMatchObject([{ orderId: id, reason: "UserCanceled" }]);
    expect(await world.submit({ type: "CancelOrder", orderId: id })).toMatchObject({ kind: "refused" });
    expect(await openOf(world)).toEqual([]);
  });

  it("is of own orders alone [58]", async ({ world }) => {
    const id = placedId(await world.run(bobs({ price: usd(201) }), bob));
    expect(await world.submit({ type: "CancelOrder", orderId: id })).toMatchObject({ kind: "rejected" });
    expect(await world.submit({ type: "CancelOrder", orderId: orderId(999n) })).toMatchObject({ kind: "refused" });
  });
});

describe("CancelAllOrders", () => {
  const two = [market, { ...market, marketId: 2 }];

  it("with a market cancels that market's, with null every one of the account's [59]", async () => {
    await using world = await openWorld({ markets: two });
    for (const marketId of [1, 1, 2]) await world.run(order({ marketId }));
    await world.run({ type: "CancelAllOrders", marketId: 1 });
    expect((await openOf(world)).map(({ marketId }) => marketId)).toEqual([2]);
    await world.run(order({ marketId: 1 }));
    await world.run({ type: "CancelAllOrders", marketId: null });
    expect(await openOf(world)).toEqual([]);
  });

  it("without its key is 400: null says something that omission does not [59]", async ({ world }) => {
    expect((await world.postText(`{"CancelAllOrders":{}}`)).status).toBe(400);
  });

  it("acts on the account that the signer was approved on, the master for an owner's key [59]", async ({ world }) => {
    await world.run(order());
    await world.run(order({ accountId: ALICE_SUB }));
    await world.run({ type: "CancelAllOrders", marketId: null }, agent);
    expect(await openOf(world)).toEqual([]);
    await world.run(order());
    await world.run({ type: "CancelAllOrders", marketId: null }, alice);
    expect(await openOf(world)).toEqual([]);
    expect(await world.client.accounts.openOrders(ALICE_SUB)).toHaveLength(1);
  });

  it("with nothing to cancel is a success [59]", async ({ world }) => {
    expect(await world.submit({ type: "CancelAllOrders", marketId: null })).toMatchObject({
      kind: "executed",
      events: [],
    });
  });
});

describe("ModifyOrder", () => {
  const modify = (id: ReturnType<typeof placedId>, newPrice: number | null, newSize: number | null) =>
    ({
      type: "ModifyOrder",
      orderId: id,
      newPrice: newPrice === null ? null : usd(newPrice),
      newSize: newSize === null ? null : contracts(newSize),
    }) as const;
  const makers = async (world: World, size: number) =>
    eventsOf(await world.run(bobs({ price: usd(199), size: contracts(size) }), bob), "fill").map(
      ({ execution }) => execution.makerOrderId,
    );

  it("changes price, size or both; what is null stays [60a]", async ({ world }) => {
    const id = placedId(await world.run(order()));
    await world.run(modify(id, 198, null));
    expect(await openOf(world)).toMatchObject([{ orderId: id, price: usd(198), size: contracts(1) }]);
    await world.run(modify(id, null, 2));
    expect(await openOf(world)).toMatchObject([{ price: usd(198), size: contracts(2) }]);
    await world.run(modify(id, 197, 3));
    expect(await openOf(world)).toMatchObject([{ price: usd(197), size: contracts(3) }]);
  });

  it("with nothing to change is 400 [60a]", async ({ world }) => {
    const id = placedId(await world.run(order()));
    const text = `{"ModifyOrder":{"order_id":${id},"new_price":null,"new_size":null}}`;
    expect((await world.postText(text)).status).toBe(400);
  });

  it("keeps the place in the queue where the size goes down, and loses it otherwise [60b]", async ({ world }) => {
    const first = placedId(await world.run(order({ size: contracts(2) })));
    const second = placedId(await world.run(order()));
    await world.run(modify(first, null, 1));
    expect(await makers(world, 0.5)).toEqual([first]);
    await world.run(modify(first, null, 3));
    expect(await makers(world, 1)).toEqual([second]);
  });

  it("the new size is the whole one, what is filled included [60a]", async ({ world }) => {
    const id = placedId(await world.run(order({ size: contracts(3) })));
    await makers(world, 1);
    const events = await world.run(modify(id, null, 2));
    expect(eventsOf(events, "orderModified")).toMatchObject([{ size: contracts(2), remainingSize: contracts(1) }]);
    expect(await world.submit(modify(id, null, 1))).toMatchObject({ kind: "refused" });
  });

  it("to a price that crosses trades at once [60a]", async ({ world }) => {
    await world.run(bobs({ price: usd(200) }), bob);
    const id = placedId(await world.run(order()));
    const events = await world.run(modify(id, 200, null));
    expect(eventsOf(events, "fill")).toMatchObject([{ execution: { takerOrderId: id, takerAccountId: ALICE } }]);
    expect(await positionOf(world, BOB)).toBe(-contracts(1));
  });
});
