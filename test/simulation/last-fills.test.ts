// Orders that were canceled while the stream was down, and that may have been filled before, do not keep the bot from quoting for long: the
// resync that follows the gap says what was filled of them.

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

test.each([0.3, 0.2])(
  "with room for %d contracts beside what they may have filled, all quotes rest again soon",
  async (room) => {
    const { until, resting, latches } = await canceledUnseen(room);
    await until("quotes", () => resting(1).length === 6, 15_000);
    expect(latches()).toEqual([]);
  },
);
