// Orders that the exchange lists at the start and that neither the ledger nor an unresolved transaction can name as ours: they stay or are
// canceled, as the configuration says. Where the ledger cannot know better, and no other key can have placed them, plain orders in our
// markets count as ours. Those of ours go with the first resync.

import type { Account } from "../../../domain/account.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { Order } from "../../../domain/order.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import type { AccountState } from "../../account/account-state.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { Execution } from "../../execution/execution.ts";
import type { CancelableOrder } from "../../execution/mass-cancel.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Driver } from "../../live/driver.ts";
import type { Log } from "../../telemetry/log.ts";
import { processTiming } from "../../timing.ts";
import type { VenueReads } from "../../venue/port.ts";

export type FoundModules = {
  readonly state: AccountState;
  readonly desk: AccountDesk;
  readonly execution: Pick<Execution, "cancel">;
  readonly driver: Pick<Driver, "feed" | "isLate">;
  readonly ledger: Pick<Ledger, "openIntents" | "read">;
  readonly isLedgerLost: boolean;
  readonly reads: Pick<VenueReads, "account">;
  readonly clock: Clock;
  readonly log: Log;
};

/** A cancel that fails is sent again so often before quoting begins; afterwards the order is a foreign one that stays. */
const ROUNDS_MAX = 5;

/** To be called before anything of the account is folded. Never rejects. */
export async function judgeFoundOrders(found: Account, modules: FoundModules): Promise<void> {
  const { state, desk, driver } = modules;
  const { accountId, quoted } = desk;
  const open = modules.ledger.openIntents().filter((intent) => intent.accountId === accountId);
  const unknown = found.openOrders.filter(
    (order) => !state.orders.isOurs(order.orderId) && !open.some((intent) => couldBe(intent, order)),
  );
  const others = modules.isLedgerLost ? [] : otherKeys(found, modules);
  const countsAsOurs = others.length > 0 ? () => false : oursByRule(modules, open);
  const ours = unknown.filter((order) => countsAsOurs(order) || driver.isLate(accountId, order));
  driver.feed({ kind: "claim", accountId, orders: ours });
  say(modules, ours, "count as ours and are canceled");
  const foreign = unknown.filter((order) => !ours.includes(order));
  const left = quoted.foreignOrders === "cancel" ? await canceled(foreign, modules) : foreign;
  const gone = foreign.filter((order) => !left.includes(order));
  const by =
    others.length === 0
      ? ""
      : `; another key is approved on the account (${others.join(", ")}): where a second daemon has it, stop one of the two`;
  say(modules, gone, "were canceled", by);
  say(modules, left, "stay: foreign orders are left alone", by);
  driver.feed({ kind: "keep", accountId, orders: left });
  await cancelUnreadable(found, modules);
}

/** Names of other keys that are approved on the account: any of them may have placed what a ledger does not know. */
const otherKeys = ({ agents }: Account, { state }: FoundModules): readonly string[] =>
  agents
    .filter(({ pubkey }) => pubkey !== state.agentPubkey)
    .map(({ name, pubkey }) => `${name} ${pubkey.slice(0, 8)}`);

/** With a ledger that is new or lost, plain orders in our markets: what protects a position of the owner's only reduces, or waits. */
function oursByRule({ desk, ledger, isLedgerLost }: FoundModules, open: readonly StoredIntent[]) {
  const isNew = isLedgerLost || (open.length === 0 && ledger.read.knownOrders(desk.accountId, 1).length === 0);
  return (order: Order): boolean =>
    isNew && order.triggerPrice === null && !order.reduceOnly && desk.markets.has(order.marketId);
}

function say({ desk, log }: FoundModules, orders: readonly Order[], what: string, more = ""): void {
  if (orders.length === 0) return;
  const ids = orders.map(({ orderId }) => `${orderId}`).join(", ");
  const facts = { event: "start.foundOrders", account: `${desk.accountId}`, orders: ids };
  log.warn(facts, `orders unknown to the ledger ${what}: ${ids}${more}`);
}

/** The answer to it was lost: it may have become this order. */
function couldBe({ command }: StoredIntent, order: Order): boolean {
  if (command.kind === "place") {
    const { marketId, side, price, size } = command;
    return order.marketId === marketId && order.side === side && order.price === price && order.size === size;
  }
  return command.kind === "modify" && order.marketId === command.marketId && order.side === command.side;
}

/** Of an order that cannot be read no terms are known: ours goes, and a foreign one where none is to stay. */
async function cancelUnreadable({ unreadable }: Account, modules: FoundModules): Promise<void> {
  const { state, desk } = modules;
  const named = unreadable.flatMap(({ orderId, marketId }) => (orderId === null ? [] : { orderId, marketId }));
  const goes = ({ orderId }: CancelableOrder): boolean =>
    desk.quoted.foreignOrders === "cancel" || state.orders.isOurs(orderId);
  await canceled(named.filter(goes), modules);
}

/** Returns those that could not be canceled. */
async function canceled<O extends CancelableOrder>(
  orders: readonly O[],
  { desk, execution, reads, clock }: FoundModules,
): Promise<readonly O[]> {
  const { accountId } = desk;
  let left = orders;
  for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) {
    if (round > 0) await sleep(clock, processTiming.startAgainMs);
    await Promise.all(
      left.map(({ orderId, marketId }) => execution.cancel({ kind: "cancel", accountId, marketId, orderId })),
    );
    const listed = await reads.account(accountId).catch(() => undefined);
    if (listed === undefined) continue;
    const resting = new Set([...listed.openOrders, ...listed.unreadable].map(({ orderId }) => orderId));
    left = left.filter(({ orderId }) => resting.has(orderId));
  }
  return left;
}
