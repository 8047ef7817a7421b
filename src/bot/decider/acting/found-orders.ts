// Orders that the exchange lists at the start and that neither the ledger nor an unresolved transaction can name as ours: the configuration
// says whether they stay or are canceled. Where the ledger cannot know better and no other key can have placed them, plain orders in our
// markets count as ours and go with the first resync.

import type { StoredIntent } from "../../../domain/intent.ts";
import type { Order } from "../../../domain/order.ts";
import type { AccountState } from "../../account/account-state.ts";
import { processTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Act } from "../input.ts";
import type { Say } from "../notice.ts";
import type { Work } from "../work.ts";
import type { CancelableOrder } from "./mass-cancel.ts";

export type FoundModules = {
  readonly state: AccountState;
  readonly desk: AccountDesk;
  readonly work: Pick<Work, "clock" | "after" | "cancel" | "listOrders">;
  readonly log: Say;
  /** False in replay: cancels go nowhere, so orders to cancel count as orders that stay. */
  readonly isSending: boolean;
};

type Found = Extract<Act, { readonly kind: "found" }>;

/** Attempts at a cancel before quoting begins; if all fail, the order counts as a foreign one that stays. */
const ROUNDS_MAX = 5;

/** Call it before anything of the account is folded. Calls back once. */
export function judgeFoundOrders(found: Found, modules: FoundModules, onEnd: () => void): void {
  const { state, desk, work, isSending } = modules;
  const { quoted, records } = desk;
  const { account, open, isLedgerLost } = found;
  const unknown = account.openOrders.filter(
    (order) => !state.orders.isOurs(order.orderId) && !open.some((intent) => couldBe(intent, order)),
  );
  const others = isLedgerLost ? [] : otherKeys(found, modules);
  const countsAsOurs = others.length > 0 ? () => false : oursByRule(found, modules);
  const nowMs = work.clock.monotonicMs();
  const ours = unknown.filter((order) => countsAsOurs(order) || state.orders.isOfEarlierHolder(order, nowMs));
  state.orders.claim(ours.map(({ orderId }) => orderId));
  for (const order of ours) records.order(order);
  say(modules, ours, "count as ours and are canceled");
  const foreign = unknown.filter((order) => !ours.includes(order));
  const by =
    others.length === 0
      ? ""
      : `; another key is approved on the account (${others.join(", ")}): where a second daemon has it, stop one of the two`;
  const judge = (left: readonly Order[]): void => {
    const gone = foreign.filter((order) => !left.includes(order));
    say(modules, gone, "were canceled", by);
    say(modules, left, "stay: foreign orders are left alone", by);
    state.orders.trackForeign(left, work.clock.monotonicMs());
    cancel(isSending ? unreadableToCancel(found, modules) : [], modules, onEnd);
  };
  if (quoted.foreignOrders === "cancel" && isSending) cancel(foreign, modules, judge);
  else judge(foreign);
}

/** Returns names of other keys approved on the account: any of them may have placed what a ledger does not know. */
const otherKeys = ({ account: { agents } }: Found, { state }: FoundModules): readonly string[] =>
  agents
    .filter(({ pubkey }) => pubkey !== state.agentPubkey)
    .map(({ name, pubkey }) => `${name} ${pubkey.slice(0, 8)}`);

/** With a new or lost ledger, returns plain orders in our markets: an owner's protective orders are reduce-only or conditional. */
function oursByRule({ open, isLedgerLost, isLedgerNew }: Found, { desk }: FoundModules) {
  const isNew = isLedgerLost || (open.length === 0 && isLedgerNew);
  return (order: Order): boolean =>
    isNew && order.triggerPrice === null && !order.reduceOnly && desk.markets.has(order.marketId);
}

function say({ desk, log }: FoundModules, orders: readonly Order[], what: string, more = ""): void {
  if (orders.length === 0) return;
  const ids = orders.map(({ orderId }) => `${orderId}`).join(", ");
  const facts = { event: "start.foundOrders", account: `${desk.accountId}`, orders: ids };
  log.warn(facts, `orders unknown to the ledger ${what}: ${ids}${more}`);
}

/** Whether the lost answer's transaction may have become this order. */
function couldBe({ command }: StoredIntent, order: Order): boolean {
  if (command.kind === "place") {
    const { marketId, side, price, size } = command;
    return order.marketId === marketId && order.side === side && order.price === price && order.size === size;
  }
  return command.kind === "modify" && order.marketId === command.marketId && order.side === command.side;
}

/** The terms of an unreadable order are unknown: ours is canceled, and a foreign one where none is to stay. */
function unreadableToCancel(
  { account: { unreadable } }: Found,
  { state, desk }: FoundModules,
): readonly CancelableOrder[] {
  const named = unreadable.flatMap(({ orderId, marketId }) => (orderId === null ? [] : { orderId, marketId }));
  return named.filter(({ orderId }) => desk.quoted.foreignOrders === "cancel" || state.orders.isOurs(orderId));
}

/** Calls back with the orders that could not be canceled. */
function cancel<O extends CancelableOrder>(
  orders: readonly O[],
  { desk: { accountId }, work }: FoundModules,
  onEnd: (left: readonly O[]) => void,
): void {
  let rounds = 0;
  const round = (left: readonly O[]): void => {
    if (left.length === 0 || rounds >= ROUNDS_MAX) {
      onEnd(left);
      return;
    }
    rounds += 1;
    let unanswered = left.length;
    for (const { orderId, marketId } of left)
      work.cancel({ kind: "cancel", accountId, marketId, orderId }, null, () => {
        unanswered -= 1;
        if (unanswered === 0) look(left);
      });
  };
  const look = (left: readonly O[]): void =>
    work.listOrders(accountId, (answer) => {
      const resting =
        "why" in answer
          ? null
          : new Set([...answer.value.openOrders, ...answer.value.unreadable].map(({ orderId }) => orderId));
      const next = resting === null ? left : left.filter(({ orderId }) => resting.has(orderId));
      if (next.length === 0 || rounds >= ROUNDS_MAX) onEnd(next);
      else work.after(processTiming.startAgainMs, () => round(next));
    });
  round(orders);
}
