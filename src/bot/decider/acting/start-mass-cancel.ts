// Starts the machine's mass cancels (mass-cancel.ts), each for one account, with its key, its lists and its known orders.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Work } from "../work.ts";
import type { OrderOwnership } from "./mass-cancel.ts";
import { defaultMassCancel, type MassCancelOptions, type MassCancelResult, massCancel } from "./mass-cancel.ts";

export type MassCancelsModules = {
  readonly work: Pick<Work, "clock" | "after" | "cancel" | "readAccount" | "listOrders">;
  readonly readLagMaxMs: number;
  readonly ownership: (account: AccountId) => OrderOwnership | undefined;
  /** Transactions of the market, or with null of all, that are unanswered or unresolved: they may still become orders. */
  readonly mayRest: (account: AccountId, market: MarketId | null) => number;
};

export type WantedMassCancel = Pick<MassCancelOptions, "scope"> &
  Partial<Pick<MassCancelOptions, "deadlineMs" | "isBlind">>;

/** Nothing of ours can rest on an account that is not ours. */
const nothing: MassCancelResult = { confirmed: true, remaining: [], kept: [], unresolved: 0, reads: 0, unread: [] };

export class MassCancels {
  readonly #modules: MassCancelsModules;

  constructor(modules: MassCancelsModules) {
    this.#modules = modules;
  }

  /**
   * Cancels until every order in scope is over and both lists confirm it, or `isOver`. The caller prevents new orders. Begins at once;
   * `onEnd` is called once.
   */
  start(
    accountId: AccountId,
    { scope, deadlineMs, isBlind = defaultMassCancel.isBlind }: WantedMassCancel,
    isOver: () => boolean,
    onEnd: (result: MassCancelResult) => void,
  ): void {
    const { work, readLagMaxMs, ownership, mayRest } = this.#modules;
    const { marketId } = scope;
    const owned = ownership(accountId);
    if (owned === undefined) {
      onEnd(nothing);
      return;
    }
    massCancel(
      {
        scope,
        deadlineMs: deadlineMs ?? defaultMassCancel.deadlineMs + readLagMaxMs,
        readLagMaxMs,
        listsAfterMs: 0,
        isBlind,
      },
      {
        ...owned,
        clock: work.clock,
        after: work.after,
        lists: [(onList) => work.readAccount(accountId, onList), (onList) => work.listOrders(accountId, onList)],
        cancel: (order, onOutcome) =>
          work.cancel({ kind: "cancel", accountId, ...order }, null, ({ outcome }) => onOutcome(outcome)),
        cancelAll: (of, onOutcome) =>
          work.cancel({ kind: "cancelAll", accountId, marketId: of, fences: null }, null, ({ outcome }) =>
            onOutcome(outcome),
          ),
        unresolved: () => mayRest(accountId, marketId),
        isOver,
      },
      onEnd,
    );
  }
}
