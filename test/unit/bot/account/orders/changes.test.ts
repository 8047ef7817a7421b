// What can be done to a tracked order: fills reduce it, an end leaves what may still be filled, and its place is remembered for a moment.

import { describe, expect } from "vitest";
import { unknownDialect } from "../../../../../src/domain/dialect.ts";
import { price, size } from "../../../../../src/domain/units.ts";
import {
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  ME,
  makeReady,
  placedEvent,
  position,
  refused,
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import {
  afterLag,
  cancel,
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

describe("fills of a working order", () => {
  test("reduce it, and the last one ends it", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution({ hash: "a" }) });
    expect(only(scene).remainingSize).toBe(CONTRACT);
    scene.tell({ kind: "execution", execution: execution({ hash: "b" }) });
    expect(scene.orders()).toEqual([]);
    expect([scene.inventory(), overs(scene)]).toEqual([2n * CONTRACT, ["filled"]]);
  });

  test("while a cancel is on its way: still canceling, still counted for what is left", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    cancel(scene, 7n);
    scene.tell({ kind: "execution", execution: execution() });
    expect(only(scene)).toMatchObject({ state: "canceling", remainingSize: CONTRACT });
  });

  test.each([
    ["total", 2n],
    [null, 3n],
  ] as const)("do not end it while a modify may make it larger, by a size that is meant as %s", (modifySize, left) => {
    const scene = createScene({ dialect: { ...unknownDialect, modifySize } });
    scene.rest(1n, 7n);
    modify(scene, 2n, 7n, { contracts: 3n });
    scene.tell({ kind: "execution", execution: execution() });
    expect(only(scene).remainingSize).toBe(left * CONTRACT);
  });
});

describe("what is left of an order that an event has ended", () => {
  /** Two contracts, one of which was filled, canceled by its answer. */
  const ended = (): Scene => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution() });
    scene.advance(100);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    return scene;
  };
  const held = { positions: [position(1n, 199n)] };

  test("counts as filled, and is no order", () => {
    const scene = ended();
    expect(onlyPending(scene).remainingSize).toBe(CONTRACT);
    expect([scene.view().accountOrderCount, rangeOf(scene)]).toEqual([0, [1, 1, 2]]);
  });

  test("leaves with its last fill", () => {
    const scene = ended();
    scene.tell({ kind: "execution", execution: execution({ hash: "h2" }) });
    expect([rangeOf(scene), overs(scene)]).toEqual([[2, 2, 2], ["canceled"]]);
  });

  test.each([
    ["trades", (scene: Scene) => readTrades(scene, execution())],
    ["a read of the position", (scene: Scene) => read(scene, held, 0)],
  ])("leaves with %s of later that show no unknown fill, and not while they may be of before its end", (_, ask) => {
    const scene = ended();
    scene.advance(scene.state.readLagMaxMs + 1);
    ask(scene);
    expect(rangeOf(scene), "it may be of the moment of the end").toEqual([1, 1, 2]);
    scene.advance(1);
    ask(scene);
    expect([rangeOf(scene), overs(scene)]).toEqual([[1, 1, 1], ["canceled"]]);
  });

  test("is found in trades that name a fill which no frame told", () => {
    const scene = ended();
    afterLag(scene);
    readTrades(scene, execution({ hash: "h2" }), execution());
    expect([rangeOf(scene), overs(scene)]).toEqual([[2, 2, 2], ["canceled"]]);
  });

  test("stays after trades that do not reach back to the list before: a fill may be left out", ({ scene }) => {
    readTrades(scene, execution({ hash: "others", mine: 500n, other: 501n }));
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    afterLag(scene);
    readTrades(scene, execution({ hash: "others 2", mine: 502n, other: 503n }));
    expect(rangeOf(scene)).toEqual([0, 0, 1]);
    for (let round = 0; round < 2; round += 1) read(scene);
    expect(rangeOf(scene), "two reads agree that the account is flat").toEqual([0, 0, 0]);
  });

  test("stays after one read that lacks the position: a missing entry alone is no evidence of flat", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(3n * CONTRACT) });
    scene.rest(2n, 8n, { side: "sell", price: price(201n * USD) });
    scene.tell({ kind: "execution", execution: execution() });
    scene.tell({ kind: "execution", execution: execution({ mine: 8n, side: "sell", usd: 201n, hash: "h2" }) });
    read(scene, held);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    afterLag(scene);
    read(scene, held, 0);
    read(scene);
    expect(rangeOf(scene)?.[2]).toBeGreaterThanOrEqual(2);
    read(scene);
    expect(overs(scene)).toContain("canceled");
  });

  test("stays as it was whatever becomes of its cancel and its modify", ({ scene }) => {
    scene.rest(1n, 7n);
    const change = modify(scene, 2n, 7n, { contracts: 3n });
    cancel(scene, 7n);
    frame(scene, 7n, "orderCanceled");
    expect(rangeOf(scene)).toEqual([0, 0, 3]);
    scene.answer(2n, change, { kind: "unknown", why: "lost" });
    expect([scene.orders(), rangeOf(scene)]).toEqual([[], [0, 0, 3]]);
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

  test("is known for a second after it moved, while the book may be behind", ({ scene }) => {
    scene.rest(1n, 7n);
    const command = modify(scene, 2n, 7n, { usd: 198n });
    expect(only(scene).movingTo).toEqual([{ price: 198n * USD, size: CONTRACT }]);
    expect(places(scene)).toEqual([]);
    scene.answer(2n, command, executedWith(modifiedEvent(198n, 1n)));
    expect(only(scene)).toMatchObject({ price: 198n * USD, movingTo: [] });
    expect(places(scene)).toEqual([[7n, "buy", 199n, CONTRACT]]);
    scene.advance(999);
    expect(places(scene)).toHaveLength(1);
    scene.advance(1);
    expect(places(scene)).toEqual([]);
  });

  test("and after it was canceled or filled, the newest first", ({ scene }) => {
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

  test("once, however often it went to and fro, and from when it last left", ({ scene }) => {
    scene.rest(1n, 7n);
    for (const [nonce, usd] of [
      [2n, 198n],
      [3n, 199n],
      [4n, 198n],
    ] as const) {
      scene.answer(nonce, modify(scene, nonce, 7n, { usd }), executedWith(modifiedEvent(usd, 1n)));
      scene.advance(400);
    }
    expect(places(scene)).toEqual([
      [7n, "buy", 199n, CONTRACT],
      [7n, "buy", 198n, CONTRACT],
    ]);
    scene.advance(599);
    expect(places(scene)).toEqual([[7n, "buy", 199n, CONTRACT]]);
  });

  test("an order that never rested leaves none", ({ scene }) => {
    scene.answer(1n, scene.place(1n), refused);
    expect(places(scene)).toEqual([]);
  });
});

test("an id that a frame named before the answer keeps what the frame said of its fills and its end", ({ scene }) => {
  scene.tell({ kind: "execution", execution: execution() });
  frame(scene, 7n, "orderPlaced");
  const command = scene.place(1n, { size: size(3n * CONTRACT) });
  scene.answer(1n, command, executedWith(placedEvent(7n, { size: size(3n * CONTRACT) })));
  expect(only(scene)).toMatchObject({ orderId: 7n, remainingSize: 2n * CONTRACT, isForeign: false });
});
