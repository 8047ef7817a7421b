// One account's execution as the service uses it: start, restart, another key under load, and an end that leaves nothing running.

import { describe, expect } from "vitest";
import { orderId } from "../../../../src/domain/units.ts";
import { delivered, type Submitted } from "./model-venue.ts";
import {
  account,
  approve,
  cancel,
  createWorld,
  keyNamed,
  place,
  startedWorld,
  startMs,
  test,
  told,
  type World,
} from "./world.ts";

const nonces = (world: Awaited<ReturnType<typeof startedWorld>>) => world.model.submitted.map(({ nonce }) => nonce);

test("nothing that raises exposure is sent before a reservation is on disk; a cancel is", async () => {
  const world = createWorld();
  world.submit([place(), cancel(1n)]);
  expect(world.model.submitted.map(({ transaction }) => transaction.type)).toEqual(["CancelOrder"]);
  world.execution.start();
  await world.clock.advance(1);
  world.submit([place({ level: 1 })]);
  expect(world.model.submitted).toHaveLength(2);
});

describe("nonce and timestamp are of one clock", () => {
  const HOUR_MS = 3_600_000;
  const isAhead = ({ timestampSec }: Submitted): boolean => timestampSec * 1000 > startMs + HOUR_MS / 2;
  const timesOf = ({ model }: World) =>
    model.submitted.map(({ nonce: n, timestampSec }) => [Math.floor(Number(n) / 1000), timestampSec]);
  const [now, later] = [startMs / 1000, (startMs + HOUR_MS) / 1000];

  test.each([
    ["the machine's while chain time agrees with it", 1200, now],
    ["chain time where they differ", HOUR_MS, later],
    ["chain time where that is behind", -HOUR_MS, now - HOUR_MS / 1000],
  ])("%s", async (_, offsetMs, sec) => {
    const world = await startedWorld();
    world.control.chain = { offsetMs };
    world.submit([cancel(7n)]);
    expect(timesOf(world)).toEqual([[sec, sec]]);
  });

  test.each([
    ["chain time is ahead", HOUR_MS, now],
    ["chain time is behind", -HOUR_MS, now - HOUR_MS / 1000],
  ])(
    "an order takes the earlier where %s: stamped ahead and lost it could land until then",
    async (_, offsetMs, sec) => {
      const world = await startedWorld();
      world.control.chain = { offsetMs };
      world.submit([place({ reduceOnly: true })]);
      expect(timesOf(world)).toEqual([[sec, sec]]);
    },
  );

  const cancelAll = approve({ kind: "cancelAll", accountId: account, marketId: 1, fences: null } as const);
  test.each([
    ["a cancel", cancel(7n), true, [later, now]],
    ["a CancelAllOrders", cancelAll, true, [later, now]],
    ["a reduction", place({ reduceOnly: true }), false, [now, later]],
  ])(
    "%s that is rejected where they differ is tried once more by the other",
    async (_, command, isAheadWrong, secs) => {
      const world = await startedWorld();
      world.control.chain = { offsetMs: HOUR_MS };
      world.model.control.fate = (sent) =>
        isAhead(sent) === isAheadWrong ? { arrivesMs: null, answer: 400 } : delivered;
      world.submit([command]);
      await world.clock.advance(50);
      expect(timesOf(world).map(([, sec]) => sec)).toEqual(secs);
      expect(told(world.events).filter((each) => each.endsWith("sent"))).toHaveLength(2);
      expect(world.status()).toMatchObject({ underWay: 0, noncesInFlight: 0 });
    },
  );

  test("and no more than once", async ({ world }) => {
    world.control.chain = { offsetMs: HOUR_MS };
    world.model.control.fate = () => ({ arrivesMs: null, answer: 400 });
    world.submit([cancel(7n)]);
    await world.clock.advance(50);
    expect(world.model.submitted).toHaveLength(2);
  });

  test("a rejection while they agree is not of the clock", async ({ world }) => {
    world.model.control.fate = () => ({ arrivesMs: null, answer: 400 });
    world.submit([cancel(7n)]);
    await world.clock.advance(50);
    expect(world.model.submitted).toHaveLength(1);
  });

  test("what the other clock's try lost is resolved by its own nonce", async ({ world }) => {
    world.control.chain = { offsetMs: HOUR_MS };
    world.model.control.fate = (sent) =>
      isAhead(sent) ? { arrivesMs: 1, answer: "lost" } : { arrivesMs: null, answer: 400 };
    world.submit([place({ reduceOnly: true })]);
    await world.clock.advance(20);
    const [, second] = world.model.submitted;
    world.model.control.fate = () => delivered;
    world.control.chain = { offsetMs: 0 };
    await world.clock.advance(60_000);
    const resolved = world.events.filter(({ kind }) => kind === "resolved");
    expect(resolved.map(({ nonce: n }) => n)).toEqual([second?.nonce]);
  });
});

test("law: over restarts no nonce is signed twice", async () => {
  let world = await startedWorld();
  const all: bigint[] = [];
  for (let life = 0; life < 20; life += 1) {
    for (let n = 0; n < 20; n += 1) world.submit([place({ level: n }), cancel(BigInt(n))]);
    await world.clock.advance(60);
    all.push(...nonces(world));
    world.close();
    world.disk.killProcess();
    world = await startedWorld({ disk: world.disk, clock: world.clock });
  }
  expect(all.length).toBeGreaterThan(200);
  expect(new Set(all).size).toBe(all.length);
});

describe("another key", () => {
  test("signs from the next transaction on, without a pause; what the old one signed is settled with the old one", async ({
    world,
  }) => {
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" && world.model.submitted.length === 1
        ? { arrivesMs: null, answer: "lost" }
        : { arrivesMs: 1, answer: "told" };
    world.submit([place()]);
    const rotated = world.execution.rotate(keyNamed("two"));
    world.submit([place({ marketId: 2 })]);
    expect(await rotated).toBe(true);
    world.submit([place({ marketId: 3 })]);
    await world.clock.advance(2000);
    const bySigner = world.model.submitted.map(({ signer, transaction, nonce }) => ({
      key: signer === keyNamed("two").publicKey ? "two" : "one",
      type: transaction.type,
      nonce,
    }));
    expect(bySigner.map(({ key, type }) => `${key} ${type}`)).toEqual([
      "one PlaceOrder",
      "one PlaceOrder",
      "two PlaceOrder",
      "one CancelAllOrders",
    ]);
    expect(bySigner[3]?.nonce).toBe(bySigner[0]?.nonce);
    expect(bySigner[2]?.nonce).toBeGreaterThan(bySigner[1]?.nonce ?? 0n);
    expect(told(world.events)).toContain("place neverLanded");
    expect(world.status()).toMatchObject({ fingerprint: keyNamed("two").fingerprint, unknown: 0 });
  });

  test("is not taken into use while its nonces cannot be reserved", async () => {
    let failing: string | null = null;
    const world = await startedWorld({ failing: () => failing });
    failing = "input/output error";
    expect(await world.execution.rotate(keyNamed("two"))).toBe(false);
    expect(world.status().fingerprint).toBe(keyNamed("one").fingerprint);
  });

  test("the same key again changes nothing", async ({ world }) => {
    expect(await world.execution.rotate(keyNamed("one"))).toBe(true);
  });
});

test("429 is not executed, by assumption: dropped, not fenced; tooManyRequestsMeans: unknown has it fenced", async () => {
  for (const tooManyRequestsMeans of ["rejected", "unknown"] as const) {
    const world = await startedWorld({ execution: { tooManyRequestsMeans } });
    world.model.control.fate = ({ transaction }) =>
      transaction.type === "PlaceOrder" ? { arrivesMs: null, answer: 429 } : { arrivesMs: 1, answer: "told" };
    world.submit([place()]);
    await world.clock.advance(2000);
    const expected =
      tooManyRequestsMeans === "rejected"
        ? ["place sent", "place rateLimited"]
        : ["place sent", "place unknown", "cancelAll sent", "cancelAll executed", "place neverLanded"];
    expect(told(world.events)).toEqual(expected);
  }
});

test("a cancel outside any turn tells its outcome; a lost one leaves nothing open", async ({ world }) => {
  const command = { kind: "cancelAll", accountId: account, marketId: null, fences: null } as const;
  const answered = world.cancelBeside(command);
  await world.clock.advance(5);
  expect((await answered).kind).toBe("executed");
  world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
  const lost = world.cancelBeside(command);
  await world.clock.advance(100);
  expect((await lost).kind).toBe("unknown");
  expect(world.ledger.openIntents()).toEqual([]);
  expect(world.status()).toMatchObject({ noncesInFlight: 0, underWay: 0 });
});

test("a lost order is told as settled by its nonce; a lost cancel is not, whose nonce an order may have too", async ({
  world,
}) => {
  world.model.control.fate = ({ transaction }) =>
    transaction.type === "CancelAllOrders" ? delivered : { arrivesMs: null, answer: "lost" };
  world.submit([cancel(7n)]);
  void world.cancelBeside({ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(8n) });
  await world.clock.advance(1000);
  expect([world.settled, world.ledger.openIntents()]).toEqual([[], []]);
  world.submit([place()]);
  await world.clock.advance(1000);
  expect(world.settled).toEqual([world.model.submitted.at(-1)?.nonce]);
});

test("closed: no timer is left, and late answers change nothing", async () => {
  const world = await startedWorld({ budget: { startPerSec: 1, maxPerSec: 1 } });
  world.model.control.fate = () => ({ arrivesMs: null, answer: "lost" });
  for (let level = 0; level < 10; level += 1) world.submit([place({ level })]);
  // Fences are in the air at this moment: their answers come after the end.
  await world.clock.advance(80);
  expect(world.status()).toMatchObject({ unknown: 1 });
  world.submit([place({ level: 20, marketId: 2 })]);
  const folded = world.events.length;
  world.close();
  world.ledger.close();
  await world.clock.advance(1000);
  expect(world.events.length).toBe(folded);
  expect(world.clock.nextDueMs()).toBeUndefined();
  const sent = world.model.submitted.length;
  world.execution.send(99, cancel(1n), null, null);
  expect(world.model.submitted).toHaveLength(sent);
});
