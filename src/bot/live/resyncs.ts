// Carries out what an account resynchronizes for: cancel what is ours, wait until nothing of ours can have changed anything within the lag
// of a read, ask both witnesses until they agree twice, adopt. One at a time for each account.

import type { Account, OpenOrders, Positions } from "../../domain/account.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { ExecutionEvent } from "../../domain/event.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import type { AccountState, BotState } from "../account/account-state.ts";
import { isUnpaid, mayRestUnnamed } from "../account/resync.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { Execution } from "../execution/execution.ts";
import { Pauses } from "../execution/pauses.ts";
import type { Log } from "../telemetry/log.ts";
import { accountTiming } from "../timing.ts";
import type { VenueReads } from "../venue/port.ts";
import type { DeskSeries } from "./desk-series.ts";
import type { Driver } from "./driver.ts";

export type ResyncModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly executions: ReadonlyMap<AccountId, Pick<Execution, "massCancel">>;
  readonly reads: Pick<VenueReads, "account" | "orders" | "positions" | "trades">;
  readonly clock: Clock;
  readonly log: Log;
  readonly series: Pick<DeskSeries, "resynced">;
  readonly driver: Pick<Driver, "feed" | "fold">;
};

/** So many answered rounds that disagree, over so long, are no race. */
const DISAGREED = { rounds: 10, forMs: accountTiming.resyncDisagreedMs } as const;

export class Resyncs {
  readonly #modules: ResyncModules;
  readonly #pauses: Pauses;
  readonly #running = new Set<AccountId>();
  /** When a transaction of ours or a fill last changed something in a market, or may have, monotonic ms; null: all of the account. */
  readonly #changes = new Map<AccountId, Map<MarketId | null, number>>();
  #isStarted = false;
  #isStopped = false;

  constructor(modules: ResyncModules) {
    this.#modules = modules;
    this.#pauses = new Pauses(modules);
  }

  /** Call it once orders of this run may be sent. `lastOrderedMs`: when earlier runs last sent one, monotonic; minus infinity: never. */
  start(lastOrderedMs: (account: AccountId) => number): void {
    this.#isStarted = true;
    for (const accountId of this.#modules.state.accounts.keys()) {
      this.#changed(accountId, null, lastOrderedMs(accountId));
      this.#modules.series.resynced(accountId, null, "start");
      this.#run(accountId);
    }
  }

  /** Nothing further is adopted. */
  stop(): void {
    this.#isStopped = true;
    this.#pauses.end();
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

  /** A frame has told of a fill of the account, ours or not: what it holds has changed, and reads may be from before it. */
  filled(accountId: AccountId, marketId: MarketId): void {
    this.#changed(accountId, marketId, this.#modules.clock.monotonicMs());
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
    void this.#untilLive(account).finally(() => this.#running.delete(accountId));
  }

  async #untilLive(account: AccountState): Promise<void> {
    const rounds = new Rounds();
    while (account.resyncs.size > 0 && !this.#isStopped) {
      const marketId = account.resyncs.has(null) ? null : (account.resyncs.keys().next().value ?? null);
      await this.#resync(account, marketId, rounds);
    }
  }

  /** One attempt: it ends adopted, or where something has changed in between. */
  async #resync(account: AccountState, marketId: MarketId | null, rounds: Rounds): Promise<void> {
    const { accountId } = account;
    const { executions, clock, state } = this.#modules;
    const isOver = (): boolean => this.#isStopped || !account.resyncs.has(marketId);
    const scope = { orders: "ours", marketId } as const;
    const isBlind = mayRestUnnamed(account, marketId);
    const canceled = await executions.get(accountId)?.massCancel({ scope, isBlind }, isOver);
    if (canceled?.confirmed !== true || isOver()) return;
    const quietMs = (): number => this.#changedMs(accountId, marketId) + state.readLagMaxMs - clock.monotonicMs();
    while (quietMs() > 0 && !isOver()) await this.#pauses.wait(Math.ceil(quietMs()));
    let before: Witnesses | null = null;
    while (!isOver() && quietMs() <= 0) {
      const now = await this.#ask(account, marketId);
      if (isOver() || quietMs() > 0) return;
      if (now !== null) {
        const differs = differenceOf(now, before, { state, account, marketId });
        if (differs === null && before !== null) {
          const { reported, askedMs } = now;
          this.#modules.driver.fold({
            kind: "adopted",
            account: reported,
            marketId,
            askedMs,
            receivedMs: clock.monotonicMs(),
          });
          return;
        }
        if (differs !== null) this.#disagreed(accountId, differs, rounds);
        before = differs === null ? now : null;
        if (differs === "ours") return this.#pauses.wait(rounds.waitMs());
      }
      await this.#pauses.wait(rounds.waitMs());
    }
  }

  /** What both witnesses say now, the trades booked; null: one of them did not answer. */
  async #ask(account: AccountState, marketId: MarketId | null): Promise<Witnesses | null> {
    const { reads, clock, driver } = this.#modules;
    const { accountId } = account;
    const askedMs = clock.monotonicMs();
    const asked = await Promise.all([
      reads.account(accountId),
      reads.orders(accountId),
      reads.positions(accountId),
    ]).catch((why: unknown) => this.#unread(accountId, why));
    if (asked === null || this.#isStopped) return null;
    const [reported, orders, positions] = asked;
    driver.fold({ kind: "accountRead", account: reported, askedMs, receivedMs: clock.monotonicMs() });
    const markets = marketId === null ? this.#marketsOf(account, reported) : [marketId];
    const booked = await Promise.all(markets.map((one) => this.#bookTrades(accountId, one)));
    return booked.includes(false) ? null : { reported, orders, positions, askedMs };
  }

  /** False: they were not read. */
  async #bookTrades(accountId: AccountId, marketId: MarketId): Promise<boolean> {
    const { reads, clock, driver } = this.#modules;
    const askedMs = clock.monotonicMs();
    const trades = await reads.trades(marketId).catch((why: unknown) => this.#unread(accountId, why));
    if (trades === null || this.#isStopped) return false;
    driver.fold({ kind: "tradesRead", marketId, trades, askedMs, receivedMs: clock.monotonicMs() });
    return true;
  }

  /** Says why a read that the resync needs is not there. */
  #unread(accountId: AccountId, cause: unknown): null {
    const why = messageOf(cause);
    const facts = { event: "resync.unread", account: `${accountId}`, why };
    this.#modules.log.warn(facts, `account ${accountId} cannot resynchronize yet: ${why}`);
    return null;
  }

  #marketsOf({ accountId, book }: AccountState, { positions }: Account): readonly MarketId[] {
    const quoted = this.#modules.desks.get(accountId)?.markets.keys() ?? [];
    const held = [...book.markets].filter(([, { now }]) => now.inventory !== 0n).map(([marketId]) => marketId);
    return [...new Set([...quoted, ...held, ...positions.map((position) => position.marketId)])];
  }

  #disagreed(accountId: AccountId, what: string, rounds: Rounds): void {
    const { driver, clock, log } = this.#modules;
    log.warn(
      { event: "resync.disagreed", account: `${accountId}`, what },
      `account ${accountId}: its reads disagree about ${what}; reading again`,
    );
    if (!rounds.disagreed(clock.monotonicMs())) return;
    const reason = `reads of the account have disagreed about ${what} for more than a minute`;
    const latch = { kind: "mismatch", accountId, marketId: null, holds: "halted", reason, numbers: {} } as const;
    driver.feed({ kind: "trip", latch });
  }
}

/** Rounds of witnesses that disagree. */
class Rounds {
  #count = 0;
  #sinceMs = Number.POSITIVE_INFINITY;

  /** True: so many, for so long, that it is no race. */
  disagreed(nowMs: number): boolean {
    if (this.#count === 0) this.#sinceMs = nowMs;
    this.#count += 1;
    return this.#count >= DISAGREED.rounds && nowMs - this.#sinceMs >= DISAGREED.forMs;
  }

  waitMs(): number {
    return Math.min(
      accountTiming.resyncRound.firstMs * accountTiming.resyncRound.growth ** this.#count,
      accountTiming.resyncRound.maxMs,
    );
  }
}

type Witnesses = {
  readonly reported: Account;
  readonly orders: OpenOrders;
  readonly positions: Positions;
  readonly askedMs: number;
};

/** What the witnesses, two rounds of them, or positions and money disagree about. `ours`: an order of ours is still listed. Null: nothing. */
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
