// A daemon that stood still explains before it accuses: orders that were filled meanwhile, and that no public trade still shows, are
// booked as unattributed, position and money, and nobody else is made responsible.

import { expect, test } from "vitest";
import { price } from "../../src/domain/units.ts";
import { type HaltedWorld, haltedWorld, isQuoting } from "./halted-world.ts";

/** The exchange lists a hundred. */
const TRADES = 110;

/** The daemon quotes, then stands still for so long, and its connection dies; `meanwhile` says what happens to its orders. */
async function stalled(ms: number, meanwhile: (halted: HaltedWorld) => unknown): Promise<HaltedWorld> {
  const halted = await haltedWorld({});
  const { world } = halted;
  world.daemon.boot();
  await halted.until("quotes", () => isQuoting(halted), 20_000);
  await world.clock.advance(5000);
  world.daemon.processRun.stall(ms);
  for (const connection of world.connections()) connection.drop();
  await meanwhile(halted);
  return halted;
}

/** It stands still for 103 s, and others trade until no public trade shows its fills. */
async function standingStill(meanwhile: (halted: HaltedWorld) => Promise<void>): Promise<HaltedWorld> {
  const halted = await stalled(103_000, meanwhile);
  const { world } = halted;
  await halted.tradeBeside(TRADES);
  await world.clock.advance(104_000);
  await halted.until("quotes again", () => isQuoting(halted), 45_000);
  await world.clock.advance(60_000);
  return halted;
}

/** No latch, and the ledger has the exchange's money. */
function judge({ world, latches }: HaltedWorld): void {
  expect(latches()).toEqual([]);
  const { books } = world.inspector;
  const broken: string[] = [];
  books.judge({ ledger: world.disk.rows.open().read, whole: world.disk.rows.whole() }, world.markets, (law, text) =>
    broken.push(`${law}: ${text}`),
  );
  expect(broken.filter((text) => text.startsWith("S7"))).toEqual([]);
}

test("two orders of one side were filled: the position differs by these two", async () => {
  const halted = await standingStill(({ take }) => take("sell", 0.5));
  judge(halted);
  expect(halted.has("position.unattributed")).toBe(1);
});

test("one of each side was filled: the position is what it was, and the money is not", async () => {
  const halted = await standingStill(async ({ take }) => {
    await take("sell", 0.5);
    await take("buy", 0.5);
  });
  judge(halted);
  expect(halted.has("collateral.transfer")).toBe(1);
});

test("the tick changed, which clears the book: nobody is accused", async () => {
  const halted = await stalled(20_000, ({ world }) => {
    for (const { marketId, tickSize } of world.worldConfig.devnet.markets)
      world.exchange.chain.control.setTickSize(marketId, price(tickSize * 5n));
  });
  await halted.world.clock.advance(60_000);
  expect(halted.latches()).toEqual([]);
});

test("nobody traded and somebody canceled: orders that are gone after a gap are a resynchronization, and nobody is accused", async () => {
  const halted = await stalled(20_000, ({ cancelByHand }) => cancelByHand());
  await halted.world.clock.advance(60_000);
  expect(halted.latches()).toEqual([]);
  expect(isQuoting(halted)).toBe(true);
});
