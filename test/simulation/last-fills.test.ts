// Orders that were canceled while the stream was down, and that may have been filled before, do not keep the bot from quoting for long: it
// places what fits beside them, or the trades of others prove that they were not filled.

import { expect, test } from "vitest";
import { type HaltedWorld, haltedWorld } from "./halted-world.ts";

/** Three orders of half a contract a side; the limit leaves room for `room` contracts beside them. */
async function canceledUnseen(room: number): Promise<HaltedWorld> {
  const halted = await haltedWorld({ markets: [1], levels: 3, limits: { maxPosition: 1.5 + room } });
  const { world, resting } = halted;
  await halted.tradeBeside(1);
  await world.clock.advance(6000);
  world.daemon.boot();
  await halted.until("quotes", () => resting(1).length === 6, 20_000);
  const fault = { id: 1, kind: "reconnects", how: "refused", atMs: 0, forMs: 20_000, amount: 0 } as const;
  world.networkFaults.begin(fault);
  for (const connection of world.connections()) connection.drop();
  await halted.until("cancels", () => resting(1).length === 0, 20_000);
  await world.clock.advance(1000);
  world.networkFaults.end(fault);
  return halted;
}

test("beside what they may have filled there is room for part of an order: it rests, and proves the rest", async () => {
  const { until, resting } = await canceledUnseen(0.3);
  await until("quotes", () => resting(1).length === 6, 15_000);
});

test("there is none: trades of others, before and after, prove that they were not filled", async () => {
  const { until, resting, tradeBeside, world } = await canceledUnseen(0.2);
  await world.clock.advance(15_000);
  expect(resting(1)).toEqual([]);
  await tradeBeside(1);
  await until("quotes", () => resting(1).length === 6, 5000);
});
