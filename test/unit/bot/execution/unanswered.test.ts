// What may be on the way without an answer, against what a node of a fleet has registered.

import { expect, test } from "vitest";
import { Unanswered } from "../../../../src/bot/execution/unanswered.ts";
import type { SubmitOutcome } from "../../../../src/domain/event.ts";
import { nonce, size } from "../../../../src/domain/units.ts";
import { place } from "./world.ts";

const allowances = new Map([[1, { orders: 3, contracts: size(10n) }]]);
const buy = (contracts: bigint) => place({ side: "buy", size: size(contracts) });
const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "" };
const lost: SubmitOutcome = { kind: "unknown", why: "lost" };

const sent = (unanswered: Unanswered, at: bigint, command: ReturnType<typeof place>): void =>
  unanswered.note({ kind: "sent", nonce: nonce(at), command, receivedMs: 0 });
const answered = (unanswered: Unanswered, at: bigint, command: ReturnType<typeof place>, outcome: SubmitOutcome) =>
  unanswered.note({ kind: "answered", nonce: nonce(at), command, outcome, receivedMs: 0 });

test("contracts of one side never exceed the allowance, to the unit", () => {
  const unanswered = new Unanswered(allowances);
  sent(unanswered, 1n, buy(6n));
  expect(unanswered.admits(buy(4n))).toBe(true);
  expect(unanswered.admits(buy(5n))).toBe(false);
  expect(unanswered.admits(place({ side: "sell", size: size(10n) }))).toBe(true);
});

test("a lost answer keeps its room until it is settled, any other frees it", () => {
  const unanswered = new Unanswered(allowances);
  const whole = buy(10n);
  sent(unanswered, 1n, whole);
  answered(unanswered, 1n, whole, lost);
  expect(unanswered.admits(buy(1n))).toBe(false);
  unanswered.settled(nonce(2n));
  expect(unanswered.admits(buy(1n))).toBe(false);
  unanswered.settled(nonce(1n));
  expect(unanswered.admits(whole)).toBe(true);
  sent(unanswered, 2n, whole);
  answered(unanswered, 2n, whole, rejected);
  expect(unanswered.admits(whole)).toBe(true);
});

test("both sides together have no more orders than are allowed", () => {
  const unanswered = new Unanswered(allowances);
  for (const [at, side] of (["buy", "sell", "buy"] as const).entries())
    sent(unanswered, BigInt(at), place({ side, size: size(1n) }));
  expect(unanswered.admits(buy(1n))).toBe(false);
});

test("a market without an allowance has none; what only reduces, and a bot without a fleet, is never held back", () => {
  const unanswered = new Unanswered(allowances);
  expect(unanswered.admits(place({ marketId: 2, size: size(1n) }))).toBe(false);
  expect(unanswered.admits(place({ marketId: 2, reduceOnly: true }))).toBe(true);
  const alone = new Unanswered(null);
  sent(alone, 1n, buy(1000n));
  expect(alone.admits(buy(1000n))).toBe(true);
});
