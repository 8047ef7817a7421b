// Whether a node says that it could quote: by its own stream, and by its clock beside the chain's.

import { expect, it } from "vitest";
import { watchAbility } from "../../../../../src/bot/service/lifecycle/ability.ts";
import type { StreamEvent } from "../../../../../src/domain/event.ts";
import { microtasks } from "../../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../../src/kernel/virtual-clock.ts";

const START_MS = 1_790_000_000_000;
const MAX_MS = 1000;

function scene() {
  const world = createVirtualClock({ startMs: START_MS, settle: microtasks });
  const machine = { aheadMs: 0 };
  const clock = { ...world, wallMs: () => world.wallMs() + machine.aheadMs };
  let hear: (event: StreamEvent) => void = () => {};
  let isClosed = false;
  const ability = watchAbility(
    MAX_MS,
    {
      stream(_, onEvent) {
        hear = onEvent;
        return { close: () => {}, resubscribe: () => {} };
      },
      close: async () => {
        isClosed = true;
      },
    },
    clock,
  );
  return {
    ability,
    world,
    machine,
    isClosed: () => isClosed,
    open: () => hear({ kind: "streamOpened", epoch: 1, receivedMs: clock.monotonicMs() }),
    drop: () =>
      hear({ kind: "streamClosed", epoch: 1, receivedMs: clock.monotonicMs(), reason: "gone" } as StreamEvent),
    pong: (height: number) => {
      const nowMs = clock.monotonicMs();
      hear({
        kind: "pong",
        epoch: 1,
        height,
        blockTimeMs: world.wallMs(),
        sentMs: nowMs,
        receivedMs: nowMs,
      } as StreamEvent);
    },
  };
}

it("a node could not quote before it knows the chain's time; it could while its clock agrees and the time is fresh", async () => {
  const { ability, open, pong, world } = scene();
  expect(ability.lack()).toBe("it has no stream to the exchange");
  open();
  expect(ability.lack()).toBe("the exchange's chain does not move on");
  pong(10);
  expect(ability.lack()).toBeNull();
  await ability.known;
  await world.advance(16_000);
  expect(ability.lack()).toBe("it has no stream to the exchange");
});

it.each([
  [1, null],
  [1001, "its clock is 1.0 s ahead of the chain's"],
  [-600_000, "its clock is 600.0 s behind the chain's"],
])("its clock is %i ms ahead", (aheadMs, lack) => {
  const { ability, machine, open, pong } = scene();
  open();
  pong(10);
  machine.aheadMs = aheadMs;
  expect(ability.lack()).toBe(lack);
});

it("a node whose stream breaks could not quote; nobody waits longer than a second for the first word", async () => {
  const { ability, drop, open, pong, world } = scene();
  let isKnown = false;
  void ability.known.then(() => {
    isKnown = true;
  });
  await world.advance(999);
  expect(isKnown).toBe(false);
  await world.advance(1);
  expect(isKnown).toBe(true);
  open();
  pong(10);
  drop();
  expect(ability.lack()).toBe("it has no stream to the exchange");
});

it("closes its stream", async () => {
  const { ability, isClosed } = scene();
  await ability.close();
  expect(isClosed()).toBe(true);
});
