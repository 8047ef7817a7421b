// The mass cancel: until each order is over by an event or by both lists, and both lists name none, whatever fails on the way; or the
// remaining orders are named.

import { describe, expect, test } from "vitest";
import { defaultMassCancel, type MassCancelResult } from "../../../../../src/bot/decider/acting/mass-cancel.ts";
import { createPrng } from "../../../../../src/kernel/prng.ts";
import { delivered } from "../../execution/model-venue.ts";
import { cancel, ended, place, quoting, type World } from "../../execution/world.ts";

const everything = { orders: "ours", marketId: null } as const;

/** The end of a daemon: no new orders from this instant, then the mass cancel. */
function stopped(
  { massCancel, slots }: World,
  options: { readonly deadlineMs?: number } = {},
): Promise<MassCancelResult> {
  slots.stop();
  return massCancel({ scope: everything, ...options });
}

test("on a healthy exchange: gone at once, confirmed by two reads, well within ten seconds", async () => {
  const world = await quoting();
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [], unresolved: 0 });
  expect(result.reads).toBeGreaterThanOrEqual(2);
  expect(result.clearMs).toBeLessThan(100);
  expect(result.tookMs).toBeLessThan(1500);
});

describe("one that is not blind", () => {
  const seeing = ({ massCancel }: World) => massCancel({ scope: everything, isBlind: false });
  const cancels = (world: World) =>
    world.model.submitted.filter(({ transaction }) => transaction.type.startsWith("Cancel")).length;

  test("sends nothing where nothing is known and listed, and both lists confirm it", async () => {
    const world = await quoting(0);
    const result = await ended(world, () => seeing(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect(result.reads).toBeGreaterThanOrEqual(2);
    expect(cancels(world)).toBe(0);
  });

  test("cancels what is known with one CancelAllOrders, like any other", async () => {
    const world = await quoting(4);
    const result = await ended(world, () => seeing(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect([world.model.orders.size, cancels(world)]).toEqual([0, 1]);
  });

  test("waits for what is on its way, and cancels it", async () => {
    const world = await quoting(0);
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" ? { arrivesMs: 1500, answer: "told" } : delivered;
    world.submit([place({ level: 90 })]);
    const result = await ended(world, () => seeing(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect(world.model.orders.size).toBe(0);
  });
});

test("reads from before the orders: those that we know of are canceled all the same, and the answers confirm it", async () => {
  const world = await quoting(4);
  world.model.control.past = [];
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "CancelAllOrders" ? { arrivesMs: null, answer: "notSent" } : delivered;
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [] });
  expect(world.model.orders.size).toBe(0);
});

test("reads from before the cancels: what they still list is no reason to wait once the answers have come", async () => {
  const world = await quoting(4);
  world.model.control.past = [...world.model.orders.values()];
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [] });
  expect(result.tookMs).toBeLessThan(1500);
});

describe("what is worth an order's end", () => {
  const isCancel = (type: string) => type === "CancelOrder" || type === "CancelAllOrders";
  /** Four orders rest, and no event tells of an end. */
  async function unheard(): Promise<World> {
    const world = await quoting(4);
    world.control.hears = false;
    return world;
  }
  const cancels = (world: World) =>
    world.model.submitted.filter(({ transaction }) => isCancel(transaction.type)).length;

  test("success without an event is none: both lists are asked once they cannot be older than the cancels", async () => {
    const world = await unheard();
    const result = await ended(world, () => stopped(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect(result.tookMs).toBeGreaterThanOrEqual(3000);
    expect(result.tookMs).toBeLessThan(5000);
  });

  test.each(["accountShows", "ordersShow"] as const)(
    "a list that lacks what rests (%s) is overruled by the other: canceled again, then named",
    async (liar) => {
      const world = await unheard();
      world.model.control[liar] = () => [];
      world.model.control.fate = ({ transaction }) =>
        isCancel(transaction.type) ? { arrivesMs: null, answer: "success" } : delivered;
      const result = await ended(world, () => stopped(world, { deadlineMs: 12_000 }), 13_000);
      expect(result.confirmed).toBe(false);
      expect(result.remaining.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n, 4n]);
      expect(cancels(world), "more than once each").toBeGreaterThanOrEqual(3 * 5);
    },
  );

  test("a cancel that never arrived, whatever its answer said, is sent again when the lists still name its order", async () => {
    const world = await unheard();
    let swallowed = 5;
    world.model.control.fate = ({ transaction }) => {
      if (!isCancel(transaction.type) || swallowed === 0) return delivered;
      swallowed -= 1;
      return { arrivesMs: null, answer: "success" };
    };
    const result = await ended(world, () => stopped(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect(world.model.orders.size).toBe(0);
  });

  test("an order that no list names is not over before its cancel was tried, and the lists asked long enough after", async () => {
    const world = await unheard();
    world.model.control.past = [];
    world.model.control.fate = ({ transaction }) =>
      isCancel(transaction.type) ? { arrivesMs: null, answer: "lost" } : delivered;
    const early = await ended(world, () => stopped(world, { deadlineMs: 5000 }), 6000);
    expect(early.confirmed).toBe(false);
    expect(early.remaining.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n, 4n]);
  });
});

test("edge: a cancel on its way becomes no order: nothing more is sent for it", async () => {
  const world = await quoting(2);
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "CancelOrder" ? { arrivesMs: 1, answer: "lost" } : delivered;
  const [order] = world.model.orders.values();
  world.submit([cancel(order?.orderId ?? 0n, order?.marketId)]);
  await ended(world, () => stopped(world), 10_000);
  const sent = world.model.submitted.map(({ transaction }) => transaction.type);
  expect(sent.filter((type) => type === "CancelAllOrders")).toHaveLength(1);
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
    const result = await ended(world, () => stopped(world), 26_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
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
    for (let level = 8; level < 16; level += 1) world.submit([place({ level })]);
    const result = await ended(world, () => stopped(world), 26_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [], unresolved: 0 });
    expect(world.model.orders.size).toBe(0);
    tookMs.push(result.tookMs);
  }
  expect(Math.max(...tookMs)).toBeLessThan(6000);
});

test("what was in the air when the kill began is waited for and killed too", async () => {
  const world = await quoting(4);
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 1500, answer: "told" } : delivered;
  world.submit([place({ level: 90 }), place({ level: 91 })]);
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [] });
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
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, remaining: [] });
});

test("where nothing can be read and CancelAllOrders does not work, the orders that we know of are canceled one by one", async () => {
  const world = await quoting(6);
  world.model.control.readFails = () => true;
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "CancelAllOrders" ? { arrivesMs: null, answer: 400 } : delivered;
  const result = await ended(world, () => stopped(world, { deadlineMs: 8000 }), 9000);
  expect(world.model.orders.size).toBe(0);
  expect(result).toMatchObject({ confirmed: false, remaining: [] });
});

test("a lost place that would land late is fenced before the end is confirmed", async () => {
  const world = await quoting(4);
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 8000, answer: "lost" } : delivered;
  world.submit([place({ level: 90 })]);
  const result = await ended(world, () => stopped(world), 10_000);
  expect(result).toMatchObject({ confirmed: true, unresolved: 0 });
  await world.clock.advance(20_000);
  expect(world.model.orders.size).toBe(0);
});

describe("given up at the deadline", () => {
  test("orders that cannot be canceled are named", async () => {
    const world = await quoting(3);
    world.model.control.fate = () => ({ arrivesMs: null, answer: "notSent" });
    const result = await ended(world, () => stopped(world, defaultMassCancel), 30_000);
    expect(result.confirmed).toBe(false);
    expect(result.remaining.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n]);
    expect(result.tookMs).toBeGreaterThanOrEqual(25_000);
    expect(result.tookMs).toBeLessThan(26_000);
    expect(world.model.submitted.length).toBeLessThan(250);
  });

  test("nothing read: the orders that we know of are named", async () => {
    const world = await quoting(3);
    world.model.control.readFails = () => true;
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    const result = await ended(world, () => stopped(world, { deadlineMs: 2000 }), 3000);
    expect(result).toMatchObject({ confirmed: false, reads: 0 });
    expect(result.remaining.map(({ orderId: id }) => id)).toEqual([1n, 2n, 3n]);
  });

  test("the last read that was answered is older than an order that came after it: it is named", async () => {
    const world = await quoting(0);
    world.model.control.readFails = () => world.model.control.reads > 1;
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" ? { arrivesMs: 400, answer: "told" } : { arrivesMs: null, answer: "notSent" };
    world.submit([place()]);
    const result = await ended(world, () => stopped(world, { deadlineMs: 3000 }), 4000);
    expect(result.confirmed).toBe(false);
    expect(result.remaining.map(({ orderId: id }) => id)).toEqual([1n]);
  });

  test("a doubt that does not end is no confirmation, even with nothing listed", async () => {
    const world = await quoting(0);
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.submit([place()]);
    await world.clock.advance(100);
    const result = await ended(world, () => stopped(world, { deadlineMs: 3000 }), 4000);
    expect(result).toMatchObject({ confirmed: false, remaining: [], unresolved: 1 });
    world.close();
  });
});

test("nothing that raises exposure leaves during a kill", async () => {
  const world = await quoting(10);
  const before = world.model.submitted.length;
  const run = stopped(world);
  for (let n = 0; n < 200; n += 1) {
    world.submit([place({ level: n })]);
    await world.clock.advance(10);
  }
  await run;
  const types = new Set(world.model.submitted.slice(before).map(({ transaction }) => transaction.type));
  expect(types.size).toBeGreaterThan(0);
  for (const type of types) expect(["CancelAllOrders", "CancelOrder"]).toContain(type);
});

test("one that is over leaves what rests at its next round", async () => {
  const world = await quoting(5);
  let over = false;
  const ended = world.massCancel({ scope: everything }, () => over);
  over = true;
  await world.clock.advance(2000);
  expect(await ended).toMatchObject({ confirmed: false, reads: 2 });
});

test("it is no end: once the guard allows it, quotes go on", async () => {
  const world = await quoting(5);
  const result = await ended(world, () => world.massCancel({ scope: everything }), 10_000);
  expect(result.confirmed).toBe(true);
  world.submit([place({ level: 1 })]);
  await world.clock.advance(5);
  expect(world.model.orders.size).toBe(1);
});

describe("orders that are not ours", () => {
  /** Two of six orders, one in each of two markets, are foreign. */
  async function shared(): Promise<World> {
    const world = await quoting(6);
    for (const id of [1n, 2n]) world.control.foreign.add(id);
    return world;
  }
  const sentTo = (world: World, type: string) =>
    world.model.submitted.filter(({ transaction }) => transaction.type === type);

  test("stay, and are told of; ours go one by one", async () => {
    const world = await shared();
    const result = await ended(world, () => stopped(world), 10_000);
    expect(result).toMatchObject({ confirmed: true, remaining: [] });
    expect(result.kept.map(({ orderId: id }) => id)).toEqual([1n, 2n]);
    expect([...world.model.orders.keys()]).toEqual([1n, 2n]);
    expect(sentTo(world, "CancelAllOrders")).toEqual([]);
  });

  test("go too where everything is in scope", async () => {
    const world = await shared();
    const scope = { orders: "all", marketId: null } as const;
    const result = await ended(world, () => world.massCancel({ scope }), 10_000);
    expect(result).toMatchObject({ confirmed: true, kept: [] });
    expect(world.model.orders.size).toBe(0);
  });

  test.each([everything, { orders: "all", marketId: null }] as const)(
    "on another account of a key that is approved there too are spared: no CancelAllOrders with %o",
    async (scope) => {
      const world = await quoting(6);
      world.control.isKeyElsewhere = true;
      const result = await ended(world, () => world.massCancel({ scope }), 10_000);
      expect(result).toMatchObject({ confirmed: true, remaining: [] });
      expect([world.model.orders.size, sentTo(world, "CancelAllOrders")]).toEqual([0, []]);
    },
  );

  test("of one market: the other market is not touched", async () => {
    const world = await shared();
    const scope = { orders: "ours", marketId: 2 } as const;
    const result = await ended(world, () => world.massCancel({ scope }), 10_000);
    expect(result.kept.map(({ orderId: id }) => id)).toEqual([2n]);
    expect([...world.model.orders.values()].filter(({ marketId }) => marketId === 1)).toHaveLength(3);
  });

  test("one that nobody knew of before the first read is spared by what comes after it", async () => {
    const world = await quoting(4);
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "CancelAllOrders" ? { arrivesMs: null, answer: "notSent" } : delivered;
    const run = ended(world, () => stopped(world), 10_000);
    world.control.foreign.add(1n);
    expect(await run).toMatchObject({ confirmed: true });
    expect([...world.model.orders.keys()]).toEqual([1n]);
  });
});
