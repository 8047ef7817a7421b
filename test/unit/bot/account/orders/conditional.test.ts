// An order that waits for a trigger is never one of ours, whatever of ours is unanswered: it is foreign at its first word, and nothing is
// fenced where it rests.

import { expect, test } from "vitest";
import { price } from "../../../../../src/domain/units.ts";
import { createScene, listed, lost, ME, placedEvent, pong, type Scene, USD } from "../../scene.ts";
import { read } from "../orders.ts";

const shows: readonly (readonly [what: string, show: (scene: Scene) => void])[] = [
  [
    "a frame",
    (scene) => {
      const { type: _, ...placed } = placedEvent(66n, { price: price(0n) });
      scene.tell({ kind: "orderPlaced", ...placed });
    },
  ],
  [
    "a list",
    (scene) => read(scene, { openOrders: [listed(66n, { price: price(0n), triggerPrice: price(150n * USD) })] }),
  ],
];

test.each(shows)("%s shows one while a place of ours of its side has no answer", (_, show) => {
  const scene = createScene();
  const command = scene.place(1n);
  scene.answer(1n, command, lost);
  show(scene);
  expect(scene.orders().filter(({ isForeign }) => isForeign)).toMatchObject([{ orderId: 66n }]);
  scene.advance(5000);
  scene.tell(pong(scene));
  read(scene, { openOrders: [listed(66n, { price: price(0n), triggerPrice: price(150n * USD) })] });
  expect(scene.effects).toContainEqual({ kind: "foreign", accountId: ME, marketId: 1, orderId: 66n, what: "order" });
});
