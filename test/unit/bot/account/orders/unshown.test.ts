// Successes whose answers do not say what they did: nothing is lost, both outcomes count, and an event, a frame or a read that was asked
// later tells. What nothing tells in time is said, and three in a row have an end.

import { describe, expect } from "vitest";
import { createReadLog } from "../../../../../src/bot/market/schedule.ts";
import { unknownDialect } from "../../../../../src/domain/dialect.ts";
import type { SubmitOutcome, TransactionEvent } from "../../../../../src/domain/event.ts";
import { orderId, price, type Size, size } from "../../../../../src/domain/units.ts";
import {
  CONTRACT,
  canceledEvent,
  createScene,
  dueIn,
  executedWith,
  execution,
  listed,
  ME,
  placedEvent,
  pong,
  position,
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import { afterLag, cancel, frame, modifiedEvent, modify, only, onlyPending, overs, rangeOf, read } from "../orders.ts";

/** An event under a name that the interface does not show. */
const other = (name: string, order: { readonly id: bigint } & Partial<Record<"price" | "accountId", bigint>>) =>
  ({
    type: "other",
    name,
    order: {
      orderId: orderId(order.id),
      accountId: (order.accountId ?? null) as typeof ME | null,
      marketId: null,
      side: null,
      price: order.price === undefined ? null : price(order.price * USD),
      size: null,
    },
  }) as const satisfies TransactionEvent;

const silent: SubmitOutcome = executedWith();
const ordersRead = (scene: Scene, ...ids: readonly bigint[]) =>
  scene.tell({
    kind: "ordersRead",
    accountId: ME,
    orders: { openOrders: ids.map((id) => listed(id)), unreadable: [] },
  });
const misunderstood = (scene: Scene) =>
  scene.effects.flatMap((effect) =>
    effect.kind === "notUnderstood" ? [`${effect.action}${effect.isTooMany ? ", too many" : ""}`] : [],
  );
const shown = (scene: Scene) => scene.effects.filter(({ kind }) => kind === "shown").length;
const dialect = (scene: Scene) => scene.state.accounts.get(ME)!.orders.dialect;
const placed = (scene: Scene, nonce = 1n, outcome: SubmitOutcome = silent) =>
  scene.answer(nonce, scene.place(nonce), outcome);

describe("a place", () => {
  test("that its answer does not name counts, and is no unknown outcome", ({ scene }) => {
    placed(scene);
    expect(only(scene)).toMatchObject({ orderId: null, state: "inFlight", remainingSize: CONTRACT });
  });

  test.each(["OrderAccepted", "Placed", "orderAccepted"])("is named by the one id that its events tell: %s", (name) => {
    const scene = createScene();
    placed(scene, 1n, executedWith(other(name, { id: 7n })));
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
    expect(misunderstood(scene)).toEqual([]);
    expect(scene.effects, "kept for the next run").toContainEqual(
      expect.objectContaining({ kind: "identified", orderId: 7n }),
    );
  });

  test.each([
    ["two ids", [other("A", { id: 7n }), other("B", { id: 8n })]],
    ["an order of another account", [other("A", { id: 7n, accountId: 5n })]],
    ["another price", [other("A", { id: 7n, price: 150n })]],
    ["an order of ours that is known", [other("A", { id: 9n })]],
  ])("is not named by events that tell of %s", (_, events) => {
    const scene = createScene();
    scene.rest(5n, 9n, { price: price(190n * USD) });
    placed(scene, 1n, executedWith(...events));
    expect(scene.orders().find(({ nonce }) => nonce === 1n)).toMatchObject({ orderId: null });
  });

  test.each(["before", "after"])(
    "is named by the frame of the one order at its terms, which comes %s the answer",
    (when) => {
      const scene = createScene();
      // Two levels of a side are on their way: only their terms tell them apart.
      scene.place(2n, { price: price(198n * USD), level: 1 });
      const command = scene.place(1n);
      if (when === "before") frame(scene, 7n, "orderPlaced");
      scene.answer(1n, command, silent);
      if (when === "after") frame(scene, 7n, "orderPlaced");
      expect(scene.orders().find(({ nonce }) => nonce === 1n)).toMatchObject({ orderId: 7n, state: "working" });
      expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "identified", orderId: 7n }));
      expect(shown(scene)).toBe(1);
    },
  );

  test("is named by its own fills", ({ scene }) => {
    placed(scene);
    scene.tell({ kind: "execution", execution: execution() });
    expect([scene.orders(), overs(scene), rangeOf(scene)]).toEqual([[], ["filled"], [1, 1, 1]]);
  });

  test("is named by a list that was asked after the answer, where one order at its terms is unclaimed", ({ scene }) => {
    placed(scene);
    read(scene, { openOrders: [listed(7n)] });
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
    expect([shown(scene), misunderstood(scene)]).toEqual([1, []]);
  });

  test("is not named by a list that was asked before the answer", ({ scene }) => {
    placed(scene);
    scene.tell({
      kind: "accountRead",
      account: { ...scene.state.accounts.get(ME)!.read!.value, openOrders: [listed(7n)] },
      askedMs: scene.nowMs() - 5,
    });
    expect(only(scene).orderId).toBe(null);
  });

  test.each([
    ["another price", listed(7n, { price: price(198n * USD) })],
    ["another size", listed(7n, { size: size(2n * CONTRACT) })],
    ["the other side", listed(7n, { side: "sell" })],
  ])("is not named by a listed order of %s", (_, order) => {
    const scene = createScene();
    placed(scene);
    read(scene, { openOrders: [order] });
    expect(scene.orders().find(({ nonce }) => nonce === 1n)).toMatchObject({ orderId: null });
  });

  test("two at the same terms, one listed: none is named, both count, and the market resynchronizes", ({ scene }) => {
    placed(scene, 1n);
    placed(scene, 2n);
    read(scene, { openOrders: [listed(7n)] });
    expect(scene.orders().map((order) => order.orderId)).toEqual([null, null]);
    afterLag(scene);
    read(scene, { openOrders: [listed(7n)] });
    expect([scene.orders().length, scene.resync()]).toEqual([2, "unshown"]);
  });

  test("that nothing shows in time is said, counts on, and the market resynchronizes", ({ scene }) => {
    placed(scene);
    read(scene);
    expect(misunderstood(scene), "a read may show the state of before").toEqual([]);
    afterLag(scene);
    read(scene);
    expect([misunderstood(scene), scene.resync()]).toEqual([["place"], "unshown"]);
    expect(only(scene)).toMatchObject({ orderId: null, remainingSize: CONTRACT });
    scene.adopt({ ...scene.state.accounts.get(ME)!.read!.value });
    expect([scene.orders(), rangeOf(scene), scene.resync()]).toEqual([[], [0, 0, 0], null]);
  });

  test("that nothing showed, and both witnesses list at its price, is ours", ({ scene }) => {
    placed(scene, 1n);
    placed(scene, 2n);
    afterLag(scene);
    read(scene);
    scene.adopt({ ...scene.state.accounts.get(ME)!.read!.value, openOrders: [listed(7n)] });
    expect(only(scene)).toMatchObject({ orderId: 7n, isForeign: false });
    scene.advance(10_000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("three in a row are too many; one that is understood begins again", ({ scene }) => {
    for (const nonce of [1n, 2n]) placed(scene, nonce);
    afterLag(scene);
    read(scene);
    scene.rest(3n, 9n);
    for (const nonce of [4n, 5n, 6n]) placed(scene, nonce);
    afterLag(scene);
    read(scene, { openOrders: [listed(9n)] });
    expect(misunderstood(scene)).toEqual(["place", "place", "place", "place", "place, too many"]);
  });

  test("a frame of something else does not begin again what nothing shows", ({ scene }) => {
    for (const nonce of [1n, 2n, 3n]) {
      placed(scene, nonce);
      scene.tell({ kind: "orderPlaced", ...placedEvent(20n + nonce, { side: "sell" }), type: undefined } as never);
    }
    afterLag(scene);
    read(scene);
    expect(misunderstood(scene)).toEqual(["place", "place", "place, too many"]);
  });

  test("that may not rest and shows nothing is no sign of a foreign dialect", ({ scene }) => {
    for (const nonce of [1n, 2n, 3n])
      scene.answer(nonce, scene.place(nonce, { postOnly: false, timeInForce: "IOC" }), silent);
    afterLag(scene);
    read(scene);
    expect(misunderstood(scene)).toEqual(["place", "place", "place"]);
  });
});

describe("a modify", () => {
  const asked = (
    to: Parameters<typeof modify>[3],
    of: Parameters<typeof createScene>[0] = {},
    whole: Size = size(CONTRACT),
  ) => {
    const scene = createScene(of);
    scene.rest(1n, 7n, { size: whole });
    return { scene, command: modify(scene, 2n, 7n, to) };
  };

  test("without its event: both terms count, and it is no unknown outcome", () => {
    const { scene, command } = asked({ usd: 198n, contracts: 5n });
    scene.answer(2n, command, silent);
    expect(only(scene)).toMatchObject({ state: "working", price: 199n * USD, pending: { size: 5n * CONTRACT } });
  });

  test("is shown by a list that has the order at its new terms", () => {
    const { scene, command } = asked({ usd: 198n });
    scene.answer(2n, command, silent);
    read(scene, { openOrders: [listed(7n, { price: price(198n * USD) })] });
    expect(only(scene)).toMatchObject({ state: "working", price: 198n * USD, pending: null });
    expect([shown(scene), misunderstood(scene), scene.resync()]).toEqual([1, [], null]);
  });

  test("is not shown by a list that may be of when the order had these terms before", () => {
    const { scene, command } = asked({ usd: 198n });
    scene.answer(2n, command, executedWith(modifiedEvent(198n, 1n)));
    const back = modify(scene, 3n, 7n, { usd: 199n });
    scene.answer(3n, back, silent);
    read(scene, { openOrders: [listed(7n)] });
    expect(only(scene).pending, "199 was its price until just now").not.toBe(null);
  });

  test.each([
    ["its price alone", { price: null }],
    ["nothing but its id", { price: null, size: null, remainingSize: null }],
    ["no account and no market", { accountId: null, marketId: null }],
  ] as const)("is shown by its event, which tells %s", (_, of) => {
    const { scene, command } = asked({ usd: 198n });
    scene.answer(2n, command, executedWith({ ...modifiedEvent(198n, 1n), ...of }));
    expect(only(scene)).toMatchObject({ state: "working", price: 198n * USD, pending: null });
  });

  describe("that the exchange tells as a cancel and a place of the same id", () => {
    const replaced = placedEvent(7n, { price: price(198n * USD) });
    const frames = (scene: Scene) => {
      frame(scene, 7n, "orderCanceled");
      const { type: _, ...order } = replaced;
      scene.tell({ kind: "orderPlaced", ...order });
    };

    test.each(["answer first", "frames first", "no frames"])("is one order at its new terms: %s", (order) => {
      const { scene, command } = asked({ usd: 198n });
      if (order === "frames first") frames(scene);
      scene.answer(2n, command, executedWith(canceledEvent(7n), replaced));
      if (order === "answer first") frames(scene);
      expect(only(scene)).toMatchObject({ orderId: 7n, price: 198n * USD, state: "working", pending: null });
      expect([rangeOf(scene), overs(scene)]).toEqual([[0, 0, 0], []]);
      if (order === "no frames") return;
      frame(scene, 7n, "orderCanceled");
      expect(onlyPending(scene).orderId, "a cancel of its own ends it").toBe(7n);
    });

    test("by frames alone, while its answer tells a modify: it comes back, and the next modify is expected to be told so", () => {
      const { scene, command } = asked({ usd: 198n });
      scene.answer(2n, command, executedWith(modifiedEvent(198n, 1n)));
      frames(scene);
      expect(only(scene)).toMatchObject({ orderId: 7n, price: 198n * USD, state: "working" });
      scene.answer(3n, modify(scene, 3n, 7n, { usd: 197n }), executedWith(modifiedEvent(197n, 1n)));
      frame(scene, 7n, "orderCanceled");
      expect(only(scene), "no gap in which it seems to be gone").toMatchObject({ price: 197n * USD, state: "working" });
    });

    test("a frame that places an order again, of which no modify was answered just before, does not bring it back", ({
      scene,
    }) => {
      scene.rest(1n, 7n);
      frames(scene);
      expect(onlyPending(scene).orderId).toBe(7n);
    });

    test("and then is refused: the frame of its cancel ended the order", () => {
      const { scene, command } = asked({ usd: 198n });
      frame(scene, 7n, "orderCanceled");
      expect(only(scene).orderId, "it may be half of the modify").toBe(7n);
      scene.answer(2n, command, { kind: "refused", hash: "h", error: "no such order" });
      expect(onlyPending(scene).orderId).toBe(7n);
    });
  });

  test("that nothing shows in time: both terms count, and the market resynchronizes", () => {
    const { scene, command } = asked({ usd: 198n, contracts: 5n });
    scene.answer(2n, command, silent);
    afterLag(scene);
    read(scene, { openOrders: [listed(7n)] });
    expect([misunderstood(scene), scene.resync()]).toEqual([["modify"], "unshown"]);
    expect(only(scene)).toMatchObject({ price: 199n * USD, pending: { size: 5n * CONTRACT } });
  });

  test("three in a row turn modifies off, without a latch", ({ scene }) => {
    for (const at of [0n, 1n, 2n]) scene.rest(1n + at, 7n + at, { price: price((190n + at) * USD) });
    for (const at of [0n, 1n, 2n]) scene.answer(11n + at, modify(scene, 11n + at, 7n + at, { usd: 195n + at }), silent);
    afterLag(scene);
    read(scene, { openOrders: [0n, 1n, 2n].map((at) => listed(7n + at, { price: price((190n + at) * USD) })) });
    expect(misunderstood(scene)).toEqual(["modify", "modify", "modify, too many"]);
    expect(dialect(scene).modifySize).toBe("none");
  });

  test.each([
    ["total", 4n, 3n],
    ["remaining", 5n, 4n],
  ] as const)("of an order that is filled in part teaches that a size is meant as %s", (word, whole, left) => {
    const { scene, command } = asked({ contracts: 4n }, {}, size(2n * CONTRACT));
    scene.tell({ kind: "execution", execution: execution() });
    expect(only(scene).remainingSize, "the larger counts").toBe(4n * CONTRACT);
    scene.answer(2n, command, silent);
    read(scene, { openOrders: [listed(7n, { size: size(whole * CONTRACT), filledSize: size(CONTRACT) })] });
    expect(dialect(scene).modifySize).toBe(word);
    expect(only(scene).remainingSize).toBe(left * CONTRACT);
  });

  test("of an order without fills teaches nothing of sizes", () => {
    const { scene, command } = asked({ contracts: 4n });
    scene.answer(2n, command, executedWith(modifiedEvent(199n, 4n)));
    expect(dialect(scene)).toEqual(unknownDialect);
  });
});

describe("a cancel", () => {
  const canceledSilently = () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), silent);
    return scene;
  };

  test("without its event: the order rests on, and no other cancel is sent for it", () => {
    expect(only(canceledSilently())).toMatchObject({ state: "canceling", remainingSize: CONTRACT });
  });

  test("is shown by its frame", () => {
    const scene = canceledSilently();
    frame(scene, 7n, "orderCanceled");
    expect(onlyPending(scene).orderId).toBe(7n);
    expect(misunderstood(scene)).toEqual([]);
  });

  test.each([["account first"], ["orders first"]])(
    "is shown by both lists that lack it, asked after the lag: %s",
    (order) => {
      const scene = canceledSilently();
      read(scene);
      ordersRead(scene);
      expect(only(scene).state, "before that they say nothing").toBe("canceling");
      afterLag(scene);
      if (order === "account first") read(scene);
      else ordersRead(scene);
      expect(only(scene).state, "one alone is not enough").toBe("canceling");
      if (order === "account first") ordersRead(scene);
      else read(scene);
      expect(onlyPending(scene).orderId).toBe(7n);
      expect([dialect(scene).cancel, misunderstood(scene)]).toEqual(["list", []]);
    },
  );

  test("is not understood where a list still has the order: it rests, and may be canceled again", () => {
    const scene = canceledSilently();
    afterLag(scene);
    read(scene, { openOrders: [listed(7n)] });
    expect([only(scene).state, misunderstood(scene), scene.resync()]).toEqual(["working", ["cancel"], null]);
  });

  test("three in a row are too many, whatever places are understood in between", ({ scene }) => {
    scene.rest(1n, 7n);
    for (const round of [1n, 2n, 3n]) {
      scene.answer(900n, cancel(scene, 7n), silent);
      afterLag(scene);
      scene.rest(10n + round, 20n + round, { side: "sell", price: price(220n * USD) });
      ordersRead(scene, 7n);
    }
    expect(misunderstood(scene)).toEqual(["cancel", "cancel", "cancel, too many"]);
  });

  test("with its event teaches that events tell", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(
      900n,
      cancel(scene, 7n),
      executedWith({ ...canceledEvent(7n), accountId: null, marketId: null, reason: null }),
    );
    expect(onlyPending(scene).orderId).toBe(7n);
    expect(dialect(scene).cancel).toBe("event");
  });
});

describe("what is read", () => {
  const kinds = (scene: Scene, log: ReturnType<typeof createReadLog>) => dueIn(scene, log).map(({ kind }) => kind);

  test("the account at once, and each second until the effect is shown; the orders only for a cancel, after the lag", ({
    scene,
  }) => {
    const log = createReadLog();
    for (const request of dueIn(scene, log))
      log[request.kind].set(
        "marketId" in request ? request.marketId : "accountId" in request ? request.accountId : null,
        { askedMs: scene.nowMs(), pending: false, failures: 0 },
      );
    scene.advance(1001);
    expect(kinds(scene, log)).not.toContain("account");
    placed(scene);
    expect(kinds(scene, log)).toContain("account");
    expect(kinds(scene, log)).not.toContain("orders");
    scene.answer(1n, scene.place(1n), executedWith(placedEvent(7n)));
    scene.answer(900n, cancel(scene, 7n), silent);
    expect(kinds(scene, log)).not.toContain("orders");
    afterLag(scene);
    expect(kinds(scene, log)).toContain("orders");
  });
});

describe("a row that names one size and does not say which", () => {
  const row = (shownSize: bigint, unclearSize: "alone" | "withFilled", filled = 0n) =>
    listed(7n, { size: size(shownSize * CONTRACT), filledSize: size(filled * CONTRACT), unclearSize });
  const partlyFilled = (of: Parameters<typeof createScene>[0] = {}) => {
    const scene = createScene(of);
    scene.rest(1n, 7n, { size: size(3n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution() });
    return scene;
  };
  const held = { positions: [position(1n, 199n)] };

  test.each([
    ["total", row(3n, "alone")],
    ["remaining", row(2n, "alone")],
    ["total", row(3n, "withFilled", 1n)],
    ["remaining", row(2n, "withFilled", 1n)],
  ] as const)("teaches from the first partial fill that it is the %s, without a resync", (word, order) => {
    const scene = partlyFilled();
    read(scene, { ...held, openOrders: [order] });
    expect(dialect(scene).rowSize, "it may be of before the fill").toBe(null);
    afterLag(scene);
    for (let round = 0; round < 3; round += 1) read(scene, { ...held, openOrders: [order] });
    expect([dialect(scene).rowSize, scene.resync()]).toEqual([word, null]);
    expect(only(scene).remainingSize).toBe(2n * CONTRACT);
  });

  test("teaches nothing before something is filled", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(3n * CONTRACT) });
    afterLag(scene);
    read(scene, { openOrders: [row(3n, "alone")] });
    expect([dialect(scene).rowSize, scene.resync()]).toEqual([null, null]);
  });

  test("that is known to be what remains: another one is a doubt, and two are a resync", () => {
    const scene = partlyFilled({ dialect: { ...unknownDialect, rowSize: "remaining" } });
    afterLag(scene);
    for (let round = 0; round < 2; round += 1) read(scene, { ...held, openOrders: [row(3n, "alone")] });
    expect(scene.resync()).toBe("orders");
  });
});
