// A market that rests: turns that would find what the last one found are left out, and none that would find something else.

import { beforeEach, describe, expect, test } from "vitest";
import type { GateId } from "../../../../src/bot/risk/gates/gate.ts";
import { ageTiming, loopTiming } from "../../../../src/bot/timing.ts";
import type { Latch } from "../../../../src/domain/latch.ts";
import { noQuotes } from "../../../../src/domain/quotes.ts";
import { nonce } from "../../../../src/domain/units.ts";
import {
  book,
  CHAIN_OFFSET_MS,
  execution,
  type Loose,
  notSent,
  oracle,
  placeCommand,
  pong,
  publicTrade,
} from "../scene.ts";
import { account, readyWorld, type World } from "../service/desks.ts";

let world: World;
beforeEach(() => {
  world = readyWorld([1]);
  world.market().strategy.running = { quote: () => noQuotes("a test"), memory: null };
  passTicks(2);
  expect(closed()).toEqual([]);
});

const closed = (): readonly GateId[] =>
  world.market().last?.readings.flatMap(({ gate, closed }) => (closed === null ? [] : gate)) ?? [];

/** Ticks of the timer; returns how many of them the market turned in. */
function passTicks(count: number): number {
  let turns = 0;
  for (let tick = 0; tick < count; tick += 1) {
    world.tick();
    if (world.market().last?.view.nowMs === world.nowMs()) turns += 1;
  }
  return turns;
}

/** True when the market turned at once. */
function tell(event: Loose): boolean {
  const before = world.market().last;
  world.tell(event);
  return world.market().last !== before;
}

test("with nothing to do and no news a market turns once a second, and not ten times", () => {
  expect(passTicks(5 * (loopTiming.restMaxMs / loopTiming.tickMs))).toBe(5);
});

test("news is met at once, and what no turn follows at once by the next tick of the timer", () => {
  expect(tell({ kind: "book", book: book() })).toBe(true);
  passTicks(1);
  expect(tell({ kind: "trade", trade: publicTrade(execution()) })).toBe(false);
});

test("an answer that says the same again is no news, in another object either: a replay has others", () => {
  expect(tell({ kind: "oracleRead", oracle: oracle() })).toBe(false);
  expect(passTicks(1)).toBe(0);
  expect(tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: oracle().validUntilSec + 1 }) })).toBe(true);
});

describe("law: what time alone changes is met by the tick that would have met it without rest", () => {
  /** Until the gate closes, ms of the last tick before and of the tick itself. */
  function closesAt(gate: GateId): readonly [number, number] {
    for (let tick = 0; tick < 400; tick += 1) {
      passTicks(1);
      if (closed().includes(gate)) return [world.nowMs() - loopTiming.tickMs, world.nowMs()];
    }
    throw new Error(`${gate} never closed`);
  }

  test("a stream that fell silent", () => {
    const dueMs = world.state.stream.lastFrameMs + ageTiming.streamMs;
    const [before, at] = closesAt("stream");
    expect([before <= dueMs, at > dueMs]).toEqual([true, true]);
  });

  test("a market that no read answers for", () => {
    const dueMs = (world.state.markets.get(1)?.market?.askedMs ?? 0) + ageTiming.marketMs;
    const [before, at] = closesAt("marketStatus");
    expect([before <= dueMs, at > dueMs]).toEqual([true, true]);
  });

  test("a print that is about to expire", () => {
    const validUntilSec = Math.floor((CHAIN_OFFSET_MS + world.nowMs()) / 1000) + 8;
    tell({ kind: "oracleRead", oracle: oracle({ validUntilSec }) });
    const { oracleGuardMs } = world.market().quoted.limits;
    const dueMs = validUntilSec * 1000 - CHAIN_OFFSET_MS - oracleGuardMs - world.state.chain.blockMs;
    const [before, at] = closesAt("oracleExpiry");
    expect([before < dueMs, at >= dueMs]).toEqual([true, true]);
  });
});

test.each<readonly [string, () => void, GateId | null]>([
  ["the wall clock is set back", () => (world.aheadMs.wall = -5000), "clock"],
  ["the key gets no nonce", () => (world.nonceRefusal = { code: "notReserved" }), "nonce"],
  ["the disk fails", () => failDisk(), "journal"],
  ["a latch trips", () => trip(), "halted"],
  [
    "another key runs",
    () => world.driver.feed({ kind: "rekey", accountId: account, publicKey: "bb".repeat(32) }),
    "agentKey",
  ],
  [
    "the limits are others",
    () =>
      world.driver.feed({ kind: "requote", accountId: account, quoted: { ...world.market().quoted }, goesOn: true }),
    null,
  ],
])("what no event tells of is met by the next tick: %s", (_, happens, gate) => {
  passTicks(1);
  happens();
  expect(passTicks(1)).toBe(1);
  if (gate !== null) expect(closed()).toContain(gate);
});

test("forbidden: to rest while a gate is closed", () => {
  world.nonceRefusal = { code: "notReserved" };
  passTicks(1);
  expect(passTicks(10)).toBe(10);
});

test("answers that come together let their market turn once, after the last of them and without a tick", () => {
  const sent = [1n, 2n].map((of) => ({ nonce: nonce(of), command: placeCommand() }));
  for (const of of sent) tell({ kind: "sent", ...of });
  const before = world.market().last;
  for (const of of sent) expect(tell({ kind: "answered", ...of, outcome: notSent })).toBe(false);
  world.advance(1);
  expect(world.market().last).not.toBe(before);
  expect(world.market().last?.view.orders).toEqual([]);
});

test("a pong is news: it may have moved the chain's time", () => {
  passTicks(1);
  tell(pong(world));
  expect(passTicks(1)).toBe(1);
});

function failDisk(): void {
  world.failure = "no disk";
  world.ledger.commit();
  world.ledger.keep({
    kind: "order",
    order: {
      accountId: account,
      orderId: 1n as never,
      marketId: 1,
      side: "buy",
      price: null,
      size: null,
      isOver: false,
    },
  });
  world.ledger.commit();
}

function trip(): void {
  const latch = {
    kind: "operator",
    accountId: account,
    marketId: null,
    holds: "halted",
    reason: "a test",
    numbers: {},
  };
  world.driver.feed({ kind: "trip", latch: latch as Latch });
}
