// The driver carries out what a step wants before it takes anything else, and lets the event loop go round where turns take long.

import { beforeEach, describe, expect, test } from "vitest";
import type { Input } from "../../../../src/bot/decider/input.ts";
import type { Machine } from "../../../../src/bot/decider/step.ts";
import { Driver, type DriverModules, type Wanted } from "../../../../src/bot/live/driver.ts";
import { loopTiming } from "../../../../src/bot/timing.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { book, executedWith } from "../scene.ts";
import { account, readyWorld, type Submit, World } from "../service/desks.ts";

/** `sent 1` for an event of a command, with its market; `book 1` for a book. */
function named(input: Input): string {
  if (input.kind !== "event") return input.kind;
  const { event } = input;
  if (event.kind === "sent" || event.kind === "answered") return `${event.kind} ${event.command.marketId}`;
  return event.kind === "book" ? `book ${event.book.marketId}` : event.kind;
}
const inputs = (world: World): readonly string[] => world.steps.map(({ input }) => named(input));
const bookOf = (marketId: number) => ({ kind: "book", book: { ...book(), marketId } }) as const;
const closed = { kind: "streamClosed", epoch: 1, reason: "gone" } as const;

let world: World;

describe("law: all outputs of a step are carried out before another input", () => {
  let send: (wanted: Wanted) => void;
  /** What is to be done beside, with the first submit of all. */
  let withFirst: () => void;
  beforeEach(() => {
    world = readyWorld();
    world.steps.length = 0;
    send = world.carryOut;
    withFirst = () => {};
    let isFirst = true;
    world.carryOut = (wanted) => {
      send(wanted);
      if (wanted.kind !== "submit" || !isFirst) return;
      isFirst = false;
      withFirst();
    };
  });

  test("each submit is sent and heard of before the next output, and before the next market turns", () => {
    world.tick();
    expect(inputs(world)).toEqual(["tick", "again", "sent 1", "sent 1", "again", "sent 2", "sent 2"]);
  });

  test("an event that comes meanwhile waits until the last market has turned", () => {
    withFirst = () => world.tell(bookOf(2));
    world.tick();
    const life = ["tick", "again", "sent 1", "sent 1", "again", "sent 2", "sent 2"];
    expect(inputs(world).slice(0, life.length + 1)).toEqual([...life, "book 2"]);
  });

  describe("what comes of sending does not wait:", () => {
    const first = (): Submit => {
      const submit = world.wanted.find((wanted): wanted is Submit => wanted.kind === "submit");
      if (submit === undefined) throw new RangeError("a submit is carried out");
      return submit;
    };
    beforeEach(() => {
      send = () => {};
      world.wanted.length = 0;
    });

    test("a refusal", () => {
      withFirst = () => {
        const { submit } = first();
        world.driver.feed({ kind: "refused", accountId: account, submit, reason: "journal", facts: {} });
      };
      world.tick();
      expect(inputs(world).slice(0, 3)).toEqual(["tick", "again", "refused"]);
      expect(world.wanted.map(({ kind }) => kind).slice(0, 4)).toEqual(["turned", "submit", "dropped", "submit"]);
    });

    test("an answer that is there at once", () => {
      withFirst = () => world.answer(first(), executedWith());
      world.tick();
      expect(inputs(world).slice(0, 3)).toEqual(["tick", "again", "answered 1"]);
      expect(world.wanted.map(({ kind }) => kind).slice(0, 3)).toEqual(["turned", "submit", "submit"]);
    });
  });

  test("no market turns in a step within another's outputs", () => {
    world.tick();
    for (const { input, outputs } of world.steps)
      if (named(input).startsWith("sent")) expect(outputs.map(({ kind }) => kind)).not.toContain("turned");
  });
});

test("an input that arrives within a step waits until the outputs of that step are carried out", () => {
  world = readyWorld([1]);
  world.tick();
  const { running: strategy } = world.market().strategy;
  world.market().strategy.running = {
    ...strategy,
    quote(view) {
      world.driver.feed({ kind: "slow", accountId: account, marketId: 1, why: "takes 9 ms" });
      return strategy.quote(view);
    },
  };
  world.steps.length = 0;
  world.tell(closed);
  expect(inputs(world)[0]).toBe("streamClosed");
  expect(inputs(world)).toContain("slow");
  expect(world.market().strategy.fault?.message).toBe("takes 9 ms");
});

describe("turns that take long", () => {
  let turned: string[];
  beforeEach(() => {
    world = new World();
    turned = [];
    world.carryOut = (wanted) => {
      if (wanted.kind !== "turned") return;
      turned.push(`${wanted.accountId}:${wanted.marketId}`);
      world.aheadMs.monotonic += 0.75 * loopTiming.busyMaxMs;
    };
  });

  test("make the others wait until the event loop has gone round, each once", () => {
    for (let told = 0; told < 3; told += 1) world.tell(closed);
    expect(turned).toEqual(["12:1", "12:2"]);
    world.advance(1);
    expect(turned[2]).toBe("13:1");
  });

  test("do not keep what comes meanwhile from being folded", () => {
    world.tell(closed);
    world.tell(bookOf(1));
    expect(turned).toEqual(["12:1", "12:2"]);
    expect(world.state.markets.get(1)?.book.held?.value.bids).toEqual(book().bids);
  });
});

describe("what is asked is answered at once", () => {
  beforeEach(() => {
    world = readyWorld([1]);
    world.tick();
    world.wanted.length = 0;
  });

  test("the latches that were lifted", () => {
    const latch = { kind: "operator", accountId: account, marketId: 1, holds: "halted", reason: "a test", numbers: {} };
    world.driver.feed({ kind: "trip", latch: latch as never });
    const lift = { accountId: account, marketId: 1, latch: null, reason: "a test" } as const;
    expect(world.driver.lift(lift)).toEqual([latch]);
    expect(world.driver.lift(lift)).toEqual([]);
  });

  test("what is known of a market, at this moment and not at that of the last input", () => {
    const before = world.driver.view(account, 1);
    world.advance(5);
    expect(world.driver.view(account, 1).nowMs - before.nowMs).toBe(5);
  });
});

test("closed: nothing is heard, and no timer is left", () => {
  const clock = createVirtualClock({ startMs: 0 });
  const heard: string[] = [];
  const machine = {
    begun: [],
    step({ kind }: Input) {
      heard.push(kind);
      return [{ kind: "wake", atMs: clock.monotonicMs() + 100 }];
    },
  } as unknown as Machine;
  const modules: Omit<DriverModules, "readings"> = { machine, clock, onTurned: () => {}, record: null };
  const driver = new Driver({ ...modules, readings: () => ({}) as Input["readings"] });
  driver.feed({ kind: "tick" });
  clock.advanceSync(100);
  expect(heard).toEqual(["tick", "wake"]);
  driver.close();
  driver.feed({ kind: "tick" });
  clock.advanceSync(1000);
  expect(heard).toEqual(["tick", "wake"]);
  expect(clock.nextDueMs()).toBeUndefined();
});

test("edge: a timer that comes early is set again, so that no instant is missed", () => {
  const clock = createVirtualClock({ startMs: 0 });
  const early = { ...clock, after: (delayMs: number, run: () => void) => clock.after(delayMs / 2, run) };
  const heardMs: number[] = [];
  const machine = {
    begun: [],
    step({ kind, instant }: Input) {
      if (kind === "wake") heardMs.push(instant.monotonicMs);
      return kind === "tick" ? [{ kind: "wake", atMs: 100 }] : [];
    },
  } as unknown as Machine;
  const modules: Omit<DriverModules, "readings"> = { machine, clock: early, onTurned: () => {}, record: null };
  new Driver({ ...modules, readings: () => ({}) as Input["readings"] }).feed({ kind: "tick" });
  clock.advanceSync(1000);
  expect(heardMs).toHaveLength(1);
  expect(heardMs[0]).toBeGreaterThan(99);
});
