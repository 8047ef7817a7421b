// A seeded flow of orders for the benches: places around a wandering mid, cancels of recent orders, market orders. Every measured engine
// gets the same flow, so each does the same work.

import { createPrng, type Prng } from "../src/kernel/prng.ts";

export type FlowAction =
  | {
      readonly kind: "place";
      readonly id: number;
      readonly side: "buy" | "sell";
      readonly ticks: number;
      readonly units: number;
    }
  /** `id` may be gone already. */
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "market"; readonly id: number; readonly side: "buy" | "sell"; readonly units: number };

export type Flow = {
  /** Orders that rest before the clock starts: half on each side, away from the touch. */
  readonly resting: readonly FlowAction[];
  readonly actions: readonly FlowAction[];
};

const START_TICKS = 20_000;

export function makeFlow(seed: bigint, restingCount: number, actionCount: number): Flow {
  const prng = createPrng(seed);
  let id = 0;
  const nextId = (): number => {
    id += 1;
    return id;
  };
  const resting = Array.from({ length: restingCount }, () => place(prng, nextId(), START_TICKS, 50 + prng.below(1000)));
  let mid = START_TICKS;
  const actions = Array.from({ length: actionCount }, (): FlowAction => {
    if (prng.chance(0.1))
      mid = Math.min(START_TICKS + 40, Math.max(START_TICKS - 40, mid + (prng.chance(0.5) ? 1 : -1)));
    const draw = prng.below(100);
    if (draw < 55) return place(prng, nextId(), mid, Math.floor(prng.float() * prng.float() * 30) - 1);
    if (draw < 90) return { kind: "cancel", id: Math.max(restingCount + 1, id - prng.below(200)) };
    return { kind: "market", id: nextId(), side: prng.chance(0.5) ? "buy" : "sell", units: 1 + prng.below(2_000_000) };
  });
  return { resting, actions };
}

function place(prng: Prng, id: number, mid: number, distance: number): FlowAction {
  const side = prng.chance(0.5) ? "buy" : "sell";
  return {
    kind: "place",
    id,
    side,
    ticks: side === "buy" ? mid - distance : mid + distance,
    units: 1 + prng.below(1_000_000),
  };
}
