// Laws of execution over random faults of the exchange, of the way there and of the process: judged by what the exchange received
// and executed, never by what the bot believes.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { ExecutionEvent } from "../../src/domain/event.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import { delivered, type Fate } from "../unit/bot/execution/model-venue.ts";
import { cancel, createWorld, modify, place, type World } from "../unit/bot/execution/world.ts";

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

/** A run over several lives of the process with everything the exchange saw. */
async function run(seed: number, failedTakesNonce: boolean, usedNonceIs: "rejected" | "refused") {
  const prng = createPrng(BigInt(seed));
  const received: Submitted[] = [];
  const verdicts: { readonly event: Extract<ExecutionEvent, { kind: "resolved" }>; readonly atMs: number }[] = [];
  let world = createWorld({ model: { failedTakesNonce, usedNonceIs } });
  const { model, clock } = world;
  const faults = { share: 0.3 };
  model.control.fate = ({ transaction }) => {
    if (!prng.chance(faults.share)) return delivered;
    // The success of a CancelAllOrders states that its nonce is taken, whatever it names.
    return prng.pick(transaction.type === "CancelAllOrders" ? fates : [...fates, ...silent]);
  };
  world.execution.start();
  for (let step = 0; step < 60; step += 1) {
    const ids = [...model.orders.keys()];
    const id = ids.length > 0 ? prng.pick(ids) : 1n;
    world.submit(
      prng.pick([
        [place({ level: prng.below(4), marketId: 1 + prng.below(2) }), cancel(id)],
        [modify(id), place({ level: null, reduceOnly: true, side: "sell" })],
        [cancel(id)],
      ]),
    );
    await clock.advance(prng.below(300));
    if (!prng.chance(0.05)) continue;
    world = await reborn(world, prng.chance(0.5) ? "process" : "power", prng.below(3));
  }
  faults.share = 0;
  for (let wait = 0; wait < 400 && world.execution.status().unknown > 0; wait += 1) await clock.advance(1000);
  // Everything that is still on its way arrives.
  await clock.advance(10_000);
  received.push(...model.submitted);
  return { world, model, received, verdicts };
}

/** The next run of the process, on the same disk, at the same exchange and the same time. */
async function reborn(world: World, loses: "process" | "power", survivors: number): Promise<World> {
  world.close();
  if (loses === "process") world.disk.killProcess();
  else world.disk.losePower(survivors);
  const next = createWorld({ disk: world.disk, clock: world.clock, exchange: world.model });
  next.execution.start();
  next.execution.recover();
  await world.clock.advance(1);
  return next;
}

test.each([
  [true, "rejected"],
  [true, "refused"],
  [false, "rejected"],
  [false, "refused"],
] as const)("failed takes the nonce: %s, a used nonce is %s", async (failedTakesNonce, usedNonceIs) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const { world, model, received } = await run(seed, failedTakesNonce, usedNonceIs);
      everyNonceOneBody(received);
      nothingSentTwiceAsNew(received);
      verdictsAreTrue(model, world);
      expect(world.execution.status()).toMatchObject({ unknown: 0 });
      // What only succeeded waits until something shows its effect.
      world.control.isOpen = () => false;
      world.execution.shown();
      expect(world.ledger.openIntents()).toEqual([]);
      world.close();
    }),
    { numRuns: 40 },
  );
});

/**
 * A nonce that the exchange checks is signed over one body; a second one is the CancelAllOrders that fences it. That of a CancelOrder
 * is not checked (S5) and follows no reservation: a run may begin with the one that the last run ended with.
 */
function everyNonceOneBody(received: readonly Submitted[]): void {
  const bodies = new Map<bigint, Set<string>>();
  for (const { nonce, transaction, transactionText } of received) {
    if (transaction.type === "CancelOrder") continue;
    const texts = bodies.get(nonce) ?? new Set();
    bodies.set(nonce, texts.add(transactionText));
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
function verdictsAreTrue(model: World["model"], world: World): void {
  const succeeded = model.executed.filter(({ ok, opened }) => ok && opened.transaction.type !== "CancelOrder");
  expect(new Set(succeeded.map(({ opened }) => opened.nonce)).size).toBe(succeeded.length);
  for (const row of world.ledger.read.rows("intents")) {
    if (row.end !== "neverLanded") continue;
    const done = succeeded.find(({ opened }) => `${opened.nonce}` === row.nonce);
    if (done !== undefined) expect(done.opened.transaction.type).toBe("CancelAllOrders");
  }
}
