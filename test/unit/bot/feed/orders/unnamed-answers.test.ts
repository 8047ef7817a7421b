// Places that execute and whose answers name no order: frames that came before the answer tell of them too.

import { expect, test } from "vitest";
import { orderId } from "../../../../../src/domain/units.ts";
import { createScene, executedWith, ME, placeCommand, type Scene } from "../scene.ts";

const placedFrame = (scene: Scene, id: bigint) => {
  const { marketId, side, price, size } = placeCommand();
  scene.tell({ kind: "orderPlaced", accountId: ME, marketId, orderId: orderId(id), side, price, size });
};
const canceledFrame = (scene: Scene, id: bigint) =>
  scene.tell({ kind: "orderCanceled", accountId: ME, marketId: 1, orderId: orderId(id), reason: "UserCanceled" });
const states = (scene: Scene) => scene.orders().map(({ orderId: id, state }) => [id, state]);

test("placed and canceled ahead of an answer that names nothing: over, and nothing stays unknown", () => {
  const scene = createScene();
  const command = scene.place(1n);
  placedFrame(scene, 7n);
  canceledFrame(scene, 7n);
  expect(states(scene)).toEqual([[null, "inFlight"]]);
  scene.answer(1n, command, executedWith());
  expect(states(scene)).toEqual([]);
  expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "orderEnded", why: "canceled" }));
});

test("placed ahead of such an answer: it rests under the name that the frame gave it", () => {
  const scene = createScene();
  const command = scene.place(1n);
  placedFrame(scene, 7n);
  scene.answer(1n, command, executedWith());
  expect(states(scene)).toEqual([[7n, "working"]]);
});

test("two of one shape: each frame names one, once both answers are here", () => {
  const scene = createScene();
  const [first, second] = [scene.place(1n), scene.place(2n)];
  for (const id of [7n, 8n]) placedFrame(scene, id);
  canceledFrame(scene, 7n);
  scene.answer(1n, first, executedWith());
  expect(states(scene).filter(([, state]) => state === "inFlight")).toHaveLength(1);
  scene.answer(2n, second, executedWith());
  expect(states(scene)).toEqual([[8n, "working"]]);
});
