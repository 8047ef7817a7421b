// What a start does to orders of the last life that the first list lacks: the list may be older than they are.

import { expect, test } from "vitest";
import { createAccountBook } from "../../../../../src/bot/accounting/account-book.ts";
import { createAccountState } from "../../../../../src/bot/feed/account/account-state.ts";
import { type FoundModules, judgeFoundOrders } from "../../../../../src/bot/service/lifecycle/found-orders.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { CancelAllCommand, CancelCommand } from "../../../../../src/domain/command.ts";
import { orderId } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { listed, account as read } from "../../feed/scene.ts";
import { account, World } from "../desks.ts";

const BOUND_MS = 90_000;

/** Starts with a list of order 7 alone, where the ledger knows of 7 and 8; returns the orders that were canceled. */
async function canceledAtStart(lastIntentAgoMs: number | null): Promise<readonly bigint[]> {
  const world = new World();
  const known = [7n, 8n].map((id) => ({
    accountId: account,
    orderId: orderId(id),
    marketId: 1,
    side: "buy" as const,
  }));
  for (const order of known) world.ledger.order(order);
  world.ledger.commit();
  const canceled: bigint[] = [];
  const nowMs = 1_790_000_000_000;
  const modules: FoundModules = {
    state: createAccountState({ accountId: account, agentPubkey: "", knownOrders: known, book: createAccountBook() }),
    desk: world.desks.get(account)!,
    execution: {
      cancel(command: CancelCommand | CancelAllCommand) {
        if (command.kind === "cancel") canceled.push(command.orderId);
        return Promise.resolve({ kind: "refused", hash: "h", error: "no such order" });
      },
    },
    ledger: {
      openIntents: () => [],
      read: { ...world.ledger.read, lastIntentMs: () => (lastIntentAgoMs === null ? null : nowMs - lastIntentAgoMs) },
    },
    isLedgerLost: false,
    landingBoundMs: BOUND_MS,
    reads: { account: () => Promise.reject(new Error("not asked")) },
    clock: { ...systemClock, wallMs: () => nowMs },
    log: createLog("info", { write: () => {}, terminal: false, wallMs: () => nowMs }),
  };
  await judgeFoundOrders(read({ accountId: account, openOrders: [listed(7n)] }), modules);
  return canceled;
}

test.each([
  ["of a life that just ended: canceled, which does no harm where it is gone", BOUND_MS, [8n]],
  ["of one that ended long ago: every list has what is left of it", BOUND_MS + 1, []],
  ["of no life at all", null, []],
] as const)("an order that the list lacks, %s", async (_, agoMs, expected) => {
  expect(await canceledAtStart(agoMs)).toEqual(expected);
});
