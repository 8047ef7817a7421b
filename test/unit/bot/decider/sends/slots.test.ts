// Tickets, lanes and the stop: what is sent is the newest approved command of its slot, judged again when it had to wait.

import { describe, expect } from "vitest";
import { price, size } from "../../../../../src/domain/units.ts";
import { delivered } from "../../execution/model-venue.ts";
import {
  account,
  approve,
  cancel,
  modify,
  place,
  startedWorld,
  test,
  told,
  type World,
} from "../../execution/world.ts";

const slowly = { budget: { startPerSec: 1, minPerSec: 1, maxPerSec: 1, burstSecs: 2 } };
const turnOf = (marketId: number) => ({ marketId, causeMs: null });
const types = (world: World) => world.model.submitted.map(({ transaction }) => transaction.type);
const reasons = (world: World) => world.dropped.map(({ reason }) => reason);

test("with budget there is no wait between the call and the socket", async ({ world }) => {
  world.submit([place(), cancel(5n)]);
  expect(types(world)).toEqual(["CancelOrder", "PlaceOrder"]);
});

test("what a turn sends at once carries the time of its cause; what had to wait carries none", async () => {
  const world = await startedWorld(slowly);
  world.submit([place({ level: 1 }), place({ level: 2 }), place({ level: 3 })], { marketId: 1, causeMs: 7 });
  expect(world.causes).toEqual([7]);
  await world.clock.advance(10_000);
  expect(world.causes).toEqual([7, null, null]);
});

test("an approval holds while the call that brought it lasts: the guard is not asked twice", async ({ world }) => {
  world.control.recheck = () => null;
  world.submit([place(), modify(3n)], turnOf(1));
  expect(types(world)).toEqual(["ModifyOrder", "PlaceOrder"]);
});

test("one call goes cancels, reductions, modifies, places; within a lane in the order of the plan", async ({
  world,
}) => {
  world.submit([
    place({ level: 0 }),
    modify(1n),
    place({ level: 1, side: "sell" }),
    place({ level: 2, reduceOnly: true }),
    cancel(2n),
    modify(3n, { reduceOnly: true }),
  ]);
  expect(world.model.submitted.map(({ transaction, lane }) => `${lane} ${transaction.type}`)).toEqual([
    "cancel CancelOrder",
    "reduce PlaceOrder",
    "reduce ModifyOrder",
    "modify ModifyOrder",
    "place PlaceOrder",
    "place PlaceOrder",
  ]);
  const sides = world.model.submitted.flatMap(({ transaction: t }) => (t.type === "PlaceOrder" ? [t.side] : []));
  expect(sides).toEqual(["buy", "buy", "sell"]);
});

test("law: before the first byte of a transaction is sent, its intent survives the death of the process; one commit follows", async ({
  world,
}) => {
  await world.clock.advance(100);
  const before = world.disk.unsyncedCommits;
  const atFirst: number[] = [];
  world.model.control.fate = () => {
    atFirst.push(world.disk.copy().intents.size);
    return delivered;
  };
  world.submit([place({ level: 0 }), place({ level: 1 }), place({ level: 2 }), cancel(9n)]);
  expect(atFirst, "the first waits for no other").toEqual([1, 2, 3, 4]);
  expect(world.disk.unsyncedCommits, "nothing is committed before it is sent").toBe(before);
  await Promise.resolve();
  expect(world.disk.unsyncedCommits).toBe(before + 1);
});

test("each is folded as sent in the task of its write, which does not wait for that, and as answered after", async ({
  world,
}) => {
  let folded = 0;
  world.model.control.fate = () => {
    folded = world.events.length;
    return delivered;
  };
  world.submit([place()]);
  expect(folded).toBe(0);
  expect(told(world.events)).toEqual(["place sent"]);
  await world.clock.advance(5);
  expect(told(world.events)).toEqual(["place sent", "place executed"]);
  expect(world.ledger.openIntents()).toEqual([]);
});

test("an order that the exchange names is remembered as ours, and what a modify makes of it", async ({ world }) => {
  const wanted = place({ side: "sell", marketId: 3 });
  world.submit([wanted]);
  await world.clock.advance(5);
  const known = { accountId: account, orderId: 1n, marketId: 3, side: "sell", isOver: false };
  expect(world.ledger.read.knownOrders(account, 5)).toEqual([{ ...known, price: wanted.price, size: wanted.size }]);
  const newSize = size(3n * wanted.size);
  const newPrice = price(21_800_000_000n);
  world.submit([modify(1n, { side: "sell", marketId: 3, newPrice, newSize })]);
  await world.clock.advance(5);
  expect(world.ledger.read.knownOrders(account, 5)).toEqual([{ ...known, price: newPrice, size: newSize }]);
});

describe("what waits for budget", () => {
  /** Both tokens of the places are gone. */
  async function starved() {
    const world = await startedWorld(slowly);
    world.submit([place({ level: 8 }), place({ level: 9 })]);
    return world;
  }

  test("is sent with the newest command of its slot, once", async () => {
    const world = await starved();
    const before = world.model.submitted.length;
    for (const at of [1n, 2n, 3n]) world.submit([place({ price: price(at) })]);
    await world.clock.advance(5000);
    expect(reasons(world).filter((reason) => reason === "superseded")).toHaveLength(2);
    const prices = world.model.submitted
      .slice(before)
      .flatMap(({ transaction: t }) => (t.type === "PlaceOrder" && t.price < 10n ? [t.price] : []));
    expect(prices).toEqual([3n]);
  });

  test("is judged again on the facts of then; a denial drops it", async () => {
    const world = await starved();
    const judged: string[] = [];
    world.control.recheck = (command) => {
      judged.push(command.kind);
      return null;
    };
    world.submit([place({ level: 1 })]);
    expect(judged).toEqual([]);
    await world.clock.advance(5000);
    expect(judged.length).toBeGreaterThan(0);
    expect(reasons(world)).toContain("denied");
    expect(world.slots.waiting).toBe(0);
  });

  test("is sent as the guard gives it back", async () => {
    const world = await starved();
    world.control.recheck = (command) =>
      approve({ ...command, ...(command.kind === "place" ? { price: price(7n) } : {}) });
    world.submit([place({ level: 1 })]);
    await world.clock.advance(5000);
    const last = world.model.submitted.at(-1)?.transaction;
    expect(last?.type === "PlaceOrder" ? last.price : null).toBe(7n);
  });

  test("is dropped when a whole target list of its market lists it no longer; other markets keep theirs", async () => {
    const world = await starved();
    world.submit([place({ level: 1 }), place({ level: 2 }), place({ level: 1, marketId: 2 })]);
    const waiting = world.slots.waiting;
    world.submit([place({ level: 2 }), place({ level: 3 })], turnOf(1));
    const unwanted = world.dropped.filter(({ reason }) => reason === "unwanted");
    expect(unwanted.map(({ command }) => (command.kind === "place" ? command.level : null)).sort()).toEqual([1, 9]);
    expect(world.slots.waiting).toBe(waiting - 1);
    world.submit([], turnOf(1));
    expect(world.dropped.every(({ command }) => command.marketId === 1)).toBe(true);
    expect(world.slots.waiting).toBe(1);
  });

  test("a cancel of an order drops the modify of it that waits", async () => {
    const world = await starved();
    world.submit([modify(5n)]);
    world.submit([cancel(5n)]);
    expect(reasons(world)).toContain("superseded");
    await world.clock.advance(5000);
    expect(types(world)).toContain("CancelOrder");
    expect(types(world)).not.toContain("ModifyOrder");
  });

  test("a cancel waits for nothing", async () => {
    const world = await starved();
    const before = world.model.submitted.length;
    world.submit([cancel(1n), cancel(2n), cancel(3n), cancel(4n), cancel(5n)]);
    expect(world.model.submitted.length - before).toBe(5);
  });

  test("a thousand tickets are the most", async () => {
    const world = await starved();
    world.submit(Array.from({ length: 1100 }, (_, level) => place({ level: level + 100 })));
    expect(world.slots.waiting).toBeLessThanOrEqual(1000);
    expect(reasons(world).filter((reason) => reason === "queueFull").length).toBeGreaterThanOrEqual(99);
  });
});

describe("a lane", () => {
  /** Twenty-five places of which five more are wanted than may be under way at once. */
  async function full() {
    const world = await startedWorld({ budget: { startPerSec: 1000, maxPerSec: 1000 } });
    world.model.control.fate = () => ({ arrivesMs: 100, answer: "told" });
    world.submit(Array.from({ length: 25 }, (_, level) => place({ level, price: price(BigInt(1000 + level)) })));
    return world;
  }
  const prices = (world: World) =>
    world.model.submitted.flatMap(({ transaction: t }) => (t.type === "PlaceOrder" ? [Number(t.price) - 1000] : []));

  test("has twenty places; what waits starts in its order as places come free, and nothing passes it", async () => {
    const world = await full();
    expect([world.model.submitted.length, world.slots.underWay, world.slots.waiting]).toEqual([20, 20, 5]);
    world.submit([place({ level: 30, price: price(1030n) })]);
    expect(world.slots.waiting).toBe(6);
    await world.clock.advance(1000);
    expect(prices(world)).toEqual([...Array(25).keys(), 30]);
    expect([world.slots.underWay, world.slots.waiting]).toEqual([0, 0]);
  });

  test("does not hold up the others", async () => {
    const world = await full();
    world.submit([modify(99n), place({ level: 40, reduceOnly: true })]);
    expect(world.model.submitted.slice(20).map(({ lane }) => lane)).toEqual(["reduce", "modify"]);
  });

  test("counts what may yet become an order, market by market", async () => {
    const world = await full();
    world.submit([place({ level: 1, marketId: 2, reduceOnly: true }), cancel(5n)]);
    expect([1, 2, 3, null].map((marketId) => world.slots.mayRest(marketId))).toEqual([20, 1, 0, 21]);
    await world.clock.advance(1000);
    expect(world.slots.mayRest(null)).toBe(0);
  });
});

test("while a lost answer of its market is resolved, new exposure stays here, and a reduction goes", async ({
  world,
}) => {
  world.slots.resolving(1, true);
  world.submit([place(), place({ marketId: 2 }), place({ level: 2, reduceOnly: true })]);
  expect(reasons(world)).toEqual(["resolving"]);
  expect(types(world)).toEqual(["PlaceOrder", "PlaceOrder"]);
  world.slots.resolving(1, false);
  world.submit([place()]);
  expect(types(world)).toHaveLength(3);
});

describe("one of a kind at a time", () => {
  test("a slot whose order is under way takes no second one", async ({ world }) => {
    world.submit([place()]);
    world.submit([place({ price: price(1n) })]);
    expect(types(world)).toEqual(["PlaceOrder"]);
    expect(reasons(world)).toEqual(["inFlight"]);
    await world.clock.advance(5);
    world.submit([place()]);
    expect(types(world)).toEqual(["PlaceOrder", "PlaceOrder"]);
  });

  test("a slot whose answer was lost takes no second one while the doubt lasts, not even a reduction", async ({
    world,
  }) => {
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    const exit = place({ reduceOnly: true, level: null });
    world.submit([exit]);
    await world.clock.advance(1000);
    expect(world.status()).toMatchObject({ underWay: 0, unknown: 1 });
    expect(reasons(world)).toEqual([]);
    world.submit([exit]);
    expect(reasons(world)).toEqual(["inFlight"]);
  });

  test("a cancel overtakes the modify of its order, and is not sent twice", async ({ world }) => {
    world.submit([modify(5n)]);
    world.submit([cancel(5n)]);
    world.submit([cancel(5n)]);
    expect(types(world)).toEqual(["ModifyOrder", "CancelOrder"]);
  });
});

describe("failures", () => {
  test.each([
    ["refused", { ...delivered, fails: true }],
    ["rejected", { arrivesMs: 1, answer: 400 }],
    ["not sent", { arrivesMs: null, answer: "notSent" }],
  ] as const)("a slot that was %s stays quiet longer each time, up to five seconds", async (_, fate) => {
    const world = await startedWorld();
    world.model.control.fate = () => fate;
    const sentAt: number[] = [];
    for (let ms = 0; ms < 60_000; ms += 10) {
      const before = world.model.submitted.length;
      world.submit([place()]);
      if (world.model.submitted.length > before) sentAt.push(ms);
      await world.clock.advance(10);
    }
    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_100);
    expect(gaps[0]).toBeLessThanOrEqual(100);
    expect(sentAt.length).toBeLessThan(25);
    expect(reasons(world)).toContain("backOff");
  });

  test("a cancel that fails is tried again within a second", async ({ world }) => {
    world.model.control.fate = () => ({ arrivesMs: null, answer: "notSent" });
    const before = world.model.submitted.length;
    for (let ms = 0; ms < 10_000; ms += 10) {
      world.submit([cancel(5n)]);
      await world.clock.advance(10);
    }
    const count = world.model.submitted.length - before;
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThan(20);
  });

  test("a success forgets them", async ({ world }) => {
    world.model.control.fate = () => ({ ...delivered, fails: true });
    world.submit([place()]);
    await world.clock.advance(100);
    world.model.control.fate = () => delivered;
    world.submit([place()]);
    await world.clock.advance(5);
    world.submit([place()]);
    expect(types(world)).toHaveLength(3);
  });
});

test("a port that throws where it promised an outcome leaves a doubt, which is settled like any other", async ({
  world,
}) => {
  world.model.control.fate = ({ transaction }) => {
    if (transaction.type === "PlaceOrder") throw new Error("broken port");
    return delivered;
  };
  world.submit([place()]);
  await world.clock.advance(1000);
  const fenced = ["cancelAll sent", "cancelAll executed", "place neverLanded"];
  expect(told(world.events)).toEqual(["place sent", "place unknown", ...fenced]);
});

describe("the stop", () => {
  test("from that instant no order is sent, waiting or new, not even one that only reduces; cancels are", async () => {
    const world = await startedWorld(slowly);
    const reduction = (level: number) => place({ level, reduceOnly: true });
    world.submit([place({ level: 1 }), place({ level: 2 }), modify(3n), reduction(4), reduction(5), reduction(6)]);
    const before = world.model.submitted.length;
    const waiting = world.slots.waiting;
    expect(waiting).toBeGreaterThan(3);
    world.slots.stop();
    expect(reasons(world)).toEqual(Array.from({ length: waiting }, () => "stopped"));
    world.submit([place({ level: 7 }), modify(8n), reduction(9), cancel(10n)]);
    await world.clock.advance(20_000);
    expect(world.model.submitted.slice(before).map(({ transaction }) => transaction.type)).toEqual(["CancelOrder"]);
    expect(reasons(world)).toHaveLength(waiting + 3);
  });
});

describe("a disk that fails", () => {
  test("keeps new exposure here and lets reductions and cancels go", async () => {
    let failing: string | null = null;
    const world = await startedWorld({ failing: () => failing });
    failing = "no space left on device";
    world.submit([place({ level: 1 }), place({ level: 2, reduceOnly: true }), cancel(3n)]);
    expect(types(world)).toEqual(["CancelOrder", "PlaceOrder"]);
    await world.clock.advance(50);
    expect(told(world.events).filter((line) => line.includes("notSent"))).toEqual([]);
    expect(reasons(world), "known from the cancel's write on").toEqual(["journal"]);
    world.submit([place({ level: 5 })]);
    expect(types(world)).toHaveLength(2);
    expect(reasons(world)).toEqual(["journal", "journal"]);
    failing = null;
    await world.clock.advance(1000);
    expect(world.ledger.health().ok).toBe(true);
    world.submit([place({ level: 4 })]);
    expect(types(world)).toHaveLength(3);
  });

  test("in the write itself: what was signed and not sent is answered as not sent", async () => {
    let checks = Number.POSITIVE_INFINITY;
    const world = await startedWorld({
      failing: () => {
        checks -= 1;
        return checks < 0 ? "input/output error" : null;
      },
    });
    await world.clock.advance(300);
    // Neither the write ahead nor the commit that is tried in its place goes through.
    checks = 0;
    world.submit([place()]);
    expect(world.model.submitted).toEqual([]);
    await world.clock.advance(1);
    expect(told(world.events)).toEqual(["place notSent"]);
    checks = Number.POSITIVE_INFINITY;
    await world.clock.advance(1000);
    expect(world.ledger.openIntents()).toEqual([]);
    expect(world.status().noncesInFlight).toBe(0);
  });
});

test("a call within a call, as from an exchange in the same process, keeps both whole", async ({ world }) => {
  let nested = false;
  world.model.control.fate = () => {
    if (!nested) {
      nested = true;
      world.submit([place({ level: 5, marketId: 2 })], turnOf(2));
    }
    return delivered;
  };
  world.submit([place({ level: 0 }), place({ level: 1 }), cancel(9n)], turnOf(1));
  await world.clock.advance(5);
  expect(types(world)).toHaveLength(4);
  expect(world.dropped).toEqual([]);
  expect(world.ledger.openIntents()).toEqual([]);
});
