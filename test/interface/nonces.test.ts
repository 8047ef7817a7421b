// Rows 78 to 83: nonces and replay (S5).

import { describe, expect } from "vitest";
import { type Nonce, nonce } from "../../src/domain/units.ts";
import { agent, alice, aliceKey, aliceSession, carol, DAY_MS, order, START_MS } from "./actors.ts";
import { it, openWorld, placedId, type World } from "./world.ts";

const cancelAll = { type: "CancelAllOrders", marketId: null } as const;
const at = (offMs: number): { readonly nonce: Nonce } => ({ nonce: nonce(BigInt(START_MS + offMs)) });
const send = (world: World, offMs: number, signer = agent) => world.submit(cancelAll, signer, at(offMs));
const good = { kind: "executed" };
const bad = { kind: "rejected", httpStatus: 400 };

describe("a nonce", () => {
  it.each([
    [-2 * DAY_MS, bad],
    [-2 * DAY_MS + 1, good],
    [DAY_MS - 1, good],
    [DAY_MS, bad],
  ])("lies strictly between two days before the block and one after: %i ms [78]", async (offMs, expected) => {
    await using world = await openWorld();
    expect(await send(world, offMs)).toMatchObject(expected);
  });

  it("is judged by the block's time, which moves [78]", async ({ world }) => {
    expect(await send(world, DAY_MS)).toMatchObject(bad);
    await world.advance(1);
    expect(await send(world, DAY_MS)).toMatchObject(good);
  });

  it("is good once, whatever it was used for [79]", async ({ world }) => {
    expect(await send(world, 5)).toMatchObject(good);
    expect(await send(world, 5)).toMatchObject(bad);
    expect(await world.submit(order(), agent, at(5))).toMatchObject(bad);
    expect(await send(world, 4)).toMatchObject(good);
  });

  it("must be above the smallest of the last 100, once there are 100 [80]", async ({ world }) => {
    for (let used = 1; used <= 99; used += 1) expect(await send(world, 1000 + used)).toMatchObject(good);
    expect(await send(world, 10)).toMatchObject(good); // The hundredth, and from now on the smallest.
    expect(await send(world, 9)).toMatchObject(bad);
    expect(await send(world, 11)).toMatchObject(good); // One in, the oldest out.
  });

  it("of a refused transaction is used up [79]", async ({ world }) => {
    const refused = order({ reduceOnly: true });
    expect(await world.submit(refused, agent, at(1))).toMatchObject({ kind: "refused" });
    expect(await send(world, 1)).toMatchObject(bad);
  });

  it("of a refused transaction is used up for a key without an account too [79]", async ({ world }) => {
    const create = { type: "CreateFundedAccount", mode: "Cross", referredBy: null } as const;
    expect(await world.submit(create, carol, at(1))).toMatchObject({ kind: "refused" });
    expect(await world.submit(create, carol, at(1))).toMatchObject(bad);
  });

  it("of a key that has nothing is remembered 100 times, then its transactions are 429 until it has something [79]", async ({
    world,
  }) => {
    const create = { type: "CreateFundedAccount", mode: "Cross", referredBy: null } as const;
    for (let used = 1; used <= 100; used += 1) {
      expect(await world.submit(create, carol, at(used))).toMatchObject({ kind: "refused" });
    }
    expect(await world.submit(create, carol, at(101))).toMatchObject({ kind: "rateLimited" });
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "10" });
    expect(await world.submit(create, carol, at(101))).toMatchObject(good);
  });

  it("of a refused transaction stays free where the exchange is configured so [79]", async () => {
    await using world = await openWorld({ refusedNonce: "staysFree" });
    expect(await world.submit(order({ reduceOnly: true }), agent, at(1))).toMatchObject({ kind: "refused" });
    expect(await send(world, 1)).toMatchObject(good);
  });

  it("of a rejected transaction is not [79]", async ({ world }) => {
    const stale = { ...at(1), timestampSec: 1 };
    expect(await world.submit(cancelAll, agent, stale)).toMatchObject(bad);
    expect(await send(world, 1)).toMatchObject(good);
  });
});

describe("CancelOrder", () => {
  it("has its nonce neither checked nor committed [81]", async ({ world }) => {
    const first = placedId(await world.run(order()));
    const second = placedId(await world.run(order()));
    const ancient = { nonce: nonce(1n) };
    for (const id of [first, second]) {
      expect(await world.submit({ type: "CancelOrder", orderId: id }, agent, ancient)).toMatchObject(good);
    }
    const third = placedId(await world.run(order()));
    expect(await world.submit({ type: "CancelOrder", orderId: third }, agent, at(77))).toMatchObject(good);
    expect(await send(world, 77)).toMatchObject(good);
  });

  it("must still send one [81]", async ({ world }) => {
    const body = {
      transaction: { CancelOrder: { order_id: 1 } },
      chain_id: "x",
      signer: [],
      signature: [],
      timestamp: 1,
    };
    expect(await world.post(JSON.stringify(body))).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
  });
});

describe("allocation", () => {
  it("takes the time in milliseconds, and the last one plus one within a millisecond [82]", async ({ world }) => {
    const outcomes = await world.answered(Promise.all([1, 2, 3].map(() => world.client.submit(cancelAll, agent))));
    expect(outcomes).toMatchObject([good, good, good]);
    for (const offMs of [0, 1, 2]) expect(await send(world, offMs)).toMatchObject(bad);
    expect(await send(world, 3)).toMatchObject(good);
  });

  it("reads the clock each time [82]", async ({ world }) => {
    await world.run(cancelAll);
    await world.advance(3 * DAY_MS);
    await world.run(cancelAll, alice);
  });
});

describe("windows", () => {
  it("are one a signing key: an agent's and its owner's are apart [83]", async ({ world }) => {
    expect(await send(world, 1, agent)).toMatchObject(good);
    expect(await send(world, 1, alice)).toMatchObject(good);
  });

  it("of API key, session and owner key are one [83]", async ({ world }) => {
    const byKey = world.clientWith({ credential: aliceKey });
    const bySession = world.clientWith({ credential: aliceSession });
    expect(await world.answered(byKey.submitHosted(cancelAll, at(1)))).toMatchObject(good);
    expect(await world.answered(bySession.submitHosted(cancelAll, at(1)))).toMatchObject(bad);
    expect(await send(world, 1, alice)).toMatchObject(bad);
  });
});
