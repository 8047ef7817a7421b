// Which of the two clocks stamps an envelope: the one nearer to what the exchange last accepted, and after a rejection the other.

import { expect, test } from "vitest";
import { Stamps } from "../../../../src/bot/execution/stamps.ts";
import type { SubmitOutcome } from "../../../../src/domain/event.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const startMs = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const executed: SubmitOutcome = { kind: "executed", hash: "", events: [] };
const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "" };

function scene() {
  const clock = createVirtualClock({ startMs });
  const chain = { offMs: 0 as number | null };
  const stamps = new Stamps({
    clock,
    chainTime: () => (chain.offMs === null ? null : { timeMs: clock.wallMs() + chain.offMs }),
  });
  return { clock, chain, stamps };
}

test("at first the chain's clock, and the machine's where the chain's is not known", () => {
  const { chain, stamps } = scene();
  chain.offMs = 7000;
  expect(stamps.now()).toMatchObject({ by: "chain", timeMs: startMs + 7000 });
  chain.offMs = null;
  expect(stamps.now()).toMatchObject({ by: "machine", timeMs: startMs });
});

test.each([HOUR_MS, -HOUR_MS])("once a time was accepted, the clock that left it by %d ms is not used", (offMs) => {
  const { clock, chain, stamps } = scene();
  stamps.answered(stamps.now(), executed);
  clock.advanceSync(5000);
  chain.offMs = offMs;
  expect(stamps.now().by).toBe("machine");
});

test("a rejected time is followed by the other clock's, and that again by the first", () => {
  const { chain, stamps } = scene();
  chain.offMs = HOUR_MS;
  const first = stamps.now();
  stamps.answered(first, rejected);
  expect(stamps.now().by).toBe("machine");
  stamps.answered(first, rejected);
  expect(stamps.now().by, "of several that were on their way together").toBe("machine");
  stamps.answered(stamps.now(), rejected);
  expect(stamps.now().by).toBe("chain");
});

test("the clock that was accepted after the other's rejection stays", () => {
  const { clock, chain, stamps } = scene();
  chain.offMs = HOUR_MS;
  stamps.answered(stamps.now(), rejected);
  stamps.answered(stamps.now(), executed);
  clock.advanceSync(60_000);
  expect(stamps.now().by).toBe("machine");
});

test("a rejection says nothing of the time where both clocks tell the same", () => {
  const { chain, stamps } = scene();
  chain.offMs = 300;
  stamps.answered(stamps.now(), rejected);
  expect(stamps.now().by).toBe("chain");
});
