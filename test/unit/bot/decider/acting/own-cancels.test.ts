// Which ends of orders are our own doing: of an order that a command of ours named, and of all while a CancelAllOrders may land.

import { expect, test } from "vitest";
import { OwnCancels } from "../../../../../src/bot/decider/acting/own-cancels.ts";
import type { CancelAllCommand, CancelCommand, Command } from "../../../../../src/domain/command.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../../../../src/domain/event.ts";
import { accountId, nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import { plainPlace } from "../../../../support/plain-bot.ts";

const account = accountId(12n);
const executed: SubmitOutcome = { kind: "executed", hash: "h", events: [] };
const refused: SubmitOutcome = { kind: "refused", hash: "h", error: "gone" };
const unknown: SubmitOutcome = { kind: "unknown", why: "timeout" };

const one = (id: bigint): CancelCommand => ({ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(id) });
const all = (marketId: number | null): CancelAllCommand => ({
  kind: "cancelAll",
  accountId: account,
  marketId,
  fences: null,
});
const sent = (command: Command, receivedMs = 0, n = 1n): ExecutionEvent => ({
  kind: "sent",
  nonce: nonce(n),
  command,
  receivedMs,
});
const answered = (command: Command, outcome: SubmitOutcome, receivedMs = 0, n = 1n): ExecutionEvent => ({
  kind: "answered",
  nonce: nonce(n),
  command,
  outcome,
  receivedMs,
});
const order = (id: bigint | null, marketId = 1, placed: bigint | null = null) => ({
  orderId: id === null ? null : orderId(id),
  marketId,
  nonce: placed === null ? null : nonce(placed),
  pending: null,
});

function after(...events: readonly ExecutionEvent[]) {
  const own = new OwnCancels(90_000);
  for (const event of events) own.note(event);
  return (id: bigint | null, nowMs = 0, marketId = 1, placed: bigint | null = null) =>
    own.explains(account, order(id, marketId, placed), nowMs);
}

test("what no cancel of ours was aimed at is not ours, nor is an order that we only placed", () => {
  expect(after(sent(one(1n)))(2n)).toBe(false);
  expect(after(sent(plainPlace({ accountId: account })))(2n)).toBe(false);
  expect(after(sent(one(1n)))(null)).toBe(false);
});

test.each([
  ["on its way", []],
  ["refused: another of ours may have been first", [answered(one(1n), refused)]],
  ["lost", [answered(one(1n), unknown)]],
])("a CancelOrder explains the end of its order, %s", (_, events) => {
  expect(after(sent(one(1n)), ...events)(1n, 3_600_000)).toBe(true);
});

test("an exchange may make a cancel and a new order of a modify: while nobody has answered it, it explains", () => {
  const own = new OwnCancels(90_000);
  const pending = { price: price(1n), size: size(1n) };
  expect(own.explains(account, { ...order(1n), pending }, 0)).toBe(true);
  expect(own.explains(account, order(1n), 0)).toBe(false);
});

test("a CancelAllOrders explains every order it reaches, from its sending until its frames have come", () => {
  expect([after(sent(all(null)))(7n), after(sent(all(1)))(7n), after(sent(all(2)))(7n)]).toEqual([true, true, false]);
  expect(after(sent(all(null)))(7n, 100_000), "still unanswered").toBe(true);
  const done = after(sent(all(null)), answered(all(null), executed, 1000));
  expect([done(7n, 11_000), done(7n, 11_001)]).toEqual([true, false]);
});

test("one whose answer was lost explains for as long as it may land", () => {
  const lost = after(sent(all(null)), answered(all(null), unknown, 10));
  expect([lost(7n, 100_010), lost(7n, 100_011)]).toEqual([true, false]);
});

test("a CancelAllOrders that was answered explains no order that was sent afterwards, a fence with an old nonce neither", () => {
  const place = plainPlace({ accountId: account });
  const before = [sent(place, 0, 5n), sent(all(null), 0, 4n), sent(place, 0, 7n)];
  const out = after(...before);
  expect([5n, 7n].map((placed) => out(9n, 0, 1, placed))).toEqual([true, true]);
  const done = after(...before, answered(all(null), executed, 1000, 4n), sent(place, 1000, 8n));
  expect([5n, 7n, 8n].map((placed) => done(9n, 1000, 1, placed))).toEqual([true, true, false]);
  const lost = after(...before, answered(all(null), unknown, 1000, 4n), sent(place, 1000, 8n));
  expect(lost(9n, 1000, 1, 8n), "it may land on what came later").toBe(true);
  const first = after(sent(all(null)), answered(all(null), executed), sent(place, 1000, 8n));
  expect(first(9n, 1000, 1, 8n), "of a start, before any order").toBe(false);
});

test("another account's cancels explain nothing here", () => {
  expect(after(sent({ ...all(null), accountId: accountId(13n) }))(7n)).toBe(false);
});

test("what an earlier run sent and nobody answered explains: a CancelAllOrders for as long as it may land", () => {
  const own = new OwnCancels(90_000);
  const intent = { accountId: account, signer: "k", nonce: nonce(1n), bytesHash: "", timestampSec: 0, id: 1 };
  const createdMs = 1_000_000;
  own.recall(
    [
      { ...intent, command: all(1), createdMs },
      { ...intent, command: one(9n), createdMs },
    ],
    { monotonicMs: 500, wallMs: 1_040_000 },
  );
  const explains = (id: bigint, marketId: number, nowMs: number) => own.explains(account, order(id, marketId), nowMs);
  expect([explains(7n, 1, 50_500), explains(7n, 1, 50_501), explains(7n, 2, 0)]).toEqual([true, false, false]);
  expect(explains(9n, 1, 3_600_000)).toBe(true);
});

test("another node that held the account may have canceled until it can no longer", () => {
  const own = new OwnCancels(90_000);
  own.expect(account, 5000);
  expect([5000, 5001].map((nowMs) => own.explains(account, order(7n), nowMs))).toEqual([true, false]);
});
