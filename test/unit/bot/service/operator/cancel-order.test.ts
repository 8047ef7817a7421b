// One order that an operator has canceled: which may go, and what each answer of the exchange means.

import { expect, test } from "vitest";
import type { Act } from "../../../../../src/bot/decider/input.ts";
import { type CancelModules, cancelOrder } from "../../../../../src/bot/service/operator/cancel-order.ts";
import type { CancelCommand } from "../../../../../src/domain/command.ts";
import type { SubmitOutcome } from "../../../../../src/domain/event.ts";
import { accountId, orderId } from "../../../../../src/domain/units.ts";

const account = accountId(12n);
const resting = { orderId: orderId(7n), marketId: 1, side: "buy", remainingSize: 500_000n, price: 21_691_000_000n };
const executed: SubmitOutcome = { kind: "executed", hash: "ab", events: [] };

function asked(id: bigint, outcome: SubmitOutcome = executed, changed: object = {}, chainId: string | null = null) {
  const sent: CancelCommand[] = [];
  const orders = {
    resting: () => [{ ...resting, isForeign: false, state: "working", ...changed }],
    isOurs: (of: bigint) => of === 7n || of === 8n,
    isOver: () => sent.length > 0,
  };
  const ask = (act: Extract<Act, { readonly kind: "cancelOrder" }>) => {
    sent.push(act.order);
    return Promise.resolve({ kind: act.kind, outcome });
  };
  const modules = {
    chainId: "c",
    state: { accounts: new Map([[account, { orders }]]) },
    asks: { ask },
  } as unknown as CancelModules;
  const of = (who: bigint) => cancelOrder({ chainId, accountId: accountId(who), orderId: orderId(id) }, modules);
  return { sent, of };
}

test("an open order of ours is canceled, and the answer says which it was", async () => {
  const { sent, of } = asked(7n);
  const order = { accountId: "12", marketId: 1, orderId: "7", side: "buy", size: 0.5, price: 216.91 };
  expect(await of(12n)).toEqual({ ...order, isConfirmed: true });
  expect(sent).toEqual([{ kind: "cancel", accountId: account, marketId: 1, orderId: 7n }]);
});

test.each<readonly [string, bigint, object, string | null, string]>([
  ["one that is over", 8n, {}, null, "closed"],
  ["one that nobody knows", 9n, {}, null, "elsewhere"],
  ["a foreign one", 7n, { isForeign: true }, null, "closed"],
  ["one that a cancel is on its way for", 7n, { state: "canceling" }, null, "closed"],
  ["one at another exchange", 7n, {}, "d", "elsewhere"],
])("%s is refused, and nothing is sent", async (_, id, changed, chainId, kind) => {
  const { sent, of } = asked(id, executed, changed, chainId);
  expect(await of(12n)).toMatchObject({ kind });
  expect(sent).toEqual([]);
});

test("an account of another daemon is refused", async () => {
  const { sent, of } = asked(7n);
  expect([await of(13n), sent]).toMatchObject([{ kind: "elsewhere" }, []]);
});

test.each<readonly [SubmitOutcome, string, string]>([
  [{ kind: "refused", hash: "ab", error: "no such order" }, "closed", "no such order"],
  [{ kind: "rejected", httpStatus: 400, error: "bad time" }, "closed", "bad time"],
  [{ kind: "rateLimited", error: "slow down", retryAfterMs: null }, "closed", "slow down"],
  [{ kind: "notSent", why: "closed" }, "closed", "nothing was sent: closed"],
  [{ kind: "unknown", why: "timeout" }, "unanswered", "may still rest"],
])("the answer %j", async (outcome, kind, why) => {
  expect(await asked(7n, outcome).of(12n)).toEqual({ kind, why: expect.stringContaining(why) });
});
