// Whose cancel was it: ours while it was sent and not refused, and for as long as it may still land.

import { expect, test } from "vitest";
import { OwnCancels } from "../../../../../src/bot/service/loop/own-cancels.ts";
import type { CancelAllCommand, CancelCommand, PlaceCommand } from "../../../../../src/domain/command.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../../../../src/domain/event.ts";
import { accountId, nonce, orderId } from "../../../../../src/domain/units.ts";
import { plainPlace } from "../../../../support/plain-bot.ts";

const account = accountId(12n);
const executed: SubmitOutcome = { kind: "executed", hash: "h", events: [] };
const refused: SubmitOutcome = { kind: "refused", hash: "h", error: "gone" };
const unknown: SubmitOutcome = { kind: "unknown", why: "timeout" };
const limited: SubmitOutcome = { kind: "rateLimited", error: "busy", retryAfterMs: null };
const rejected: SubmitOutcome = { kind: "rejected", httpStatus: 400, error: "nonce" };

const one = (id: bigint): CancelCommand => ({ kind: "cancel", accountId: account, marketId: 1, orderId: orderId(id) });
const all = (marketId: number | null): CancelAllCommand => ({
  kind: "cancelAll",
  accountId: account,
  marketId,
  fences: null,
});
const place = plainPlace({ accountId: account });
type Cancel = CancelCommand | CancelAllCommand;
const sent = (command: Cancel | PlaceCommand, receivedMs = 0, n = 1n): ExecutionEvent => ({
  kind: "sent",
  nonce: nonce(n),
  command,
  receivedMs,
});
const answered = (command: Cancel, outcome: SubmitOutcome, receivedMs = 0, n = 1n): ExecutionEvent => ({
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
});

function after(...events: readonly ExecutionEvent[]) {
  const own = new OwnCancels(90_000);
  for (const event of events) own.note(event);
  return (id: bigint, nowMs = 0, marketId = 1, placed: bigint | null = null) =>
    own.explains(account, order(id, marketId, placed), nowMs);
}

test("what no cancel of ours was aimed at is not ours", () => {
  expect(after(sent(one(1n)))(2n)).toBe("no");
});

test("a cancel that is out leaves it open; its answer decides", () => {
  expect(after(sent(one(1n)))(1n)).toBe("open");
  expect(after(sent(one(1n)), answered(one(1n), executed))(1n)).toBe("yes");
  expect(after(sent(one(1n)), answered(one(1n), refused))(1n)).toBe("no");
  expect(after(sent(one(1n)), answered(one(1n), { kind: "notSent", why: "closed" }))(1n)).toBe("no");
});

test.each([
  ["a lost answer", unknown],
  ["a full door", limited],
  ["a rejection", rejected],
])("after %s it may be ours for good", (_, outcome) => {
  expect(after(sent(one(1n)), answered(one(1n), outcome), sent(one(1n)), answered(one(1n), refused))(1n)).toBe("yes");
});

test("two refusals are two words that it was gone", () => {
  const twice = [sent(one(1n)), answered(one(1n), refused), sent(one(1n)), answered(one(1n), refused)];
  expect(after(...twice)(1n)).toBe("no");
});

test("a CancelAllOrders explains every order it reaches, from its sending until its frames have come", () => {
  expect(after(sent(all(null)))(7n)).toBe("yes");
  expect(after(sent(all(1)))(7n)).toBe("yes");
  expect(after(sent(all(2)))(7n)).toBe("no");
  const done = after(sent(all(null)), answered(all(null), executed, 1000));
  expect(done(7n, 11_000)).toBe("yes");
  expect(done(7n, 11_001)).toBe("no");
});

test("seed 7700102: what the answer to a CancelAllOrders names is ours, however long the order waits for its last fills", () => {
  const events = [
    { type: "orderCanceled", orderId: orderId(7n), accountId: account, marketId: 1, reason: "UserCanceled" },
  ] as const;
  const done = after(sent(all(null)), answered(all(null), { ...executed, events }, 1000));
  expect(done(7n, 3_600_000)).toBe("yes");
  expect(done(8n, 3_600_000)).toBe("no");
});

test("a CancelAllOrders that was answered explains no order that was sent afterwards", () => {
  const events = [sent(place, 0, 5n), sent(all(null), 0, 6n), sent(place, 0, 7n)];
  const out = after(...events);
  expect([5n, 7n].map((placed) => out(9n, 0, 1, placed))).toEqual(["yes", "yes"]);
  const done = after(...events, answered(all(null), executed, 1000, 6n), sent(place, 1000, 8n));
  expect([5n, 7n, 8n].map((placed) => done(9n, 1000, 1, placed))).toEqual(["yes", "yes", "no"]);
  expect(done(9n, 1000, 1, null), "listed, and not placed in this life").toBe("yes");
  const lost = after(...events, answered(all(null), unknown, 1000, 6n), sent(place, 1000, 8n));
  expect(lost(9n, 1000, 1, 8n), "it may land on what came later").toBe("yes");
});

test("one whose answer was lost explains until it can no longer land, or its doubt has ended", () => {
  const lost = after(sent(all(null)), answered(all(null), unknown, 10));
  expect(lost(7n, 90_000)).toBe("yes");
  expect(lost(7n, 90_001)).toBe("no");
  const resolved = after(sent(all(null)), answered(all(null), unknown, 10), {
    kind: "resolved",
    nonce: nonce(1n),
    command: all(null),
    verdict: "landed",
    receivedMs: 20_000,
  });
  expect(resolved(7n, 30_000)).toBe("yes");
  expect(resolved(7n, 30_001)).toBe("no");
});

test("seed 86755: a CancelAllOrders explains an order that was gone while it could land, even if asked minutes later", () => {
  const late = after(sent(all(null)), answered(all(null), unknown, 10), sent(all(null), 500_000, 2n));
  expect(late(7n, 90_000)).toBe("yes");
  const ended = answered(all(null), executed, 700_000, 2n);
  const forgotten = after(sent(all(null)), answered(all(null), unknown, 10), sent(all(null), 700_000, 2n), ended);
  expect(forgotten(7n, 90_000, 1, 8n), "by then its last fills are known").toBe("no");
});

test("seed 54095: one that a process gave up late explains what waited behind, since the process stood still", () => {
  const late = after(sent(all(null)), answered(all(null), unknown, 100_000));
  expect(late(7n, 110_000)).toBe("yes");
  expect(late(7n, 110_001)).toBe("no");
  expect(after(sent(all(null)))(7n, 100_000), "still unanswered").toBe("yes");
});

test("fences that were lost cannot land once their nonce is taken", () => {
  const fence: CancelAllCommand = { ...all(null), fences: nonce(5n) };
  const lost = [sent(fence, 0, 5n), answered(fence, unknown, 10, 5n)];
  const explains = (...events: readonly ExecutionEvent[]) =>
    after(sent(place, 0, 5n), ...lost, ...lost, ...events, sent(place, 1000, 8n))(9n, 20_000, 1, 8n);
  expect(explains()).toBe("yes");
  expect(explains(sent(fence, 900, 5n), answered(fence, rejected, 1000, 5n)), "another of them may land").toBe("yes");
  expect(explains(sent(fence, 900, 5n), answered(fence, executed, 1000, 5n))).toBe("no");
  const verdict = { kind: "resolved", nonce: nonce(5n), command: place, verdict: "landed", receivedMs: 1000 } as const;
  expect(explains(verdict)).toBe("no");
});

test("another account's cancels explain nothing here", () => {
  const own = new OwnCancels(90_000);
  own.note(sent({ ...all(null), accountId: accountId(13n) }));
  expect(own.explains(account, order(7n), 0)).toBe("no");
});

test("an order without a name cannot have been canceled by name", () => {
  const own = new OwnCancels(90_000);
  own.note(sent(one(1n)));
  expect(own.explains(account, order(null), 0)).toBe("no");
});

test("a CancelAllOrders of an earlier life that nobody answered explains as long as it may still land", () => {
  const own = new OwnCancels(90_000);
  const intent = { accountId: account, signer: "k", nonce: nonce(1n), bytesHash: "", timestampSec: 0, id: 1 };
  own.recall(
    [
      { ...intent, command: all(1), createdMs: 1_000_000 },
      { ...intent, command: one(9n), createdMs: 1_000_000 },
    ],
    { monotonicMs: 500, wallMs: 1_040_000 },
  );
  const explains = (marketId: number, nowMs: number) => own.explains(account, order(7n, marketId), nowMs);
  expect(explains(1, 50_500)).toBe("yes");
  expect(explains(1, 50_501)).toBe("no");
  expect(explains(2, 0)).toBe("no");
});
