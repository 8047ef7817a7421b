// The kill: cancels until the exchange shows twice that nothing rests, whatever fails on the way, or names the survivors.

import { describe, expect, test } from "vitest";
import { bareCancel } from "../../../../src/bot/execution/bare-cancel.ts";
import { cancelUntilNothingRests, defaultKill, type KillResult } from "../../../../src/bot/execution/kill.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { delivered } from "./model-venue.ts";
import { account, cancel, keyNamed, place, startedWorld, type World } from "./world.ts";

/** Fifty orders rest in two markets. */
async function quoting(count = 50): Promise<World> {
  const world = await startedWorld({ execution: { budget: { startPerSec: 1000, maxPerSec: 1000 } } });
  for (let n = 0; n < count; n += 1) {
    world.execution.submit([place({ level: n, marketId: 1 + (n % 2), side: n % 3 === 0 ? "buy" : "sell" })]);
    await world.clock.advance(2);
  }
  expect(world.model.orders.size).toBe(count);
  return world;
}

async function killed(
  world: World,
  run: () => Promise<KillResult>,
  mostMs: number,
): Promise<KillResult & { readonly tookMs: number; readonly clearMs: number | null }> {
  const startMs = world.clock.elapsedMs();
  let result: KillResult | null = null;
  let clearMs: number | null = null;
  void run().then((given) => {
    result = given;
  });
  while (result === null && world.clock.elapsedMs() - startMs < mostMs) {
    await world.clock.advance(5);
    if (clearMs === null && world.model.orders.size === 0) clearMs = world.clock.elapsedMs() - startMs;
  }
  if (result === null) throw new Error(`no result after ${mostMs} ms`);
  return { ...(result as KillResult), tookMs: world.clock.elapsedMs() - startMs, clearMs };
}

test("on a healthy exchange: gone at once, confirmed by two reads, well within ten seconds", async () => {
  const world = await quoting();
  const result = await killed(world, () => world.execution.kill(), 10_000);
  expect(result).toMatchObject({ confirmed: true, survivors: [], unsettled: 0 });
  expect(result.reads).toBeGreaterThanOrEqual(2);
  expect(result.clearMs).toBeLessThan(100);
  expect(result.tookMs).toBeLessThan(1500);
});

test.each([1, 2, 3, 4, 5])(
  "seed %d: three requests in ten fail in every way, and nothing rests in the end",
  async (seed) => {
    const world = await quoting();
    const prng = createPrng(BigInt(seed));
    world.model.control.fate = () => {
      if (!prng.chance(0.3)) return delivered;
      return prng.pick([
        { arrivesMs: 1, answer: "lost" },
        { arrivesMs: null, answer: "lost" },
        { arrivesMs: null, answer: "notSent" },
        { arrivesMs: null, answer: 429 },
        { arrivesMs: null, answer: 400 },
      ] as const);
    };
    world.model.control.readFails = () => prng.chance(0.3);
    const result = await killed(world, () => world.execution.kill(), 26_000);
    expect(result).toMatchObject({ confirmed: true, survivors: [] });
    expect(world.model.orders.size).toBe(0);
    expect(result.tookMs).toBeLessThan(25_000);
  },
);

test("sixty stops in the middle of requotes, three requests in ten failing: the slowest is over in six seconds", async () => {
  const tookMs: number[] = [];
  for (let seed = 1n; seed <= 60n; seed += 1n) {
    const world = await quoting(8);
    const prng = createPrng(seed);
    world.model.control.fate = () =>
      prng.chance(0.3) ? { arrivesMs: prng.chance(0.5) ? 1 : null, answer: "lost" } : delivered;
    world.model.control.readFails = () => prng.chance(0.3);
    world.control.readsFail = () => prng.chance(0.3);
    for (let level = 8; level < 16; level += 1) world.execution.submit([place({ level })]);
    const result = await killed(world, () => world.execution.kill(), 26_000);
    expect(result).toMatchObject({ confirmed: true, survivors: [], unsettled: 0 });
    expect(world.model.orders.size).toBe(0);
    tookMs.push(result.tookMs);
  }
  expect(Math.max(...tookMs)).toBeLessThan(6000);
});

test("a read that gets no answer is asked again before it is given up", async () => {
  const world = await quoting(2);
  let silent = 3;
  const accountRead = async () => {
    silent -= 1;
    return silent >= 0 ? await new Promise<never>(() => {}) : await world.model.account();
  };
  const modules = {
    clock: world.clock,
    reads: { account: accountRead },
    known: () => [],
    cancel: ({ orderId: id }: { readonly orderId: bigint }) => world.execution.cancel(cancel(id)),
    cancelAll: null,
    unsettled: () => 0,
    isOver: () => false,
  };
  const options = { ...defaultKill, accountId: account };
  const result = await killed(world, () => cancelUntilNothingRests(options, modules), 10_000);
  expect(result).toMatchObject({ confirmed: true, survivors: [] });
  expect(result.tookMs).toBeLessThan(3000);
});

test("what was in the air when the kill began is waited for and killed too", async () => {
  const world = await quoting(4);
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 1500, answer: "told" } : delivered;
  world.execution.submit([place({ level: 90 }), place({ level: 91 })]);
  const result = await killed(world, () => world.execution.kill(), 10_000);
  expect(result).toMatchObject({ confirmed: true, survivors: [] });
  expect(world.model.orders.size).toBe(0);
});

test("where CancelOrder does not work, CancelAllOrders is tried until it does", async () => {
  const world = await quoting(6);
  let tries = 0;
  world.model.control.fate = ({ transaction }) => {
    if (transaction.type === "CancelOrder") return { arrivesMs: null, answer: 400 };
    tries += 1;
    return tries < 3 ? { arrivesMs: null, answer: "notSent" } : delivered;
  };
  const result = await killed(world, () => world.execution.kill(), 10_000);
  expect(result).toMatchObject({ confirmed: true, survivors: [] });
});

test("where nothing can be read and CancelAllOrders does not work, the orders that we know of are canceled one by one", async () => {
  const world = await quoting(6);
  world.model.control.readFails = () => true;
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "CancelAllOrders" ? { arrivesMs: null, answer: 400 } : delivered;
  const result = await killed(world, () => world.execution.kill({ deadlineMs: 8000 }), 9000);
  expect(world.model.orders.size).toBe(0);
  expect(result).toMatchObject({ confirmed: false, survivors: [] });
});

test("a lost place that would land late is fenced before the end is confirmed", async () => {
  const world = await quoting(4);
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 8000, answer: "lost" } : delivered;
  world.execution.submit([place({ level: 90 })]);
  const result = await killed(world, () => world.execution.kill(), 10_000);
  expect(result).toMatchObject({ confirmed: true, unsettled: 0 });
  await world.clock.advance(20_000);
  expect(world.model.orders.size).toBe(0);
});

describe("given up at the deadline", () => {
  test("orders that cannot be canceled are named", async () => {
    const world = await quoting(3);
    world.model.control.fate = () => ({ arrivesMs: null, answer: "notSent" });
    const result = await killed(world, () => world.execution.kill(), 30_000);
    expect(result.confirmed).toBe(false);
    expect(result.survivors.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n]);
    expect(result.tookMs).toBeGreaterThanOrEqual(25_000);
    expect(result.tookMs).toBeLessThan(26_000);
    expect(world.model.submitted.length).toBeLessThan(250);
  });

  test("nothing read: the orders that we know of are named", async () => {
    const world = await quoting(3);
    world.model.control.readFails = () => true;
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    const result = await killed(world, () => world.execution.kill({ deadlineMs: 2000 }), 3000);
    expect(result).toMatchObject({ confirmed: false, reads: 0 });
    expect(result.survivors.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n]);
  });

  test("the last read that was answered is older than an order that came after it: it is named", async () => {
    const world = await quoting(0);
    world.model.control.readFails = () => world.model.control.reads > 1;
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" ? { arrivesMs: 400, answer: "told" } : { arrivesMs: null, answer: "notSent" };
    world.execution.submit([place()]);
    const result = await killed(world, () => world.execution.kill({ deadlineMs: 3000 }), 4000);
    expect(result.confirmed).toBe(false);
    expect(result.survivors.map(({ orderId: id }) => id)).toEqual([1n]);
  });

  test("a doubt that does not end is no confirmation, even with nothing listed", async () => {
    const world = await quoting(0);
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.execution.submit([place()]);
    await world.clock.advance(100);
    const result = await killed(world, () => world.execution.kill({ deadlineMs: 3000 }), 4000);
    expect(result).toMatchObject({ confirmed: false, survivors: [], unsettled: 1 });
    world.execution.close();
  });
});

test("nothing that raises exposure leaves during a kill", async () => {
  const world = await quoting(10);
  const before = world.model.submitted.length;
  const run = world.execution.kill();
  for (let n = 0; n < 200; n += 1) {
    world.execution.submit([place({ level: n })]);
    await world.clock.advance(10);
  }
  await run;
  const types = new Set(world.model.submitted.slice(before).map(({ transaction }) => transaction.type));
  expect(types.size).toBeGreaterThan(0);
  for (const type of types) expect(["CancelAllOrders", "CancelOrder"]).toContain(type);
});

test("beside a daemon: CancelOrder alone, with no nonce of anybody's taken", async () => {
  const world = await quoting(20);
  const cancel = bareCancel(
    { chainId: "test", agentKey: keyNamed("one"), offsetMs: 0 },
    { clock: world.clock, venue: { submit: world.model.submit } },
  );
  const before = world.model.submitted.length;
  const modules = {
    clock: world.clock,
    reads: { account: world.model.account },
    known: () => [],
    cancel,
    cancelAll: null,
    unsettled: () => 0,
    isOver: () => false,
  };
  const result = await killed(
    world,
    () => cancelUntilNothingRests({ ...defaultKill, accountId: account }, modules),
    10_000,
  );
  expect(result.confirmed).toBe(true);
  expect(new Set(world.model.submitted.slice(before).map(({ transaction }) => transaction.type))).toEqual(
    new Set(["CancelOrder"]),
  );
});

test("clearing that is over leaves what rests at its next round", async () => {
  const world = await quoting(5);
  let over = false;
  const clearing = world.execution.clear({ deadlineMs: 25_000 }, () => over);
  over = true;
  await world.clock.advance(2000);
  expect(await clearing).toMatchObject({ confirmed: false, reads: 1 });
});

test("clearing the account is no end: once the guard allows it, quotes go on", async () => {
  const world = await quoting(5);
  const result = await killed(world, () => world.execution.clear(), 10_000);
  expect(result.confirmed).toBe(true);
  world.execution.submit([place({ level: 1 })]);
  await world.clock.advance(5);
  expect(world.model.orders.size).toBe(1);
});
