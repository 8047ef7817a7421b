// Limits of the whole account against what other markets send in the same turn, what the owner does beside the bot, and clocks that are
// wrong. Judged by what rests and what is held at the exchange.

import { describe, expect, test } from "vitest";
import { price, size } from "../../src/domain/units.ts";
import { type HaltedWorld, haltedWorld } from "./halted-world.ts";

const DAY_MS = 86_400_000;
const START_MS = 20_000;
/** The account is read every 7.5 s. */
const READ_MS = 8500;

/** Worst-case notional of the account at 200 USD a contract, as the exchange sees it. */
function grossUsd({ world, resting }: HaltedWorld): number {
  const held = world.exchange.chain.reads.account(world.account)?.positions ?? [];
  const worst = [1, 2, 3].map((marketId) => {
    const position = held.find((of) => of.marketId === marketId);
    const signed = position === undefined ? 0 : (position.side === "buy" ? 1 : -1) * Number(position.size);
    const of = (side: "buy" | "sell") =>
      resting(marketId).reduce((sum, order) => sum + (order.side === side ? Number(order.remainingSize) : 0), 0);
    return Math.max(of("buy") + signed, of("sell") - signed);
  });
  return (worst.reduce((sum, contracts) => sum + contracts, 0) / 1e6) * 200;
}

/** Time goes on; returns the largest notional that was seen on the way. */
async function worstWithin(halted: HaltedWorld, ms: number): Promise<number> {
  let worst = 0;
  const untilMs = halted.world.clock.elapsedMs() + ms;
  await halted.until(
    "the end of the time",
    () => {
      worst = Math.max(worst, grossUsd(halted));
      return halted.world.clock.elapsedMs() >= untilMs;
    },
    ms + 1000,
  );
  return worst;
}

/** The owner holds a contract in market 3, which is not configured. */
async function ownerHolds(halted: HaltedWorld): Promise<void> {
  await halted.world.clock.advance(1000);
  await halted.byHand({ marketId: 3, side: "buy", price: price(20_000_000_000n), size: size(1_000_000n) });
  await halted.take("sell", 1, 3);
}

describe("account.maxGrossNotional", () => {
  test("two markets that reopen together count what the other sends in the same turn", async () => {
    const halted = await haltedWorld({ account: { maxGrossNotional: 150 } });
    halted.world.daemon.boot();
    await halted.until("quotes", () => halted.resting().length > 0, START_MS);
    for (let round = 0; round < 3; round += 1) {
      const { control } = halted.world.exchange.chain;
      for (const marketId of [1, 2]) control.setMarketStatus(marketId, "Paused");
      await halted.until("the quotes to go", () => halted.resting().length === 0, 5000);
      for (const marketId of [1, 2]) control.setMarketStatus(marketId, "Active");
      // What rested counts until a read of later shows that it was not filled.
      expect(await worstWithin(halted, 8000)).toBeLessThanOrEqual(150.2);
      expect(halted.resting().length).toBeGreaterThan(0);
    }
  });

  test("what the owner holds in a market that is not configured counts", async () => {
    const halted = await haltedWorld({ account: { maxGrossNotional: 350 } });
    await ownerHolds(halted);
    halted.world.daemon.boot();
    await halted.until("quotes", () => halted.resting().length > 0, START_MS);
    expect(await worstWithin(halted, 3000)).toBeLessThanOrEqual(350.2);
  });
});

test("account.maxLoss: what the owner loses in a market that is not configured counts", async () => {
  const halted = await haltedWorld({ account: { maxLoss: 10 } });
  await ownerHolds(halted);
  halted.world.daemon.boot();
  await halted.until("quotes", () => halted.resting().length === 4, START_MS);
  halted.world.exchange.chain.control.publishPrint(3, price(18_900_000_000n));
  await halted.until("the latch", () => halted.latches().includes("loss"), 5000);
  await halted.until("our orders to go", () => halted.resting().length === 0, 3000);
});

test("a withdrawal backs no quote longer than until the next read of the account", async () => {
  const halted = await haltedWorld();
  halted.world.daemon.boot();
  await halted.until("quotes", () => halted.resting().length === 4, START_MS);
  await halted.withdraw(99_990);
  await halted.until("the quotes to go", () => halted.resting().length === 0, READ_MS);
});

test("a full disk pulls what adds risk and leaves reductions; quotes return with the room", async () => {
  const halted = await haltedWorld();
  halted.world.daemon.boot();
  await halted.until("quotes", () => halted.resting().length === 4, START_MS);
  await halted.take("sell", 0.3);
  await halted.until("the next quote", () => halted.resting().length === 4, 5000);
  halted.world.disk.isFull = true;
  halted.print(200.5);
  await halted.until("the quotes to go", () => halted.resting().every(({ reduceOnly }) => reduceOnly), 3000);
  await halted.until("a reduction", () => halted.resting(1).length === 1, 3000);
  expect(halted.resting(1)).toMatchObject([{ side: "sell", reduceOnly: true }]);
  expect(halted.world.daemon.bot?.status().reasons.join()).toContain("full");
  halted.world.disk.isFull = false;
  await halted.until("quotes again", () => halted.resting().length === 4, 70_000);
});

describe("while only reductions pass", () => {
  const START_LONG = 1.2;
  /** Long 1.2 contracts of market 1, three levels of half a contract wanted a side; the owner may have placed an exit. */
  async function reducing(exit: number | null): Promise<HaltedWorld> {
    const halted = await haltedWorld({ levels: 3, markets: [1], foreignOrders: "keep" });
    const at = { marketId: 1, side: "sell", price: price(20_001_000_000n), reduceOnly: true } as const;
    await halted.byHand({ marketId: 1, side: "buy", price: price(20_000_000_000n), size: size(1_200_000n) });
    await halted.take("sell", START_LONG);
    if (exit !== null) await halted.byHand({ ...at, size: size(BigInt(exit * 1e6)) });
    halted.world.daemon.boot();
    await halted.until("quotes", () => halted.resting().some(({ side }) => side === "buy"), START_MS);
    halted.world.daemon.ask("POST /reduce", JSON.stringify({ reason: "the desk winds down" }));
    await halted.until("only reductions", () => halted.resting().every(({ reduceOnly }) => reduceOnly), 5000);
    await halted.world.clock.advance(5000);
    return halted;
  }
  const remaining = (halted: HaltedWorld) =>
    halted
      .resting(1)
      .map((order) => Number(order.remainingSize) / 1e6)
      .sort((a, b) => b - a);

  test.each([
    ["exits share the position", null, [0.5, 0.5, 0.2]],
    ["an exit of the owner's keeps its part, and ours take the rest", 0.9, [0.9, 0.3]],
    ["an exit of the owner's takes all of it, and we send none", 1.2, [1.2]],
  ] as const)("%s; they rest unchanged while nothing happens", async (_, exit, rests) => {
    const halted = await reducing(exit);
    let placed = 0;
    halted.world.exchange.chain.onEvents(({ events }) => {
      placed += events.filter(({ type }) => type === "OrderPlaced" || type === "OrderModified").length;
    });
    expect(remaining(halted)).toEqual(rests);
    await halted.world.clock.advance(20_000);
    expect(remaining(halted)).toEqual(rests);
    expect(placed).toBe(0);
    expect(halted.latches()).toEqual(["operator"]);
  });
});

test("a clock a day ahead and back forgets no loss", async () => {
  const halted = await haltedWorld({ account: { maxLoss: 10 } });
  halted.world.daemon.boot();
  await halted.until("quotes", () => halted.resting().length === 4, START_MS);
  await halted.take("sell", 0.5);
  await halted.until("the fill to be known", () => halted.resting().length === 4, 5000);
  const pnl = async () => {
    const { parts } = (await halted.world.daemon.ask("GET /metrics")) as { readonly parts: AsyncIterable<string> };
    const text = (await Array.fromAsync(parts)).join("");
    return /^quoin_day_pnl_usdc\{account="12",market=""\} (.*)$/m.exec(text)?.[1];
  };
  halted.print(197);
  await halted.world.clock.advance(1000);
  const lost = await pnl();
  expect(Number(lost)).toBeLessThan(-1);
  for (const step of [DAY_MS, -DAY_MS]) {
    halted.world.machine.step(step);
    await halted.world.clock.advance(2000);
    expect(await pnl()).toEqual(lost);
  }
});
