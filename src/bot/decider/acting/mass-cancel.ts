// The only way to cancel an account's orders. An order is over when an event says so, or when both lists (the account's own, and its orders
// read alone), asked `readLagMaxMs` after the last cancel, lack it. When all are over, both lists are asked once more and must name none in
// scope. Disagreeing lists and failures lead to another cancel; at the deadline the remaining orders are named.

import type { OpenOrders, Unreadable } from "../../../domain/account.ts";
import type { SubmitOutcome } from "../../../domain/event.ts";
import type { Order } from "../../../domain/order.ts";
import type { MarketId, OrderId } from "../../../domain/units.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import { backOffMs } from "../../../kernel/retry.ts";
import { cancelTiming } from "../../timing.ts";
import type { Answer, Work } from "../work.ts";

/** Which orders go: ours alone, or everything that rests; in one market, or with null in all of them. */
export type MassCancelScope = { readonly orders: "ours" | "all"; readonly marketId: MarketId | null };

/** All that a CancelOrder needs. `marketId` null: unknown. */
export type CancelableOrder = { readonly orderId: OrderId; readonly marketId: MarketId | null };

/** An order that may still rest: the terms that could be read, or its id alone. */
export type RemainingOrder =
  | Pick<Order, "orderId" | "marketId" | "side" | "price" | "remainingSize">
  | Unreadable
  | CancelableOrder;

export type MassCancelOptions = {
  readonly scope: MassCancelScope;
  /** The mass cancel gives up after this time. */
  readonly deadlineMs: number;
  /** A list may be this much older than its request (`venue.readLagMaxMs`). */
  readonly readLagMaxMs: number;
  /** Lists asked earlier after the begin cannot end it: `readLagMaxMs` where orders may rest that we cannot name, else 0. */
  readonly listsAfterMs: number;
  /** True: we cannot name all orders that may rest, so CancelAllOrders goes first. False: cancels orders known, under way or listed. */
  readonly isBlind: boolean;
};

/** The limits of a stop: it tries for 25 s and assumes that orders with unknown ids may rest. */
export const defaultMassCancel = { deadlineMs: cancelTiming.deadlineMs, isBlind: true } as const;

/** Who owns the orders that rest on the account. */
export type OrderOwnership = {
  /** All orders of ours that may rest. */
  readonly own: () => readonly RemainingOrder[];
  /** Null: an order whose id could not be read. */
  readonly isOurs: (orderId: OrderId | null) => boolean;
  /** An event has ended the order: its OrderCanceled, or its last fill. A list that names it is older. */
  readonly isGone: (orderId: OrderId) => boolean;
  /** Markets where an order that must stay may rest. */
  readonly foreignMarkets: () => ReadonlySet<MarketId>;
  /** Whether the key is approved on another account, whose orders a CancelAllOrders may take. */
  readonly isKeyElsewhere: () => boolean;
};

type OnOutcome = (outcome: SubmitOutcome) => void;
type OnList = (answer: Answer<OpenOrders>) => void;

export type MassCancelModules = OrderOwnership & {
  readonly clock: Clocks;
  readonly after: Work["after"];
  /** Each asks for a list of the account's open orders; the lists check each other. */
  readonly lists: readonly ((onEnd: OnList) => void)[];
  /** Sends one CancelOrder. */
  readonly cancel: (order: CancelableOrder, onEnd: OnOutcome) => void;
  /** Sends one CancelAllOrders with a fresh nonce. Null where no nonce may be used. */
  readonly cancelAll: ((marketId: MarketId | null, onEnd: OnOutcome) => void) | null;
  /** Transactions in scope that are unanswered or unresolved: they may still become orders. */
  readonly unresolved: () => number;
  /** True once it is no longer wanted: it then ends, unconfirmed, at its next round. */
  readonly isOver: () => boolean;
};

export type MassCancelResult = {
  /** True: every order in scope is over, both lists named none after that, and nothing more can land. */
  readonly confirmed: boolean;
  /** In scope, by our records and the newest lists. */
  readonly remaining: readonly RemainingOrder[];
  /** Foreign orders that were left in place, by the newest lists. */
  readonly kept: readonly RemainingOrder[];
  readonly unresolved: number;
  /** Answers of the lists. */
  readonly reads: number;
  /** Why each list could not be read the last time, a sentence each. */
  readonly unread: readonly string[];
};

/** Begins at once. `onEnd` is called once. */
export function massCancel(
  options: MassCancelOptions,
  modules: MassCancelModules,
  onEnd: (result: MassCancelResult) => void,
): void {
  new MassCancel(options, modules, onEnd).look();
}

class MassCancel {
  readonly #options: MassCancelOptions;
  readonly #modules: MassCancelModules;
  readonly #onEnd: (result: MassCancelResult) => void;
  readonly #startMs: number;
  readonly #deadlineMs: number;
  readonly #lists: readonly List[];
  readonly #canceling: Canceling;
  readonly #known = new Map<OrderId, RemainingOrder>();
  /** Since when only the lists' confirmation has been missing. */
  #clearMs: number | null = null;

  constructor(options: MassCancelOptions, modules: MassCancelModules, onEnd: (result: MassCancelResult) => void) {
    const { clock } = modules;
    this.#options = options;
    this.#modules = modules;
    this.#onEnd = onEnd;
    this.#startMs = clock.monotonicMs();
    this.#deadlineMs = this.#startMs + options.deadlineMs;
    this.#lists = modules.lists.map((read) => new List(read, clock));
    this.#canceling = new Canceling(options, modules);
  }

  /** One round: cancels what is left and asks the lists, until all is over. */
  look(): void {
    const { clock, unresolved, isOver } = this.#modules;
    const nowMs = clock.monotonicMs();
    const sight = this.#sight();
    const { askedMs, remaining, kept } = sight;
    const isClear = remaining.length === 0 && unresolved() === 0 && !this.#canceling.isUnderWay;
    this.#clearMs = isClear ? (this.#clearMs ?? nowMs) : null;
    const listsFromMs = Math.max(this.#clearMs ?? 0, this.#startMs + this.#options.listsAfterMs);
    const confirmed = this.#clearMs !== null && askedMs >= listsFromMs;
    if (confirmed || nowMs >= this.#deadlineMs || isOver()) {
      const unread = this.#lists.flatMap(({ failure }) => failure ?? []);
      const reads = this.#lists.reduce((sum, { answers }) => sum + answers, 0);
      this.#onEnd({ confirmed, remaining, kept, unresolved: unresolved(), reads, unread });
      return;
    }
    this.#canceling.send(sight);
    this.#ask(Math.min(cancelTiming.answerMs, this.#deadlineMs - nowMs));
  }

  /** The next round comes shortly after both lists have answered or failed, or after `mostMs`. */
  #ask(mostMs: number): void {
    const { after } = this.#modules;
    let open = this.#lists.length;
    const late = after(mostMs, () => next());
    let isAsking = true;
    const next = (): void => {
      if (!isAsking) return;
      isAsking = false;
      late.cancel();
      after(cancelTiming.roundMs, () => this.look());
    };
    for (const list of this.#lists)
      list.ask(() => {
        open -= 1;
        if (open === 0) next();
      });
  }

  #sight(): Sight {
    const { own, isOurs, isGone } = this.#modules;
    const { scope } = this.#options;
    const isInScope = ({ marketId }: RemainingOrder): boolean =>
      scope.marketId === null || marketId === null || scope.marketId === marketId;
    const isWanted = ({ orderId }: RemainingOrder): boolean => scope.orders === "all" || isOurs(orderId);
    const hasGone = ({ orderId }: RemainingOrder): boolean => orderId !== null && isGone(orderId);
    const askedMs = Math.min(...this.#lists.map((list) => list.askedMs));
    const rows = this.#lists.flatMap((list) => list.rows).filter((row) => isInScope(row) && !hasGone(row));
    const listed = rows.filter(isWanted);
    for (const order of [...own().filter(isInScope), ...listed])
      if (order.orderId !== null) this.#known.set(order.orderId, order);
    const named = new Set(listed.map(({ orderId }) => orderId));
    const isOver = (order: RemainingOrder): boolean =>
      hasGone(order) || (!named.has(order.orderId) && this.#canceling.isQuiet(order, askedMs));
    const remaining = [...this.#known.values()].filter((order) => isWanted(order) && !isOver(order));
    return {
      askedMs,
      remaining: [...remaining, ...listed.filter(({ orderId }) => orderId === null)],
      kept: [...new Map(rows.filter((row) => !isWanted(row)).map((row) => [row.orderId ?? row, row])).values()],
    };
  }
}

/** What rests in scope by our records and the newest lists, both asked at `askedMs` or later. */
type Sight = Pick<MassCancelResult, "remaining" | "kept"> & { readonly askedMs: number };

/** More simultaneous requests for one list reveal nothing more. */
const ASKED_MAX = 4;

/** One list, with its most recently requested answer. */
class List {
  /** When that answer was requested, monotonic ms. */
  askedMs = Number.NEGATIVE_INFINITY;
  rows: readonly RemainingOrder[] = [];
  answers = 0;
  failure: string | null = null;
  readonly #read: (onEnd: OnList) => void;
  readonly #clock: Clocks;
  #asked = 0;

  constructor(read: (onEnd: OnList) => void, clock: Clocks) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Calls back when it was answered or has failed. */
  ask(onEnd: () => void): void {
    if (this.#asked >= ASKED_MAX) {
      onEnd();
      return;
    }
    const askedMs = this.#clock.monotonicMs();
    this.#asked += 1;
    this.#read((answer) => {
      this.#asked -= 1;
      this.#take(answer, askedMs);
      onEnd();
    });
  }

  #take(answer: Answer<OpenOrders>, askedMs: number): void {
    if ("why" in answer) {
      this.failure = answer.why;
      return;
    }
    this.answers += 1;
    if (askedMs <= this.askedMs) return;
    const { openOrders, unreadable } = answer.value;
    this.askedMs = askedMs;
    this.rows = [...openOrders, ...unreadable.filter(({ what }) => what === "order")];
    this.failure = null;
  }
}

/** CancelAllOrders takes foreign orders too: where one that must stay may rest, our orders are canceled one by one. */
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

/** Attempts in a row without an execution, the first repeated soon; then the lists are asked before the next. */
const TRIES_MAX = 6;

type Tries = { readonly count: number; readonly state: "underWay" | "executed" | "failed"; readonly atMs: number };

/** The cancels of one mass cancel, by order, and CancelAllOrders. */
class Canceling {
  readonly #options: MassCancelOptions;
  readonly #modules: MassCancelModules;
  readonly #tries = new Map<OrderId | "all", Tries>();
  /** When the last cancel was answered or given up, monotonic ms. */
  #endedMs = Number.NEGATIVE_INFINITY;

  constructor(options: MassCancelOptions, modules: MassCancelModules) {
    this.#options = options;
    this.#modules = modules;
  }

  get isUnderWay(): boolean {
    return [...this.#tries.values()].some(({ state }) => state === "underWay");
  }

  /** Whether the order was canceled, and a list requested at `askedMs` (monotonic) is newer than the last cancel of any order. */
  isQuiet({ orderId }: RemainingOrder, askedMs: number): boolean {
    const isCanceled = orderId !== null && this.#tries.has(orderId);
    return isCanceled && !this.isUnderWay && askedMs >= this.#quietMs;
  }

  get #quietMs(): number {
    return this.#endedMs + this.#options.readLagMaxMs;
  }

  /** Sends what is due: in the first round of a blind one always a CancelAllOrders, and a cancel for each order that remains. */
  send({ askedMs, remaining, kept }: Sight): void {
    const { scope, isBlind } = this.#options;
    const { clock, unresolved, cancel, cancelAll } = this.#modules;
    const isWanted = remaining.length > 0 || unresolved() > 0 || (isBlind && this.#tries.size === 0);
    // After this long without a cancel or an answer, the lists show what remains; or they do not answer.
    const nowMs = clock.monotonicMs();
    const isNext = !this.isUnderWay && (askedMs >= this.#quietMs || nowMs >= this.#quietMs + cancelTiming.silentMs);
    if (cancelAll !== null && isWanted && kept.length === 0 && !isOneByOne(scope, this.#modules)) {
      this.#try("all", isNext, (onEnd) => cancelAll(scope.marketId, onEnd));
      const { state, atMs } = this.#tries.get("all") as Tries;
      if (this.#tries.size === 1 && state === "underWay" && nowMs - atMs < cancelTiming.headStartMs) return;
    }
    for (const { orderId, marketId } of remaining)
      if (orderId !== null) this.#try(orderId, isNext, (onEnd) => cancel({ orderId, marketId }, onEnd));
  }

  #try(name: OrderId | "all", isNext: boolean, send: (onEnd: OnOutcome) => void): void {
    const { clock } = this.#modules;
    const before = this.#tries.get(name);
    const nowMs = clock.monotonicMs();
    if (before !== undefined && !isNext) {
      if (before.state !== "failed" || before.count >= TRIES_MAX) return;
      if (nowMs < before.atMs + backOffMs(cancelTiming.backOff, before.count)) return;
    }
    const count = before === undefined || isNext ? 1 : before.count + 1;
    this.#tries.set(name, { count, state: "underWay", atMs: nowMs });
    send(({ kind }) => {
      const state = kind === "executed" || kind === "refused" ? "executed" : "failed";
      this.#endedMs = clock.monotonicMs();
      this.#tries.set(name, { count, state, atMs: this.#endedMs });
    });
  }
}
