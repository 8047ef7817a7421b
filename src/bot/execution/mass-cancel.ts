// The one way to cancel an account. An order is over when the exchange has said so in an event; one without an event, when both lists (the
// account's own, and its orders read alone) lack it, asked `readLagMaxMs` after the last cancel. When all are over, both lists are asked once
// more and must name none in scope. Lists that disagree, and whatever fails, are met by canceling again; at the deadline what is left is named.

import type { OpenOrders, Unreadable } from "../../domain/account.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import type { Order } from "../../domain/order.ts";
import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { backOffMs } from "../../kernel/retry.ts";
import { cancelTiming } from "../timing.ts";
import { Pauses } from "./pauses.ts";

/** Which orders go: ours alone, or everything that rests; in one market, or with null in all of them. */
export type MassCancelScope = { readonly orders: "ours" | "all"; readonly marketId: MarketId | null };

/** All that a CancelOrder needs. `marketId` null: it is not known which. */
export type CancelableOrder = { readonly orderId: OrderId; readonly marketId: MarketId | null };

/** What is said of an order that may still rest: its terms, as much as could be read, or its id alone. */
export type RemainingOrder =
  | Pick<Order, "orderId" | "marketId" | "side" | "price" | "remainingSize">
  | Unreadable
  | CancelableOrder;

export type MassCancelOptions = {
  readonly accountId: AccountId;
  readonly scope: MassCancelScope;
  /** After this, what remains is given up. */
  readonly deadlineMs: number;
  /** A list may show the state of so long before it was asked (`venue.readLagMaxMs`). */
  readonly readLagMaxMs: number;
  /** Lists end it once they are asked so long after the begin: `readLagMaxMs` where orders may rest that nobody here can name, else 0. */
  readonly listsAfterMs: number;
  /** True: orders may rest that we cannot name, so a CancelAllOrders goes first. False: cancels only what is known, on its way, or listed. */
  readonly isBlind: boolean;
};

/** A stop tries for 25 s (contract section 2) and assumes that orders without a name may rest. */
export const defaultMassCancel = { deadlineMs: cancelTiming.deadlineMs, isBlind: true } as const;

/** What is known of whose orders rest on the account. */
export type OrderOwnership = {
  /** Orders of ours that may rest, by all that we know. */
  readonly own: () => readonly RemainingOrder[];
  /** Null: an order whose id could not be read. */
  readonly isOurs: (orderId: OrderId | null) => boolean;
  /** An event has said that the order no longer rests: its OrderCanceled, or its last fill. A list that names it is older. */
  readonly isGone: (orderId: OrderId) => boolean;
  /** Markets where an order that must stay may rest. */
  readonly foreignMarkets: () => ReadonlySet<MarketId>;
  /** Whether the key is approved on another account, whose orders a CancelAllOrders may take. */
  readonly isKeyElsewhere: () => boolean;
};

export type MassCancelModules = OrderOwnership & {
  readonly clock: Clock;
  /** Each asks for a list of the account's open orders; they witness for each other. Each rejects when its read failed. */
  readonly lists: readonly (() => Promise<OpenOrders>)[];
  /** Sends one CancelOrder; never rejects. */
  readonly cancel: (order: CancelableOrder) => Promise<SubmitOutcome>;
  /** Sends one CancelAllOrders with a fresh nonce; never rejects. Null where no nonce may be used. */
  readonly cancelAll: ((marketId: MarketId | null) => Promise<SubmitOutcome>) | null;
  /** Transactions in scope that are unanswered or unresolved: they may yet become orders. */
  readonly unresolved: () => number;
  /** Whether it is no longer wanted: then it ends, unconfirmed, at its next round. */
  readonly isOver: () => boolean;
};

export type MassCancelResult = {
  /** True: every order in scope is over, both lists named none after that, and nothing can land from now on. */
  readonly confirmed: boolean;
  /** In scope, by what is known to us and by the newest lists. */
  readonly remaining: readonly RemainingOrder[];
  /** Orders that are not ours and were left where they are, by the newest lists. */
  readonly kept: readonly RemainingOrder[];
  readonly unresolved: number;
  /** Answers of the lists. */
  readonly reads: number;
  /** Why a list was not read the last time that it was asked, a sentence each. */
  readonly unread: readonly string[];
};

/** Never rejects. */
export async function massCancel(options: MassCancelOptions, modules: MassCancelModules): Promise<MassCancelResult> {
  const { clock, unresolved } = modules;
  const pauses = new Pauses(modules);
  const startMs = clock.monotonicMs();
  const deadlineMs = startMs + options.deadlineMs;
  const lists = modules.lists.map((read) => new List(read, clock));
  const canceling = new Canceling(options, modules);
  const known = new Map<OrderId, RemainingOrder>();
  const isInScope = ({ marketId }: RemainingOrder): boolean =>
    options.scope.marketId === null || marketId === null || options.scope.marketId === marketId;
  const isOurs = ({ orderId }: RemainingOrder): boolean => options.scope.orders === "all" || modules.isOurs(orderId);
  const isGone = ({ orderId }: RemainingOrder): boolean => orderId !== null && modules.isGone(orderId);

  function look(): Sight {
    const askedMs = Math.min(...lists.map((list) => list.askedMs));
    const rows = lists.flatMap((list) => list.rows).filter((row) => isInScope(row) && !isGone(row));
    const listed = rows.filter(isOurs);
    for (const order of [...modules.own().filter(isInScope), ...listed])
      if (order.orderId !== null) known.set(order.orderId, order);
    const named = new Set(listed.map(({ orderId }) => orderId));
    const isOver = (order: RemainingOrder): boolean =>
      isGone(order) || (!named.has(order.orderId) && canceling.isQuiet(order, askedMs));
    const remaining = [...known.values()].filter((order) => isOurs(order) && !isOver(order));
    return {
      askedMs,
      remaining: [...remaining, ...listed.filter(({ orderId }) => orderId === null)],
      kept: [...new Map(rows.filter((row) => !isOurs(row)).map((row) => [row.orderId ?? row, row])).values()],
    };
  }

  /** Since when nothing has been left but to hear it from the lists. */
  let clearMs: number | null = null;
  for (;;) {
    const nowMs = clock.monotonicMs();
    const sight = look();
    const { askedMs, remaining, kept } = sight;
    const isClear = remaining.length === 0 && unresolved() === 0 && !canceling.isUnderWay;
    clearMs = isClear ? (clearMs ?? nowMs) : null;
    const confirmed = clearMs !== null && askedMs >= Math.max(clearMs, startMs + options.listsAfterMs);
    if (confirmed || nowMs >= deadlineMs || modules.isOver()) {
      const unread = lists.flatMap(({ failure }) => failure ?? []);
      const reads = lists.reduce((sum, { answers }) => sum + answers, 0);
      return { confirmed, remaining, kept, unresolved: unresolved(), reads, unread };
    }
    canceling.send(sight);
    const leftMs = deadlineMs - nowMs;
    await pauses.within(Promise.all(lists.map((list) => list.ask())), Math.min(cancelTiming.answerMs, leftMs));
    await pauses.wait(cancelTiming.roundMs);
  }
}

/** What rests in scope by the newest lists, both asked at `askedMs` or later, and by what is known. */
type Sight = Pick<MassCancelResult, "remaining" | "kept"> & { readonly askedMs: number };

/** More unanswered questions of one list at once say no more. */
const ASKED_MAX = 4;

/** One list, by its answer that was asked last. */
class List {
  /** When that was asked, monotonic ms. */
  askedMs = Number.NEGATIVE_INFINITY;
  rows: readonly RemainingOrder[] = [];
  answers = 0;
  failure: string | null = null;
  readonly #read: () => Promise<OpenOrders>;
  readonly #clock: Clock;
  #asked = 0;

  constructor(read: () => Promise<OpenOrders>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Resolves when it was answered or has failed. */
  async ask(): Promise<void> {
    if (this.#asked >= ASKED_MAX) return;
    const askedMs = this.#clock.monotonicMs();
    this.#asked += 1;
    try {
      const { openOrders, unreadable } = await this.#read();
      this.answers += 1;
      if (askedMs <= this.askedMs) return;
      this.askedMs = askedMs;
      this.rows = [...openOrders, ...unreadable.filter(({ what }) => what === "order")];
      this.failure = null;
    } catch (error) {
      this.failure = messageOf(error);
    } finally {
      this.#asked -= 1;
    }
  }
}

/** CancelAllOrders spares nobody: where an order that must stay may rest, each order of ours is canceled one by one. */
function isOneByOne(
  { orders, marketId }: MassCancelScope,
  { cancelAll, foreignMarkets, isKeyElsewhere }: MassCancelModules,
): boolean {
  if (cancelAll === null || isKeyElsewhere()) return true;
  if (orders === "all") return false;
  return reaches(marketId, foreignMarkets());
}

/** Whether a CancelAllOrders of the market, or with null of all, would reach one of these markets. */
export const reaches = (marketId: MarketId | null, markets: ReadonlySet<MarketId>): boolean =>
  marketId === null ? markets.size > 0 : markets.has(marketId);

/** So many tries in a row that nobody executes, the first again soon; then the lists are asked before the next. */
const TRIES_MAX = 6;

type Tries = { readonly count: number; readonly state: "underWay" | "executed" | "failed"; readonly atMs: number };

/** The cancels of one mass cancel, by order, and CancelAllOrders. */
class Canceling {
  readonly #options: MassCancelOptions;
  readonly #modules: MassCancelModules;
  readonly #tries = new Map<OrderId | "all", Tries>();
  /** When the last one was answered or given up, monotonic ms. */
  #endedMs = Number.NEGATIVE_INFINITY;

  constructor(options: MassCancelOptions, modules: MassCancelModules) {
    this.#options = options;
    this.#modules = modules;
  }

  get isUnderWay(): boolean {
    return [...this.#tries.values()].some(({ state }) => state === "underWay");
  }

  /** Whether the order was canceled, and a list that was asked then, monotonic ms, is of after the last cancel of any. */
  isQuiet({ orderId }: RemainingOrder, askedMs: number): boolean {
    const isCanceled = orderId !== null && this.#tries.has(orderId);
    return isCanceled && !this.isUnderWay && askedMs >= this.#quietMs;
  }

  get #quietMs(): number {
    return this.#endedMs + this.#options.readLagMaxMs;
  }

  /** Sends what is due: in the first round of a blind one a CancelAllOrders whatever is known, and each order that remains. */
  send({ askedMs, remaining, kept }: Sight): void {
    const { scope, isBlind } = this.#options;
    const { clock, unresolved, cancel, cancelAll } = this.#modules;
    const isWanted = remaining.length > 0 || unresolved() > 0 || (isBlind && this.#tries.size === 0);
    // Once nothing has left or been answered for so long, the lists leave what remains; or they are silent.
    const nowMs = clock.monotonicMs();
    const isNext = !this.isUnderWay && (askedMs >= this.#quietMs || nowMs >= this.#quietMs + cancelTiming.silentMs);
    if (cancelAll !== null && isWanted && kept.length === 0 && !isOneByOne(scope, this.#modules)) {
      this.#try("all", isNext, () => cancelAll(scope.marketId));
      const { state, atMs } = this.#tries.get("all") as Tries;
      if (this.#tries.size === 1 && state === "underWay" && nowMs - atMs < cancelTiming.headStartMs) return;
    }
    for (const { orderId, marketId } of remaining)
      if (orderId !== null) this.#try(orderId, isNext, () => cancel({ orderId, marketId }));
  }

  #try(name: OrderId | "all", isNext: boolean, send: () => Promise<SubmitOutcome>): void {
    const { clock } = this.#modules;
    const before = this.#tries.get(name);
    const nowMs = clock.monotonicMs();
    if (before !== undefined && !isNext) {
      if (before.state !== "failed" || before.count >= TRIES_MAX) return;
      if (nowMs < before.atMs + backOffMs(cancelTiming.backOff, before.count)) return;
    }
    const count = before === undefined || isNext ? 1 : before.count + 1;
    this.#tries.set(name, { count, state: "underWay", atMs: nowMs });
    void send().then(({ kind }) => {
      const state = kind === "executed" || kind === "refused" ? "executed" : "failed";
      this.#endedMs = clock.monotonicMs();
      this.#tries.set(name, { count, state, atMs: this.#endedMs });
    });
  }
}
