// Laws of execution over random faults of the exchange, of the way there and of the process: judged by what the exchange received
// and executed, never by what the bot believes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExecutionOptions } from "../../src/bot/execution/execution.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { delivered, type Fate } from "../unit/bot/execution/model-venue.ts";
import { cancel, createWorld, keyNamed, modify, place, type World } from "../unit/bot/execution/world.ts";

const fates: readonly Fate[] = [
  { arrivesMs: 1, answer: "lost" },
  { arrivesMs: 400, answer: "lost" },
  { arrivesMs: 3000, answer: "lost" },
  { arrivesMs: null, answer: "lost" },
  { arrivesMs: 30, answer: "told" },
  { arrivesMs: 1, answer: "lost", fails: true },
  { arrivesMs: 1, answer: "told", fails: true },
  { arrivesMs: null, answer: "notSent" },
  { arrivesMs: null, answer: 400 },
  { arrivesMs: null, answer: 429 },
];

/** The word alone, of what is never executed, or later. */
const silent: readonly Fate[] = [
  { arrivesMs: null, answer: "success" },
  { arrivesMs: 30, answer: "success" },
];

type Submitted = World["model"]["submitted"][number];

/** The key of each life; a life that begins with another one may or may not have those before it. */
const keys = ["one", "two", "three"].map(keyNamed);
const fingerprints = new Map(keys.map(({ publicKey, fingerprint }) => [publicKey, fingerprint]));

type Chances = { readonly foreign: number; readonly otherKey: number; readonly frame: number };
const plain: Chances = { foreign: 0, otherKey: 0, frame: 0 };

type Rules = { readonly failedTakesNonce: boolean; readonly usedNonceIs: "rejected" | "refused" };

/** A run over several lives of the process with everything the exchange saw. */
async function run(seed: number, model: Rules, chances: Chances) {
  const prng = createPrng(BigInt(seed));
  const faults = { share: 0.3 };
  /** CancelAllOrders that left while an order that must stay rested where they reach. */
  const careless: Submitted[] = [];
  const foreign = new Set<bigint>();
  const shown = new Set<bigint>();
  const isOpen = (nonce: bigint): boolean => !shown.has(nonce);
  let key = 0;
  let world = createWorld({ model });
  const { model: exchange, clock } = world;
  Object.assign(world.control, { foreign, isOpen });
  exchange.control.fate = (submitted) => {
    const { transaction } = submitted;
    if (transaction.type === "CancelAllOrders") {
      const { marketId } = transaction;
      const resting = [...exchange.orders.values()].filter(({ orderId }) => foreign.has(orderId));
      if (resting.some((order) => marketId === null || order.marketId === marketId)) careless.push(submitted);
    }
    if (!prng.chance(faults.share)) return delivered;
    // The success of a CancelAllOrders states that its nonce is taken, whatever it names.
    return prng.pick(transaction.type === "CancelAllOrders" ? fates : [...fates, ...silent]);
  };
  world.execution.start();
  for (let step = 0; step < 60; step += 1) {
    const ids = [...exchange.orders.keys()].filter((id) => !foreign.has(id));
    const id = ids.length > 0 ? prng.pick(ids) : 1n;
    if (ids.length > 0 && prng.chance(chances.foreign)) foreign.add(id);
    else
      world.submit(
        prng.pick([
          [place({ level: prng.below(4), marketId: 1 + prng.below(2) }), cancel(id)],
          [modify(id), place({ level: null, reduceOnly: true, side: "sell" })],
          [cancel(id)],
        ]),
      );
    await clock.advance(prng.below(300));
    if (prng.chance(chances.frame))
      for (const { opened, ok } of exchange.executed) if (ok && prng.chance(0.5)) shown.add(opened.nonce);
    if (foreign.size > 0 && prng.chance(0.1)) leave(exchange, foreign);
    if (!prng.chance(0.05)) continue;
    if (prng.chance(chances.otherKey)) key = prng.below(keys.length);
    const formerKeys = prng.chance(0.5) ? keys : [];
    world = await reborn(world, prng.chance(0.5) ? "process" : "power", prng.below(3), {
      agentKey: keys[key] ?? keyNamed("one"),
      formerKeys,
    });
  }
  faults.share = 0;
  for (let wait = 0; wait < 400 && world.status().unknown > 0; wait += 1) await clock.advance(1000);
  // Everything that is still on its way arrives.
  await clock.advance(10_000);
  leave(exchange, foreign);
  return { world, exchange, careless };
}

/** Orders that must stay end on their own. */
function leave({ orders }: World["model"], foreign: ReadonlySet<bigint>): void {
  for (const id of orders.keys()) if (foreign.has(id)) orders.delete(id);
}

/** The next run of the process, on the same disk, at the same exchange and the same time. */
async function reborn(
  world: World,
  loses: "process" | "power",
  survivors: number,
  execution: Pick<ExecutionOptions, "agentKey" | "formerKeys">,
): Promise<World> {
  world.close();
  if (loses === "process") world.disk.killProcess();
  else world.disk.losePower(survivors);
  const next = createWorld({ disk: world.disk, clock: world.clock, exchange: world.model, execution });
  const { foreign, isOpen } = world.control;
  Object.assign(next.control, { foreign, isOpen });
  next.execution.start();
  next.execution.recover();
  await world.clock.advance(1);
  return next;
}

describe.each([
  ["with one key, and no order but ours", plain],
  ["where orders that must stay come to rest", { ...plain, foreign: 0.1 }],
  ["where another life may have another key, and not the old one", { ...plain, otherKey: 0.7 }],
  ["where frames tell what some did", { ...plain, frame: 0.1 }],
  ["with all of it", { foreign: 0.1, otherKey: 0.7, frame: 0.1 }],
] as const)("law: lost answers end in the truth %s", (_, chances) => {
  test.each([
    { failedTakesNonce: true, usedNonceIs: "rejected" },
    { failedTakesNonce: true, usedNonceIs: "refused" },
    { failedTakesNonce: false, usedNonceIs: "rejected" },
    { failedTakesNonce: false, usedNonceIs: "refused" },
  ] as const)("failed takes the nonce: $failedTakesNonce, a used nonce is $usedNonceIs", async (rules) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { world, exchange, careless } = await run(seed, rules, chances);
        expect(careless).toEqual([]);
        everyNonceOneBody(exchange.submitted);
        nothingSentTwiceAsNew(exchange.submitted);
        verdictsAreTrue(world);
        await everySlotIsFree(world);
        // What only succeeded waits until something shows its effect.
        world.control.isOpen = () => false;
        world.execution.shown();
        expect(world.ledger.openIntents()).toEqual([]);
        world.close();
      }),
      { numRuns: 40 },
    );
  });
});

/**
 * A nonce that the exchange checks is signed over one body; a second one is the CancelAllOrders that fences it. That of a CancelOrder
 * is not checked (S5) and follows no reservation: a run may begin with the one that the last run ended with.
 */
function everyNonceOneBody(received: readonly Submitted[]): void {
  const bodies = new Map<string, Set<string>>();
  for (const { nonce, signer, transaction, transactionText } of received) {
    if (transaction.type === "CancelOrder") continue;
    const name = `${signer} ${nonce}`;
    const texts = bodies.get(name) ?? new Set();
    bodies.set(name, texts.add(transactionText));
  }
  for (const texts of bodies.values()) {
    const others = [...texts].filter((text) => !text.startsWith('{"CancelAllOrders"'));
    expect(others.length).toBeLessThanOrEqual(1);
    expect(texts.size).toBeLessThanOrEqual(2);
  }
}

/** The bytes of an order leave once. */
function nothingSentTwiceAsNew(received: readonly Submitted[]): void {
  const seen = new Set<string>();
  for (const { body, transaction } of received) {
    if (transaction.type === "PlaceOrder") expect(seen.has(body)).toBe(false);
    seen.add(body);
  }
}

/** What was called dead never did anything, before or after; of every nonce at most one transaction succeeded. */
function verdictsAreTrue({ model, ledger }: World): void {
  const succeeded = model.executed.flatMap(({ ok, opened }) =>
    ok && opened.transaction.type !== "CancelOrder" ? opened : [],
  );
  expect(new Set(succeeded.map(({ signer, nonce }) => `${signer} ${nonce}`)).size).toBe(succeeded.length);
  for (const row of ledger.read.rows("intents")) {
    if (row.end !== "neverLanded") continue;
    const done = succeeded.find(
      ({ signer, nonce }) => `${nonce}` === row.nonce && fingerprints.get(signer) === row.signer,
    );
    if (done !== undefined) expect(done.transaction.type).toBe("CancelAllOrders");
  }
}

/** Nothing is left of a doubt: no unknown, no nonce, and every level is quoted again. */
async function everySlotIsFree(world: World): Promise<void> {
  expect(world.status()).toMatchObject({ unknown: 0, underWay: 0, noncesInFlight: 0 });
  const before = world.dropped.length;
  const levels = [1, 2].flatMap((marketId) => [0, 1, 2, 3].map((level) => place({ level, marketId })));
  world.submit([...levels, place({ level: null, reduceOnly: true, side: "sell" })]);
  await world.clock.advance(10_000);
  expect(world.dropped.slice(before)).toEqual([]);
  expect(world.status()).toMatchObject({ unknown: 0, underWay: 0, noncesInFlight: 0 });
}
