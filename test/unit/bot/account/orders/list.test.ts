// A list of open orders, order by order: what it says beyond the states that we held counts at once, and only a resync takes away.

import { describe, expect } from "vitest";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import {
  account,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  listed,
  lost,
  ME,
  placedEvent,
  pong,
  position,
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import {
  afterLag,
  cancel,
  mismatches,
  modifiedEvent,
  modify,
  only,
  onlyPending,
  overs,
  rangeOf,
  read,
} from "../orders.ts";

const doubts = (scene: Scene) => [...scene.state.accounts.get(ME)!.doubts.all()].map(({ what }) => what);
/** An order of ours of one contract that rests under id 7, for so long that each read is of it. */
const rested = (): Scene => {
  const scene = createScene();
  scene.rest(1n, 7n);
  afterLag(scene);
  return scene;
};

describe("a list says nothing new of an order", () => {
  test("that it shows as we hold it", () => {
    const scene = rested();
    read(scene, { openOrders: [listed(7n)] });
    expect(doubts(scene)).toEqual([]);
  });

  test("that it lacks, where it may be of before the order was sent", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.advance(scene.state.readLagMaxMs);
    read(scene, {}, 0);
    expect(doubts(scene)).toEqual([]);
    read(scene, {}, 3);
    expect(doubts(scene)).toEqual(["orderMissing"]);
  });

  test("that it shows as it was before its last fill or modify, for as long as a read may lag", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    afterLag(scene);
    scene.tell({ kind: "execution", execution: execution() });
    scene.answer(2n, modify(scene, 2n, 7n, { usd: 198n }), executedWith(modifiedEvent(198n, 2n, 1n)));
    const states = [
      { size: size(2n * CONTRACT) },
      { size: size(2n * CONTRACT), filledSize: size(CONTRACT) },
      { size: size(2n * CONTRACT), filledSize: size(CONTRACT), price: price(198n * USD) },
    ];
    const positions = [position(1n, 199n)];
    for (const of of states) read(scene, { openOrders: [listed(7n, of)], positions });
    expect(doubts(scene)).toEqual([]);
    afterLag(scene);
    for (const of of states.slice(0, 2)) read(scene, { openOrders: [listed(7n, of)], positions });
    expect(doubts(scene)).toEqual(["orderPrice"]);
    expect(mismatches(scene)).toEqual(["orderPrice"]);
  });

  test("that ended while the read may have been made", () => {
    const scene = rested();
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    for (let round = 0; round < 3; round += 1) read(scene, { openOrders: [listed(7n)] });
    expect([doubts(scene), scene.orders()]).toEqual([[], []]);
  });

  test.each<[string, (scene: Scene) => unknown]>([
    ["a modify of it", (scene) => modify(scene, 2n, 7n, { contracts: 2n })],
    ["a cancel of it", (scene) => cancel(scene, 7n)],
    ["the answer to a modify of it", (scene) => scene.answer(2n, modify(scene, 2n, 7n, { contracts: 2n }), lost)],
  ])("that it lacks, while %s is unanswered", (_, change) => {
    const scene = rested();
    change(scene);
    for (let round = 0; round < 3; round += 1) read(scene);
    expect([doubts(scene), scene.orders().length]).toEqual([[], 1]);
  });
});

describe("a list differs", () => {
  test.each([
    ["lacks an order: it rests on", [], "orderMissing", 0],
    ["shows more left of it", [listed(7n, { size: size(4n * CONTRACT) })], "orderRemaining", 3],
    [
      "shows less left of it",
      [listed(7n, { size: size(4n * CONTRACT), filledSize: size(3n * CONTRACT) })],
      "orderRemaining",
      0,
    ],
    ["shows another price", [listed(7n, { price: price(150n * USD) })], "orderPrice", 0],
  ] as const)(
    "%s: its worst case counts beside ours at once, and the next that differs resynchronizes the market",
    (_, openOrders, what, adds) => {
      const scene = rested();
      read(scene, { openOrders });
      expect(doubts(scene)).toEqual([what]);
      expect(only(scene)).toMatchObject({ remainingSize: CONTRACT, price: 199n * USD, state: "working" });
      expect(rangeOf(scene)).toEqual([0, 0, adds]);
      expect([mismatches(scene), scene.resync()]).toEqual([[], null]);
      read(scene, { openOrders });
      expect([mismatches(scene), scene.resync()]).toEqual([[what], "orders"]);
      expect(only(scene), "and still takes nothing away").toMatchObject({ remainingSize: CONTRACT });
    },
  );

  test("once, between lists that agree: nothing comes of it", () => {
    const scene = rested();
    const openOrders = [listed(7n)];
    read(scene, { openOrders });
    read(scene);
    for (let round = 0; round < 2; round += 1) read(scene, { openOrders });
    expect([doubts(scene), mismatches(scene), scene.resync()]).toEqual([[], [], null]);
  });

  test("an order that only reduces, and is missing: it may be filled, and the position another", ({ scene }) => {
    scene.rest(1n, 7n, { reduceOnly: true });
    afterLag(scene);
    read(scene);
    expect(rangeOf(scene)).toEqual([0, 0, 1]);
  });

  test("an order that an event has ended is listed: it counts, is not revived, and the market resynchronizes", () => {
    const scene = rested();
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    afterLag(scene);
    read(scene, { openOrders: [listed(7n)] }, 0);
    expect(scene.orders()).toEqual([]);
    expect(rangeOf(scene)?.[2]).toBeGreaterThanOrEqual(1);
    read(scene, { openOrders: [listed(7n)] });
    expect([scene.orders(), mismatches(scene), scene.resync()]).toEqual([[], ["orderReappeared"], "orders"]);
  });
});

describe("an order that nobody knew", () => {
  test("counts from the first list on, and is foreign at the second look, told once", ({ scene }) => {
    const openOrders = [listed(66n)];
    read(scene, { openOrders });
    expect(only(scene)).toMatchObject({ orderId: 66n, nonce: null, level: null, isForeign: true });
    expect(scene.kinds()).not.toContain("foreign");
    read(scene, { openOrders });
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "order" });
    read(scene, { openOrders });
    expect(scene.kinds().filter((kind) => kind === "foreign").length).toBe(1);
  });

  test("is not foreign while a place of ours of its market and side has no id: that counts already", ({ scene }) => {
    const command = scene.place(1n);
    for (let round = 0; round < 3; round += 1) read(scene, { openOrders: [listed(7n)] });
    expect(scene.orders()).toMatchObject([{ orderId: null, state: "inFlight" }]);
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(scene.orders()).toMatchObject([{ orderId: 7n, state: "working" }]);
    expect([mismatches(scene), scene.kinds().includes("foreign")]).toEqual([[], false]);
  });

  test("and that one list alone named while a place of ours had no id is nothing later: only events name an order", ({
    scene,
  }) => {
    const command = scene.place(1n);
    read(scene, { openOrders: [listed(66n)] });
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    for (let round = 0; round < 3; round += 1) {
      read(scene, { openOrders: [listed(7n)] }, 2500);
      scene.tell(pong(scene));
    }
    expect([scene.orders().length, mismatches(scene), scene.kinds().includes("foreign")]).toEqual([1, [], false]);
  });

  describe("and that one list alone named, without anything of ours on its way", () => {
    const named = (): Scene => {
      const scene = createScene();
      read(scene, { openOrders: [listed(66n)] });
      return scene;
    };

    test("starts no resync: two later lists that lack it end it", () => {
      const scene = named();
      read(scene, {}, 3500);
      expect(scene.orders()).toHaveLength(1);
      read(scene, {});
      expect(onlyPending(scene).orderId).toBe(66n);
      for (let round = 0; round < 3; round += 1) read(scene, {}, 2500);
      expect([scene.resync(), overs(scene), rangeOf(scene)]).toEqual([null, ["reasonUnknown"], [0, 0, 0]]);
    });

    test("stays while lists may be of before the one that named it", () => {
      const scene = named();
      for (let round = 0; round < 5; round += 1) read(scene, {}, 100);
      expect(scene.orders()).toHaveLength(1);
    });

    test("is foreign when a list names it again, and what two lists had ended is asked of", () => {
      const scene = named();
      read(scene, {}, 3500);
      read(scene, { openOrders: [listed(66n)] });
      expect(scene.kinds()).toContain("foreign");
      const ended = named();
      for (let round = 0; round < 3; round += 1) read(ended, {}, 3500);
      for (let round = 0; round < 2; round += 1) read(ended, { openOrders: [listed(66n)] }, 3500);
      expect(ended.resync()).toBe("orders");
    });
  });

  test("that a frame told of learns the terms that frames lack", ({ scene }) => {
    const { type: _type, ...placed } = placedEvent(66n, { side: "sell", price: price(0n) });
    scene.tell({ kind: "orderPlaced", ...placed });
    expect(only(scene)).toMatchObject({ isConditional: true, reduceOnly: false });
    const stop = listed(66n, { side: "sell", price: price(0n), triggerPrice: price(190n * USD), reduceOnly: true });
    read(scene, { openOrders: [stop] });
    expect(only(scene)).toMatchObject({ isConditional: true, reduceOnly: true, isForeign: true });
  });

  test("that waits for a trigger is none of ours, whatever of ours has no id: it counts", ({ scene }) => {
    scene.place(1n, { side: "sell", price: price(201n * USD) });
    const stop = listed(66n, { side: "sell", price: price(0n), triggerPrice: price(190n * USD), reduceOnly: true });
    read(scene, { openOrders: [stop] });
    expect(scene.orders().map(({ orderId: id }) => id)).toEqual([null, 66n]);
  });

  test("in a market that we do not quote is counted there", ({ scene }) => {
    read(scene, { openOrders: [listed(66n, { marketId: 3 })] });
    expect([...scene.state.accounts.get(ME)!.orders.resting()]).toMatchObject([{ marketId: 3 }]);
    expect([...scene.state.markets.keys()]).toContain(3);
  });
});

describe("lists that are adopted", () => {
  test("end what they lack, and have of what they name what they say", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { size: size(3n * CONTRACT) });
    const openOrders = [
      listed(8n, { size: size(3n * CONTRACT), filledSize: size(CONTRACT), price: price(198n * USD) }),
    ];
    scene.adopt(account({ openOrders, positions: [position(1n)] }));
    expect(only(scene)).toMatchObject({ orderId: 8n, remainingSize: 2n * CONTRACT, price: 198n * USD });
    expect(overs(scene)).toEqual(["reasonUnknown"]);
  });

  test("of one market leave the others as they are", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { marketId: 2 });
    scene.adopt(account(), 1);
    expect([...scene.state.accounts.get(ME)!.orders.resting()]).toMatchObject([{ marketId: 2 }]);
  });

  test("leave what nobody has answered or resolved, which may still land", ({ scene }) => {
    scene.place(1n);
    scene.answer(2n, scene.place(2n), lost);
    scene.adopt(account());
    expect(scene.orders().map(({ state }) => state)).toEqual(["inFlight", "unknown"]);
  });

  test("end what was waited for: last fills are in the position", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    onlyPending(scene);
    scene.adopt(account());
    expect([overs(scene), rangeOf(scene)]).toEqual([["canceled"], [0, 0, 0]]);
  });

  test("do not revive an order that an event has ended", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    scene.adopt(account({ openOrders: [listed(7n)] }));
    expect(scene.orders()).toEqual([]);
  });

  test("that name an order of an earlier run have found one of ours", () => {
    const scene = createScene({ knownOrders: [orderId(7n)] }, "blank");
    scene.adopt(account({ openOrders: [listed(7n)] }));
    for (let round = 0; round < 2; round += 1) read(scene, { openOrders: [listed(7n)] });
    expect(scene.kinds()).not.toContain("foreign");
  });
});
