// Orders that the exchange lists at the start and that neither the ledger nor an unresolved transaction can name as ours: they stay or are
// canceled, as the configuration says. Where the ledger cannot know better, and no other key can have placed them, plain orders in our
// markets count as ours. And orders that the ledger names and the list lacks, which may be older than they are: they are canceled.

import type { Account } from "../../../domain/account.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { Order } from "../../../domain/order.ts";
import { type OrderId, type Size, size } from "../../../domain/units.ts";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import type { FillEvent } from "../../accounting/market-book.ts";
import type { Execution } from "../../execution/execution.ts";
import type { CancelableOrder } from "../../execution/mass-cancel.ts";
import type { AccountState } from "../../feed/account/account-state.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../telemetry/log.ts";
import type { VenueReads } from "../../venue/port.ts";
import type { AccountDesk } from "../desks/account-desk.ts";

export type FoundModules = {
  readonly state: AccountState;
  readonly desk: AccountDesk;
  readonly execution: Pick<Execution, "cancel">;
  readonly ledger: Pick<Ledger, "openIntents" | "read">;
  readonly isLedgerLost: boolean;
  /** A list of the account is not taken to be older. */
  readonly landingBoundMs: number;
  readonly reads: Pick<VenueReads, "account">;
  readonly clock: Clock;
  readonly log: Log;
};

/** More orders than are placed while a list is behind. */
const NEWEST_MAX = 1000;
/** A cancel that fails is sent again so often before quoting begins; afterwards the order is a foreign one that stays. */
const ROUNDS_MAX = 5;
const ROUND_MS = 200;

/** To be called before anything of the account is folded. Never rejects. */
export async function judgeFoundOrders(found: Account, modules: FoundModules): Promise<void> {
  const { state, desk } = modules;
  const { accountId, quoted } = desk;
  const open = modules.ledger.openIntents().filter((intent) => intent.accountId === accountId);
  const unknown = found.openOrders.filter(
    (order) => !state.orders.isOurs(order.orderId) && !open.some((intent) => couldBe(intent, order)),
  );
  const others = modules.isLedgerLost ? [] : otherKeys(found, modules);
  const countsAsOurs = others.length > 0 ? () => false : oursByRule(modules, open);
  const nowMs = modules.clock.monotonicMs();
  const ours = unknown.filter((order) => countsAsOurs(order) || state.orders.takeLate(order, nowMs));
  state.orders.claimOrders(ours);
  for (const order of ours) desk.records.order(order);
  say(modules, ours, "count as ours: what no quote wants is canceled");
  const foreign = unknown.filter((order) => !ours.includes(order));
  const left = quoted.foreignOrders === "cancel" ? await canceled(foreign, modules) : foreign;
  const gone = foreign.filter((order) => !left.includes(order));
  const by =
    others.length === 0
      ? ""
      : `; another key is approved on the account (${others.join(", ")}): where a second daemon has it, stop one of the two`;
  say(modules, gone, "were canceled", by);
  say(modules, left, "stay: foreign orders are left alone", by);
  state.orders.keepOrders(left, modules.clock.monotonicMs());
  await cancelUnreadable(found, modules);
  await cancelUnlisted(found, modules, open);
}

/**
 * The list may be from before the newest orders of earlier lives. The daemon cancels, by its id, each order that the list lacks and whose end
 * the ledger does not know. That does nothing where the order is gone, but then it may have been filled: what was left of it counts until a
 * newer read. An order whose cancel nobody answers counts as resting.
 */
async function cancelUnlisted(
  { openOrders, unreadable }: Account,
  modules: FoundModules,
  open: readonly StoredIntent[],
): Promise<void> {
  const { state, desk, execution, ledger, clock, landingBoundMs } = modules;
  const { accountId } = desk;
  const lastMs = ledger.read.lastOrderedMs(accountId);
  if (lastMs === null || clock.wallMs() - lastMs > landingBoundMs) return;
  const listed = new Set([...openOrders, ...unreadable].map(({ orderId }) => orderId));
  const unlisted = ledger.read
    .knownOrders(accountId, NEWEST_MAX)
    .filter(({ orderId, isOver }) => !isOver && !listed.has(orderId));
  if (unlisted.length === 0) return;
  const filled = filledOf(new Set(unlisted.map(({ orderId }) => orderId)), ledger.read.fills(accountId));
  state.orders.recallOrders(
    unlisted.flatMap(({ price, size: whole, ...order }) => {
      if (price === null || whole === null) return [];
      return {
        ...order,
        price,
        size: largest(order.orderId, whole, open),
        filled: filled.get(order.orderId) ?? size(0n),
      };
    }),
    clock.monotonicMs(),
  );
  await Promise.all(
    unlisted.map(({ orderId, marketId }) => execution.cancel({ kind: "cancel", accountId, marketId, orderId })),
  );
}

function filledOf(orders: ReadonlySet<OrderId>, fills: Iterable<FillEvent>): ReadonlyMap<OrderId, Size> {
  const filled = new Map<OrderId, Size>();
  for (const { fill } of fills)
    if (orders.has(fill.orderId)) filled.set(fill.orderId, size((filled.get(fill.orderId) ?? 0n) + fill.size));
  return filled;
}

/** The largest whole size that the order may have: modifies whose answers nobody got may have made it larger. */
const largest = (orderId: OrderId, whole: Size, open: readonly StoredIntent[]): Size =>
  open.reduce<Size>((most, { command }) => {
    const asked = command.kind === "modify" && command.orderId === orderId ? command.newSize : null;
    return asked !== null && asked > most ? asked : most;
  }, whole);

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
  log.warn(facts, `orders that the ledger does not know ${what}: ${ids}${more}`);
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
    if (round > 0) await sleep(clock, ROUND_MS);
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
