// What a halt does to orders, whatever its cause: an operator, a tripped latch, a market that is left, an expiring key, a stop. Each
// cancels the orders in its scope and reports when the exchange has confirmed it. The caller prevents new orders.

import type { Latch } from "../../../domain/latch.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { tradingStateOf } from "../../risk/latches.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Say } from "../notice.ts";
import { defaultMassCancel, type MassCancelResult, type MassCancelScope } from "./mass-cancel.ts";
import { orderLine, remainingLines } from "./remaining-text.ts";
import type { MassCancels } from "./start-mass-cancel.ts";

export type HaltModules = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly massCancels: Pick<MassCancels, "start">;
  readonly log: Say;
};

/** Orders that may still rest, a line each; null: it ended before the exchange had confirmed anything. */
type OnLines = (remaining: readonly string[] | null) => void;

export class Halts {
  readonly #modules: HaltModules;
  /** Running halts by scope, with the callbacks that wait for their end. */
  readonly #running = new Map<string, OnLines[]>();
  #isStarted = false;
  #isStopping = false;

  constructor(modules: HaltModules) {
    this.#modules = modules;
  }

  /** Resting orders are known, and unknowns of earlier runs can be resolved: from now on every latch is enforced. */
  start(): void {
    this.#isStarted = true;
    for (const desk of this.#modules.desks.values()) for (const latch of desk.latches) this.enforce(desk, latch);
  }

  /** A latch holds from now on: cancels in its scope until the exchange has confirmed it, or the latch is lifted. */
  enforce(desk: AccountDesk, { holds, marketId }: Pick<Latch, "holds" | "marketId">): void {
    if (holds !== "halted" || !this.#isStarted) return;
    const isHeld = (): boolean => tradingStateOf(desk.latches, desk.accountId, marketId) === "halted";
    this.#untilConfirmed(desk, marketId, isHeld);
  }

  /** A market left the configuration: cancels until confirmed (then `onEnd` gets true), or until it is quoted again. */
  leaveMarket(desk: AccountDesk, marketId: MarketId, onEnd: (isConfirmed: boolean) => void): void {
    this.#untilConfirmed(desk, marketId, () => desk.markets.get(marketId)?.strategy.isDraining !== false, onEnd);
  }

  /** Nothing of ours may rest when the key expires. Quotes have gone by then; this cancels the rest. */
  beforeKeyEnds(desk: AccountDesk, isEnding: () => boolean): void {
    this.#untilConfirmed(desk, null, isEnding);
  }

  /**
   * Cancels everything on a halted account, foreign orders included, before its positions are closed. Calls back with the orders that may
   * still rest, a line each; none when the halt was lifted, since then orders may rest.
   */
  clear(desk: AccountDesk, onEnd: (remaining: readonly string[]) => void): void {
    const scope = { orders: "all", marketId: null } as const;
    this.#massCancel(
      desk,
      scope,
      () => desk.isHalted(),
      (remaining) => onEnd(remaining ?? []),
    );
  }

  /** Ends running halts, then cancels all accounts for the last time. Calls back once with the orders that may still rest. */
  stop(onEnd: (remaining: readonly string[]) => void): void {
    this.#isStopping = true;
    const { desks, massCancels } = this.#modules;
    const all: (readonly string[])[] = [];
    if (desks.size === 0) {
      onEnd([]);
      return;
    }
    for (const [nth, desk] of [...desks.values()].entries()) {
      const { deadlineMs } = defaultMassCancel;
      massCancels.start(
        desk.accountId,
        { scope: scopeOf(desk, null), deadlineMs },
        () => false,
        (result) => {
          all[nth] = this.#say(desk.accountId, null, result);
          if (Object.keys(all).length === desks.size) onEnd(all.flat());
        },
      );
    }
  }

  #untilConfirmed(
    desk: AccountDesk,
    marketId: MarketId | null,
    isWanted: () => boolean,
    onEnd: (isConfirmed: boolean) => void = () => {},
  ): void {
    const next = (remaining: readonly string[] | null): void => {
      if (remaining?.length === 0) {
        onEnd(true);
        return;
      }
      if (!isWanted() || this.#isStopping) {
        onEnd(false);
        return;
      }
      this.#massCancel(desk, scopeOf(desk, marketId), isWanted, next);
    };
    next(null);
  }

  /** One at a time per scope: a second call joins the first. */
  #massCancel(desk: AccountDesk, scope: MassCancelScope, isWanted: () => boolean, onEnd: OnLines): void {
    const { accountId } = desk;
    const name = `${accountId} ${scope.orders} ${scope.marketId}`;
    const running = this.#running.get(name);
    if (running !== undefined) {
      running.push(onEnd);
      return;
    }
    this.#running.set(name, [onEnd]);
    const isOver = (): boolean => this.#isStopping || !isWanted();
    this.#modules.massCancels.start(accountId, { scope }, isOver, (result) => {
      const lines = isOver() ? null : this.#say(accountId, scope.marketId, result);
      const waiting = this.#running.get(name) ?? [];
      this.#running.delete(name);
      for (const wait of waiting) wait(lines);
    });
  }

  #say(account: AccountId, market: MarketId | null, result: MassCancelResult): readonly string[] {
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
