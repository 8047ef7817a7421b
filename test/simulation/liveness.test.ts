// Intent has a liveness: an exchange that takes no order of ours is said to be one within seconds, on every page and in /readyz; one
// order tries every ten seconds; quotes return by themselves, and only signature, key or nonce refused for a minute halts.

import { describe, expect, test } from "vitest";
import type { SubmitOutcome } from "../../src/domain/event.ts";
import { type HaltedWorld, haltedWorld } from "./halted-world.ts";

const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "unknown signer" };
const throttled: SubmitOutcome = { kind: "rateLimited", error: "too many requests", retryAfterMs: null };

async function quoting(changes: object = {}): Promise<HaltedWorld> {
  const world = await haltedWorld({ markets: [1], ...changes });
  world.world.daemon.boot();
  await world.until("quotes", () => world.resting(1).length === 2, 20_000);
  return world;
}

const market = ({ world }: HaltedWorld) => world.daemon.bot?.status().accounts[0]?.markets[0];
const readiness = ({ world }: HaltedWorld) => world.daemon.ask("GET /readyz") as { status: number; body: string };
const sentences = (world: HaltedWorld) => [market(world)?.buy.sentence, market(world)?.sell.sentence];
const gate = (world: HaltedWorld) => market(world)?.gates.find((each) => each.gate === "cannotAct");

describe("an exchange that rejects every order", () => {
  test("is not ready within seconds, says the same everywhere, and the quotes that cannot be moved go", async () => {
    const world = await quoting();
    world.door.answers = rejected;
    world.print(201);
    await world.until("not ready", () => readiness(world).status === 503, 10_000);
    await world.until("the stale quotes to go", () => world.resting(1).length === 0, 10_000);
    expect(readiness(world).status).toBe(503);
    for (const sentence of sentences(world)) {
      expect(sentence).toMatch(/^not quoting because /);
      expect(readiness(world).body).toContain(sentence);
    }
  });

  test("returns to its quotes within seconds of its end, and does not halt for less than a minute", async () => {
    const world = await quoting();
    world.door.answers = rejected;
    world.print(201);
    await world.world.clock.advance(45_000);
    world.door.answers = null;
    await world.until("quotes", () => world.resting(1).length === 2, 45_000);
    expect(world.latches()).toEqual([]);
    await world.until("nothing to say", () => sentences(world).every((sentence) => sentence === null), 5000);
    expect(readiness(world).status).toBe(200);
  });
});

describe("a night of throttling", () => {
  test("is no halt: it says so, tries once in ten seconds, and quotes when it is over", async () => {
    const world = await quoting();
    const tried = () => world.door.turnedAway;
    world.door.answers = throttled;
    world.print(201);
    await world.world.clock.advance(15_000);
    expect(gate(world)?.open).toBe(false);
    expect(sentences(world)[0]).toContain("the exchange asks us to wait: too many requests");
    const before = tried();
    await world.world.clock.advance(180_000);
    expect(tried() - before).toBeGreaterThan(14);
    expect(tried() - before).toBeLessThanOrEqual(19);
    expect([world.latches(), readiness(world).status]).toEqual([[], 503]);
    world.door.answers = null;
    await world.until("quotes", () => world.resting(1).length === 2, 25_000);
    await world.until("readiness", () => readiness(world).status === 200, 5000);
  });
});

test("an order above its limit is said, and not ready, before and after its limit was lowered", async () => {
  const world = await quoting({ limits: { maxOrderSize: 0.5 } });
  await world.reload({ limits: { maxOrderSize: 0.25 } });
  await world.until("the larger orders to go", () => world.resting(1).length === 0, 3000);
  await world.until("not ready", () => readiness(world).status === 503, 1000);
  const sentence = "not quoting because size 0.5 exceeds maxOrderSize 0.25";
  expect(sentences(world)).toEqual([sentence, sentence]);
  expect(readiness(world).body).toContain(sentence);
  await world.until("the gate", () => gate(world)?.open === false, 10_000);
  await world.reload({ limits: { maxOrderSize: 0.5 } });
  await world.until("quotes", () => world.resting(1).length === 2, 3000);
});
