// The engine of a run after which none begins: what a bot may read again while it lives is there, and the rest takes no memory.

import { expect, test } from "vitest";
import { forgetfulEngine } from "../../../../../src/bot/ledger/memory/forgetful.ts";
import type { LatchEvent } from "../../../../../src/domain/latch.ts";
import { accountId, nonce, orderId } from "../../../../../src/domain/units.ts";

const account = accountId(12n);
const tripped: LatchEvent = {
  kind: "tripped",
  latch: { kind: "operator", accountId: account, marketId: null, holds: "halted", reason: "look", numbers: {} },
};

test("a halt, reserved nonces, the day's result and the exchange's words are kept, orders and commands are not", () => {
  const engine = forgetfulEngine();
  engine.begin();
  engine.apply({ kind: "latch", event: tripped, atMs: 1 });
  engine.apply({ kind: "reservation", signer: "k", until: nonce(7n) });
  engine.apply({ kind: "result", result: { accountId: account, marketId: 1, state: "{}", atMs: 1 } });
  engine.apply({ kind: "dialect", learned: { accountId: account, key: "cancel", word: "list", atMs: 1 } });
  engine.apply({
    kind: "order",
    order: {
      accountId: account,
      orderId: orderId(1n),
      marketId: 1,
      side: "buy",
      price: null,
      size: null,
      isOver: false,
    },
  });
  engine.commit();
  const { read } = engine;
  expect(read.latchEvents()).toEqual([tripped]);
  expect(read.reservation("k")).toBe(7n);
  expect(read.results(account)).toHaveLength(1);
  expect(read.dialect(account)).toEqual({ cancel: "list" });
  expect(read.knownOrders(account, 10)).toEqual([]);
});
