// The kill switch's hand: cancels everything of an account, and says when the exchange shows nothing any more. What keeps new orders
// from coming is the caller's: a halt, or a key that ends.

import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Execution } from "../../execution/execution.ts";
import type { KillResult } from "../../execution/kill.ts";
import type { Log } from "../../telemetry/log.ts";

export type ClearingModules = {
  readonly executions: ReadonlyMap<AccountId, Execution>;
  readonly clock: Clock;
  readonly log: Log;
};

export class Clearing {
  readonly #modules: ClearingModules;
  readonly #running = new Map<AccountId, Promise<readonly string[]>>();

  constructor(modules: ClearingModules) {
    this.#modules = modules;
  }

  /**
   * Resolves with the orders that may still rest, a line each; none when it is no longer wanted, since then what rests may rest. One
   * at a time an account: a second call joins the first. Never rejects.
   */
  clear(account: AccountId, isWanted: () => boolean): Promise<readonly string[]> {
    const running = this.#running.get(account) ?? this.#clear(account, isWanted);
    this.#running.set(account, running);
    return running;
  }

  /** Resolves when nothing is being cleared any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #clear(account: AccountId, isWanted: () => boolean): Promise<readonly string[]> {
    const { executions, clock, log } = this.#modules;
    const startedMs = clock.monotonicMs();
    const result = await executions.get(account)?.clear({}, () => !isWanted());
    this.#running.delete(account);
    if (!isWanted()) return [];
    const survivors = result === undefined ? [] : survivorLines(account, result);
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    const facts = { account: `${account}`, tookMs };
    if (survivors.length === 0) {
      log.info({ event: "cleared", ...facts }, `account ${account}: the exchange shows no order any more`);
    } else {
      log.error({ event: "clearing.failed", ...facts, survivors }, `orders may still rest: ${survivors.join("; ")}`);
    }
    return survivors;
  }
}

/** One line an order that may still rest, or why one may; none when the exchange has confirmed that nothing does. */
export function survivorLines(account: AccountId, result: KillResult): readonly string[] {
  const { confirmed, survivors, unsettled, reads } = result;
  if (confirmed) return [];
  const lines = survivors.map(
    ({ orderId, marketId, side, price, remainingSize }) =>
      `account ${account} market ${marketId} order ${orderId}: ${side} ${contractsOf(remainingSize)} at ${usdOf(price)}`,
  );
  if (unsettled > 0) lines.push(`account ${account}: ${unsettled} transactions in doubt`);
  if (reads === 0) lines.push(`account ${account}: the exchange did not answer; what else rests is not known`);
  return lines.length > 0 ? lines : [`account ${account}: the exchange has not shown twice that nothing rests`];
}
