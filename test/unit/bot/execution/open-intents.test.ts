// What earlier runs left open, sorted: what only cancels is harmless, and of the others each is one doubt with all its fences.

import { expect, test } from "vitest";
import { openIntentsOf } from "../../../../src/bot/execution/open-intents.ts";
import type { Command } from "../../../../src/domain/command.ts";
import type { StoredIntent } from "../../../../src/domain/intent.ts";
import { accountId, nonce } from "../../../../src/domain/units.ts";
import { account, cancel, modify, place } from "./world.ts";

const intent = (id: number, command: Command, facts: Partial<StoredIntent> = {}): StoredIntent => ({
  id,
  accountId: account,
  signer: "one",
  nonce: nonce(BigInt(id)),
  command,
  bytesHash: "",
  timestampSec: id,
  createdMs: 0,
  ...facts,
});
const cancelAll = (fences: bigint | null, marketId: number | null = 1): Command => ({
  kind: "cancelAll",
  accountId: account,
  marketId,
  fences: fences === null ? null : nonce(fences),
});

test("orders may have landed; what only cancels is harmless", () => {
  const orders = [intent(1, place()), intent(2, modify(7n)), intent(3, place({ reduceOnly: true }))];
  const cancels = [intent(4, cancel(7n)), intent(5, cancelAll(null)), intent(6, cancelAll(null, null))];
  const { harmless, unknown } = openIntentsOf([...cancels, ...orders], account);
  expect(harmless).toEqual(cancels);
  expect(unknown).toEqual(
    orders.map(({ id, nonce: of, command, timestampSec, signer }) => ({
      nonce: of,
      command,
      timestampSec,
      signer,
      intentIds: [id],
    })),
  );
});

test("fences that were lost with it are of the same doubt, whose command is the order's", () => {
  const order = intent(1, place());
  const fences = [intent(2, cancelAll(1n), { nonce: nonce(1n) }), intent(3, cancelAll(1n), { nonce: nonce(1n) })];
  const { harmless, unknown } = openIntentsOf([order, ...fences], account);
  expect(harmless).toEqual([]);
  expect(unknown).toMatchObject([{ nonce: 1n, command: order.command, timestampSec: 1, intentIds: [1, 2, 3] }]);
});

test("edge: a fence whose order has ended is a doubt of its own", () => {
  const fence = intent(2, cancelAll(1n), { nonce: nonce(1n) });
  expect(openIntentsOf([fence], account).unknown).toMatchObject([{ command: fence.command, intentIds: [2] }]);
});

test("edge: the same nonce of two keys is two doubts", () => {
  const both = [intent(1, place()), intent(2, place(), { nonce: nonce(1n), signer: "two" })];
  expect(openIntentsOf(both, account).unknown).toMatchObject([
    { signer: "one", intentIds: [1] },
    { signer: "two", intentIds: [2] },
  ]);
});

test("forbidden: anything of another account", () => {
  const other = { accountId: accountId(99n) };
  const sorted = openIntentsOf([intent(1, place(), other), intent(2, cancel(7n), other)], account);
  expect(sorted).toEqual({ harmless: [], unknown: [] });
});
