// Our own transactions: what is sent counts at once, and nothing counts as done without an event that says so.

import { describe, expect } from "vitest";
import { nonce, price, size } from "../../../../../src/domain/units.ts";
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
  notSent,
  placedEvent,
  pong,
  refused,
  rejected,
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import {
  afterLag,
  cancel,
  cancelAll,
  frame,
  modifiedEvent,
  modify,
  only,
  onlyPending,
  overs,
  rangeOf,
  read,
  readTrades,
} from "../orders.ts";

const wanted = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "reconcileWanted" ? [effect.why] : []));

describe("a place", () => {
  test("counts from the moment it is sent", ({ scene }) => {
    scene.place(1n, { level: 3 });
    expect(only(scene)).toMatchObject({
      nonce: 1n,
      orderId: null,
      state: "inFlight",
      remainingSize: CONTRACT,
      level: 3,
      sinceMs: scene.nowMs(),
    });
    expect(scene.view().accountOrderCount).toBe(1);
  });

  test("sent again as the same bytes is still one order", ({ scene }) => {
    scene.place(1n);
    scene.place(1n);
    only(scene);
  });

  test("executed and placed: working under its id", ({ scene }) => {
    scene.rest(1n, 7n);
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working", nonce: 1n });
  });

  test.each([
    ["refused", refused],
    ["rejected", rejected],
    ["notSent", notSent],
  ] as const)("%s: gone, with the reason", (why, outcome) => {
    const scene = createScene();
    scene.answer(1n, scene.place(1n), outcome);
    expect(scene.orders()).toEqual([]);
    expect(overs(scene)).toEqual([why]);
  });

  test("without an answer: unknown, and counted", ({ scene }) => {
    scene.answer(1n, scene.place(1n), lost);
    expect(only(scene)).toMatchObject({ state: "unknown", remainingSize: CONTRACT });
    for (let round = 0; round < 3; round += 1) read(scene);
    expect(only(scene).state, "no read ends it").toBe("unknown");
  });

  test("unknown, then executed for the same bytes: working", ({ scene }) => {
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(only(scene)).toMatchObject({ state: "working", orderId: 7n });
  });

  test("executed and filled whole, without a placement: gone as filled, position moved", ({ scene }) => {
    const command = scene.place(1n, { postOnly: false });
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    expect(scene.orders()).toEqual([]);
    expect(overs(scene)).toEqual(["filled"]);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("executed and filled in part: the rest works under the id of its fills", ({ scene }) => {
    const command = scene.place(1n, { postOnly: false, size: size(3n * CONTRACT) });
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working", remainingSize: 2n * CONTRACT });
  });

  test.each([
    ["placed and canceled", [placedEvent(7n, {}), canceledEvent(7n, "PostOnlyWouldCross")]],
    ["canceled without ever being placed", [canceledEvent(7n, "PostOnlyWouldCross")]],
  ])("that would have crossed, %s by its own answer: gone, with all its fills", (_, events) => {
    const scene = createScene();
    scene.answer(1n, scene.place(1n), executedWith(...events));
    expect(scene.orders()).toEqual([]);
    expect(rangeOf(scene)).toEqual([0, 0, 0]);
    expect(scene.effects).toContainEqual(
      expect.objectContaining({ kind: "orderOver", why: "canceled", reason: "PostOnlyWouldCross" }),
    );
  });

  test("canceled by another answer that came first: what is left waits for its last fills", ({ scene }) => {
    const command = scene.place(1n);
    scene.answer(2n, cancelAll(scene, 2n), executedWith(canceledEvent(7n)));
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
  });

  test.each([
    ["IOC", { timeInForce: "IOC" }],
    ["FOK", { timeInForce: "FOK" }],
    ["market", { orderType: "Market", price: price(0n) }],
  ] as const)("an %s order that its cancel names rests no more; without any event nobody knows", (_, of) => {
    const told = createScene();
    told.answer(1n, told.place(1n, { postOnly: false, ...of }), executedWith(canceledEvent(7n, "Unfilled")));
    expect(overs(told)).toEqual(["canceled"]);
    const silent = createScene();
    silent.answer(1n, silent.place(1n, { postOnly: false, ...of }), executedWith());
    expect(only(silent)).toMatchObject({ state: "inFlight", remainingSize: CONTRACT });
  });

  test("an IOC order that was filled in part expires: what is left waits for a read", ({ scene }) => {
    const command = scene.place(1n, { postOnly: false, timeInForce: "IOC", size: size(3n * CONTRACT) });
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    expect(rangeOf(scene)).toEqual([1, 1, 3]);
    expect(scene.orders()).toEqual([]);
  });
});

describe("a lost place is resolved", () => {
  const unknown = (): { readonly scene: Scene; readonly command: ReturnType<Scene["place"]> } => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    return { scene, command };
  };

  test("never landed: gone, and nothing resynchronizes", () => {
    const { scene, command } = unknown();
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "neverLanded" });
    expect(scene.orders()).toEqual([]);
    expect(overs(scene)).toEqual(["neverLanded"]);
    expect([rangeOf(scene), scene.resync()]).toEqual([[0, 0, 0], null]);
  });

  test.each(["landed", "outlived"] as const)(
    "%s: it rests no more, counts as filled, and the market resynchronizes",
    (verdict) => {
      const { scene, command } = unknown();
      scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict });
      expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
      expect(rangeOf(scene)).toEqual([0, 0, 1]);
      expect(scene.resync()).toBe("lostAnswer");
    },
  );

  test("landed: what was heard in its market since it was sent is ours; so is what late frames name until the resync", () => {
    const { scene, command } = unknown();
    frame(scene, 7n, "orderPlaced");
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
    expect(scene.effects).toContainEqual(
      expect.objectContaining({ kind: "identified", orderId: 7n, side: "buy", price: 199n * USD, size: CONTRACT }),
    );
    scene.tell({ kind: "execution", execution: execution({ mine: 8n }) });
    scene.advance(5000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
    scene.adopt({ ...scene.state.accounts.get(ME)!.read!.value });
    expect(scene.state.accounts.get(ME)!.orders.isOurs(placedEvent(8n).orderId)).toBe(true);
  });

  test("landed: what a list of later names is another's, and stays, for as long as the resync takes: the market had been cleared", () => {
    const { scene, command } = unknown();
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
    frame(scene, 66n, "orderPlaced");
    const openOrders = [listed(66n)];
    read(scene, { openOrders });
    expect(scene.orders(), "a list may be of before").toEqual([]);
    read(scene, { openOrders }, 3500);
    expect(scene.orders()).toMatchObject([{ orderId: 66n, isForeign: true }]);
    scene.adopt(account({ openOrders }));
    read(scene, { openOrders }, 3500);
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "foreign", orderId: 66n, what: "order" }));
  });

  test("outlived: what was heard, and nobody named, is another's", () => {
    const { scene, command } = unknown();
    scene.tell({ kind: "execution", execution: execution({ mine: 7n }) });
    scene.advance(2500);
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "outlived" });
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "foreign", orderId: 7n, what: "fill" }));
  });
});

describe("a cancel", () => {
  test("on its way counts in full; its event ends the order, whose last fills may be on their way", ({ scene }) => {
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    expect(only(scene)).toMatchObject({ state: "canceling", remainingSize: CONTRACT });
    scene.answer(900n, command, executedWith(canceledEvent(7n)));
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
    expect(rangeOf(scene)).toEqual([0, 0, 1]);
    afterLag(scene);
    readTrades(scene);
    expect(overs(scene)).toEqual(["canceled"]);
    expect(rangeOf(scene)).toEqual([0, 0, 0]);
  });

  test.each([
    ["refused", refused],
    ["rejected", rejected],
    ["lost", lost],
  ] as const)("%s ends nothing: the order works on, and the account is read", (_, outcome) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const known = wanted(scene).length;
    scene.answer(900n, cancel(scene, 7n), outcome);
    expect(only(scene).state).toBe("working");
    expect(wanted(scene).slice(known)).toEqual(["actionFailed"]);
  });

  test("that never left is no reason to read", ({ scene }) => {
    scene.rest(1n, 7n);
    const known = wanted(scene).length;
    scene.answer(900n, cancel(scene, 7n), notSent);
    expect([only(scene).state, wanted(scene).length]).toEqual(["working", known]);
  });

  test("the order stays canceling while another cancel is on its way", ({ scene }) => {
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    cancel(scene, 7n);
    scene.answer(900n, command, rejected);
    expect(only(scene).state).toBe("canceling");
  });

  test("of an order that we do not know is harmless", ({ scene }) => {
    scene.answer(900n, cancel(scene, 55n), refused);
    expect(scene.orders()).toEqual([]);
  });

  test("of everything: each order is canceling; those named in the events end, the others work on", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { price: price(198n * USD) });
    scene.place(3n);
    const command = cancelAll(scene, 4n);
    expect(scene.orders().map(({ state }) => state)).toEqual(["canceling", "canceling", "inFlight"]);
    scene.answer(4n, command, executedWith(canceledEvent(7n)));
    expect(scene.orders().map(({ orderId: id, state }) => [id, state])).toEqual([
      [8n, "working"],
      [null, "inFlight"],
    ]);
  });

  test("of everything that names nothing ends nothing, however often", ({ scene }) => {
    scene.rest(1n, 7n);
    for (const id of [3n, 4n, 5n]) scene.answer(id, cancelAll(scene, id), executedWith());
    expect(only(scene).state).toBe("working");
    expect(wanted(scene)).toContain("actionFailed");
  });

  test("of another market touches nothing here", ({ scene }) => {
    scene.rest(1n, 7n);
    cancelAll(scene, 4n, 2);
    expect(only(scene).state).toBe("working");
  });
});

describe("a modify", () => {
  test("on its way keeps the worst of both: the larger size, the price that trades sooner", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    modify(scene, 2n, 7n, { usd: 198n, contracts: 5n });
    expect(only(scene)).toMatchObject({
      state: "working",
      price: 199n * USD,
      pending: { price: 199n * USD, size: 5n * CONTRACT },
      remainingSize: 5n * CONTRACT,
    });
  });

  test("to a smaller size counts the larger until answered", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(5n * CONTRACT) });
    const command = modify(scene, 2n, 7n, { contracts: 2n });
    expect(only(scene).remainingSize).toBe(5n * CONTRACT);
    scene.answer(2n, command, executedWith(modifiedEvent(199n, 2n)));
    expect(only(scene)).toMatchObject({ size: 2n * CONTRACT, remainingSize: 2n * CONTRACT, pending: null });
  });

  test("whose answer shows a fill that we do not know: the account is read", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.answer(2n, modify(scene, 2n, 7n, { usd: 198n }), executedWith(modifiedEvent(198n, 2n, 1n)));
    expect(wanted(scene)).toContain("answerSilent");
    expect(only(scene).remainingSize, "only a fill takes away").toBe(2n * CONTRACT);
  });

  test.each([
    ["refused", refused],
    ["rejected", rejected],
    ["not sent", notSent],
  ] as const)("%s: as before", (_, outcome) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.answer(2n, modify(scene, 2n, 7n, { usd: 198n, contracts: 5n }), outcome);
    expect(only(scene)).toMatchObject({ state: "working", price: 199n * USD, size: CONTRACT, pending: null });
  });

  test("lost: unknown with the worst of both, until it is resolved", () => {
    for (const verdict of ["neverLanded", "landed"] as const) {
      const scene = createScene();
      scene.rest(1n, 7n);
      const command = modify(scene, 2n, 7n, { usd: 198n, contracts: 5n });
      scene.answer(2n, command, lost);
      expect(only(scene)).toMatchObject({ state: "unknown", pending: { size: 5n * CONTRACT } });
      scene.tell({ kind: "resolved", nonce: nonce(2n), command, verdict });
      expect(only(scene)).toMatchObject({ state: "working", pending: null });
      expect(only(scene).size).toBe(verdict === "landed" ? 5n * CONTRACT : CONTRACT);
      expect(scene.resync()).toBe(verdict === "landed" ? "lostAnswer" : null);
    }
  });

  test("executed without an event, and told by its frame: as asked", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(2n, modify(scene, 2n, 7n, { usd: 198n }), executedWith());
    scene.tell({ ...modifiedEvent(198n, 1n), kind: "orderModified", side: "buy" } as never);
    expect(only(scene)).toMatchObject({ price: 198n * USD, pending: null, state: "working" });
  });

  describe("to the quote of another level", () => {
    const asked = () => {
      const scene = createScene();
      scene.rest(1n, 7n, { level: 0 });
      const command = modify(scene, 2n, 7n, { usd: 198n, level: 1 });
      expect(only(scene).level, "not before it has landed").toBe(0);
      return { scene, command };
    };

    test("executed: stands for that level", () => {
      const { scene, command } = asked();
      scene.answer(2n, command, executedWith(modifiedEvent(198n, 1n)));
      expect(only(scene)).toMatchObject({ price: 198n * USD, level: 1 });
    });

    test("refused: stands for the one before", () => {
      const { scene, command } = asked();
      scene.answer(2n, command, refused);
      expect(only(scene)).toMatchObject({ price: 199n * USD, level: 0 });
    });

    test.each([
      ["landed", 1],
      ["neverLanded", 0],
    ] as const)("lost, and found to have %s: stands for level %i", (verdict, level) => {
      const { scene, command } = asked();
      scene.answer(2n, command, lost);
      scene.tell({ kind: "resolved", nonce: nonce(2n), command, verdict });
      expect(only(scene).level).toBe(level);
    });
  });

  test("to less than is filled ends the order when its answer comes", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(5n * CONTRACT) });
    const command = modify(scene, 2n, 7n, { contracts: 2n });
    scene.tell({ kind: "execution", execution: execution({ contracts: 3n }) });
    expect(only(scene).remainingSize).toBe(2n * CONTRACT);
    scene.answer(2n, command, executedWith(modifiedEvent(199n, 2n, 0n)));
    expect(scene.orders()).toEqual([]);
    expect(overs(scene)).toEqual(["filled"]);
  });

  test("that the exchange makes of a cancel and a new order: the old id ends, the new one is ours and of its level", ({
    scene,
  }) => {
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n, level: 1 });
    const replaced = placedEvent(8n, { price: price(198n * USD) });
    scene.answer(2n, command, executedWith(canceledEvent(7n), replaced));
    frame(scene, 7n, "orderCanceled");
    expect(only(scene)).toMatchObject({ orderId: 8n, price: 198n * USD, state: "working", level: 1, isForeign: false });
    scene.advance(10_000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
  });
});
