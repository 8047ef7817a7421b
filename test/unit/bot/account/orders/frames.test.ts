// What the exchange says of orders on its own initiative: it races with our answers, and tells of what is not ours.

import { describe, expect } from "vitest";
import { orderId, price, size } from "../../../../../src/domain/units.ts";
import {
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
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import {
  afterLag,
  cancelAll,
  frame,
  modifiedEvent,
  modifiedFrame,
  modify,
  only,
  onlyPending,
  overs,
  read,
  readTrades,
} from "../orders.ts";

const passes = (scene: Scene, ms: number) => {
  scene.advance(ms);
  scene.tell(pong(scene));
};

describe("frames that race with the answer", () => {
  test("placed before the answer: one order, named by the answer", ({ scene }) => {
    const command = scene.place(1n);
    frame(scene, 7n, "orderPlaced");
    expect(only(scene).state).toBe("inFlight");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
  });

  test("placed again after the answer changes nothing", ({ scene }) => {
    scene.rest(1n, 7n);
    expect(frame(scene, 7n, "orderPlaced")).toEqual([]);
    only(scene);
  });

  test("filled before the answer: booked at once, and it reduces the order when that is named", ({ scene }) => {
    const command = scene.place(1n, { size: size(3n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.inventory()).toBe(CONTRACT);
    expect(only(scene).remainingSize, "worst case until the answer").toBe(3n * CONTRACT);
    scene.answer(1n, command, executedWith(placedEvent(7n, { size: size(3n * CONTRACT) })));
    expect(only(scene).remainingSize).toBe(2n * CONTRACT);
  });

  test("filled before the answer: a list from before the fill says nothing new", ({ scene }) => {
    const command = scene.place(1n, { size: size(3n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution() });
    scene.answer(1n, command, executedWith(placedEvent(7n, { size: size(3n * CONTRACT) })));
    read(scene, { openOrders: [listed(7n, { size: size(3n * CONTRACT) })] });
    expect(scene.state.accounts.get(ME)!.doubts.size).toBe(0);
  });

  test("filled whole before the answer: gone when it is named", ({ scene }) => {
    const command = scene.place(1n);
    scene.tell({ kind: "execution", execution: execution() });
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(scene.orders()).toEqual([]);
    expect(overs(scene)).toEqual(["filled"]);
  });

  test("placed and canceled before the answer: it rests no more once it is named, and its last fills are waited for", ({
    scene,
  }) => {
    const command = scene.place(1n);
    frame(scene, 7n, "orderPlaced");
    frame(scene, 7n, "orderCanceled");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    onlyPending(scene);
    afterLag(scene);
    readTrades(scene);
    expect(overs(scene)).toEqual(["canceled"]);
  });

  test("placed although the answer was lost: nobody guesses which order it is, and it counts once", ({ scene }) => {
    scene.answer(1n, scene.place(1n), lost);
    frame(scene, 7n, "orderPlaced");
    passes(scene, 60_000);
    expect(only(scene)).toMatchObject({ orderId: null, state: "unknown" });
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("a fill that a place on its way may own waits for its answer", ({ scene }) => {
    const command = scene.place(1n);
    scene.tell({ kind: "execution", execution: execution({ mine: 7n }) });
    passes(scene, 10_000);
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    passes(scene, 10_000);
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("a fill after the cancel is booked and brings no order back", ({ scene }) => {
    scene.rest(1n, 7n);
    frame(scene, 7n, "orderCanceled");
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.orders()).toEqual([]);
    expect([scene.inventory(), overs(scene)]).toEqual([CONTRACT, ["canceled"]]);
    passes(scene, 60_000);
    expect(scene.kinds()).not.toContain("foreign");
  });
});

describe("a cancel, whatever its reason, means that the order rests no more", () => {
  test.each(["UserCanceled", "PostOnlyWouldCross", "anything"])("%s", (reason) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const { type: _type, ...gone } = canceledEvent(7n, reason);
    const effects = scene.tell({ kind: "orderCanceled", ...gone });
    expect(effects).toMatchObject([{ kind: "orderEnded", why: "canceled", reason }]);
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
    expect(scene.tell({ kind: "orderCanceled", ...gone }), "told once").toEqual([]);
  });
});

describe("a change of an order", () => {
  test("by our own modify is no news, however late the frame is", ({ scene }) => {
    scene.rest(1n, 7n);
    for (const [of, usd] of [
      [2n, 198n],
      [3n, 197n],
    ] as const)
      scene.answer(of, modify(scene, of, 7n, { usd }), executedWith(modifiedEvent(usd, 1n)));
    const known = scene.effects.length;
    scene.advance(10_000);
    for (const usd of [198n, 197n]) scene.tell(modifiedFrame(7n, { price: price(usd * USD) }));
    expect(only(scene)).toMatchObject({ price: 197n * USD, state: "working" });
    expect(scene.effects.slice(known)).toEqual([]);
  });

  test("by somebody else is an event: it holds at once, and the account is read", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.tell(modifiedFrame(7n, { size: size(9n * CONTRACT) }));
    expect(only(scene)).toMatchObject({ size: 9n * CONTRACT, remainingSize: 9n * CONTRACT, state: "working" });
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "unknownOrder" });
  });

  test("that leaves its trigger is of an order that is not ours: the account is read", ({ scene }) => {
    scene.tell({ kind: "orderTriggered", accountId: ME, marketId: 1, orderId: orderId(66n) });
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "unknownOrder" });
  });
});

describe("what we did not make", () => {
  test("an order counts from its first word, and is foreign two seconds later, told once", ({ scene }) => {
    frame(scene, 66n, "orderPlaced");
    expect(only(scene)).toMatchObject({ orderId: 66n, nonce: null });
    passes(scene, 1999);
    expect(scene.kinds()).not.toContain("foreign");
    passes(scene, 1);
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "order" });
    passes(scene, 5000);
    expect(scene.kinds().filter((kind) => kind === "foreign").length).toBe(1);
  });

  test("an order is not foreign while one of ours of its market and side has no id", ({ scene }) => {
    const command = scene.place(1n);
    frame(scene, 66n, "orderPlaced");
    passes(scene, 10_000);
    expect(scene.kinds()).not.toContain("foreign");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    passes(scene, 1);
    passes(scene, 2000);
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "foreign", orderId: 66n }));
  });

  test("a fill of an id that nothing of ours could be is told after a while", ({ scene }) => {
    scene.tell({ kind: "execution", execution: execution({ mine: 66n }) });
    expect(scene.inventory(), "it is our position all the same").toBe(CONTRACT);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
    passes(scene, 2500);
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "fill" });
  });

  test("fills of a liquidation are explained by it, whichever comes first, and the account resynchronizes", () => {
    for (const first of ["fill", "message"]) {
      const scene = createScene();
      const fill = () => scene.tell({ kind: "execution", execution: execution({ mine: 66n, liquidity: "taker" }) });
      if (first === "fill") fill();
      scene.advance(100);
      scene.tell({ kind: "liquidation", accountId: ME, positionsClosed: 1, positionsRemaining: 0 });
      if (first === "message") fill();
      passes(scene, 3000);
      expect(scene.kinds()).toContain("liquidation");
      expect(scene.kinds()).not.toContain("foreign");
      expect(scene.resync()).toBe("liquidation");
    }
  });

  test("events of other accounts are none of ours", ({ scene }) => {
    const { type: _type, ...placed } = placedEvent(66n, { accountId: 5n as typeof ME });
    scene.tell({ kind: "orderPlaced", ...placed });
    expect(scene.orders()).toEqual([]);
  });

  test("an order of an earlier run is ours: a cancel of everything ends it", () => {
    const scene = createScene({ knownOrders: [orderId(7n)] }, "blank");
    frame(scene, 7n, "orderPlaced");
    expect(scene.orders(), "the start takes it up").toEqual([]);
    scene.answer(2n, cancelAll(scene, 2n), executedWith(canceledEvent(7n)));
    passes(scene, 5000);
    expect(scene.kinds()).not.toContain("foreign");
  });
});
