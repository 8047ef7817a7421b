// When a signal is a fact: its parts are young enough, and the chain's time is known.

import { beforeEach, expect, test } from "vitest";
import { outsideFacts, outsideHoldsForMs } from "../../../../src/bot/market/outside.ts";
import { marketOf } from "../../../../src/bot/market/state.ts";
import type { QuotedSignal } from "../../../../src/domain/outside.ts";
import { PRICE_SCALE, type Price, price } from "../../../../src/domain/units.ts";
import { absent } from "../../../../src/domain/view.ts";
import { createScene, oracle } from "../scene.ts";

const priceOf = (usd: number): Price => price(BigInt(usd) * 10n ** BigInt(PRICE_SCALE));
const CHAIN_MS = 1_790_000_000_000;
const NOW_MS = 5000;
const part = (name: string, share = 1, marketId: number | null = null) => ({ name, share, maxAgeMs: 1000, marketId });
const desk: QuotedSignal = { name: "desk", parts: [part("desk")] };
const mix: QuotedSignal = { name: "mix", parts: [part("desk", 0.5), { ...part("two", 0.5, 2), maxAgeMs: 3000 }] };

let state: ReturnType<typeof createScene>["state"];
beforeEach(() => {
  state = createScene({}, "blank").state;
  state.chain.offsetMs = CHAIN_MS - NOW_MS;
});

const say = (ageMs: number, value = 100) => state.outside.set("desk", { value, asOfMs: CHAIN_MS - ageMs });
const print = (usd: Price, ageMs: number) => {
  const value = oracle({ marketId: 2, price: usd, lastUpdateTimestampMs: CHAIN_MS - ageMs });
  marketOf(state, 2).oracle.held = { value, askedMs: 0, receivedMs: 0, epoch: 1, isUnconfirmed: false };
};

test("fresh up to its age by the chain's time, absent beyond", () => {
  expect(outsideFacts(state, [desk], NOW_MS)).toEqual({ desk: absent });
  say(1000);
  const facts = outsideFacts(state, [desk], NOW_MS);
  expect(facts).toEqual({ desk: { state: "fresh", value: { value: 100, asOfMs: CHAIN_MS - 1000 }, ageMs: 1000 } });
  expect(outsideFacts(state, [desk], NOW_MS + 1)).toEqual({ desk: absent });
  say(400);
  expect(outsideHoldsForMs(outsideFacts(state, [desk], NOW_MS), [desk])).toBe(600);
});

test("absent while the chain's time is unknown, and where the value lies far ahead of it", () => {
  say(0);
  state.chain.offsetMs = null;
  expect(outsideFacts(state, [desk], NOW_MS)).toEqual({ desk: absent });
  state.chain.offsetMs = CHAIN_MS - NOW_MS - 60_000;
  expect(outsideFacts(state, [desk], NOW_MS)).toEqual({ desk: absent });
});

test("a composite is the geometric mean of its parts, as old as the oldest, and absent without one of them", () => {
  say(100, 50);
  expect(outsideFacts(state, [mix], NOW_MS)).toEqual({ mix: absent });
  print(priceOf(200), 2500);
  const { mix: fact } = outsideFacts(state, [mix], NOW_MS);
  expect(fact).toMatchObject({ state: "fresh", ageMs: 2500 });
  expect(fact?.state === "fresh" && fact.value.value).toBeCloseTo(100, 9);
  expect(outsideFacts(state, [mix], NOW_MS + 501)).toEqual({ mix: absent });
});

test("an unconfirmed print of another market says nothing", () => {
  const other: QuotedSignal = { name: "two", parts: [part("two", 1, 2)] };
  print(priceOf(200), 0);
  expect(outsideFacts(state, [other], NOW_MS).two?.state).toBe("fresh");
  marketOf(state, 2).oracle.doubt = { what: "implausible" };
  expect(outsideFacts(state, [other], NOW_MS)).toEqual({ two: absent });
});

test("a market without signals costs nothing: the same empty facts each time", () => {
  expect(outsideFacts(state, [], NOW_MS)).toBe(outsideFacts(state, [], NOW_MS + 1));
});
