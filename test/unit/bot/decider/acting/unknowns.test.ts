// A lost answer ends in the truth, whatever the exchange does with nonces of failed transactions and whatever it calls a used one.

import { describe, expect } from "vitest";
import { delivered, type Fate, type Submitted } from "../../execution/model-venue.ts";
import {
  account,
  approve,
  cancel,
  createWorld,
  keyNamed,
  modify,
  place,
  startedWorld,
  test,
  told,
  type World,
} from "../../execution/world.ts";

/** The first submit that is no cancel meets `first`; the others are delivered. */
function loseFirst(
  world: World,
  first: Fate,
  others: (opened: Submitted) => Fate = () => ({ arrivesMs: 1, answer: "told" }),
) {
  let seen = false;
  world.model.control.fate = (opened) => {
    if (seen || opened.transaction.type === "CancelOrder") return others(opened);
    seen = true;
    return first;
  };
}

/** What was signed of the unknown's nonce and of others, by type. */
const sent = (world: World) =>
  world.model.submitted.map(
    ({ transaction, nonce: n }) => `${transaction.type} ${Number(n - (world.model.submitted[0]?.nonce ?? 0n))}`,
  );

const resolvedAs = (world: World) =>
  world.events.filter((event) => event.kind === "resolved").map((event) => event.verdict);

describe.each([true, false])("failed transactions take their nonce: %s", (failedTakesNonce) => {
  describe.each(["rejected", "refused"] as const)("a used nonce is %s", (usedNonceIs) => {
    const model = { failedTakesNonce, usedNonceIs };

    test("never arrived: the fence takes the nonce, one transaction", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: null, answer: "lost" });
      world.submit([place()]);
      await world.clock.advance(2000);
      expect(sent(world)).toEqual(["PlaceOrder 0", "CancelAllOrders 0"]);
      expect(resolvedAs(world)).toEqual(["neverLanded"]);
      expect(world.ledger.openIntents()).toEqual([]);
    });

    test("landed: the fence is turned down, a fresh cancel is not, and the fence is again", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 1, answer: "lost" });
      world.submit([place()]);
      await world.clock.advance(2000);
      expect(sent(world).map((line) => line.split(" ")[0])).toEqual([
        "PlaceOrder",
        "CancelAllOrders",
        "CancelAllOrders",
        "CancelAllOrders",
      ]);
      expect(resolvedAs(world)).toEqual(["landed"]);
      expect(world.model.orders.size).toBe(0);
    });

    test("landed and failed: dead either way", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 1, answer: "lost", fails: true });
      world.submit([place()]);
      await world.clock.advance(2000);
      expect(resolvedAs(world)).toEqual([failedTakesNonce ? "landed" : "neverLanded"]);
      expect(world.model.orders.size).toBe(0);
    });

    test("arrives after the fence: too late to do anything", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 500, answer: "lost" });
      world.submit([place()]);
      await world.clock.advance(2000);
      expect(resolvedAs(world)).toEqual(["neverLanded"]);
      expect(world.model.orders.size).toBe(0);
    });

    test("the fence's own answer is lost: the next one tells", async () => {
      const world = await startedWorld({ model });
      let fences = 0;
      loseFirst(world, { arrivesMs: null, answer: "lost" }, (opened) => {
        fences += opened.transaction.type === "CancelAllOrders" ? 1 : 0;
        return { arrivesMs: 1, answer: fences === 1 ? "lost" : "told" };
      });
      world.submit([place()]);
      await world.clock.advance(3000);
      expect(resolvedAs(world)).toEqual(["landed"]);
      expect(world.ledger.openIntents()).toEqual([]);
    });
  });
});

test("a modify is fenced like a place", async ({ world }) => {
  world.submit([place()]);
  await world.clock.advance(10);
  world.model.control.fate = ({ transaction }) => ({
    arrivesMs: null,
    answer: transaction.type === "ModifyOrder" ? "lost" : "told",
  });
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "ModifyOrder" ? { arrivesMs: null, answer: "lost" } : { arrivesMs: 1, answer: "told" };
  world.submit([modify(1n)]);
  await world.clock.advance(2000);
  expect(told(world.events).slice(2)).toEqual([
    "modify sent",
    "modify unknown",
    "cancelAll sent",
    "cancelAll executed",
    "modify neverLanded",
  ]);
});

test("a lost CancelAllOrders needs no resolution: only what cancels was lost", async ({ world }) => {
  loseFirst(world, { arrivesMs: null, answer: "lost" });
  world.submit([approve({ kind: "cancelAll", accountId: account, marketId: null, fences: null })]);
  await world.clock.advance(2000);
  expect(sent(world)).toEqual(["CancelAllOrders 0"]);
  expect([resolvedAs(world), world.status().unknown]).toEqual([[], 0]);
  expect(world.ledger.openIntents()).toEqual([]);
});

test("a lost CancelOrder leaves no doubt that has to be settled", async ({ world }) => {
  world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
  world.submit([cancel(7n)]);
  await world.clock.advance(100);
  expect(world.status().unknown).toBe(0);
  expect(world.ledger.openIntents()).toEqual([]);
});

test("new exposure and a reduction alike are never sent a second time", async ({ world }) => {
  world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
  world.submit([place(), place({ side: "sell", reduceOnly: true, level: null })]);
  await world.clock.advance(60_000);
  expect(world.model.submitted.filter(({ transaction }) => transaction.type === "PlaceOrder")).toHaveLength(2);
  world.close();
});

describe("a success without the event that belongs to it", () => {
  test.each([
    ["a place", () => [place()], "PlaceOrder"],
    ["a modify", () => [modify(1n)], "ModifyOrder"],
  ] as const)(
    "of %s is not lost: nothing is fenced, and its intent stays open until something shows it",
    async (_, commands, type) => {
      const world = await startedWorld();
      world.model.control.fate = ({ transaction }) =>
        transaction.type === type ? { arrivesMs: null, answer: "success" } : delivered;
      world.submit(commands());
      await world.clock.advance(2000);
      expect(sent(world)).toEqual([`${type} 0`]);
      expect(resolvedAs(world)).toEqual([]);
      world.execution.shown();
      expect(world.ledger.openIntents()).toHaveLength(1);
      world.control.isOpen = () => false;
      world.execution.shown();
      expect(world.ledger.openIntents()).toEqual([]);
    },
  );

  test("is found by the next run, and fenced there", async () => {
    const before = await startedWorld();
    before.model.control.namesOrders = false;
    before.submit([place()]);
    await before.clock.advance(2);
    before.close();
    const { disk, clock, model: exchange } = before;
    const world = createWorld({ disk, clock, exchange });
    world.execution.recover();
    world.execution.start();
    await clock.advance(3000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.model.orders.size).toBe(0);
    world.close();
  });

  test("of a CancelAllOrders is normal: nothing rested", async ({ world }) => {
    world.submit([approve({ kind: "cancelAll", accountId: account, marketId: null, fences: null })]);
    await world.clock.advance(2000);
    expect(sent(world)).toEqual(["CancelAllOrders 0"]);
    expect(world.ledger.openIntents()).toEqual([]);
  });
});

describe("an unknown of which a frame tells", () => {
  test("needs no fence, and ends without a verdict", async ({ world }) => {
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => ({ arrivesMs: null, answer: "lost" }));
    world.submit([place()]);
    await world.clock.advance(120);
    expect(world.status().unknown).toBe(1);
    world.control.isOpen = () => false;
    await world.clock.advance(1000);
    expect([resolvedAs(world), world.status().unknown]).toEqual([[], 0]);
    expect(world.ledger.openIntents()).toEqual([]);
    expect(world.model.orders.size).toBe(1);
  });
});

describe("where a foreign order rests", () => {
  test("nothing is fenced, and the transaction is outlived", async ({ world }) => {
    await foreignRests(world);
    loseFirst(world, { arrivesMs: null, answer: "lost" });
    world.submit([place()]);
    await world.clock.advance(89_000);
    expect([resolvedAs(world), sent(world)]).toEqual([[], ["PlaceOrder 0"]]);
    await world.clock.advance(10_000);
    expect(resolvedAs(world)).toEqual(["outlived"]);
    expect([...world.model.orders.keys()]).toEqual([1n]);
    world.close();
  });

  test.each([
    ["the chain's", 3_600_000],
    ["the machine's", -3_600_000],
  ])("one clock that is an hour ahead of the other outlives nothing: %s", async (_, offsetMs) => {
    const world = await startedWorld();
    await foreignRests(world);
    loseFirst(world, { arrivesMs: null, answer: "lost" });
    world.submit([place()]);
    await world.clock.advance(1000);
    world.control.chain = { offsetMs };
    await world.clock.advance(80_000);
    expect(resolvedAs(world)).toEqual([]);
    world.control.chain = { offsetMs: 0 };
    await world.clock.advance(20_000);
    expect(resolvedAs(world)).toEqual(["outlived"]);
    world.close();
  });

  test("another market is fenced", async ({ world }) => {
    await foreignRests(world);
    loseFirst(world, { arrivesMs: null, answer: "lost" });
    world.submit([place({ marketId: 2 })]);
    await world.clock.advance(2000);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
    world.close();
  });

  /** Order 1, in market 1, is another key's. */
  async function foreignRests(world: World): Promise<void> {
    world.submit([place()]);
    await world.clock.advance(10);
    world.model.submitted.length = 0;
    world.events.length = 0;
    world.control.foreign.add(1n);
  }
});

describe("while the exchange does not answer", () => {
  test("nothing is concluded, steps become rarer, and the doubt outlives no transaction", async ({ world }) => {
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.submit([place()]);
    await world.clock.advance(89_000);
    expect(resolvedAs(world)).toEqual([]);
    expect(world.status().unknown).toBe(1);
    expect(world.model.submitted.length).toBeLessThan(80);
    await world.clock.advance(10_000);
    expect(resolvedAs(world)).toEqual(["outlived"]);
  });

  test("HTTP 429 proves nothing of a fence", async ({ world }) => {
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => ({ arrivesMs: 1, answer: 429 }));
    world.submit([place()]);
    await world.clock.advance(5000);
    expect(resolvedAs(world)).toEqual([]);
    expect(new Set(world.steps)).toEqual(new Set(["fence rateLimited"]));
  });

  test("a fence that is turned down for a reason of its own is not taken for a used nonce", async ({ world }) => {
    let fences = 0;
    loseFirst(world, { arrivesMs: null, answer: "lost" }, () => {
      fences += 1;
      return { arrivesMs: 1, answer: fences === 1 ? 400 : "told" };
    });
    world.submit([place()]);
    await world.clock.advance(2000);
    expect(world.steps).toEqual(["fence rejected", "freshCancel executed", "fence executed"]);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
  });

  test("an exchange that turns everything down proves nothing either", async ({ world }) => {
    loseFirst(world, { arrivesMs: null, answer: "lost" }, () => ({ arrivesMs: 1, answer: 400 }));
    world.submit([place()]);
    await world.clock.advance(20_000);
    expect(resolvedAs(world)).toEqual([]);
    world.model.control.fate = () => ({ arrivesMs: 1, answer: "told" });
    await world.clock.advance(6000);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
  });

  test("an answer that is lost costs its own step again, and not the whole round", async ({ world }) => {
    const answers = ["lost", "told", "lost", "lost", "told", "lost", "told"] as const;
    let next = 0;
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => {
      next += 1;
      return { arrivesMs: null, answer: "lost", ...(answers[next - 1] === "told" && { arrivesMs: 1, answer: "told" }) };
    });
    world.submit([place()]);
    await world.clock.advance(3000);
    expect(world.steps).toEqual([
      "fence unknown",
      "fence rejected",
      "freshCancel unknown",
      "freshCancel unknown",
      "freshCancel executed",
      "fence unknown",
      "fence rejected",
    ]);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.ledger.openIntents()).toEqual([]);
  });

  test("a fresh cancel of long ago proves nothing of a fence of now", async ({ world }) => {
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () =>
      world.steps.includes("freshCancel executed") && world.clock.elapsedMs() < 20_000
        ? { arrivesMs: null, answer: "lost" }
        : { arrivesMs: 1, answer: "told" },
    );
    world.submit([place()]);
    await world.clock.advance(30_000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.steps.slice(-3)).toEqual(["fence rejected", "freshCancel executed", "fence rejected"]);
  });
});

test("while a market's doubt lasts, new exposure there waits, elsewhere not, and the slot stays taken", async ({
  world,
}) => {
  loseFirst(world, { arrivesMs: null, answer: "lost" }, ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 1, answer: "told" } : { arrivesMs: null, answer: "lost" },
  );
  world.submit([place()]);
  await world.clock.advance(200);
  world.submit([place({ level: 1 }), place(), place({ marketId: 2 })]);
  expect(world.dropped.map(({ reason }) => reason)).toEqual(["resolving", "inFlight"]);
  await world.clock.advance(10);
  expect(world.model.orders.size).toBe(1);
  world.close();
});

describe("found open at a start", () => {
  async function crashed(fate: Fate) {
    const world = await startedWorld();
    loseFirst(world, fate);
    world.submit([place(), cancel(99n)]);
    await world.clock.advance(20);
    world.close();
    world.disk.killProcess();
    return world;
  }

  test("settled like any other, with the key that signed it", async () => {
    const before = await crashed({ arrivesMs: null, answer: "lost" });
    const world = createWorld({ disk: before.disk });
    world.execution.start();
    world.execution.recover();
    expect(told(world.events).slice(0, 2)).toEqual(["place sent", "place unknown"]);
    await world.clock.advance(2000);
    expect(world.model.submitted.map(({ transaction, nonce: n }) => [transaction.type, n])).toEqual([
      ["CancelAllOrders", before.model.submitted.find(({ transaction }) => transaction.type === "PlaceOrder")?.nonce],
    ]);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
    expect(world.ledger.openIntents()).toEqual([]);
  });

  test("without that key it is waited out", async () => {
    const before = await crashed({ arrivesMs: null, answer: "lost" });
    const world = createWorld({ disk: before.disk, execution: { agentKey: keyNamed("another") } });
    world.execution.start();
    world.execution.recover();
    await world.clock.advance(80_000);
    expect(resolvedAs(world)).toEqual([]);
    await world.clock.advance(20_000);
    expect(resolvedAs(world)).toEqual(["outlived"]);
    expect(world.model.submitted).toEqual([]);
  });

  test("a fence that was lost with it is part of the same doubt", async ({ world }) => {
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.submit([place()]);
    await world.clock.advance(500);
    world.close();
    world.disk.killProcess();
    const next = createWorld({ disk: world.disk });
    next.execution.start();
    next.execution.recover();
    await next.clock.advance(2000);
    expect(resolvedAs(next)).toEqual(["neverLanded"]);
    expect(next.ledger.openIntents()).toEqual([]);
  });
});
