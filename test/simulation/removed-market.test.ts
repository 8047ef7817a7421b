// A market that leaves the configuration is drained: its desk stays and cancels until the exchange has confirmed that nothing of ours
// rests there. No other market notices while cancels get in.

import { expect, test } from "vitest";
import { type HaltedWorld, haltedWorld, isQuoting } from "./halted-world.ts";

const idsIn = ({ resting }: HaltedWorld, marketId: number) => resting(marketId).map(({ orderId }) => orderId);

async function started(): Promise<HaltedWorld> {
  const halted = await haltedWorld({});
  halted.world.daemon.boot();
  await halted.until("quotes", () => isQuoting(halted), 20_000);
  await halted.world.clock.advance(2000);
  return halted;
}

test("only its own orders go", async () => {
  const halted = await started();
  const before = idsIn(halted, 1);
  await halted.reload({ markets: [1] });
  await halted.until("the orders of market 2 to go", () => halted.resting(2).length === 0, 3000);
  await halted.world.clock.advance(10_000);
  expect(idsIn(halted, 1)).toEqual(before);
});

const desks = ({ world }: HaltedWorld) =>
  world.daemon.bot?.status().accounts[0]?.markets.map(({ marketId, quotesReason }) => [marketId, quotesReason]);

test("no cancel gets in: its desk stays, cancels on and says so, until the exchange has confirmed that nothing rests", async () => {
  const halted = await started();
  halted.door.isShut = true;
  await halted.reload({ markets: [1] });
  await halted.world.clock.advance(20_000);
  expect(halted.resting(2).length).toBe(2);
  expect(desks(halted)).toContainEqual([2, "the market left the configuration"]);
  expect(halted.has("market.drained")).toBe(0);
  expect(halted.world.daemon.bot?.status().reasons.join()).toContain(
    "the account resynchronizes: the exchange did not answer",
  );
  halted.open();
  await halted.until("its desk to go", () => desks(halted)?.length === 1, 5000);
  await halted.until("quotes in the other", () => halted.resting(1).length === 2, 10_000);
  expect(halted.resting(2)).toEqual([]);
  expect(halted.has("market.drained")).toBe(1);
});

test("brought back before it is drained, it is quoted again", async () => {
  const halted = await started();
  halted.door.isShut = true;
  await halted.reload({ markets: [1] });
  await halted.world.clock.advance(5000);
  await halted.reload({});
  halted.open();
  await halted.until("quotes in both", () => isQuoting(halted), 10_000);
  await halted.world.clock.advance(20_000);
  expect(isQuoting(halted)).toBe(true);
  expect(halted.has("market.drained")).toBe(0);
  expect(halted.latches()).toEqual([]);
});

test("removed and brought back in one breath: the reloads are applied one after the other", async () => {
  const halted = await started();
  await Promise.all([halted.reload({ markets: [1] }), halted.reload({})]);
  await halted.world.clock.advance(20_000);
  expect(isQuoting(halted)).toBe(true);
  expect(halted.latches()).toEqual([]);
});
