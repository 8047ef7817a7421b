// Orders through every race of sending, answers, frames and reads: what may be live is counted, what is over is not.

import { describe, expect, test } from "vitest";
import type { Account } from "../../../../../src/domain/account.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import { type MarketId, nonce, orderId, type Price, price, type Size, size } from "../../../../../src/domain/units.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  listed,
  lost,
  ME,
  makeReady,
  market,
  notSent,
  placedEvent,
  pong,
  position,
  publicTrade,
  refused,
  rejected,
  type Scene,
  USD,
} from "../scene.ts";

const only = (scene: Scene) => {
  const orders = scene.orders();
  expect(orders.length).toBe(1);
  return orders[0]!;
};
/** The one that no longer rests and whose last fills are pending. */
const onlyPending = (scene: Scene) => {
  expect(scene.orders()).toEqual([]);
  const orders = [...scene.state.accounts.get(ME)!.orders.fillsPending(1)];
  expect(orders.length).toBe(1);
  return orders[0]!;
};
/** A read that proves to be of now: it shows an order, far away, that was placed just before. */
const readNow = (scene: Scene, of: Partial<Account> = {}) => {
  scene.advance(10);
  const far = { side: "sell", price: price(900n * USD) } as const;
  const id = 5000n + BigInt(scene.nowMs());
  scene.rest(id, id, far);
  scene.advance(10);
  scene.tell({
    kind: "accountRead",
    account: account({ ...of, openOrders: [...(of.openOrders ?? []), listed(id, far)] }),
  });
  const { orderId: canceled, marketId, accountId, reason } = canceledEvent(id);
  scene.tell({ kind: "orderCanceled", orderId: canceled, marketId, accountId, reason });
};
const ends = (scene: Scene) => scene.effects.flatMap((effect) => (effect.kind === "orderEnded" ? [effect.why] : []));
/** Somebody's modify of a buy order at 199 USD as the stream tells of it. */
const modifiedFrame = (id: bigint, of: { readonly price?: Price; readonly size?: Size }) =>
  ({
    kind: "orderModified",
    accountId: ME,
    marketId: 1,
    orderId: orderId(id),
    side: "buy",
    price: price(199n * USD),
    size: size(CONTRACT),
    ...of,
  }) as const;
/** The event in the answer to a modify of order 7: its price, its whole size, and what is left of it. */
const modifiedEvent = (usd: bigint, contracts: bigint, remaining = contracts) =>
  ({
    type: "orderModified",
    orderId: orderId(7n),
    accountId: ME,
    marketId: 1,
    price: price(usd * USD),
    size: size(contracts * CONTRACT),
    remainingSize: size(remaining * CONTRACT),
  }) as const;
const cancel = (scene: Scene, id: bigint) => {
  const command = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(id) } as const;
  scene.tell({ kind: "sent", nonce: nonce(900n), command });
  return command;
};
const cancelAll = (scene: Scene, nonceOf: bigint, marketId: MarketId | null = null) => {
  const command = { kind: "cancelAll", accountId: ME, marketId, fences: null } as const;
  scene.tell({ kind: "sent", nonce: nonce(nonceOf), command });
  return command;
};
const modify = (
  scene: Scene,
  nonceOf: bigint,
  id: bigint,
  to: { usd?: bigint; contracts?: bigint; level?: number },
) => {
  const command = {
    kind: "modify",
    accountId: ME,
    marketId: 1,
    orderId: orderId(id),
    side: "buy",
    reduceOnly: false,
    newPrice: to.usd === undefined ? null : price(to.usd * USD),
    newSize: to.contracts === undefined ? null : size(to.contracts * CONTRACT),
    level: to.level ?? 0,
  } as const;
  scene.tell({ kind: "sent", nonce: nonce(nonceOf), command });
  return command;
};
const frame = (scene: Scene, id: bigint, what: "orderPlaced" | "orderCanceled") => {
  if (what === "orderPlaced") {
    const { type: _type, ...placed } = placedEvent(id);
    scene.tell({ kind: "orderPlaced", ...placed });
  } else {
    const { type: _type, ...canceled } = canceledEvent(id);
    scene.tell({ kind: "orderCanceled", ...canceled });
  }
};

describe("a place", () => {
  test("counts from the moment it is sent", () => {
    const scene = createScene();
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

  test("sent again as the same bytes is still one order", () => {
    const scene = createScene();
    scene.place(1n);
    scene.place(1n);
    only(scene);
  });

  test("executed and placed: working under its id", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working", nonce: 1n });
  });

  test.each([
    ["refused", refused],
    ["rejected", rejected],
    ["notSent", notSent],
  ] as const)("%s: gone, with the reason", (why, outcome) => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, outcome);
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual([why]);
  });

  test("unknown: counted until settled", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    expect(only(scene).state).toBe("unknown");
    expect(scene.kinds()).toContain("reconcileWanted");
  });

  test.each(["refused", "rejected", "notSent"] as const)(
    "unknown, then %s for the same bytes: still unknown",
    (kind) => {
      const scene = createScene();
      const command = scene.place(1n);
      scene.answer(1n, command, lost);
      scene.answer(1n, command, { refused, rejected, notSent }[kind]);
      expect(only(scene).state).toBe("unknown");
    },
  );

  test("unknown, then executed for the same bytes: working", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(only(scene)).toMatchObject({ state: "working", orderId: 7n });
  });

  test("executed with nothing said: not taken for resting nor for gone", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, executedWith());
    expect(only(scene).state).toBe("unknown");
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "answerSilent" });
  });

  test("executed with an event that could not be read: not taken for gone", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, executedWith({ type: "other", name: "OrderPlaced" }));
    expect(only(scene).state).toBe("unknown");
  });

  test("executed and filled whole, without a placement: gone as filled, position moved", () => {
    const scene = createScene();
    const command = scene.place(1n, { postOnly: false });
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["filled"]);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("executed and filled in part: the rest works under the id of its fills", () => {
    const scene = createScene();
    const command = scene.place(1n, { postOnly: false, size: size(3n * CONTRACT) });
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working", remainingSize: 2n * CONTRACT });
  });

  test("a post-only that would have crossed: canceled by its own answer", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, executedWith(placedEvent(7n), canceledEvent(7n, "PostOnlyWouldCross")));
    expect(scene.orders()).toEqual([]);
    expect(scene.effects).toContainEqual(
      expect.objectContaining({ kind: "orderEnded", why: "canceled", reason: "PostOnlyWouldCross" }),
    );
  });

  test("canceled without ever being placed: named by the cancel and gone", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, executedWith(canceledEvent(7n, "PostOnlyWouldCross")));
    expect(scene.orders()).toEqual([]);
  });

  test.each([
    ["IOC", { timeInForce: "IOC" }],
    ["FOK", { timeInForce: "FOK" }],
    ["market", { orderType: "Market", price: price(0n) }],
  ] as const)("an %s order that did nothing leaves nothing", (_, of) => {
    const scene = createScene();
    const command = scene.place(1n, { postOnly: false, ...of });
    scene.answer(1n, command, executedWith());
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["expired"]);
  });
});

describe("frames that race with the answer", () => {
  test("placed before the answer: one order, named by the answer", () => {
    const scene = createScene();
    const command = scene.place(1n);
    frame(scene, 7n, "orderPlaced");
    expect(only(scene).state).toBe("inFlight");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
  });

  test("placed again after the answer changes nothing", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    frame(scene, 7n, "orderPlaced");
    only(scene);
  });

  test("filled before the answer: the fill is booked at once and reduces the order when it is named", () => {
    const scene = createScene();
    const command = scene.place(1n, { size: size(3n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.inventory()).toBe(CONTRACT);
    expect(only(scene).remainingSize, "worst case until the answer").toBe(3n * CONTRACT);
    scene.answer(1n, command, executedWith(placedEvent(7n, { size: size(3n * CONTRACT) })));
    expect(only(scene).remainingSize).toBe(2n * CONTRACT);
  });

  test("filled whole before the answer: gone when it is named", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.tell({ kind: "execution", execution: execution() });
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["filled"]);
  });

  test("placed and canceled before the answer: gone when it is named", () => {
    const scene = createScene();
    const command = scene.place(1n);
    frame(scene, 7n, "orderPlaced");
    frame(scene, 7n, "orderCanceled");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test("canceled before the answer: gone since then, whether last fills are waited for or not", () => {
    for (const losesFrames of [false, true]) {
      const scene = createScene();
      const command = scene.place(1n);
      if (losesFrames) scene.state.accounts.get(ME)!.orders.noteLostFrame(scene.nowMs());
      frame(scene, 7n, "orderPlaced");
      frame(scene, 7n, "orderCanceled");
      const goneMs = scene.nowMs();
      scene.advance(60_000);
      scene.answer(1n, command, executedWith(placedEvent(7n)));
      if (losesFrames) {
        onlyPending(scene);
        readNow(scene);
      }
      expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "orderEnded", why: "canceled", goneMs }));
    }
  });

  test("placed although the answer was lost: found, and told by its nonce", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    frame(scene, 7n, "orderPlaced");
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
    expect(scene.effects).toContainEqual(
      expect.objectContaining({ kind: "identified", accountId: ME, nonce: 1n, orderId: 7n, by: "inference" }),
    );
  });

  test("placed, and modified by somebody else before it is listed: it goes by what its frame said", () => {
    const scene = createScene();
    const command = scene.place(1n);
    frame(scene, 7n, "orderPlaced");
    scene.answer(1n, command, lost);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n, { price: price(198n * USD) })] }) });
    expect(only(scene)).toMatchObject({ nonce: 1n, orderId: 7n, state: "working", isForeign: false });
  });

  test("listed with its terms, and filled before it was sent: another's", () => {
    const scene = createScene();
    scene.tell({ kind: "execution", execution: execution({ mine: 7n }) });
    scene.advance(10);
    const whole = size(3n * CONTRACT);
    const command = scene.place(1n, { size: whole });
    scene.answer(1n, command, lost);
    const openOrders = [listed(7n, { size: whole, filledSize: size(CONTRACT) })];
    scene.tell({ kind: "accountRead", account: account({ openOrders, positions: [position(1n, 199n)] }) });
    expect(scene.orders().map(({ orderId: id, isForeign }) => [id, isForeign])).toEqual([
      [null, false],
      [7n, true],
    ]);
  });

  test.each([
    ["an order that only reduces was clipped to the position: it is the one", true, ["working"]],
    ["a smaller order is another's", false, ["unknown", "working"]],
  ])("placed smaller than asked for: %s", (_, reduceOnly, states) => {
    const scene = createScene();
    const command = scene.place(1n, { size: size(3n * CONTRACT), reduceOnly });
    scene.answer(1n, command, lost);
    frame(scene, 7n, "orderPlaced");
    expect(scene.orders().map(({ state }) => state)).toEqual(states);
  });

  describe("sent to reduce only, its answer lost, and one of its shape placed", () => {
    const guessed = (): { readonly scene: Scene; readonly command: Command } => {
      const scene = createScene();
      const command = scene.place(1n, { reduceOnly: true });
      scene.answer(1n, command, lost);
      frame(scene, 7n, "orderPlaced");
      return { scene, command };
    };

    test("it may be another's: it may add until a read says otherwise", () => {
      const { scene } = guessed();
      expect(only(scene)).toMatchObject({ orderId: 7n, reduceOnly: false });
      for (const reduceOnly of [false, true]) {
        scene.advance(10);
        readNow(scene, { openOrders: [listed(7n, { reduceOnly })] });
        expect(only(scene)).toMatchObject({ orderId: 7n, reduceOnly });
      }
    });

    test.each([7n, 8n])("the answer to the same bytes names %s: ours, which only reduces", (id) => {
      const { scene, command } = guessed();
      scene.answer(1n, command, executedWith(placedEvent(id)));
      expect(only(scene)).toMatchObject({ orderId: id, reduceOnly: true });
    });

    test("the answer of another place names it: ours is unknown again, and still only reduces", () => {
      const { scene } = guessed();
      scene.answer(2n, scene.place(2n), executedWith(placedEvent(7n)));
      expect(scene.orders().map(({ orderId: id, reduceOnly }) => [id, reduceOnly])).toEqual([
        [null, true],
        [7n, false],
      ]);
    });

    test("found by a read: as the read says", () => {
      for (const reduceOnly of [false, true]) {
        const scene = createScene();
        scene.answer(1n, scene.place(1n, { reduceOnly: true }), lost);
        scene.advance(10);
        readNow(scene, { openOrders: [listed(7n, { reduceOnly })] });
        expect(only(scene)).toMatchObject({ orderId: 7n, reduceOnly });
      }
    });
  });

  test("two alike, one lost and one on its way: nobody guesses which was placed", () => {
    const scene = createScene();
    const first = scene.place(1n);
    scene.answer(1n, first, lost);
    const second = scene.place(2n);
    frame(scene, 7n, "orderPlaced");
    expect(scene.orders().map((order) => order.orderId)).toEqual([null, null]);
    scene.answer(2n, second, executedWith(placedEvent(7n)));
    expect(scene.orders().map(({ nonce: of, state, orderId: id }) => [of, state, id])).toEqual([
      [1n, "unknown", null],
      [2n, "working", 7n],
    ]);
  });

  test("a guess that an answer contradicts is taken back: the guessed order is in doubt again", () => {
    const scene = createScene();
    const first = scene.place(1n);
    scene.answer(1n, first, lost);
    frame(scene, 7n, "orderPlaced");
    const second = scene.place(2n);
    scene.answer(2n, second, executedWith(placedEvent(7n)));
    expect(scene.orders().map(({ nonce: of, state, orderId: id }) => [of, state, id])).toEqual([
      [1n, "unknown", null],
      [2n, "working", 7n],
    ]);
  });

  test("a fill after the cancel is booked and brings no order back", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    frame(scene, 7n, "orderCanceled");
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.orders()).toEqual([]);
    expect(scene.inventory()).toBe(CONTRACT);
    scene.advance(60_000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
  });
});

describe("fills of a working order", () => {
  test("reduce it, and the last one ends it", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution({ hash: "a" }) });
    expect(only(scene).remainingSize).toBe(CONTRACT);
    scene.tell({ kind: "execution", execution: execution({ hash: "b" }) });
    expect(scene.orders()).toEqual([]);
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("while a cancel is on its way: still canceling, still counted for what is left", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    cancel(scene, 7n);
    scene.tell({ kind: "execution", execution: execution() });
    expect(only(scene)).toMatchObject({ state: "canceling", remainingSize: CONTRACT });
  });
});

describe("a cancel", () => {
  test("on its way counts in full; its event ends the order", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    expect(only(scene)).toMatchObject({ state: "canceling", remainingSize: CONTRACT });
    scene.answer(900n, command, executedWith(canceledEvent(7n)));
    expect(onlyPending(scene).remainingSize, "a fill from before may be on its way").toBe(CONTRACT);
    expect(scene.view().position).toMatchObject({ value: { inventory: 0n, low: 0n, high: CONTRACT } });
    frame(scene, 7n, "orderCanceled");
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test("answered before the last fill was told: the order counts until the stream caught up", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    const command = cancel(scene, 7n);
    scene.answer(900n, command, executedWith(canceledEvent(7n)));
    scene.tell({ kind: "execution", execution: execution() });
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
    frame(scene, 7n, "orderCanceled");
    expect(scene.view().position).toMatchObject({ value: { low: CONTRACT, high: CONTRACT } });
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("answered, and its frame swallowed: a read that proves to be newer, and knows no other fill, ends it", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    scene.answer(900n, command, executedWith(canceledEvent(7n)));
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ positions: [position(1n)] }) });
    onlyPending(scene);
    scene.tell({ kind: "execution", execution: execution({ contracts: 1n, mine: 7n }) });
    expect(ends(scene)).toEqual(["filled"]);

    const other = createScene();
    other.rest(1n, 7n);
    other.answer(900n, cancel(other, 7n), executedWith(canceledEvent(7n)));
    other.advance(300);
    other.tell({ kind: "accountRead", account: account() });
    expect(onlyPending(other).remainingSize, "the read may be older").toBe(CONTRACT);
    readNow(other);
    expect(ends(other)[0]).toBe("canceled");
    expect(other.kinds()).not.toContain("mismatch");
  });

  test("its event does not end an order of which a trade is known whose fill the stream has not told", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    const swallowed = publicTrade(execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS }));
    scene.tell({ kind: "trade", trade: swallowed });
    frame(scene, 7n, "orderCanceled");
    expect(onlyPending(scene).remainingSize, "worst case as before").toBe(2n * CONTRACT);
    scene.advance(2000);
    scene.tell({ kind: "tradesRead", marketId: 1, trades: [swallowed] });
    expect(scene.inventory()).toBe(CONTRACT);
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test("answered, but a read that proves to be newer still lists it, twice: it is back", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    for (let round = 0; round < 2; round += 1) {
      scene.advance(300);
      readNow(scene, { openOrders: [listed(7n)] });
      scene.advance(10);
      scene.tell({ kind: "tradesRead", marketId: 1, trades: [] });
    }
    expect(only(scene).state).toBe("working");
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "mismatch", what: "orderReappeared" }));
  });

  test("of everything, answered before the place that it canceled was: gone once the stream says so", () => {
    const scene = createScene();
    const place = scene.place(1n);
    scene.answer(2n, cancelAll(scene, 2n), executedWith(canceledEvent(7n)));
    scene.answer(1n, place, executedWith(placedEvent(7n)));
    onlyPending(scene);
    frame(scene, 7n, "orderCanceled");
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test.each([
    ["refused: it was filled or canceled before", refused, "vanished"],
    ["executed but silent: it is canceled", executedWith(), "canceled"],
  ] as const)("%s; it no longer rests, and counts as filled until a read proves to be newer", (_, outcome, why) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), outcome);
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
    expect(scene.view().accountOrderCount).toBe(0);
    readNow(scene);
    expect(ends(scene)[0]).toBe(why);
    expect(scene.view().position).toMatchObject({ value: { low: 0n, high: 0n } });
  });

  test("refused, but a read asked for later lists it: it may rest, however old the read", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), refused);
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    expect(only(scene).state).toBe("working");
  });

  test.each([
    ["refused", refused],
    ["never answered", lost],
  ])("%s, and a late read lists it: what is left of it, if it reduces only, may rest or be filled", (_, outcome) => {
    const scene = createScene();
    const high = () => scene.view().position;
    scene.rest(1n, 7n, { reduceOnly: true });
    expect(high(), "nothing says that it is over").toMatchObject({ value: { high: 0n } });
    scene.answer(900n, cancel(scene, 7n), outcome);
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n, { reduceOnly: true })] }) });
    expect(only(scene)).toMatchObject({ state: "working", reduceOnly: true });
    expect(high()).toMatchObject({ value: { low: 0n, high: CONTRACT } });
    scene.answer(901n, modify(scene, 901n, 7n, { usd: 198n }), executedWith());
    expect(high(), "a modify that executes proves that it rests").toMatchObject({ value: { high: 0n } });
  });

  test.each([
    ["refused", refused],
    ["never answered", lost],
  ])(
    "%s, and a late read lists it: it is canceled again as soon as a read lacks it, which need not prove to be newer",
    (_, outcome) => {
      const scene = createScene();
      scene.rest(1n, 7n);
      scene.advance(100);
      scene.answer(900n, cancel(scene, 7n), outcome);
      scene.advance(1000);
      scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
      scene.advance(1000);
      expect(scene.kinds()).not.toContain("orderDoubted");
      scene.tell({ kind: "accountRead", account: account() });
      expect(scene.effects).toContainEqual({ kind: "orderDoubted", accountId: ME, marketId: 1, orderId: 7n });
    },
  );

  test("refused, and a late read lists it: reads that prove to be newer than the refusal, and lack it, still end it", () => {
    const scene = createScene();
    const other = { price: price(198n * USD) };
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), refused);
    scene.advance(300);
    scene.rest(2n, 8n, other);
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    expect(scene.orders().map(({ orderId: id }) => id)).toEqual([7n, 8n]);
    for (let round = 0; round < 3; round += 1) {
      scene.advance(300);
      scene.tell({ kind: "accountRead", account: account({ openOrders: [{ ...listed(8n), ...other }] }) });
      scene.tell({ kind: "tradesRead", marketId: 1, trades: [] });
    }
    expect(scene.orders().map(({ orderId: id }) => id)).toEqual([8n]);
  });

  test("of everything, the second that executes and cancels nothing: what was acknowledged before no longer rests", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { price: price(198n * USD) });
    scene.answer(3n, cancelAll(scene, 3n), executedWith());
    expect(scene.orders().length, "it may act on another account").toBe(2);
    scene.answer(4n, cancelAll(scene, 4n), executedWith(canceledEvent(7n)));
    expect(scene.orders().map(({ orderId: id }) => id)).toEqual([8n]);
    const command = cancelAll(scene, 5n);
    const place = scene.place(6n, { price: price(197n * USD) });
    scene.answer(6n, place, executedWith(placedEvent(9n, { price: price(197n * USD) })));
    scene.answer(5n, command, executedWith());
    expect(
      scene.orders().map(({ orderId: id }) => id),
      "placed later",
    ).toEqual([9n]);
  });

  test.each([
    ["rejected", rejected],
    ["not sent", notSent],
    ["lost", lost],
  ] as const)("%s ends nothing: the order works on and the account is read", (_, outcome) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    scene.answer(900n, command, outcome);
    expect(only(scene).state).toBe("working");
    expect(scene.effects.some((effect) => effect.kind === "reconcileWanted" && effect.why !== "connected")).toBe(true);
  });

  test("the order stays canceling while another cancel is on its way", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = cancel(scene, 7n);
    cancel(scene, 7n);
    scene.answer(900n, command, rejected);
    expect(only(scene).state).toBe("canceling");
  });

  test("of an order that we do not know is harmless", () => {
    const scene = createScene();
    const command = cancel(scene, 55n);
    scene.answer(900n, command, refused);
    expect(scene.orders()).toEqual([]);
  });

  test("of everything: each order is canceling; those named in the events end, the others work on", () => {
    const scene = createScene();
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
    frame(scene, 7n, "orderCanceled");
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test("of another market touches nothing here", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    cancelAll(scene, 4n, 2);
    expect(only(scene).state).toBe("working");
  });
});

describe("a modify", () => {
  const remainings = (scene: Scene): Size => only(scene).remainingSize;

  test("on its way keeps the worst of both: the larger size, the price that trades sooner", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    modify(scene, 2n, 7n, { usd: 198n, contracts: 5n });
    expect(only(scene)).toMatchObject({
      state: "working",
      price: 199n * USD,
      pending: { price: 199n * USD, size: 5n * CONTRACT },
    });
    expect(remainings(scene)).toBe(5n * CONTRACT);
  });

  test("to a smaller size counts the larger until answered", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(5n * CONTRACT) });
    const command = modify(scene, 2n, 7n, { contracts: 2n });
    expect(remainings(scene)).toBe(5n * CONTRACT);
    scene.answer(2n, command, executedWith(modifiedEvent(199n, 2n)));
    expect(only(scene)).toMatchObject({
      size: 2n * CONTRACT,
      remainingSize: 2n * CONTRACT,
      pending: null,
      orderId: 7n,
    });
  });

  test("executed, and the answer shows a fill whose frame is missing: once canceled, the order waits for that fill", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    const command = modify(scene, 2n, 7n, { usd: 198n });
    scene.answer(2n, command, executedWith(modifiedEvent(198n, 2n, 1n)));
    frame(scene, 7n, "orderCanceled");
    expect(onlyPending(scene).remainingSize).toBe(2n * CONTRACT);
    scene.tell({ kind: "execution", execution: execution() });
    expect(ends(scene)).toEqual(["canceled"]);
  });

  test.each([
    ["refused", refused],
    ["rejected", rejected],
    ["not sent", notSent],
  ] as const)("%s: as before", (_, outcome) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n, contracts: 5n });
    scene.answer(2n, command, outcome);
    expect(only(scene)).toMatchObject({ state: "working", price: 199n * USD, size: CONTRACT, pending: null });
  });

  test("a trigger is of an order that is not ours: the account is read", () => {
    const scene = createScene();
    scene.tell({ kind: "orderTriggered", accountId: ME, marketId: 1, orderId: orderId(66n) });
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "unknownOrder" });
  });

  test("executed without an event: as asked, and the account is read to be sure", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n });
    scene.answer(2n, command, executedWith());
    expect(only(scene)).toMatchObject({ price: 198n * USD, pending: null, state: "working" });
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "answerSilent" });
  });

  test("told of on the stream too: its terms are no news, however late the frame is", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    for (const [nonceOf, usd] of [
      [2n, 198n],
      [3n, 197n],
    ] as const)
      scene.answer(nonceOf, modify(scene, nonceOf, 7n, { usd }), executedWith());
    const known = scene.effects.length;
    for (const usd of [198n, 197n]) scene.tell(modifiedFrame(7n, { price: price(usd * USD) }));
    expect(only(scene)).toMatchObject({ price: 197n * USD, state: "working" });
    expect(scene.effects.slice(known)).toEqual([]);
  });

  test("of ours by somebody else: the account is read, and until then nothing is believed", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell(modifiedFrame(7n, { size: size(9n * CONTRACT) }));
    expect(only(scene)).toMatchObject({ size: CONTRACT, state: "working" });
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "unknownOrder" });
  });

  test("of an order that only reduces, smaller at its price: the exchange shrank it to the position", () => {
    const whole = { size: size(9n * CONTRACT) };
    const scene = createScene();
    scene.rest(1n, 7n, { ...whole, reduceOnly: true });
    scene.tell(modifiedFrame(7n, { size: size(4n * CONTRACT) }));
    expect(only(scene)).toMatchObject({ size: 4n * CONTRACT, remainingSize: 4n * CONTRACT, state: "working" });
    expect(scene.kinds()).toContain("reconcileWanted");
    for (const other of [{ size: size(5n * CONTRACT) }, { price: price(198n * USD), size: size(2n * CONTRACT) }]) {
      scene.tell(modifiedFrame(7n, other));
      expect(only(scene).size).toBe(4n * CONTRACT);
    }
    modify(scene, 2n, 7n, { contracts: 6n });
    scene.tell(modifiedFrame(7n, { size: size(3n * CONTRACT) }));
    expect(only(scene).remainingSize).toBe(6n * CONTRACT);
  });

  test("canceled since the position no longer leaves room for it: over, and nobody else's doing", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { reduceOnly: true });
    scene.tell({ kind: "orderCanceled", orderId: orderId(7n), marketId: 1, accountId: ME, reason: "ReduceOnly" });
    expect(scene.orders()).toEqual([]);
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("lost: unknown with the worst of both, until settled either way", () => {
    for (const verdict of ["neverLanded", "landed"] as const) {
      const scene = createScene();
      scene.rest(1n, 7n);
      const command = modify(scene, 2n, 7n, { usd: 198n, contracts: 5n });
      scene.answer(2n, command, lost);
      expect(only(scene)).toMatchObject({ state: "unknown", pending: { size: 5n * CONTRACT } });
      scene.tell({ kind: "resolved", nonce: nonce(2n), command, verdict });
      expect(only(scene)).toMatchObject({ state: "working", pending: null });
      expect(only(scene).size).toBe(verdict === "landed" ? 5n * CONTRACT : CONTRACT);
    }
  });

  describe("to the quote of another level", () => {
    const asked = () => {
      const scene = createScene();
      scene.rest(1n, 7n, { level: 0 });
      const command = modify(scene, 2n, 7n, { usd: 198n, level: 1 });
      expect(only(scene).level, "not before it has landed").toBe(0);
      return { scene, command };
    };

    test.each([
      ["with its event", executedWith(modifiedEvent(198n, 1n))],
      ["without", executedWith()],
    ])("executed %s: stands for that level", (_, outcome) => {
      const { scene, command } = asked();
      scene.answer(2n, command, outcome);
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

  test("to less than is filled ends the order when its answer comes", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(5n * CONTRACT) });
    const command = modify(scene, 2n, 7n, { contracts: 2n });
    scene.tell({ kind: "execution", execution: execution({ contracts: 3n }) });
    expect(remainings(scene)).toBe(2n * CONTRACT);
    scene.answer(2n, command, executedWith());
    expect(scene.orders()).toEqual([]);
  });

  test("that came too late for an order that was filled whole: gone when a read does not list it, and no mismatch", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    modify(scene, 2n, 7n, { contracts: 2n });
    scene.tell({ kind: "execution", execution: execution() });
    expect(remainings(scene), "it may still become 2").toBe(CONTRACT);
    scene.advance(300);
    readNow(scene, { positions: [position(1n, 199n)] });
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)[0]).toBe("filled");
    expect(scene.kinds()).not.toContain("mismatch");
  });

  test("that the exchange makes of a cancel and a new order: the old id ends, the new one is ours", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n });
    const replaced = placedEvent(8n, { price: price(198n * USD) });
    scene.answer(2n, command, executedWith(canceledEvent(7n), replaced));
    frame(scene, 7n, "orderCanceled");
    expect(only(scene)).toMatchObject({ orderId: 8n, price: 198n * USD, state: "working" });
    scene.advance(10_000);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(8n, { price: price(198n * USD) })] }) });
    expect(scene.kinds()).not.toContain("foreign");
  });
});

describe("a doubt about a place ends", () => {
  test("never landed: gone", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "neverLanded" });
    expect(scene.orders()).toEqual([]);
    expect(ends(scene)).toEqual(["neverLanded"]);
  });

  test("landed and not listed by then: filled or canceled, so gone", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
    expect(scene.orders()).toEqual([]);
  });

  test("landed and listed: working under the listed id", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, lost);
    scene.advance(100);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working", nonce: 1n });
    expect(scene.kinds()).not.toContain("foreign");
  });
});

describe("orders that we did not make", () => {
  test("are counted at once and told when seen again", () => {
    const scene = createScene();
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(66n)] }) });
    expect(only(scene)).toMatchObject({ orderId: 66n, nonce: null, level: null });
    expect(scene.kinds()).not.toContain("foreign");
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(66n)] }) });
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "order" });
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(66n)] }) });
    expect(scene.kinds().filter((kind) => kind === "foreign").length, "told once").toBe(1);
  });

  test("heard of by a frame alone are counted too", () => {
    const scene = createScene();
    frame(scene, 66n, "orderPlaced");
    expect(only(scene)).toMatchObject({ orderId: 66n, nonce: null });
  });

  test("heard of by a frame alone and never listed: foreign and over, once no list can be older; their market is read meanwhile", () => {
    const scene = createScene();
    const { price: at, size: whole } = listed(66n);
    scene.tell({
      kind: "orderPlaced",
      accountId: ME,
      marketId: 3,
      orderId: orderId(66n),
      side: "buy",
      price: at,
      size: whole,
    });
    scene.advance(2500);
    scene.tell({ kind: "accountRead", account: account() });
    expect([...scene.state.markets.keys()]).toContain(3);
    const live = () => [...scene.state.accounts.get(ME)!.orders.resting()].map(({ orderId: id }) => id);
    scene.advance(scene.state.ages.landingBoundMs);
    scene.tell({ kind: "accountRead", account: account() });
    expect([live(), scene.kinds().includes("foreign")]).toEqual([[66n], false]);
    for (let round = 0; round < 7; round += 1) {
      scene.advance(5000);
      scene.tell({ kind: "accountRead", account: account() });
    }
    expect(live()).toEqual([]);
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 3, orderId: 66n, what: "order" });
  });

  test("that are found at the start but are known from an earlier life are ours", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const scene = createScene({ knownOrders: [known] }, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    for (let round = 0; round < 3; round += 1) {
      scene.advance(300);
      scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    }
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("that are over by the ledger are not taken from a list of before this life, and no such list agrees for long", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy", endedMs: 1000 } as const;
    const scene = createScene({ knownOrders: [known] }, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    const read = () => scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    const agrees = () => scene.state.accounts.get(ME)?.reconcile.differsSinceMs === null;
    scene.advance(300);
    read();
    expect([scene.orders(), agrees()]).toEqual([[], true]);
    scene.advance(scene.state.ages.reconciledMs);
    read();
    expect([scene.orders(), agrees()]).toEqual([[], false]);
    expect(scene.kinds()).not.toContain("mismatch");
  });

  test("that are over by the ledger rest after all where lists show them for longer than a transaction may take to land", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy", endedMs: 1000 } as const;
    const scene = createScene({ knownOrders: [known] }, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    scene.advance(scene.state.ages.landingBoundMs + 2);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    expect(only(scene)).toMatchObject({ orderId: 7n, state: "working" });
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "mismatch", what: "orderReappeared" }));
  });

  test("a fill of an id that nothing of ours could be is told after a while", () => {
    const scene = createScene();
    scene.tell({ kind: "execution", execution: execution({ mine: 66n }) });
    expect(scene.inventory(), "it is our position all the same").toBe(CONTRACT);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
    scene.advance(2500);
    scene.tell(pong(scene));
    expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "fill" });
  });

  test("a fill of an order that landed without ever being named is no stranger's, early or late", () => {
    for (const first of ["fill", "verdict"]) {
      const scene = createScene();
      const command = scene.place(1n, { postOnly: false });
      scene.answer(1n, command, lost);
      const fill = () => scene.tell({ kind: "execution", execution: execution({ mine: 7n, liquidity: "taker" }) });
      if (first === "fill") fill();
      scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
      if (first === "verdict") fill();
      scene.advance(2500);
      scene.tell(pong(scene));
      expect(scene.inventory()).toBe(CONTRACT);
      expect(scene.kinds()).not.toContain("foreign");
      // One order, one id: a second stranger is a stranger.
      scene.tell({ kind: "execution", execution: execution({ mine: 8n, liquidity: "taker", hash: "h2" }) });
      scene.advance(2500);
      scene.tell(pong(scene));
      expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "foreign", orderId: 8n }));
    }
  });

  test("of two lost orders alike, the later one is taken for what rests: a fill from before it was sent is the other's", () => {
    const scene = createScene();
    const first = scene.place(1n);
    scene.advance(10);
    scene.tell({ kind: "execution", execution: execution({ mine: 7n }) });
    scene.advance(10);
    const second = scene.place(2n);
    for (const [of, command] of [
      [1n, first],
      [2n, second],
    ] as const) {
      scene.answer(of, command, lost);
    }
    scene.advance(100);
    scene.tell({
      kind: "accountRead",
      account: account({ openOrders: [listed(8n)], positions: [position(1n, 199n)] }),
    });
    expect(scene.orders().map(({ nonce: of, orderId: id }) => [of, id])).toEqual([
      [1n, null],
      [2n, 8n],
    ]);
    scene.tell({ kind: "resolved", nonce: nonce(1n), command: first, verdict: "landed" });
    scene.tell({ kind: "resolved", nonce: nonce(2n), command: second, verdict: "landed" });
    scene.advance(2500);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
    expect(only(scene)).toMatchObject({ orderId: 8n });
  });

  test("a wrong guess is given back: what rests belongs to the other lost order", () => {
    const scene = createScene();
    const first = scene.place(1n);
    const second = scene.place(2n);
    scene.answer(1n, first, lost);
    scene.answer(2n, second, lost);
    scene.advance(100);
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(8n)] }) });
    expect(scene.orders().map(({ orderId: id }) => id)).toEqual([null, 8n]);
    scene.tell({ kind: "resolved", nonce: nonce(2n), command: second, verdict: "neverLanded" });
    expect(only(scene), "never uncounted").toMatchObject({ nonce: 1n, orderId: 8n, state: "working" });
  });

  test("a fill that a place on its way may own waits for its answer", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.tell({ kind: "execution", execution: execution({ mine: 7n }) });
    scene.advance(10_000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
    scene.answer(1n, command, executedWith(placedEvent(7n)));
    scene.advance(10_000);
    scene.tell(pong(scene));
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("fills of a liquidation are explained by it, whichever comes first", () => {
    for (const first of ["fill", "message"]) {
      const scene = createScene();
      const fill = () => scene.tell({ kind: "execution", execution: execution({ mine: 66n, liquidity: "taker" }) });
      if (first === "fill") fill();
      scene.advance(100);
      scene.tell({ kind: "liquidation", accountId: ME, positionsClosed: 1, positionsRemaining: 0 });
      if (first === "message") fill();
      scene.advance(3000);
      scene.tell(pong(scene));
      expect(scene.kinds()).toContain("liquidation");
      expect(scene.kinds()).not.toContain("foreign");
    }
  });

  describe("an order of the exchange's own, whose frames come before what explains it", () => {
    /** Placed and filled whole at once, with the size of its fill. */
    const closedBy = (scene: Scene, id: bigint) => {
      const { type: _type, ...placed } = placedEvent(id, { side: "sell", size: size(CONTRACT) });
      scene.tell({ kind: "orderPlaced", ...placed });
      scene.tell({ kind: "execution", execution: execution({ mine: id, side: "sell", liquidity: "taker" }) });
    };
    const later = (scene: Scene) => {
      scene.advance(2500);
      scene.tell(pong(scene));
    };
    const told = (scene: Scene) => scene.kinds().filter((kind) => kind === "foreign" || kind === "mismatch");

    test("is a liquidation's", () => {
      const scene = createScene();
      closedBy(scene, 66n);
      scene.tell({ kind: "liquidation", accountId: ME, positionsClosed: 1, positionsRemaining: 0 });
      later(scene);
      expect(told(scene)).toEqual([]);
    });

    test.each(["Settling", "Settled"])("is the settlement's where the market is %s", (status) => {
      const scene = createScene();
      closedBy(scene, 66n);
      scene.tell({ kind: "marketRead", market: market({ status }) });
      later(scene);
      expect(told(scene)).toEqual([]);
    });

    test("is foreign where nothing explains it, told once", () => {
      const scene = createScene();
      closedBy(scene, 66n);
      expect(told(scene)).toEqual([]);
      later(scene);
      later(scene);
      expect(told(scene)).toEqual(["foreign", "mismatch"]);
      expect(scene.inventory()).toBe(size(-CONTRACT));
    });
  });

  test("events of other accounts are none of ours", () => {
    const scene = createScene();
    const { type: _type, ...placed } = placedEvent(66n, { accountId: 5n as typeof ME });
    scene.tell({ kind: "orderPlaced", ...placed });
    expect(scene.orders()).toEqual([]);
  });
});

test("an account that was never read keeps its orders all the same", () => {
  const scene = createScene({}, "blank");
  scene.rest(1n, 7n);
  expect(only(scene).state).toBe("working");
  makeReady(scene);
});

describe("where an order rested until a moment ago", () => {
  const places = ({ state, nowMs }: Scene) =>
    state.accounts
      .get(ME)!
      .orders.vacatedIn(1, nowMs())
      .map(({ orderId: id, side, price: at, size: contracts }) => [id, side, at / USD, contracts]);

  test("is known for a second after it moved, while the book may be behind", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n });
    expect(only(scene).movingTo).toEqual([{ price: 198n * USD, size: CONTRACT }]);
    expect(places(scene)).toEqual([]);
    scene.answer(2n, command, executedWith());
    expect(only(scene)).toMatchObject({ price: 198n * USD, movingTo: [] });
    expect(places(scene)).toEqual([[7n, "buy", 199n, CONTRACT]]);
    scene.advance(999);
    expect(places(scene)).toHaveLength(1);
    scene.advance(1);
    expect(places(scene)).toEqual([]);
  });

  test("and after it was canceled or filled, the newest first", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { side: "sell", price: price(201n * USD) });
    frame(scene, 7n, "orderCanceled");
    scene.tell({ kind: "execution", execution: execution({ mine: 8n, side: "sell", usd: 201n }) });
    expect(scene.orders()).toEqual([]);
    expect(places(scene)).toEqual([
      [8n, "sell", 201n, CONTRACT],
      [7n, "buy", 199n, CONTRACT],
    ]);
  });

  test("an order that never rested leaves none", () => {
    const scene = createScene();
    const command = scene.place(1n);
    scene.answer(1n, command, refused);
    expect(places(scene)).toEqual([]);
  });
});
