// An exchange that says done and does nothing: both outcomes count, the operator is told what came, and three places in a row halt. One that
// does what it says, in words that nobody knows, is quoted.

import { expect, test } from "vitest";
import { haltedWorld } from "./halted-world.ts";

const nothing = { kind: "executed", hash: "h", events: [{ type: "other", name: "OrderAccepted" }] } as const;

test("places that succeed and make no order halt the account, with the text that came", async () => {
  const halted = await haltedWorld({ levels: 2 });
  halted.door.answers = nothing;
  halted.world.daemon.boot();
  await halted.until("the latch", () => halted.latches().includes("mismatch"), 40_000);
  expect(halted.resting()).toEqual([]);
  expect(halted.has("success.notUnderstood")).toBeGreaterThanOrEqual(3);
  expect(halted.world.disk.rows.open().read.latchEvents().at(-1)).toMatchObject({
    latch: { reason: expect.stringContaining("event type OrderAccepted is not known") },
  });
});

test("modifies that succeed and change nothing are replaced by cancel and place, without a latch", async () => {
  const halted = await haltedWorld({ levels: 2 });
  halted.world.daemon.boot();
  await halted.until("quotes", () => halted.resting(1).length === 4 && halted.resting(2).length === 4, 20_000);
  halted.door.answersTo = "ModifyOrder";
  halted.door.answers = nothing;
  for (const usd of [201, 202, 203]) {
    halted.print(usd);
    await halted.world.clock.advance(8000);
  }
  expect(halted.has("dialect.learned")).toBeGreaterThanOrEqual(1);
  const turnedAway = halted.door.turnedAway;
  halted.print(204);
  const near = () => halted.resting(1).every(({ price }) => Math.abs(Number(price) / 1e8 - 204) < 1);
  await halted.until("quotes at the new price", () => halted.resting(1).length === 4 && near(), 20_000);
  expect([halted.latches(), halted.door.turnedAway - turnedAway]).toEqual([[], 0]);
  halted.world.daemon.kill();
  halted.world.daemon.boot();
  await halted.until("quotes again", () => halted.resting(1).length === 4 && near(), 20_000);
  halted.print(205);
  await halted.world.clock.advance(8000);
  expect(halted.door.turnedAway - turnedAway, "the next run knows").toBe(0);
});
