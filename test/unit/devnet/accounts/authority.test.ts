// S5: an owner may everything on its accounts, an agent the five trading variants on the family it was approved on.

import { beforeEach, describe, expect, test } from "vitest";
import { approveAgent } from "../../../../src/devnet/accounts/agents.ts";
import { authorityOf } from "../../../../src/devnet/accounts/authority.ts";
import type { Registry } from "../../../../src/devnet/accounts/registry.ts";
import { accountId, orderId, usdc } from "../../../../src/domain/units.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import { plainOrder } from "../../../support/plain-exchange.ts";
import { createFamilies, keyOf, rowOf } from "./world.ts";

const NOW_MS = 1_000_000;
const OF_SUB_2 = orderId(7n);

const place = (id: bigint): Transaction => plainOrder({ accountId: accountId(id) });
const cancel = (id: bigint): Transaction => ({ type: "CancelOrder", orderId: orderId(id) });
const cancelAll: Transaction = { type: "CancelAllOrders", marketId: null };

const tradingOn = (id: bigint): readonly Transaction[] => [
  place(id),
  { type: "AdjustIsolatedMargin", accountId: accountId(id), marketId: 1, delta: usdc(1n) },
];
const ownerOnlyOn = (id: bigint): readonly Transaction[] => [
  { type: "ApproveAgent", accountId: accountId(id), agent: keyOf("z"), name: null, expiresAtSec: null },
  { type: "RevokeAgent", accountId: accountId(id), agent: keyOf("z") },
  { type: "CreateSubaccount", masterAccountId: accountId(id) },
  { type: "CloseSubaccount", accountId: accountId(id) },
  { type: "Transfer", fromAccountId: accountId(id), toAccountId: accountId(10n), tokenId: 0, amount: 1n },
  { type: "RequestWithdrawal", accountId: accountId(id), tokenId: 0, amount: 1n, destination: "x" },
  { type: "CancelWithdrawal", accountId: accountId(id), withdrawalId: 1n },
];

describe("authority", () => {
  let registry: Registry;
  const outcome = (letter: string, transaction: Transaction, atMs = NOW_MS) => {
    const accountOfOrder = (order: bigint) => (order === OF_SUB_2 ? accountId(2n) : undefined);
    const authority = authorityOf(keyOf(letter), transaction, atMs, { registry, accountOfOrder });
    return authority.kind === "granted" ? authority.account?.accountId : authority.code;
  };

  beforeEach(() => {
    registry = createFamilies();
    approveAgent(registry, rowOf(registry, 1n), { pubkey: keyOf("m"), name: "on master", expiresAtSec: null });
    approveAgent(registry, rowOf(registry, 2n), { pubkey: keyOf("s"), name: "on a subaccount", expiresAtSec: 2000 });
  });

  test("an owner trades and governs each of its accounts, and nobody else's", () => {
    for (const id of [1n, 2n, 3n]) {
      for (const transaction of [...tradingOn(id), ...ownerOnlyOn(id)]) expect(outcome("a", transaction)).toBe(id);
    }
    expect(outcome("b", place(20n))).toBe(20n);
    expect(outcome("b", place(1n))).toBe("AGENT_NOT_APPROVED");
    for (const transaction of ownerOnlyOn(1n)) expect(outcome("b", transaction)).toBe("SCOPE");
  });

  test("an agent of the master trades the whole family", () => {
    for (const id of [1n, 2n, 3n]) for (const transaction of tradingOn(id)) expect(outcome("m", transaction)).toBe(id);
    expect(outcome("m", cancel(OF_SUB_2))).toBe(2n);
    expect(outcome("m", place(10n))).toBe("AGENT_NOT_APPROVED");
  });

  test("an agent is out from the millisecond of its expiry on", () => {
    for (const transaction of [place(2n), cancel(OF_SUB_2), cancelAll]) {
      expect(outcome("s", transaction, 1_999_999)).toBe(2n);
      expect(outcome("s", transaction, 2_000_000)).toBe("AGENT_EXPIRED");
    }
  });

  test("an approval on the master outlives an expired one on the subaccount", () => {
    approveAgent(registry, rowOf(registry, 1n), { pubkey: keyOf("s"), name: "both", expiresAtSec: null });
    expect(outcome("s", place(2n), 2_000_000)).toBe(2n);
    expect(outcome("s", cancelAll, 2_000_000)).toBe(1n);
  });

  test("CancelAllOrders acts on the account of approval, or on the owner's master", () => {
    expect(outcome("s", cancelAll)).toBe(2n);
    expect(outcome("m", cancelAll)).toBe(1n);
    expect(outcome("a", cancelAll)).toBe(1n);
    expect(outcome("z", cancelAll)).toBe("AGENT_NOT_APPROVED");
  });

  test("an order that does not exist: who trades is let through to hear it, a foreign key is not", () => {
    expect(outcome("m", cancel(999n))).toBeUndefined();
    expect(outcome("z", cancel(999n))).toBe("AGENT_NOT_APPROVED");
    expect(outcome("s", cancel(999n), 2_000_000)).toBe("AGENT_EXPIRED");
  });

  test("a closed account is nobody's, not even its owner's", () => {
    registry.put({ ...rowOf(registry, 2n), state: "closed" });
    expect(outcome("a", place(2n))).toBe("AGENT_NOT_APPROVED");
    expect(outcome("a", { type: "CloseSubaccount", accountId: accountId(2n) })).toBe("SCOPE");
  });

  test("anyone may ask for a funded account: what counts is the money", () => {
    expect(outcome("z", { type: "CreateFundedAccount", mode: "Cross", referredBy: null })).toBeUndefined();
  });
});
