// A halt is a halt, whoever asked for it: what is in flight, what is unresolved, and what rests in a market that is no longer quoted is
// gone, and the exchange has confirmed it, as soon after a latch that trips automatically as after an operator's halt.

import { describe, expect, test } from "vitest";
import type { LatchKind } from "../../src/domain/latch.ts";
import { price } from "../../src/domain/units.ts";
import { type HaltedWorld, haltedWorld, isQuoting, stop } from "./halted-world.ts";

/** From the latch until the exchange has confirmed it. */
const CONFIRMED_MS = 3000;
/** Whatever was on its way has landed by then. */
const LATE_MS = 20_000;
const TRIPPED_MS = 100_000;
/** Nothing that nobody answered can land after it, and a while to say so. */
const LANDING_MS = 100_000;
/** A loss that others' bids make while a print is unconfirmed would have halted by then. */
const SECOND_PRINT_MS = 70_000;

const farBuy = { side: "buy", price: price(15_000_000_000n), postOnly: true } as const;

/** `opens`: the door does before it can trip, since an account that cannot act resynchronizes, and its money is not known meanwhile. */
type Case = {
  readonly changes: object;
  readonly levels: number;
  readonly trip: (world: HaltedWorld) => unknown;
  readonly opens?: true;
};

/** One print far away is unconfirmed, and nobody's bid has moved: only the second makes it a loss. */
async function confirmedFall(halted: HaltedWorld): Promise<void> {
  halted.print(190);
  await halted.world.clock.advance(SECOND_PRINT_MS);
  expect(halted.latches()).toEqual([]);
  halted.print(190);
}

/** What each kind needs to trip automatically, and how many levels are wanted before it does: with two, two places are on their way. A mismatch trips at a start alone. */
const cases: Readonly<Record<Exclude<LatchKind, "mismatch">, Case>> = {
  operator: { changes: {}, levels: 2, trip: ({ world }) => world.halt("a test") },
  // In a market where nothing is on its way: there it might be ours.
  foreignActivity: { changes: {}, levels: 2, trip: ({ byHand }) => byHand({ ...farBuy, marketId: 2 }) },
  loss: { changes: { account: { maxLoss: 1 } }, levels: 2, trip: confirmedFall, opens: true },
  drawdown: { changes: { account: { maxDrawdown: 1 } }, levels: 2, trip: confirmedFall, opens: true },
  repeatedExecution: { changes: { limits: { maxFillsPerMinute: 1 } }, levels: 2, trip: ({ take }) => take("buy", 0.3) },
  // The loss of the fifth of a contract uses up the collateral.
  liquidation: { changes: { collateral: 30 }, levels: 2, trip: ({ print }) => print(20) },
  fault: {
    changes: {},
    levels: 2,
    trip({ market }) {
      market.losesTiers = true;
    },
  },
  // While an answer is unresolved no new order leaves.
  cannotAct: {
    changes: {},
    levels: 1,
    opens: true,
    trip({ door, print }) {
      door.answers = { kind: "rejected", httpStatus: 400, error: "unknown signer" };
      print(201);
    },
  },
};

async function started(changes: object): Promise<HaltedWorld> {
  const halted = await haltedWorld(changes);
  halted.world.daemon.boot();
  await halted.until("quotes", () => isQuoting(halted), 20_000);
  // Long half a contract, so that a print can lose.
  await halted.take("sell", 0.2);
  await halted.until("the next quote", () => isQuoting(halted), 5000);
  return halted;
}

/** With two levels an order of market 1 is in flight and another unresolved; market 2, no longer quoted, still has its orders. */
async function inDoubt(halted: HaltedWorld, levels = 2): Promise<void> {
  halted.door.isShut = true;
  await halted.reload({ markets: [1], levels });
  await halted.until("the places to be on their way", () => halted.door.held.length === 2 * (levels - 1), 5000);
  await halted.world.clock.advance(1000);
  expect(halted.resting(2).length).toBeGreaterThan(0);
}

describe("after a latch of its own the account is as empty as after an operator's halt", () => {
  test.each(Object.entries(cases))("%s", async (kind, { changes, levels, trip, opens }) => {
    const halted = await started(changes);
    await inDoubt(halted, levels);
    await trip(halted);
    if (opens) halted.open();
    await halted.until("the latch", () => halted.latches().includes(kind), TRIPPED_MS);
    halted.open();
    const confirmed = halted.has("massCancel.confirmed");
    const ours = () => halted.resting().filter(({ price: at }) => at !== farBuy.price);
    await halted.until("our orders to go", () => ours().length === 0, CONFIRMED_MS);
    await halted.until("the exchange's word", () => halted.has("massCancel.confirmed") > confirmed, CONFIRMED_MS);
    await halted.world.clock.advance(LATE_MS);
    expect(ours()).toEqual([]);
    expect(halted.world.daemon.bot?.status().accounts[0]?.markets[0]).toMatchObject({
      state: "halted",
      unknownOrders: 0,
    });
  });
});

test("a market that left the configuration while the daemon was dead: its orders go at the start", async () => {
  const halted = await started({});
  await halted.world.clock.advance(2000);
  halted.world.daemon.kill();
  await halted.reload({ markets: [1] });
  halted.world.daemon.boot();
  await halted.until("the orders of market 2 to go", () => halted.resting(2).length === 0, 5000);
  await halted.until("quotes in market 1", () => halted.resting(1).length === 2, 5000);
  expect(halted.latches()).toEqual([]);
});

describe("orders that are not ours", () => {
  test("an owner's protective stop outlives every halt, and the stop of the daemon", async () => {
    const halted = await started({});
    const left = () => halted.resting().map(({ orderType }) => orderType);
    await halted.byHand(stop(150));
    await halted.until("the latch", () => halted.latches().includes("foreignActivity"), TRIPPED_MS);
    await halted.until("our orders to go", () => halted.resting().length === 1, CONFIRMED_MS);
    expect(left()).toEqual(["StopMarket"]);
    await halted.until("the exchange's word", () => halted.has("massCancel.confirmed") > 0, CONFIRMED_MS);
    expect(halted.has("massCancel.kept")).toBe(1);
    halted.world.daemon.ask("POST /resume", JSON.stringify({ reason: "the stop is mine" }));
    await halted.until("quotes beside the stop", () => halted.resting(1).length === 3, 5000);
    halted.world.halt("a test");
    await halted.until("our orders to go", () => halted.resting().length === 1, CONFIRMED_MS);
    let remaining: readonly string[] | null = null;
    void halted.world.daemon.terminate().then((lines) => {
      remaining = lines;
    });
    await halted.world.clock.advance(5000);
    expect(remaining).toEqual([]);
    expect(left()).toEqual(["StopMarket"]);
  });

  test("beside one of them a lost answer is outlived: nothing is fenced, and what landed of it is left and named", async () => {
    const halted = await started({});
    await halted.byHand(stop(150));
    await halted.until("the latch", () => halted.latches().includes("foreignActivity"), TRIPPED_MS);
    await halted.until("our orders to go", () => halted.resting().length === 1, CONFIRMED_MS);
    halted.world.daemon.ask("POST /resume", JSON.stringify({ reason: "the stop is mine" }));
    await halted.until("quotes beside the stop", () => halted.resting(1).length === 3, 5000);
    await inDoubt(halted);
    halted.world.halt("a test");
    const kept = halted.has("massCancel.kept");
    halted.open();
    await halted.until("what is left", () => halted.has("massCancel.kept") > kept, LANDING_MS);
    expect(new Set(halted.resting().map(({ orderType }) => orderType))).toEqual(new Set(["StopMarket", "Limit"]));
  });

  test("kept at the start too, and quoted beside; with `cancel` they go", async () => {
    const halted = await started({ foreignOrders: "keep" });
    await halted.world.clock.advance(2000);
    halted.world.daemon.kill();
    await halted.byHand(farBuy);
    await halted.byHand(stop(150));
    halted.world.daemon.boot();
    await halted.until("quotes beside them", () => halted.resting(1).length === 4, 10_000);
    await halted.world.clock.advance(LATE_MS);
    expect(halted.latches()).toEqual([]);
    expect(halted.resting(1).length).toBe(4);
    halted.world.daemon.kill();
    await halted.reload({ foreignOrders: "cancel" });
    halted.world.daemon.boot();
    await halted.until("quotes alone", () => halted.resting(1).length === 2, 10_000);
    expect(halted.latches()).toEqual([]);
  });
});
