// Orders that the exchange lists at the start and that neither the ledger nor a transaction without an end can name as ours: left to be
// halted upon, canceled, or taken for ours, as the configuration says.

import type { Account } from "../../../domain/account.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { Order } from "../../../domain/order.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import type { ForeignOrders } from "../../config/config.ts";
import type { Execution } from "../../execution/execution.ts";
import type { AccountState } from "../../feed/account/account-state.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../telemetry/log.ts";
import type { VenueReads } from "../../venue/port.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import { foreignLatch } from "../loop/foreign-activity.ts";

export type FoundModules = {
  readonly state: AccountState;
  readonly desk: AccountDesk;
  readonly execution: Execution;
  readonly ledger: Pick<Ledger, "openIntents">;
  readonly reads: Pick<VenueReads, "account">;
  readonly clock: Clock;
  readonly log: Log;
};

/** A cancel that fails is sent again so often before quoting begins; afterwards the order is one that no quote wants. */
const ROUNDS_MAX = 5;
const ROUND_MS = 200;

/** To be called before anything of the account is folded. Never rejects. */
export async function settleFoundOrders(found: Account, policy: ForeignOrders, modules: FoundModules): Promise<void> {
  const { state, desk, ledger, clock, log } = modules;
  const mayBeOurs = ledger.openIntents().filter(({ accountId }) => accountId === desk.accountId);
  const strangers = found.openOrders.filter(
    (order) => !state.orders.isOurs(order.orderId) && !mayBeOurs.some((intent) => couldBe(intent, order)),
  );
  if (strangers.length === 0) return;
  const ids = strangers.map(({ orderId }) => `${orderId}`).join(", ");
  if (policy === "halt") {
    const reason = `orders that the ledger does not know rest at the start: ${ids}`;
    desk.trip(foreignLatch(desk.accountId, reason, { orders: strangers.length }), clock.wallMs());
    return;
  }
  state.orders.claimOrders(strangers);
  for (const { orderId, marketId, side } of strangers) desk.bookOrder({ orderId, marketId, side });
  const facts = { event: "start.foundOrders", account: `${desk.accountId}`, orders: ids };
  if (policy === "adopt") {
    log.warn(facts, `orders that the ledger does not know are ours from now on: ${ids}`);
    return;
  }
  const left = await cancelAll(strangers, modules);
  if (left.length === 0) log.warn(facts, `orders that the ledger does not know were canceled: ${ids}`);
  else
    log.error(
      facts,
      `orders that the ledger does not know could not be canceled: ${left.map(({ orderId }) => orderId)}`,
    );
}

/** The answer to it was lost: it may have become this order. */
function couldBe({ command }: StoredIntent, order: Order): boolean {
  if (command.kind === "place") {
    const { marketId, side, price, size } = command;
    return order.marketId === marketId && order.side === side && order.price === price && order.size === size;
  }
  return command.kind === "modify" && order.marketId === command.marketId && order.side === command.side;
}

async function cancelAll(
  orders: readonly Order[],
  { desk, execution, reads, clock }: FoundModules,
): Promise<readonly Order[]> {
  const { accountId } = desk;
  let left = orders;
  for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
    if (round > 0) await sleep(clock, ROUND_MS);
    await Promise.all(
      left.map(({ orderId, marketId }) => execution.cancel({ kind: "cancel", accountId, marketId, orderId })),
    );
    const listed = await reads.account(accountId).catch(() => undefined);
    if (listed === undefined) continue;
    left = left.filter(({ orderId }) => listed.openOrders.some((order) => order.orderId === orderId));
  }
  return left;
}
