// Where our orders stand in the queue of their price, by frames alone: arrivals, trades, cancels, moves, and what no frame told of.

import { describe, expect } from "vitest";
import type { Level } from "../../../../../src/domain/book.ts";
import { price, type Side, size } from "../../../../../src/domain/units.ts";
import {
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  placedEvent,
  publicTrade,
  type Scene,
  test,
  USD,
} from "../../scene.ts";
import { frame, modifiedEvent, modifiedFrame, modify } from "../orders.ts";

const lots = (contracts: number): bigint => BigInt(Math.round(contracts * Number(CONTRACT)));
/** The bids at 199 USD, ours of one contract among them. */
const shows = (scene: Scene, contracts: number, orderCount: number, usd = 199n): void => {
  const level: Level = { price: price(usd * USD), size: size(lots(contracts)), orderCount };
  scene.tell({ kind: "book", book: { marketId: 1, bids: contracts === 0 ? [] : [level], asks: [] } });
};
const trades = (scene: Scene, contracts: number, of: { mine?: bigint; hash?: string; side?: Side } = {}): void => {
  const trade = publicTrade(execution({ mine: 1000n, ...of }));
  scene.tell({ kind: "trade", trade: { ...trade, size: size(lots(contracts)) } });
};
/** Contracts ahead of our order 7. */
const ahead = (scene: Scene): number | null => {
  const { queueAhead = null } = scene.orders().find(({ orderId }) => orderId === 7n) ?? {};
  return queueAhead === null ? null : Number(queueAhead) / Number(CONTRACT);
};
/** Our order of one contract behind `before` contracts of others in so many orders. */
const joined = (before = 3, count = 2, options: Parameters<typeof createScene>[0] = {}): Scene => {
  const scene = createScene(options);
  shows(scene, before, count);
  const command = scene.place(1n);
  frame(scene, 7n, "orderPlaced");
  shows(scene, before + (scene.view().isPaper ? 0 : 1), count + (scene.view().isPaper ? 0 : 1));
  scene.answer(1n, command, executedWith(placedEvent(7n)));
  return scene;
};

describe("the place of an order in the queue of its price", () => {
  test("is behind all that stood there when it came", () => {
    expect(ahead(joined())).toBe(3);
    expect(ahead(joined(0, 0))).toBe(0);
  });

  test("is known whether the answer comes before the frames or after them", ({ scene }) => {
    shows(scene, 3, 2);
    scene.rest(1n, 7n);
    expect(ahead(scene)).toBeNull();
    frame(scene, 7n, "orderPlaced");
    expect(ahead(scene)).toBe(3);
    shows(scene, 4, 3);
    expect(ahead(scene)).toBe(3);
  });

  test("law: who comes later stands behind it, and trades take from the front", () => {
    const scene = joined();
    shows(scene, 6, 4);
    expect(ahead(scene)).toBe(3);
    trades(scene, 1.25);
    shows(scene, 4.75, 4);
    expect(ahead(scene)).toBe(1.75);
  });

  test("is the one of the last book: the trade that reaches an order is after it", () => {
    const scene = joined();
    trades(scene, 3);
    trades(scene, 0.5, { mine: 7n, hash: "h2" });
    expect(ahead(scene)).toBe(3);
    shows(scene, 0.5, 1);
    expect(ahead(scene)).toBe(0);
  });

  test("law: a cancel is known by its size", () => {
    const scene = joined(3, 1);
    shows(scene, 6, 3); // 2 came
    shows(scene, 4, 2); // and went
    expect(ahead(scene)).toBe(3);
    shows(scene, 6, 3);
    shows(scene, 3, 2); // those of 3 went
    expect(ahead(scene)).toBe(0);
  });

  test("edge: where nobody knows who left, each does in proportion to its size", () => {
    const scene = joined(3, 2);
    shows(scene, 5, 4);
    shows(scene, 7, 5); // 3 ahead, 1 and 2 behind
    shows(scene, 4, 3); // 3 in two orders
    expect(ahead(scene)).toBe(1.5);
  });

  test("an order that was partly filled and is made whole goes behind it", () => {
    const scene = joined(2, 1);
    trades(scene, 1.5);
    shows(scene, 1.5, 2);
    expect(ahead(scene)).toBe(0.5);
    shows(scene, 3, 2);
    expect(ahead(scene)).toBe(0);
  });

  test("law: a smaller size keeps the place; another price or a larger size loses it (S4.6)", () => {
    const scene = joined(3, 1);
    shows(scene, 6, 3);
    const smaller = modify(scene, 2n, 7n, { contracts: 1n });
    scene.answer(2n, smaller, executedWith(modifiedEvent(199n, 1n)));
    scene.tell(modifiedFrame(7n, {}));
    shows(scene, 6, 3);
    expect(ahead(scene)).toBe(3);
    const larger = modify(scene, 3n, 7n, { contracts: 2n });
    scene.tell({ ...modifiedFrame(7n, {}), size: size(2n * CONTRACT) });
    shows(scene, 7, 3);
    scene.answer(3n, larger, executedWith(modifiedEvent(199n, 2n)));
    expect(ahead(scene)).toBe(5);
  });

  test("edge: the answer to a modify comes first: it stands nowhere until a frame says so", () => {
    const scene = joined();
    const moved = modify(scene, 2n, 7n, { usd: 198n });
    scene.answer(2n, moved, executedWith(modifiedEvent(198n, 1n)));
    expect(ahead(scene)).toBeNull();
    shows(scene, 5, 2, 198n);
    scene.tell(modifiedFrame(7n, { price: price(198n * USD) }));
    expect(ahead(scene)).toBe(5);
  });

  test("edge: no frame told of it, as after a gap: behind all others", ({ scene }) => {
    scene.rest(1n, 7n);
    shows(scene, 4, 3);
    expect(ahead(scene)).toBeNull();
    scene.advance(1000);
    shows(scene, 4, 3);
    expect(ahead(scene)).toBe(3);
  });

  test("edge: a frame that comes twice changes nothing", () => {
    const scene = joined();
    shows(scene, 6, 4);
    frame(scene, 7n, "orderPlaced");
    shows(scene, 6, 4);
    expect(ahead(scene)).toBe(3);
  });

  test("ends with the order", () => {
    const scene = joined();
    const { type: _type, ...canceled } = canceledEvent(7n);
    scene.tell({ kind: "orderCanceled", ...canceled });
    shows(scene, 3, 2);
    expect(scene.orders()).toEqual([]);
  });

  test("on paper the book is of others alone, and the account's model says who leaves", () => {
    for (const [queueModel, left] of [
      ["riskAverse", 3],
      ["optimistic", 2],
    ] as const) {
      const scene = joined(3, 2, { queueModel });
      shows(scene, 5, 3);
      shows(scene, 4, 2);
      expect(ahead(scene)).toBe(left);
    }
  });
});
