// Carries out an account's resync: cancel our orders, wait until nothing of ours can have changed anything within the lag of a read, ask
// both witnesses until they agree twice, adopt. One at a time per account.

import { type Account, inventoryOf, type OpenOrders, type Positions } from "../../../domain/account.ts";
import type { AdoptedEvent, ExecutionEvent } from "../../../domain/event.ts";
import type { Latch } from "../../../domain/latch.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { backOffMs } from "../../../kernel/retry.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { isUnpaid, mayRestUnnamed } from "../../account/resync.ts";
import { accountTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Say } from "../notice.ts";
import type { Answer, Work } from "../work.ts";
import type { MassCancels } from "./start-mass-cancel.ts";

export type ResyncModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly massCancels: Pick<MassCancels, "start">;
  readonly work: Pick<Work, "clock" | "after" | "readAccount" | "readTrades" | "listOrders" | "listPositions">;
  readonly log: Say;
  readonly adopt: (event: AdoptedEvent) => void;
  readonly trip: (latch: Latch) => void;
};

/** This many answered rounds that disagree, over this long, are no race. */
const DISAGREED = { rounds: 10, forMs: accountTiming.resyncDisagreedMs } as const;

export class Resyncs {
  readonly #modules: ResyncModules;
  readonly #running = new Set<AccountId>();
  /** When a transaction of ours or a fill last may have changed a market, monotonic ms; market null: the whole account. */
  readonly #changes = new Map<AccountId, Map<MarketId | null, number>>();
  #isStarted = false;
  #isStopped = false;

  constructor(modules: ResyncModules) {
    this.#modules = modules;
  }

  /** Call it once orders of this run may be sent. `lastOrderedMs`: when earlier runs last sent one, monotonic; no entry: never. */
  start(lastOrderedMs: ReadonlyMap<AccountId, number>): void {
    this.#isStarted = true;
    for (const accountId of this.#modules.state.accounts.keys()) {
      const lastMs = lastOrderedMs.get(accountId);
      if (lastMs !== undefined) this.#changed(accountId, null, lastMs);
      this.#run(accountId);
    }
  }

  /** Adopts nothing more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    const { command, receivedMs } = event;
    if (event.kind === "sent") return;
    if (event.kind === "answered") {
      const { outcome } = event;
      const isNamed = outcome.kind === "executed" && outcome.events.length > 0;
      const mayHave = outcome.kind === "executed" || outcome.kind === "unknown" || outcome.kind === "rateLimited";
      // A CancelAllOrders that names nothing has changed nothing.
      if (!mayHave || (command.kind === "cancelAll" && outcome.kind === "executed" && !isNamed)) return;
    }
    this.#changed(command.accountId, command.marketId, receivedMs);
  }

  wanted(accountId: AccountId): void {
    if (this.#isStarted) this.#run(accountId);
  }

  /** The stream reported a fill of the account, ours or foreign: its position has changed, and a read may be older than the fill. */
  filled(accountId: AccountId, marketId: MarketId): void {
    this.#changed(accountId, marketId, this.#modules.work.clock.monotonicMs());
  }

  #changed(accountId: AccountId, marketId: MarketId | null, atMs: number): void {
    const known = this.#changes.get(accountId) ?? new Map<MarketId | null, number>();
    this.#changes.set(accountId, known);
    known.set(marketId, Math.max(atMs, known.get(marketId) ?? Number.NEGATIVE_INFINITY));
  }

  #changedMs(accountId: AccountId, marketId: MarketId | null): number {
    const known = this.#changes.get(accountId) ?? new Map<MarketId | null, number>();
    const times = marketId === null ? known.values() : [known.get(null), known.get(marketId)];
    return Math.max(...[...times].map((atMs) => atMs ?? Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY);
  }

  #run(accountId: AccountId): void {
    const account = this.#modules.state.accounts.get(accountId);
    if (account === undefined || this.#running.has(accountId)) return;
    this.#running.add(accountId);
    this.#next(account, new Rounds());
  }

  /** Resyncs the account before its markets, one attempt after another until all of it is live. */
  #next(account: AccountState, rounds: Rounds): void {
    if (account.resyncs.size === 0 || this.#isStopped) {
      this.#running.delete(account.accountId);
      return;
    }
    const marketId = account.resyncs.has(null) ? null : (account.resyncs.keys().next().value ?? null);
    this.#clear({ account, marketId, rounds, onEnd: () => this.#next(account, rounds) });
  }

  #isOver({ account, marketId }: Attempt): boolean {
    return this.#isStopped || !account.resyncs.has(marketId);
  }

  /** One attempt: it ends adopted, or because something has changed in between. */
  #clear(attempt: Attempt): void {
    const { account, marketId, onEnd } = attempt;
    const wanted = { scope: { orders: "ours", marketId }, isBlind: mayRestUnnamed(account, marketId) } as const;
    this.#modules.massCancels.start(
      account.accountId,
      wanted,
      () => this.#isOver(attempt),
      ({ confirmed }) => {
        if (!confirmed || this.#isOver(attempt)) onEnd();
        else this.#whenQuiet(attempt);
      },
    );
  }

  #quietMs({ account, marketId }: Attempt): number {
    const { state, work } = this.#modules;
    return this.#changedMs(account.accountId, marketId) + state.readLagMaxMs - work.clock.monotonicMs();
  }

  #whenQuiet(attempt: Attempt): void {
    const quietMs = this.#quietMs(attempt);
    if (quietMs <= 0 || this.#isOver(attempt)) this.#ask(attempt, null);
    else this.#modules.work.after(Math.ceil(quietMs), () => this.#whenQuiet(attempt));
  }

  /** `before`: the witnesses of the last round; null: none that count. */
  #ask(attempt: Attempt, before: Witnesses | null): void {
    const isEnded = (): boolean => this.#isOver(attempt) || this.#quietMs(attempt) > 0;
    if (isEnded()) {
      attempt.onEnd();
      return;
    }
    this.#witness(attempt, (now) => {
      if (isEnded()) attempt.onEnd();
      else this.#judge(attempt, before, now);
    });
  }

  #judge(attempt: Attempt, before: Witnesses | null, now: Witnesses | null): void {
    const { account, marketId, rounds, onEnd } = attempt;
    const { state, work, adopt } = this.#modules;
    const askAgain = (known: Witnesses | null): void =>
      void work.after(rounds.waitMs(), () => this.#ask(attempt, known));
    if (now === null) {
      askAgain(before);
      return;
    }
    const differs = differenceOf(now, before, { state, account, marketId });
    if (differs === null && before !== null) {
      const { reported, askedMs } = now;
      adopt({ kind: "adopted", account: reported, marketId, askedMs, receivedMs: work.clock.monotonicMs() });
      onEnd();
      return;
    }
    if (differs === null) {
      askAgain(now);
      return;
    }
    this.#disagreed(account.accountId, differs, rounds);
    if (differs === "ours") work.after(rounds.waitMs(), onEnd);
    else askAgain(null);
  }

  /** Asks both witnesses and books the trades; null: one of them did not answer. */
  #witness({ account, marketId }: Attempt, then: (now: Witnesses | null) => void): void {
    const { work } = this.#modules;
    const { accountId } = account;
    const askedMs = work.clock.monotonicMs();
    const found: { reported?: Account; orders?: OpenOrders; positions?: Positions } = {};
    const isAnswered = joined(3, (unread) => {
      const { reported, orders, positions } = found;
      if (unread !== null) this.#unread(accountId, unread);
      const isNone = reported === undefined || orders === undefined || positions === undefined;
      if (isNone || this.#isStopped) return then(null);
      const markets = marketId === null ? this.#marketsOf(account, reported) : [marketId];
      this.#bookTrades(accountId, markets, (areBooked) =>
        then(areBooked ? { reported, orders, positions, askedMs } : null),
      );
    });
    const take =
      <T>(keep: (value: T) => void) =>
      (answer: Answer<T>): void => {
        if ("value" in answer) keep(answer.value);
        isAnswered(answer);
      };
    work.readAccount(
      accountId,
      take((reported) => Object.assign(found, { reported })),
    );
    work.listOrders(
      accountId,
      take((orders) => Object.assign(found, { orders })),
    );
    work.listPositions(
      accountId,
      take((positions) => Object.assign(found, { positions })),
    );
  }

  #bookTrades(accountId: AccountId, markets: readonly MarketId[], then: (areBooked: boolean) => void): void {
    if (markets.length === 0) {
      then(true);
      return;
    }
    const isAnswered = joined(markets.length, (unread) => {
      if (unread !== null) this.#unread(accountId, unread);
      then(unread === null);
    });
    for (const marketId of markets) this.#modules.work.readTrades(marketId, isAnswered);
  }

  /** Reports why a read that the resync needs is missing. */
  #unread(accountId: AccountId, why: string): void {
    const facts = { event: "resync.unread", account: `${accountId}`, why };
    this.#modules.log.warn(facts, `account ${accountId} cannot resynchronize yet: ${why}`);
  }

  #marketsOf({ accountId, book }: AccountState, { positions }: Account): readonly MarketId[] {
    const quoted = this.#modules.desks.get(accountId)?.markets.keys() ?? [];
    const held = [...book.markets].filter(([, { now }]) => now.inventory !== 0n).map(([marketId]) => marketId);
    return [...new Set([...quoted, ...held, ...positions.map((position) => position.marketId)])];
  }

  #disagreed(accountId: AccountId, what: string, rounds: Rounds): void {
    const { work, log, trip } = this.#modules;
    log.warn(
      { event: "resync.disagreed", account: `${accountId}`, what },
      `account ${accountId}: its reads disagree about ${what}; reading again`,
    );
    if (!rounds.disagreed(work.clock.monotonicMs())) return;
    const reason = `reads of the account have disagreed about ${what} for more than a minute`;
    trip({ kind: "mismatch", accountId, marketId: null, holds: "halted", reason, numbers: {} });
  }
}

/** One attempt at a market, or with null at the whole account. */
type Attempt = {
  readonly account: AccountState;
  readonly marketId: MarketId | null;
  readonly rounds: Rounds;
  readonly onEnd: () => void;
};

/** Collects `count` answers and calls back once: with null when all have a value, or with the first failure. */
function joined(count: number, then: (unread: string | null) => void): (answer: Answer<unknown>) => void {
  let left = count;
  return (answer) => {
    if (left <= 0) return;
    left = "why" in answer ? 0 : left - 1;
    if (left === 0) then("why" in answer ? answer.why : null);
  };
}

/** Rounds of witnesses that disagree. */
class Rounds {
  #count = 0;
  #sinceMs = Number.POSITIVE_INFINITY;

  /** Returns true after so many disagreements, over so long, that it is no race. */
  disagreed(nowMs: number): boolean {
    if (this.#count === 0) this.#sinceMs = nowMs;
    this.#count += 1;
    return this.#count >= DISAGREED.rounds && nowMs - this.#sinceMs >= DISAGREED.forMs;
  }

  waitMs(): number {
    return backOffMs(accountTiming.resyncRound, this.#count + 1);
  }
}

type Witnesses = {
  readonly reported: Account;
  readonly orders: OpenOrders;
  readonly positions: Positions;
  readonly askedMs: number;
};

/** Returns what witnesses, their rounds, or positions and money disagree about, or null. `ours`: an order of ours is still listed. */
function differenceOf(
  { reported, orders, positions }: Witnesses,
  before: Witnesses | null,
  {
    state,
    account,
    marketId,
  }: { readonly state: BotState; readonly account: AccountState; readonly marketId: MarketId | null },
): "orders" | "positions" | "ours" | null {
  const listed = [...reported.openOrders, ...orders.openOrders].filter(
    (one) => marketId === null || one.marketId === marketId,
  );
  if (listed.some(({ orderId }) => account.orders.isOurs(orderId))) return "ours";
  const first = ordersText(reported, marketId);
  if (first !== ordersText(orders, marketId)) return "orders";
  if (before !== null && first !== ordersText(before.reported, marketId)) return "orders";
  const held = positionsText(reported, marketId);
  if (held !== positionsText(positions, marketId)) return "positions";
  if (before !== null && held !== positionsText(before.reported, marketId)) return "positions";
  return isUnpaid(state, account, reported, marketId) ? "positions" : null;
}

const ordersText = ({ openOrders }: OpenOrders, marketId: MarketId | null): string =>
  openOrders
    .filter((order) => marketId === null || order.marketId === marketId)
    .map(({ orderId, price, size, filledSize }) => `${orderId} ${price} ${size} ${filledSize}`)
    .sort()
    .join();

const positionsText = ({ positions }: Positions, marketId: MarketId | null): string =>
  positions
    .filter((position) => marketId === null || position.marketId === marketId)
    .map((position) => `${position.marketId} ${inventoryOf(position)}`)
    .sort()
    .join();
