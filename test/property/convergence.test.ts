// Laws of what the bot believes under a bad line: whatever is lost, late, doubled, lagging or wrong, exposure is never counted too low; a read takes
// nothing away and revives nothing; and in the end the bot knows what the exchange knows.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collateralOf } from "../../src/bot/accounting/totals.ts";
import { ME } from "../unit/bot/scene.ts";
import {
  createWorld,
  INVENTED,
  type Line,
  lies,
  ops,
  READ_LAG_MAX_MS,
  type Step,
  type World,
  worstCase,
  worstLine,
} from "./bad-line.ts";

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom(...ops),
  a: fc.nat(11),
  b: fc.nat(11),
  bad: fc.nat(3).map((one) => one === 0),
});
const steps = fc.array(step, { maxLength: 120, size: "max" });
const goodSteps = fc.array(
  step.map((one) => ({ ...one, bad: false })),
  { maxLength: 120, size: "max" },
);
const goodLine: Line = { lossy: false, lying: false, lagging: false, late: false };

const effectsOf = <K extends string>(world: World, kind: K) =>
  world.scene.effects.filter((effect): effect is Extract<typeof effect, { kind: K }> => effect.kind === kind);

function expectTruth(world: World): void {
  const { scene, truth } = world;
  const account = scene.state.accounts.get(ME)!;
  expectOnce(world);
  expect(scene.inventory(), "inventory").toBe(truth.inventory());
  const tracked = new Map(
    scene.orders().map((order) => [order.orderId, [order.price, order.remainingSize, order.state]]),
  );
  const resting = new Map(
    [...truth.orders].map(([id, order]) => [id, [order.price, order.size - order.filled, "working"]]),
  );
  expect(tracked, "orders").toEqual(resting);
  expect(scene.view().position, "nothing is open").toMatchObject({
    state: "fresh",
    value: { low: truth.inventory(), high: truth.inventory() },
  });
  expect(collateralOf(account.book), "collateral").toBe(truth.collateral());
  const foreign = effectsOf(world, "foreign").filter(({ orderId }) => orderId < INVENTED);
  expect(foreign, "nothing of ours is foreign").toEqual([]);
  expect(scene.view().reconciled.state).toBe("fresh");
}

function expectOnce(world: World): void {
  const booked = effectsOf(world, "fill").map(({ fill }) => fill.key);
  expect(new Set(booked).size, "no fill twice").toBe(booked.length);
  expect(
    booked.filter((key) => !world.truth.fills.has(key)),
    "no fill that was none",
  ).toEqual([]);
}

/** The law: booked position, what is left of orders that are not over, and what is unresolved, are at least the exchange's truth. */
function expectCovered({ scene, truth }: World, when: string): void {
  const { position } = scene.view();
  const range = position.state === "absent" ? { low: 0n, high: 0n } : position.value;
  const tracked = scene.orders().map(({ side, remainingSize }) => ({ side, left: remainingSize as bigint }));
  const resting = [...truth.orders.values()].map(({ side, size, filled }) => ({ side, left: size - filled }));
  for (const side of ["buy", "sell"] as const) {
    const believed = worstCase(side === "buy" ? range.high : range.low, tracked, side);
    expect(believed, `worst case to ${side} after ${when}`).toBeGreaterThanOrEqual(
      worstCase(truth.inventory(), resting, side),
    );
  }
}

describe("on a good line", () => {
  test("the bot ends where the exchange is, with every fill, and nothing differs", () => {
    fc.assert(
      fc.property(goodSteps, (all) => {
        const world = createWorld(goodLine);
        for (const one of all) world.step(one);
        world.quiesce();
        expectTruth(world);
        expect(effectsOf(world, "fill").length).toBe(world.truth.fills.size);
      }),
    );
  });

  test("a read that lags within its bound starts no resync, nor does one outlier between true ones", () => {
    fc.assert(
      fc.property(
        goodSteps,
        fc.array(fc.nat(11), { minLength: 1 }),
        fc.nat(40),
        fc.constantFrom(...lies),
        (all, lags, outlier, lie) => {
          const world = createWorld(goodLine);
          for (const [at, one] of all.entries()) {
            if (one.op === "ask" || one.op === "told" || one.op === "look") continue;
            world.step(one);
            world.deliverAll();
            const lag = lags[at % lags.length] ?? 0;
            const lagMs = Math.floor((lag * READ_LAG_MAX_MS) / 11);
            if (at % 3 === 0) world.readAccount({ lagMs, lie: at === 3 * outlier ? lie : null, seed: lag });
          }
          expect(effectsOf(world, "resyncWanted").filter(({ reason }) => reason !== "lostAnswer")).toEqual([]);
        },
      ),
    );
  });
});

describe("on a bad line", () => {
  test("the bot ends where the exchange is", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const world = createWorld({ ...worstLine, late: false });
        for (const one of all) world.step(one);
        world.quiesce();
        expectTruth(world);
      }),
    );
  });

  test.each<[string, Line]>([
    ["frames are lost", { lossy: true, lying: false, lagging: false, late: true }],
    ["reads lag", { lossy: false, lying: false, lagging: true, late: true }],
    ["reads lie", { lossy: false, lying: true, lagging: false, late: true }],
    ["frames are lost and reads lie", { lossy: true, lying: true, lagging: false, late: true }],
    ["frames are lost and reads lag within their bound", { lossy: true, lying: false, lagging: true, late: true }],
    ["everything is bad", worstLine],
  ])("exposure is never counted too low while %s", (_, line) => {
    fc.assert(
      fc.property(steps, (all) => {
        const world = createWorld(line);
        for (const one of all) {
          world.step(one);
          expectCovered(world, one.op);
        }
      }),
    );
  });

  test("a read never takes away, and revives no order that an event has ended", () => {
    fc.assert(
      fc.property(steps, fc.array(fc.constantFrom(...lies), { minLength: 1 }), (all, wrong) => {
        const world = createWorld();
        const { scene } = world;
        for (const [at, one] of all.entries()) {
          world.step(one);
          const inventory = scene.inventory();
          const left = new Map(scene.orders().map((order) => [order, order.remainingSize]));
          world.readAccount({ lie: at % 2 === 0 ? (wrong[at % wrong.length] ?? null) : null, seed: at });
          expect(scene.inventory(), "booked position").toBe(inventory);
          const now = new Map(scene.orders().map((order) => [order.nonce ?? order.orderId, order]));
          // Two lists end what one list alone had named, which is what no exchange has.
          for (const [order, remaining] of left)
            if ((order.orderId ?? 0n) < INVENTED)
              expect(now.get(order.nonce ?? order.orderId)?.remainingSize ?? -1n).toBeGreaterThanOrEqual(remaining);
          expect(scene.orders().filter(({ orderId }) => orderId !== null && world.ended.has(orderId))).toEqual([]);
        }
        expectOnce(world);
      }),
    );
  });

  test("the same events fold to the same view and effects", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (all) => {
        const [one, other] = [createWorld(), createWorld()];
        for (const world of [one, other]) for (const each of all) world.step(each);
        expect(one.scene.view()).toEqual(other.scene.view());
        expect(one.scene.effects).toEqual(other.scene.effects);
      }),
      { numRuns: 50 },
    );
  });
});
