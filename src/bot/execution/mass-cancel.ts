// The one way to cancel an account: cancel until nothing that we know of may rest, by the answers to cancels or by reads that prove to be
// newer, and the exchange shows twice that nothing else in scope rests, the second time a block later, with nothing of ours unresolved in
// between. What fails is tried again until the deadline; then the remaining orders are named.

import type { Account, Unreadable } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { BackOff } from "../../kernel/retry.ts";
import { Pauses } from "./pauses.ts";

/** Which orders go: ours alone, or everything that rests; in one market, or with null in all of them. */
export type MassCancelScope = { readonly orders: "ours" | "all"; readonly marketId: MarketId | null };

/** What is said of an order that may still rest. */
export type RemainingOrder = Pick<Order, "orderId" | "marketId" | "side" | "price" | "remainingSize"> | Unreadable;

/** All that a CancelOrder needs. `marketId` null: it is not known which. */
export type CancelableOrder = { readonly orderId: OrderId; readonly marketId: MarketId | null };

export type MassCancelOptions = {
  readonly accountId: AccountId;
  readonly scope: MassCancelScope;
  /** After this, what remains is given up. */
  readonly deadlineMs: number;
  /** Between two reads that find nothing: more than a block. */
  readonly confirmMs: number;
};

/** A stop tries for 25 s (contract section 2). */
export const defaultMassCancel = { deadlineMs: 25_000, confirmMs: 500 } as const;

/** What is known of whose orders rest on the account. */
export type OrderOwnership = {
  /** Orders of ours that may rest, by all that we know. */
  readonly own: () => readonly RemainingOrder[];
  /** Null: an order whose id could not be read. */
  readonly isOurs: (orderId: OrderId | null) => boolean;
  /** The exchange has said that the order no longer rests: a read that lists it is older than that. */
  readonly isGone: (orderId: OrderId) => boolean;
  /** Markets where an order that must stay may rest. */
  readonly foreignMarkets: () => ReadonlySet<MarketId>;
};

export type MassCancelModules = OrderOwnership & {
  readonly clock: Clock;
  /** Reads the account, asking again where no answer comes. Rejects when that failed. */
  readonly read: (account: AccountId) => Promise<Account>;
  /** Sends one CancelOrder; never rejects. */
  readonly cancel: (order: CancelableOrder) => Promise<unknown>;
  /** Sends one CancelAllOrders with a fresh nonce; never rejects. Null where no nonce may be used. */
  readonly cancelAll: ((marketId: MarketId | null) => Promise<unknown>) | null;
  /** Transactions in scope that are unanswered or unresolved: they may yet become orders. */
  readonly unresolved: () => number;
  /** Whether it is no longer wanted: then it ends, unconfirmed, at its next round. */
  readonly isOver: () => boolean;
};

export type MassCancelResult = {
  /** True: nothing that is known to us rests, the exchange showed twice that nothing else in scope does, and nothing can land from now on. */
  readonly confirmed: boolean;
  /** In scope, by what is known to us and by the last read. */
  readonly remaining: readonly RemainingOrder[];
  /** Orders that are not ours and were left where they are, by the last read. */
  readonly kept: readonly RemainingOrder[];
  readonly unresolved: number;
  /** Reads that were answered. */
  readonly reads: number;
};

const READ_MS_MAX = 3000;
const ROUND_MS = 100;
/** Of one order or of all: the first retry soon, then once a second. */
const BACK_OFF = { firstMs: 100, maxMs: 1000 };

/** Never rejects. */
export async function massCancel(options: MassCancelOptions, modules: MassCancelModules): Promise<MassCancelResult> {
  const { clock, unresolved } = modules;
  const { scope } = options;
  const isInScope = ({ marketId }: RemainingOrder): boolean =>
    scope.marketId === null || marketId === null || scope.marketId === marketId;
  const isGone = ({ orderId }: RemainingOrder): boolean => orderId !== null && modules.isGone(orderId);
  const isOurs = ({ orderId }: RemainingOrder): boolean => scope.orders === "all" || modules.isOurs(orderId);
  const own = (): readonly RemainingOrder[] => modules.own().filter(isInScope);
  const pauses = new Pauses(modules);
  const deadlineMs = clock.monotonicMs() + options.deadlineMs;
  const send = sender(scope, modules);
  let listed: readonly RemainingOrder[] = [];
  let kept: readonly RemainingOrder[] = [];
  let remaining: readonly RemainingOrder[] = isOneByOne(scope, modules) ? own() : [];
  /** What reads may be too old to list, and what they list that has not gone since. */
  const left = (): readonly RemainingOrder[] => {
    const known = new Map([...listed, ...own()].map((order) => [order.orderId ?? order, order]));
    return [...known.values()].filter((order) => !isGone(order));
  };
  let emptyReads = 0;
  let reads = 0;
  let isAnyLeft = true;
  while (clock.monotonicMs() < deadlineMs && !modules.isOver()) {
    send(remaining, isAnyLeft && kept.length === 0);
    const leftMs = Math.max(0, deadlineMs - clock.monotonicMs());
    const account = await pauses.within(modules.read(options.accountId), Math.min(READ_MS_MAX, leftMs));
    if (account === undefined) {
      emptyReads = 0;
      remaining = left();
      await pauses.wait(ROUND_MS);
      continue;
    }
    reads += 1;
    const orders: readonly RemainingOrder[] = [...account.openOrders, ...account.unreadable.filter(isOrder)];
    const inScope = orders.filter((order) => isInScope(order) && !isGone(order));
    listed = inScope.filter(isOurs);
    kept = inScope.filter((order) => !isOurs(order));
    remaining = left();
    isAnyLeft = remaining.length > 0 || unresolved() > 0;
    emptyReads = isAnyLeft ? 0 : emptyReads + 1;
    if (emptyReads === 2) return { confirmed: true, remaining, kept, unresolved: 0, reads };
    await pauses.wait(emptyReads === 1 ? options.confirmMs : ROUND_MS);
  }
  return { confirmed: false, remaining, kept, unresolved: unresolved(), reads };
}

const isOrder = ({ what }: Unreadable): boolean => what === "order";

/** CancelAllOrders spares nobody: where an order that must stay may rest, each order of ours is canceled one by one. */
function isOneByOne({ orders, marketId }: MassCancelScope, { cancelAll, foreignMarkets }: MassCancelModules): boolean {
  if (cancelAll === null) return true;
  if (orders === "all") return false;
  return reaches(marketId, foreignMarkets());
}

/** Whether a CancelAllOrders of the market, or with null of all, would reach one of these markets. */
export const reaches = (marketId: MarketId | null, markets: ReadonlySet<MarketId>): boolean =>
  marketId === null ? markets.size > 0 : markets.has(marketId);

/** Sends what is not on its way already and not failing too fast. */
function sender(scope: MassCancelScope, modules: MassCancelModules) {
  const { clock, cancel, cancelAll } = modules;
  const underWay = new Set<string>();
  const backOff = new BackOff(BACK_OFF, { clock });

  function once(name: string, send: () => Promise<unknown>): void {
    if (underWay.has(name) || backOff.waitMs(name) > 0) return;
    underWay.add(name);
    backOff.failed(name);
    void send().then(() => underWay.delete(name));
  }

  return (orders: readonly RemainingOrder[], mayCancelAll: boolean): void => {
    if (cancelAll !== null && mayCancelAll && !isOneByOne(scope, modules)) {
      once("all", () => cancelAll(scope.marketId));
    }
    for (const { orderId, marketId } of orders)
      if (orderId !== null) once(`${orderId}`, () => cancel({ orderId, marketId }));
  };
}
