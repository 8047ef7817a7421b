// Since when a daemon may be taken for unable, as the law on the watchdog sees it.

import { expect, test } from "vitest";
import { nonce, orderId } from "../../src/domain/units.ts";
import { Able } from "../../src/sim/invariants/able.ts";
import { openEnvelope, sealEnvelope } from "../../src/wire/envelope.ts";
import { keyedHashSigner } from "../../src/wire/signing-simulated.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";

const cancel = openEnvelope(
  Buffer.from(
    sealEnvelope({
      chainId: "chain",
      transactionText: encodeTransaction({ type: "CancelOrder", orderId: orderId(7n) }),
      nonce: nonce(1n),
      timestampSec: 0,
      signer: keyedHashSigner(Buffer.from("daemon")),
    }),
  ),
);

/** When a daemon could last act that was answered at these times and whose cancel left at `canceledMs`, without an answer since. */
function lastAble(answeredMs: readonly number[], canceledMs: number): number | null {
  let nowMs = 0;
  const able = new Able({ nowMs: () => nowMs, keyDisabledMs: () => null, rests: () => true });
  for (const atMs of answeredMs) {
    nowMs = atMs;
    const end = { kind: "answered", httpStatus: 200, body: '{"marketId":1}', retryAfter: null } as const;
    able.heard({ method: "GET", path: "/v1/markets/1", body: null }, end, undefined);
  }
  nowMs = canceledMs;
  able.sent(cancel);
  return able.lastAbleMs;
}

test("a daemon whose cancel fails could last act at the last answer that a heartbeat reported before", () => {
  expect(lastAble([27_700, 29_050], 29_050), "the answer with which it left was in none").toBe(27_700);
  expect(lastAble([27_700, 28_040, 29_050], 29_050)).toBe(28_040);
});
