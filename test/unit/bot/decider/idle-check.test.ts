// A market that rests: turns that would find what the last one found are left out, and none that would find something else.

import { beforeEach, describe, expect, test } from "vitest";
import { rekey } from "../../../../src/bot/account/account-state.ts";
import type { MarketDesk } from "../../../../src/bot/decider/desks/market-desk.ts";
import { StallDetector } from "../../../../src/bot/decider/stall-detector.ts";
import { TradingLoop } from "../../../../src/bot/decider/step.ts";
import type { GateId } from "../../../../src/bot/risk/gates/gate.ts";
import { LiveEntries } from "../../../../src/bot/service/loop/entries.ts";
import { createMetrics } from "../../../../src/bot/telemetry/metrics.ts";
import { ageTiming, loopTiming } from "../../../../src/bot/timing.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import { noQuotes } from "../../../../src/domain/quotes.ts";
import { nonce } from "../../../../src/domain/units.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { book, CHAIN_OFFSET_MS, createScene, notSent, oracle, pong, type Scene } from "../scene.ts";
import { account, World } from "../service/desks.ts";

let scene: Scene;
let clock: VirtualClock;
let world: World;
let loop: TradingLoop;
let wallStepMs: number;
let refusal: { readonly code: string } | null;
beforeEach(() => {
  scene = createScene();
  clock = createVirtualClock({ startMs: CHAIN_OFFSET_MS });
  clock.advanceSync(scene.nowMs());
  world = new World();
  wallStepMs = 0;
  refusal = null;
  const stepped = { ...clock, wallMs: () => clock.wallMs() + wallStepMs };
  loop = new TradingLoop({
    state: scene.state,
    desks: new Map([[account, world.desk()]]),
    ledger: world.ledger,
    clock: stepped,
    entries: new LiveEntries(stepped, null),
    metrics: createMetrics(),
    stalls: new StallDetector(),
    submit: () => {},
    onEffect: () => {},
    onStrategyFault: () => {},
    onQuotesLeftOut: () => {},
    onTurnFault: (_desk, _market, error) => {
      throw error;
    },
    nonceRefusal: () => refusal,
    isSending: true,
    onSlept: () => {},
  });
  world.desk().drop(2);
  desk().strategy = { quote: () => noQuotes("a test"), memory: null };
  passTicks(2);
  expect(closed()).toEqual([]);
});

function desk(): MarketDesk {
  const market = world.desk().markets.get(1);
  if (market === undefined) throw new RangeError("market 1 is quoted");
  return market;
}

const closed = (): readonly GateId[] =>
  desk().last?.readings.flatMap(({ gate, closed }) => (closed === null ? [] : gate)) ?? [];

/** Ticks of the timer; returns how many of them the market turned in. */
function passTicks(count: number): number {
  let turns = 0;
  for (let tick = 0; tick < count; tick += 1) {
    scene.advance(loopTiming.tickMs);
    clock.advanceSync(loopTiming.tickMs);
    loop.tick();
    if (desk().last?.view.nowMs === clock.monotonicMs()) turns += 1;
  }
  return turns;
}

/** Events of now; true when the market turned at once. */
function tell(event: object): boolean {
  const before = desk().last;
  loop.apply({ receivedMs: scene.nowMs(), askedMs: scene.nowMs() - 1, ...event } as VenueEvent);
  return desk().last !== before;
}

test("with nothing to do and no news a market turns once a second, and not ten times", () => {
  expect(passTicks(5 * (loopTiming.restMaxMs / loopTiming.tickMs))).toBe(5);
});

test("news is met at once, and what no turn follows at once by the next tick of the timer", () => {
  expect(tell({ kind: "book", book: book() })).toBe(true);
  passTicks(1);
  expect(tell({ kind: "trade", trade: { marketId: 1 } } as object)).toBe(false);
});

test("an answer that says the same again is no news; the same words in another object are", () => {
  const { held } = scene.state.markets.get(1)?.oracle ?? {};
  expect(tell({ kind: "oracleRead", oracle: held?.value })).toBe(false);
  expect(passTicks(1)).toBe(0);
  expect(tell({ kind: "oracleRead", oracle: oracle() })).toBe(true);
});

describe("law: what time alone changes is met by the tick that would have met it without rest", () => {
  /** Until the gate closes, ms of the last tick before and of the tick itself. */
  function closesAt(gate: GateId): readonly [number, number] {
    for (let tick = 0; tick < 400; tick += 1) {
      passTicks(1);
      if (closed().includes(gate)) return [scene.nowMs() - loopTiming.tickMs, scene.nowMs()];
    }
    throw new Error(`${gate} never closed`);
  }

  test("a stream that fell silent", () => {
    const dueMs = scene.state.stream.lastFrameMs + ageTiming.streamMs;
    const [before, at] = closesAt("stream");
    expect([before <= dueMs, at > dueMs]).toEqual([true, true]);
  });

  test("a market that no read answers for", () => {
    const dueMs = (scene.state.markets.get(1)?.market?.askedMs ?? 0) + ageTiming.marketMs;
    const [before, at] = closesAt("marketStatus");
    expect([before <= dueMs, at > dueMs]).toEqual([true, true]);
  });

  test("a print that is about to expire", () => {
    const validUntilSec = Math.floor((CHAIN_OFFSET_MS + scene.nowMs()) / 1000) + 8;
    tell({ kind: "oracleRead", oracle: oracle({ validUntilSec }) });
    const { oracleGuardMs } = desk().quoted.limits;
    const dueMs = validUntilSec * 1000 - CHAIN_OFFSET_MS - oracleGuardMs - scene.state.chain.blockMs;
    const [before, at] = closesAt("oracleExpiry");
    expect([before < dueMs, at >= dueMs]).toEqual([true, true]);
  });
});

test.each<readonly [string, () => void, GateId | null]>([
  ["the wall clock is set back", () => (wallStepMs = -5000), "clock"],
  ["the key gets no nonce", () => (refusal = { code: "notReserved" }), "nonce"],
  ["the disk fails", () => failDisk(), "journal"],
  ["a latch trips", () => trip(), "halted"],
  ["another key runs", () => rekey(scene.state, account, "bb".repeat(32)), "agentKey"],
  ["the limits are others", () => desk().requote({ ...desk().quoted }), null],
])("what no event tells of is met by the next tick: %s", (_, happens, gate) => {
  passTicks(1);
  happens();
  expect(passTicks(1)).toBe(1);
  if (gate !== null) expect(closed()).toContain(gate);
});

test("forbidden: to rest while a gate is closed", () => {
  refusal = { code: "notReserved" };
  passTicks(1);
  expect(passTicks(10)).toBe(10);
});

test("answers that come together let their market turn once, after the last of them and without a tick", () => {
  const commands = [1n, 2n].map((of) => ({ nonce: nonce(of), command: scene.place(of) }));
  const before = desk().last;
  for (const { nonce: of, command } of commands)
    expect(tell({ kind: "answered", nonce: of, command, outcome: notSent })).toBe(false);
  clock.advanceSync(1);
  expect(desk().last).not.toBe(before);
  expect(desk().last?.view.orders).toEqual([]);
});

test("a pong is news: it may have moved the chain's time", () => {
  passTicks(1);
  tell(pong(scene));
  expect(passTicks(1)).toBe(1);
});

function failDisk(): void {
  world.failure = "no disk";
  world.ledger.commit();
  world.ledger.order({
    accountId: account,
    orderId: 1n as never,
    marketId: 1,
    side: "buy",
    price: null,
    size: null,
    isOver: false,
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
  world.desk().trip(latch as never, 0);
}
