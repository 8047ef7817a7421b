// What an earlier holder of the account sent: it counts as filled until it can no longer land, what lands is ours and canceled, and what it
// cannot explain is foreign as ever.

import { expect, test } from "vitest";
import type { EarlierHolder } from "../../../../../src/domain/allowance.ts";
import { price, type Size, size } from "../../../../../src/domain/units.ts";
import { fresh } from "../../../../../src/domain/view.ts";
import { account, CONTRACT, createScene, listed, ME, placedEvent, pong, type Scene, USD } from "../../scene.ts";

const UNTIL_MS = 61_000;
const holder = (orders: number, contracts: bigint): EarlierHolder => ({
  allowances: new Map([[1, { orders, contracts: size(contracts * CONTRACT) }]]),
  untilMs: UNTIL_MS,
});

/** Contracts. */
const rangeOf = (scene: Scene): readonly Size[] => {
  const position = fresh(scene.view().position);
  return position === undefined ? [] : [position.low, position.high];
};
const both = (contracts: bigint) => [-contracts * CONTRACT, contracts * CONTRACT];
const land = (scene: Scene, id: bigint, of: Parameters<typeof placedEvent>[1] = {}): void => {
  const { type: _, ...order } = placedEvent(id, of);
  scene.tell({ kind: "orderPlaced", ...order });
};
const listedAs = (id: bigint) => listed(id, { size: size(CONTRACT), remainingSize: size(CONTRACT) });

test("all of it counts as filled, of each side and each holder, and no longer once none of it can land", () => {
  const scene = createScene({ earlierHolders: [holder(4, 3n), { ...holder(4, 2n), untilMs: 31_000 }] });
  expect(rangeOf(scene)).toEqual(both(5n));
  scene.advance(30_000);
  scene.tell(pong(scene));
  scene.tell({ kind: "accountRead", account: account() });
  expect(rangeOf(scene)).toEqual(both(3n));
  scene.advance(30_000);
  scene.tell(pong(scene));
  scene.tell({ kind: "accountRead", account: account() });
  expect(rangeOf(scene)).toEqual([0n, 0n]);
});

test("an order that lands late is ours and not wanted, and is never taken for a foreign one", () => {
  const scene = createScene({ earlierHolders: [holder(4, 3n)] });
  land(scene, 7n);
  expect(scene.effects.filter(({ kind }) => kind === "lateOrder")).toEqual([
    { kind: "lateOrder", accountId: ME, marketId: 1, orderId: 7n, side: "buy" },
  ]);
  scene.advance(3000);
  scene.tell(pong(scene));
  scene.tell({ kind: "accountRead", account: account({ openOrders: [listedAs(7n)] }) });
  expect(scene.kinds()).not.toContain("foreign");
  expect(scene.orders().map(({ orderId, isForeign }) => ({ orderId, isForeign }))).toEqual([
    { orderId: 7n, isForeign: false },
  ]);
  // It may be another's after all: what the holder had on the way still counts.
  expect(rangeOf(scene)).toEqual(both(3n));
});

test("one that only a list shows is recognized too", () => {
  const scene = createScene({ earlierHolders: [holder(4, 3n)] });
  scene.tell({ kind: "accountRead", account: account({ openOrders: [listedAs(7n)] }) });
  expect(scene.kinds()).toContain("lateOrder");
});

test.each([
  ["more contracts than the holder had room for", { size: size(4n * CONTRACT) }],
  ["another market", { marketId: 2 }],
])("%s: foreign", (_, of) => {
  const scene = createScene({ earlierHolders: [holder(4, 3n)] });
  land(scene, 7n, of);
  expect(scene.kinds()).not.toContain("lateOrder");
});

test("more orders, or more contracts in all, than the holder had room for are foreign", () => {
  const few = createScene({ earlierHolders: [holder(1, 9n)] });
  const small = createScene({ earlierHolders: [holder(9, 1n)] });
  for (const scene of [few, small]) {
    land(scene, 7n);
    land(scene, 8n);
    expect(scene.kinds().filter((kind) => kind === "lateOrder")).toHaveLength(1);
  }
});

test("an order that waits for a trigger or only reduces protects a position of the owner's: it is none of theirs", () => {
  const scene = createScene({ earlierHolders: [holder(4, 3n)] });
  const stop = { ...listedAs(7n), triggerPrice: price(150n * USD) };
  const exit = { ...listedAs(8n), reduceOnly: true };
  scene.tell({ kind: "accountRead", account: account({ openOrders: [stop, exit] }) });
  expect(scene.kinds()).not.toContain("lateOrder");
});

test("once nothing of it can land, an order that shows up is foreign", () => {
  const scene = createScene({ earlierHolders: [holder(4, 3n)] });
  scene.advance(UNTIL_MS);
  land(scene, 7n);
  expect(scene.kinds()).not.toContain("lateOrder");
});
