// Laws of the feed under a bad line: whatever is lost, late or doubled, exposure is never counted too low, and in the end the feed
// knows what the exchange knows.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collateralOf } from "../../src/bot/accounting/totals.ts";
import { ME } from "../unit/bot/feed/scene.ts";
import { createWorld, ops, type Step, type World, worstCase } from "./feed-world.ts";

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom(...ops),
  a: fc.nat(11),
  b: fc.nat(11),
  bad: fc.boolean(),
});
const good = step.map((one) => ({ ...one, bad: false }));
const runs = { numRuns: 300 };

const effectsOf = <K extends string>(world: World, kind: K) =>
  world.scene.effects.filter((effect): effect is Extract<typeof effect, { kind: K }> => effect.kind === kind);

function expectTruth(world: World): void {
  const { scene, truth } = world;
  const account = scene.state.accounts.get(ME)!;
  const booked = effectsOf(world, "fill").map(({ fill }) => fill.key);
  expect(new Set(booked).size, "no fill twice").toBe(booked.length);
  const invented = booked.filter((key) => !truth.fills.has(key));
  expect(invented, "no fill that was none").toEqual([]);
  const missed = [...truth.fills].filter(([key, id]) => account.orders.isOurs(id) && !booked.includes(key));
  expect(missed, "every fill of an order whose id was ever told").toEqual([]);
  expect(scene.inventory(), "inventory").toBe(truth.inventory());
  const tracked = new Map(
    scene.orders().map((order) => [order.orderId, [order.price, order.remainingSize, order.state]]),
  );
  const resting = new Map(
    [...truth.orders].map(([id, order]) => [id, [order.price, order.size - order.filled, "working"]]),
  );
  expect(tracked, "orders").toEqual(resting);
  expect(collateralOf(account.book), "collateral").toBe(truth.collateral());
  expect(effectsOf(world, "foreign"), "nothing of ours is foreign").toEqual([]);
  expect(scene.view().reconciled.state).toBe("fresh");
}

function expectCovered({ scene, truth }: World): void {
  const tracked = scene.orders().map(({ side, remainingSize }) => ({ side, left: remainingSize as bigint }));
  const resting = [...truth.orders.values()].map(({ side, size, filled }) => ({ side, left: size - filled }));
  for (const side of ["buy", "sell"] as const) {
    const believed = worstCase(scene.inventory(), tracked, side);
    expect(believed, `worst case to ${side}`).toBeGreaterThanOrEqual(worstCase(truth.inventory(), resting, side));
  }
}

describe("on a good line", () => {
  test("the feed ends where the exchange is, with every fill and no mismatch", () => {
    fc.assert(
      fc.property(fc.array(good, { minLength: 10, maxLength: 120, size: "max" }), (steps) => {
        const world = createWorld();
        for (const one of steps) world.step(one);
        world.quiesce();
        expectTruth(world);
        expect(effectsOf(world, "fill").length).toBe(world.truth.fills.size);
        // A frame that takes longer than a second is looked for before it comes; nothing else ever differs.
        expect(effectsOf(world, "mismatch").filter(({ what }) => what !== "fillMissed")).toEqual([]);
      }),
      runs,
    );
  });
});

describe("on a bad line", () => {
  test("the feed ends where the exchange is", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 120, size: "max" }), (steps) => {
        const world = createWorld();
        for (const one of steps) world.step(one);
        world.quiesce();
        expectTruth(world);
      }),
      runs,
    );
  });

  test("worst-case exposure is never counted too low while the account counts as reconciled", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 120, size: "max" }), (steps) => {
        const world = createWorld("keeping");
        for (const one of steps) {
          world.step(one);
          if (world.scene.view().reconciled.state === "fresh") expectCovered(world);
        }
      }),
      runs,
    );
  });

  test("no read is expected to show more volume than there is, whichever way fills become known", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 120, size: "max" }), (steps) => {
        const world = createWorld();
        for (const one of steps) {
          world.step(one);
          const { read, filled } = world.scene.state.accounts.get(ME)!.volume;
          expect((read ?? 0n) + filled).toBeLessThanOrEqual(world.truth.volume());
        }
      }),
      runs,
    );
  });

  test("the same events fold to the same view and effects", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const [one, other] = [createWorld(), createWorld()];
        for (const world of [one, other]) for (const each of steps) world.step(each);
        expect(one.scene.view()).toEqual(other.scene.view());
        expect(one.scene.effects).toEqual(other.scene.effects);
      }),
      { numRuns: 50 },
    );
  });
});
