// A lost answer ends in the truth, whatever the exchange does with nonces of failed transactions and whatever it calls a used one.

import { describe, expect, test } from "vitest";
import { nonce, orderId } from "../../../../src/domain/units.ts";
import { delivered, type Fate, type Submitted } from "./model-venue.ts";
import {
  account,
  approve,
  cancel,
  createWorld,
  keyNamed,
  modify,
  place,
  startedWorld,
  told,
  type World,
} from "./world.ts";

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
      world.execution.submit([place()]);
      await world.clock.advance(2000);
      expect(sent(world)).toEqual(["PlaceOrder 0", "CancelAllOrders 0"]);
      expect(resolvedAs(world)).toEqual(["neverLanded"]);
      expect(world.ledger.openIntents()).toEqual([]);
    });

    test("landed: the fence is turned down, a fresh cancel is not, the fence is again, and only then reads decide", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 1, answer: "lost" });
      world.execution.submit([place()]);
      await world.clock.advance(60);
      expect(resolvedAs(world)).toEqual([]);
      await world.clock.advance(2000);
      expect(sent(world).map((line) => line.split(" ")[0])).toEqual([
        "PlaceOrder",
        "CancelAllOrders",
        "CancelAllOrders",
        "CancelAllOrders",
      ]);
      expect(resolvedAs(world)).toEqual(["landed"]);
      expect(world.control.blocksRead).toBe(1);
      expect(world.model.orders.size).toBe(0);
    });

    test("landed and failed: dead either way", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 1, answer: "lost", fails: true });
      world.execution.submit([place()]);
      await world.clock.advance(2000);
      expect(resolvedAs(world)).toEqual([failedTakesNonce ? "landed" : "neverLanded"]);
      expect(world.model.orders.size).toBe(0);
    });

    test("arrives after the fence: too late to do anything", async () => {
      const world = await startedWorld({ model });
      loseFirst(world, { arrivesMs: 500, answer: "lost" });
      world.execution.submit([place()]);
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
      world.execution.submit([place()]);
      await world.clock.advance(3000);
      expect(resolvedAs(world)).toEqual(["landed"]);
      expect(world.control.blocksRead).toBe(1);
      expect(world.ledger.openIntents()).toEqual([]);
    });
  });
});

test("a modify is fenced like a place", async () => {
  const world = await startedWorld();
  world.execution.submit([place()]);
  await world.clock.advance(10);
  world.model.control.fate = ({ transaction }) => ({
    arrivesMs: null,
    answer: transaction.type === "ModifyOrder" ? "lost" : "told",
  });
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "ModifyOrder" ? { arrivesMs: null, answer: "lost" } : { arrivesMs: 1, answer: "told" };
  world.execution.submit([modify(1n)]);
  await world.clock.advance(2000);
  expect(told(world.events).slice(2)).toEqual([
    "modify sent",
    "modify unknown",
    "cancelAll sent",
    "cancelAll executed",
    "modify neverLanded",
  ]);
});

test("a lost CancelAllOrders is its own fence", async () => {
  const world = await startedWorld();
  loseFirst(world, { arrivesMs: null, answer: "lost" });
  world.execution.submit([approve({ kind: "cancelAll", accountId: account, marketId: null, fences: null })]);
  await world.clock.advance(2000);
  expect(sent(world)).toEqual(["CancelAllOrders 0", "CancelAllOrders 0"]);
  expect(resolvedAs(world)).toEqual(["neverLanded"]);
});

test("a lost CancelOrder leaves no doubt that has to be settled", async () => {
  const world = await startedWorld();
  world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
  world.execution.submit([cancel(7n)]);
  await world.clock.advance(100);
  expect(world.execution.status().unknown).toBe(0);
  expect(world.ledger.openIntents()).toEqual([]);
});

describe("a reduction is still wanted", () => {
  test("the same bytes again, and their success is the answer", async () => {
    const world = await startedWorld();
    loseFirst(world, { arrivesMs: null, answer: "lost" });
    world.execution.submit([place({ reduceOnly: true, level: null })]);
    await world.clock.advance(2000);
    const [first, second] = world.model.submitted;
    expect(second?.body).toBe(first?.body);
    expect(told(world.events)).toEqual(["place sent", "place unknown", "place executed"]);
    expect(world.model.orders.size).toBe(1);
    expect(world.ledger.openIntents()).toEqual([]);
    expect(world.execution.status()).toMatchObject({ unknown: 0, noncesInFlight: 0 });
  });

  test("what else comes back proves nothing: the fence decides", async () => {
    const world = await startedWorld({ model: { failedTakesNonce: false, usedNonceIs: "refused" } });
    loseFirst(world, { arrivesMs: 1, answer: "lost" });
    world.execution.submit([place({ reduceOnly: true, level: null })]);
    await world.clock.advance(3000);
    expect(world.steps).toEqual([
      "resend refused",
      "fence refused",
      "freshCancel executed",
      "fence refused",
      "read done",
    ]);
    expect(resolvedAs(world)).toEqual(["landed"]);
  });

  test("but not while the exchange says to wait", async () => {
    const world = await startedWorld();
    world.model.control.fate = ({ transaction }) => {
      if (transaction.type === "PlaceOrder") return { arrivesMs: null, answer: "lost" };
      return transaction.type === "CancelOrder" ? { arrivesMs: null, answer: 429 } : { arrivesMs: 1, answer: "told" };
    };
    world.execution.submit([place({ reduceOnly: true, level: null })]);
    void world.execution.cancel({ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(99n) });
    await world.clock.advance(2000);
    expect(world.steps).not.toContainEqual(expect.stringContaining("resend"));
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
  });

  test("new exposure is never sent a second time", async () => {
    const world = await startedWorld();
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.execution.submit([place()]);
    await world.clock.advance(60_000);
    expect(world.model.submitted.filter(({ transaction }) => transaction.type === "PlaceOrder")).toHaveLength(1);
    world.execution.close();
  });
});

describe("a place that executed and whose answer names no order", () => {
  test("is no longer open once frames or reads have named it, and nothing is sent for that", async () => {
    const world = await startedWorld();
    world.model.control.namesOrders = false;
    world.control.isUnidentified = () => world.clock.elapsedMs() < 400;
    world.execution.submit([place()]);
    await world.clock.advance(300);
    expect(world.ledger.openIntents()).toHaveLength(1);
    await world.clock.advance(300);
    expect(world.ledger.openIntents()).toEqual([]);
    expect(sent(world)).toEqual(["PlaceOrder 0"]);
  });

  test("is fenced when nobody has named it for five seconds", async () => {
    const world = await startedWorld();
    world.model.control.namesOrders = false;
    world.control.isUnidentified = () => resolvedAs(world).length === 0;
    world.execution.submit([place()]);
    await world.clock.advance(4900);
    expect(sent(world)).toEqual(["PlaceOrder 0"]);
    await world.clock.advance(3000);
    expect(sent(world).slice(0, 2)).toEqual(["PlaceOrder 0", "CancelAllOrders 0"]);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect([...world.model.orders]).toEqual([]);
    expect(world.ledger.openIntents()).toEqual([]);
  });

  test("is fenced when it is a reduction that was sent again, too", async () => {
    const world = await startedWorld();
    world.model.control.namesOrders = false;
    world.control.isUnidentified = () => resolvedAs(world).length === 0;
    loseFirst(world, { arrivesMs: null, answer: "lost" });
    world.execution.submit([place({ reduceOnly: true, level: null })]);
    await world.clock.advance(4900);
    expect(sent(world)).toEqual(["PlaceOrder 0", "PlaceOrder 0"]);
    await world.clock.advance(4000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.ledger.openIntents()).toEqual([]);
    expect(world.execution.status()).toMatchObject({ unknown: 0, noncesInFlight: 0 });
  });

  test("whose inferred name turns out to be another's is fenced too", async () => {
    const world = await startedWorld();
    world.model.control.namesOrders = false;
    let isUnidentified = false;
    world.control.isUnidentified = () => isUnidentified && resolvedAs(world).length < 2;
    world.execution.submit([place()]);
    await world.clock.advance(1000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    isUnidentified = true;
    await world.clock.advance(3000);
    expect(resolvedAs(world)).toEqual(["landed", "landed"]);
    expect(sent(world).length).toBeGreaterThan(1);
  });

  test("is found by the next life, and fenced there", async () => {
    const before = await startedWorld();
    before.model.control.namesOrders = false;
    before.control.isUnidentified = () => true;
    before.execution.submit([place()]);
    await before.clock.advance(1000);
    before.execution.close();
    const { disk, clock, model: exchange } = before;
    const world = createWorld({ disk, clock, exchange });
    world.execution.recover();
    world.execution.start();
    await clock.advance(3000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    world.execution.close();
  });
});

describe("a place that landed and whose order nobody named", () => {
  /** A life that is killed as soon as its place was resolved, and the one after it, begun `laterMs` later. */
  const nextLife = async (isUnidentified: boolean, laterMs: number) => {
    const before = await startedWorld();
    before.control.isUnidentified = () => isUnidentified;
    before.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" ? { arrivesMs: 1, answer: "lost" } : delivered;
    before.execution.submit([place()]);
    while (resolvedAs(before).length === 0) await before.clock.advance(100);
    before.execution.close();
    const [resolvedMs, sentBefore] = [before.clock.wallMs(), sent(before).length];
    await before.clock.advance(laterMs);
    const { disk, clock, model: exchange } = before;
    const world = createWorld({ disk, clock, exchange });
    world.execution.recover();
    return { world, resolvedAgoMs: clock.wallMs() - resolvedMs, sentSince: sent(world).slice(sentBefore) };
  };

  test("is looked for by the next life, as of when it was resolved", async () => {
    const { world, resolvedAgoMs, sentSince } = await nextLife(true, 7000);
    expect(told(world.events)).toEqual(["place sent", "place unknown", "place landed"]);
    const nowMs = world.clock.monotonicMs();
    expect(nowMs - world.events.at(-1)!.receivedMs).toBeCloseTo(resolvedAgoMs, -3);
    expect(sentSince).toEqual([]);
  });

  test("edge: a minute later it is looked for no more", async () => {
    expect((await nextLife(true, 61_000)).world.events).toEqual([]);
  });

  test("is known to the next life where it was named", async () => {
    expect((await nextLife(false, 1000)).world.events).toEqual([]);
  });
});

describe("while the exchange does not answer", () => {
  test("nothing is concluded, steps become rarer, and the doubt outlives no transaction", async () => {
    const world = await startedWorld();
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.execution.submit([place()]);
    await world.clock.advance(89_000);
    expect(resolvedAs(world)).toEqual([]);
    expect(world.execution.status().unknown).toBe(1);
    expect(world.model.submitted.length).toBeLessThan(80);
    await world.clock.advance(10_000);
    expect(world.steps.slice(-2)).toEqual(["outlived true", "read done"]);
    expect(resolvedAs(world)).toEqual(["landed"]);
  });

  test("HTTP 429 proves nothing of a fence", async () => {
    const world = await startedWorld();
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => ({ arrivesMs: 1, answer: 429 }));
    world.execution.submit([place()]);
    await world.clock.advance(5000);
    expect(resolvedAs(world)).toEqual([]);
    expect(new Set(world.steps)).toEqual(new Set(["fence rateLimited"]));
  });

  test("a fence that is turned down for a reason of its own is not taken for a used nonce", async () => {
    const world = await startedWorld();
    let fences = 0;
    loseFirst(world, { arrivesMs: null, answer: "lost" }, () => {
      fences += 1;
      return { arrivesMs: 1, answer: fences === 1 ? 400 : "told" };
    });
    world.execution.submit([place()]);
    await world.clock.advance(2000);
    expect(world.steps).toEqual(["fence rejected", "freshCancel executed", "fence executed"]);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
  });

  test("an exchange that turns everything down proves nothing either", async () => {
    const world = await startedWorld();
    loseFirst(world, { arrivesMs: null, answer: "lost" }, () => ({ arrivesMs: 1, answer: 400 }));
    world.execution.submit([place()]);
    await world.clock.advance(20_000);
    expect(resolvedAs(world)).toEqual([]);
    world.model.control.fate = () => ({ arrivesMs: 1, answer: "told" });
    await world.clock.advance(6000);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
  });

  test("an answer that is lost costs its own step again, and not the whole round", async () => {
    const world = await startedWorld();
    const answers = ["lost", "told", "lost", "lost", "told", "lost", "told"] as const;
    let next = 0;
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => {
      next += 1;
      return { arrivesMs: null, answer: "lost", ...(answers[next - 1] === "told" && { arrivesMs: 1, answer: "told" }) };
    });
    world.execution.submit([place()]);
    await world.clock.advance(3000);
    expect(world.steps).toEqual([
      "fence unknown",
      "fence rejected",
      "freshCancel unknown",
      "freshCancel unknown",
      "freshCancel executed",
      "fence unknown",
      "fence rejected",
      "read done",
    ]);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.ledger.openIntents()).toEqual([]);
  });

  test("a fresh cancel of long ago proves nothing of a fence of now", async () => {
    const world = await startedWorld();
    loseFirst(world, { arrivesMs: 1, answer: "lost" }, () =>
      world.steps.includes("freshCancel executed") && world.clock.elapsedMs() < 20_000
        ? { arrivesMs: null, answer: "lost" }
        : { arrivesMs: 1, answer: "told" },
    );
    world.execution.submit([place()]);
    await world.clock.advance(30_000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.steps.slice(-4)).toEqual(["fence rejected", "freshCancel executed", "fence rejected", "read done"]);
  });

  test("reads that fail are asked again before anything is called settled", async () => {
    const world = await startedWorld();
    let fails = 3;
    world.control.readsFail = () => {
      fails -= 1;
      return fails >= 0;
    };
    loseFirst(world, { arrivesMs: 1, answer: "lost" });
    world.execution.submit([place()]);
    await world.clock.advance(10_000);
    expect(world.steps.filter((step) => step.startsWith("read"))).toEqual([
      "read failed",
      "read failed",
      "read failed",
      "read done",
    ]);
    expect(resolvedAs(world)).toEqual(["landed"]);
  });
});

test("an order that the exchange names has landed: no more fences, reads end it", async () => {
  const world = await startedWorld();
  loseFirst(world, { arrivesMs: 1, answer: "lost" }, () => ({ arrivesMs: null, answer: "lost" }));
  world.execution.submit([place()]);
  await world.clock.advance(120);
  world.execution.named(nonce(world.model.submitted[0]?.nonce ?? 0n));
  await world.clock.advance(2000);
  expect(resolvedAs(world)).toEqual(["landed"]);
  expect(world.steps.at(-1)).toBe("read done");
});

describe("an order that the exchange names, where somebody else is found to trade the account too", () => {
  test("may be theirs: ours is fenced, and never lands", async () => {
    const world = await startedWorld();
    loseFirst(world, { arrivesMs: 5000, answer: "lost" }, () => ({ arrivesMs: null, answer: "lost" }));
    world.execution.submit([place()]);
    await world.clock.advance(120);
    world.execution.named(nonce(world.model.submitted[0]?.nonce ?? 0n));
    await world.clock.advance(2000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    world.model.control.fate = () => delivered;
    world.control.isShared = true;
    await world.clock.advance(10_000);
    expect(resolvedAs(world)).toEqual(["landed", "neverLanded"]);
    expect(world.model.orders.size).toBe(0);
  });

  test("is theirs where the fence on its way is taken: that is the last word", async () => {
    const world = await startedWorld();
    world.control.isShared = true;
    loseFirst(world, { arrivesMs: null, answer: "lost" }, () => ({ arrivesMs: 50, answer: "told" }));
    world.execution.submit([place()]);
    while (sent(world).length < 2) await world.clock.advance(10);
    world.execution.named(nonce(world.model.submitted[0]?.nonce ?? 0n));
    await world.clock.advance(10_000);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
    expect(sent(world)).toHaveLength(2);
  });
});

test("while a market's doubt lasts, new exposure there waits, elsewhere not, and the slot stays taken", async () => {
  const world = await startedWorld();
  loseFirst(world, { arrivesMs: null, answer: "lost" }, ({ transaction }) =>
    transaction.type === "PlaceOrder" ? { arrivesMs: 1, answer: "told" } : { arrivesMs: null, answer: "lost" },
  );
  world.execution.submit([place()]);
  await world.clock.advance(200);
  world.execution.submit([place({ level: 1 }), place(), place({ marketId: 2 })]);
  expect(world.dropped.map(({ reason }) => reason)).toEqual(["resolving", "inFlight"]);
  await world.clock.advance(10);
  expect(world.model.orders.size).toBe(1);
  world.execution.close();
});

describe("found open at a start", () => {
  async function crashed(fate: Fate) {
    const world = await startedWorld();
    loseFirst(world, fate);
    world.execution.submit([place(), cancel(99n)]);
    await world.clock.advance(20);
    world.execution.close();
    world.disk.killProcess();
    return world;
  }

  test("settled like any other, with the key that signed it", async () => {
    const before = await crashed({ arrivesMs: null, answer: "lost" });
    const world = createWorld({ disk: before.disk });
    world.execution.start();
    const found = world.execution.recover();
    expect(found.map(({ command }) => command.kind)).toEqual(["place"]);
    expect(told(world.events)).toEqual(["place sent", "place unknown"]);
    await world.clock.advance(2000);
    expect(world.model.submitted.map(({ transaction, nonce: n }) => [transaction.type, n])).toEqual([
      ["CancelAllOrders", before.model.submitted.find(({ transaction }) => transaction.type === "PlaceOrder")?.nonce],
    ]);
    expect(resolvedAs(world)).toEqual(["neverLanded"]);
    expect(world.ledger.openIntents()).toEqual([]);
  });

  test("without that key it is waited out and read", async () => {
    const before = await crashed({ arrivesMs: null, answer: "lost" });
    const world = createWorld({ disk: before.disk, execution: { agentKey: keyNamed("another") } });
    world.execution.start();
    world.execution.recover();
    await world.clock.advance(80_000);
    expect(resolvedAs(world)).toEqual([]);
    await world.clock.advance(20_000);
    expect(resolvedAs(world)).toEqual(["landed"]);
    expect(world.model.submitted).toEqual([]);
  });

  test("a fence that was lost with it is part of the same doubt", async () => {
    const world = await startedWorld();
    world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
    world.execution.submit([place()]);
    await world.clock.advance(500);
    world.execution.close();
    world.disk.killProcess();
    const next = createWorld({ disk: world.disk });
    next.execution.start();
    expect(next.execution.recover().map(({ command }) => command.kind)).toEqual(["place"]);
    await next.clock.advance(2000);
    expect(resolvedAs(next)).toEqual(["neverLanded"]);
    expect(next.ledger.openIntents()).toEqual([]);
  });
});
