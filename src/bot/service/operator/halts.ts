// What a halt does to orders, whoever asked for it: an operator, a latch that tripped, a market that is left, a key that ends, a
// stop. Each cancels what is in its scope and says when the exchange has confirmed it. What keeps new orders from coming is the caller's.

import { unreadableText } from "../../../domain/account.ts";
import type { Latch } from "../../../domain/latch.ts";
import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { Execution } from "../../execution/execution.ts";
import {
  defaultMassCancel,
  type MassCancelResult,
  type MassCancelScope,
  type RemainingOrder,
} from "../../execution/mass-cancel.ts";
import { tradingStateOf } from "../../risk/latches.ts";
import type { Log } from "../../telemetry/log.ts";

export type HaltModules = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly executions: ReadonlyMap<AccountId, Execution>;
  readonly clock: Clock;
  readonly log: Log;
};

type Lines = readonly string[];

export class Halts {
  readonly #modules: HaltModules;
  readonly #running = new Map<string, Promise<Lines | null>>();
  #isStarted = false;
  #isStopping = false;

  constructor(modules: HaltModules) {
    this.#modules = modules;
  }

  /** What rests is known, and executions can resolve what an earlier run sent: from now on every latch is enforced. */
  start(): void {
    this.#isStarted = true;
    for (const desk of this.#modules.desks.values()) for (const latch of desk.latches) this.enforce(desk, latch);
  }

  /** A latch holds from now on: what it halts is canceled until the exchange has confirmed it, or the latch is lifted. */
  enforce(desk: AccountDesk, { holds, marketId }: Pick<Latch, "holds" | "marketId">): void {
    if (holds !== "halted" || !this.#isStarted) return;
    const isHeld = (): boolean => tradingStateOf(desk.latches, desk.accountId, marketId) === "halted";
    void this.#untilConfirmed(desk, marketId, isHeld);
  }

  /** A market left the configuration: the same, until it is quoted again. True: the exchange has confirmed that nothing of ours rests. */
  leaveMarket(desk: AccountDesk, marketId: MarketId): Promise<boolean> {
    return this.#untilConfirmed(desk, marketId, () => desk.markets.get(marketId)?.isDraining !== false);
  }

  /** Nothing of ours may rest when the key ends: in quoted markets quotes have gone by then, and the rest goes with this. */
  beforeKeyEnds(desk: AccountDesk, isEnding: () => boolean): void {
    void this.#untilConfirmed(desk, null, isEnding);
  }

  /**
   * Everything of a halted account, foreign orders included: before its positions are closed. Resolves with the orders that may still
   * rest, a line each; none when the halt was lifted, since then what rests may rest. Never rejects.
   */
  async clear(desk: AccountDesk): Promise<Lines> {
    return (await this.#massCancel(desk, { orders: "all", marketId: null }, () => desk.isHalted())) ?? [];
  }

  /** What runs ends; then all accounts are canceled for the last time. Resolves with the orders that may still rest. Never rejects. */
  async stop(): Promise<Lines> {
    this.#isStopping = true;
    const last = [...this.#modules.desks.values()].map(async (desk) => {
      const { deadlineMs } = defaultMassCancel;
      const execution = this.#modules.executions.get(desk.accountId);
      const result = await execution?.massCancel({ scope: scopeOf(desk, null), deadlineMs });
      return result === undefined ? [] : this.#say(desk.accountId, null, result);
    });
    const remaining = await Promise.all(last);
    await Promise.all(this.#running.values());
    return remaining.flat();
  }

  async #untilConfirmed(desk: AccountDesk, marketId: MarketId | null, isWanted: () => boolean): Promise<boolean> {
    let remaining: Lines | null = null;
    while (remaining?.length !== 0 && isWanted() && !this.#isStopping) {
      remaining = await this.#massCancel(desk, scopeOf(desk, marketId), isWanted);
    }
    return remaining?.length === 0;
  }

  /** One at a time for each scope: a second call joins the first. Null: it was over before the exchange had confirmed anything. */
  #massCancel(desk: AccountDesk, scope: MassCancelScope, isWanted: () => boolean): Promise<Lines | null> {
    const name = `${desk.accountId} ${scope.orders} ${scope.marketId}`;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const started = this.#run(desk.accountId, scope, isWanted).finally(() => this.#running.delete(name));
    this.#running.set(name, started);
    return started;
  }

  async #run(account: AccountId, scope: MassCancelScope, isWanted: () => boolean): Promise<Lines | null> {
    const isOver = (): boolean => this.#isStopping || !isWanted();
    const result = await this.#modules.executions.get(account)?.massCancel({ scope }, isOver);
    if (result === undefined) return [];
    return isOver() ? null : this.#say(account, scope.marketId, result);
  }

  #say(account: AccountId, market: MarketId | null, result: MassCancelResult): Lines {
    const { log } = this.#modules;
    const remaining = remainingLines(account, result);
    const facts = { account: `${account}`, market };
    const where = market === null ? `account ${account}` : `market ${market} of account ${account}`;
    if (remaining.length === 0) {
      log.info(
        { event: "massCancel.confirmed", ...facts },
        `${where}: the exchange has confirmed that none of our orders rests`,
      );
    } else {
      log.error({ event: "massCancel.failed", ...facts, remaining }, `orders may still rest: ${remaining.join("; ")}`);
    }
    if (result.kept.length > 0) {
      const kept = result.kept.map((order) => orderLine(account, order));
      log.warn({ event: "massCancel.kept", ...facts, kept }, `foreign orders left in place: ${kept.join("; ")}`);
    }
    return remaining;
  }
}

/** Foreign orders stay unless the configuration says otherwise. */
const scopeOf = ({ quoted }: AccountDesk, marketId: MarketId | null): MassCancelScope => ({
  orders: quoted.foreignOrders === "cancel" ? "all" : "ours",
  marketId,
});

/** One line for each order that may still rest, or why one may; none when the exchange has confirmed that nothing does. */
export function remainingLines(account: AccountId, result: MassCancelResult): Lines {
  const { confirmed, remaining, unresolved, reads, unread } = result;
  if (confirmed) return [];
  const lines = remaining.map((order) => orderLine(account, order));
  if (unresolved > 0) lines.push(`account ${account}: ${unresolved} transactions are unresolved`);
  if (reads === 0) lines.push(`account ${account}: the exchange did not answer; what else rests is not known`);
  else lines.push(...unread.map((why) => `account ${account}: ${why}; what else rests is not known`));
  return lines.length > 0
    ? lines
    : [`account ${account}: the lists of its orders have not yet shown that nothing rests`];
}

function orderLine(account: AccountId, order: RemainingOrder): string {
  if ("why" in order) return `account ${account}: ${unreadableText(order)}`;
  const { orderId, marketId } = order;
  const name = `account ${account}${marketId === null ? "" : ` market ${marketId}`} order ${orderId}`;
  if (!("price" in order)) return `${name}: no answer and no list says that it is gone`;
  return `${name}: ${order.side} ${contractsOf(order.remainingSize)} at ${usdOf(order.price)}`;
}
