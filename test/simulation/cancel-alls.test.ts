// What a CancelAllOrders of the daemon's own may explain, as the law on the watchdog sees it.

import { expect, test } from "vitest";
import type { HttpEnd } from "../../src/bot/venue/remote/http.ts";
import { accountId, nonce, orderId } from "../../src/domain/units.ts";
import { CancelAlls } from "../../src/sim/invariants/cancel-alls.ts";
import { type OpenedEnvelope, openEnvelope, sealEnvelope } from "../../src/wire/envelope.ts";
import { keyedHashSigner } from "../../src/wire/signing-simulated.ts";
import { encodeTransaction, type Transaction } from "../../src/wire/transaction.ts";
import { plainOrder } from "../support/plain-exchange.ts";

const signer = keyedHashSigner(Buffer.from("daemon"));
const sealed = (transaction: Transaction, of: bigint): OpenedEnvelope => {
  const transactionText = encodeTransaction(transaction);
  const body = sealEnvelope({ chainId: "chain", transactionText, nonce: nonce(of), timestampSec: 0, signer });
  return openEnvelope(Buffer.from(body));
};
const all = sealed({ type: "CancelAllOrders", marketId: null }, 2n);
const answered = (httpStatus: number, status: string): HttpEnd => ({
  kind: "answered",
  httpStatus,
  body: `{"status":"${status}"}`,
  retryAfter: null,
});
const lost: HttpEnd = { kind: "lost", why: "timeout", cause: null };

/** An order is placed under nonce 1, everything is canceled under nonce 2, and another order is placed under nonce 3. */
function story(end: HttpEnd | null) {
  const own = new CancelAlls(90_000);
  const place = (of: bigint) => {
    const envelope = sealed(plainOrder({ accountId: accountId(12n) }), of);
    own.sent(envelope, 0);
    own.executed(envelope, `{"order_id":${of}}`);
  };
  place(1n);
  own.sent(all, 0);
  if (end !== null) own.heard(all, end, 1000);
  place(3n);
  return (order: bigint, nowMs: number) => own.mayExplain(orderId(order), nowMs);
}

test("one that is answered may explain what was sent before the answer, and nothing that came after it", () => {
  const explains = story(answered(200, "success"));
  expect([1n, 3n].map((order) => explains(order, 2000))).toEqual([true, false]);
  expect(explains(1n, 91_001), "its frames have come long ago").toBe(false);
});

test.each([
  ["not answered yet", null],
  ["lost", lost],
  ["refused", answered(200, "failed")],
  ["rejected", answered(400, "error")],
])("one that is %s may explain everything for as long as it may land", (_, end) => {
  const explains = story(end);
  expect([1n, 3n].map((order) => explains(order, 89_999))).toEqual([true, true]);
  expect([1n, 3n].map((order) => explains(order, 90_000))).toEqual([false, false]);
});

test("an order that nobody saw placed may be explained by anything", () => {
  expect(story(null)(9n, 2000)).toBe(true);
  expect(story(answered(200, "success"))(9n, 400_000)).toBe(true);
});
