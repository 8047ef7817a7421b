// Detects others acting on a live account: orders and fills that none of our transactions made, and orders of ours that another key
// canceled. Neither may go unnoticed: a second daemon would trade against this one. Changes found after a gap are no sign of anything: the
// account resynchronizes.

import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { ExecutionEvent } from "../../../domain/event.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { Latch } from "../../../domain/latch.ts";
import type { AccountId } from "../../../domain/units.ts";
import { type Clocks, instantOf } from "../../../kernel/clock.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { BotState } from "../../account/account-state.ts";
import { resyncOf } from "../../account/resync-reasons.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { FoldEffect } from "../fold.ts";
import type { Readings } from "../input.ts";
import type { Say } from "../notice.ts";
import { OwnCancels } from "./own-cancels.ts";

export type ForeignActivityModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly clock: Clocks;
  readonly log: Say;
  /** As configured: an unanswered transaction may land for this long. */
  readonly landingBoundMs: number;
  /** Another node of the fleet may hold the account by now; activity there is then its own. */
  readonly readings: () => Pick<Readings, "isElsewhere">;
};

type EffectOf<K extends FoldEffect["kind"]> = Extract<FoldEffect, { readonly kind: K }>;

/** The exchange's reason for a cancel that a key asked for (S6.2); for other reasons the exchange itself canceled. */
const BY_KEY = "UserCanceled";

export class ForeignActivity {
  readonly #modules: ForeignActivityModules;
  readonly #own: OwnCancels;

  constructor(modules: ForeignActivityModules) {
    this.#modules = modules;
    this.#own = new OwnCancels(modules.landingBoundMs);
  }

  /** Call it at the start with the unanswered transactions of earlier runs. */
  recall(intents: readonly StoredIntent[]): void {
    this.#own.recall(intents, instantOf(this.#modules.clock));
  }

  /** Call it at the start with the earlier holders of the account. */
  expect(accountId: AccountId, holders: readonly EarlierHolder[]): void {
    for (const { untilMs } of holders) this.#own.expect(accountId, untilMs);
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    this.#own.note(event);
  }

  foreign({ accountId, marketId, orderId, what }: EffectOf<"foreign">): void {
    this.#modules.desks.get(accountId)?.records.foreignOrder(orderId);
    const found = what === "order" ? "an order" : "a fill of an order";
    const reason = `${found} that none of our transactions made: order ${orderId} in market ${marketId}`;
    this.#halt(accountId, reason, { orderId, marketId });
  }

  /** Halts the account when somebody else canceled an order of ours. */
  ended({ accountId, order, why, reason }: EffectOf<"orderEnded">): void {
    const { state, clock } = this.#modules;
    const { orderId, marketId, isForeign } = order;
    const account = state.accounts.get(accountId);
    if (isForeign || orderId === null || account === undefined || why !== "canceled" || reason !== BY_KEY) return;
    const isLive = state.stream.connected && resyncOf(account, marketId) === undefined;
    if (!isLive || this.#own.explains(accountId, order, clock.monotonicMs())) return;
    const text = `order ${orderId} in market ${marketId} was canceled by another key: a watchdog, a person or a second daemon`;
    this.#halt(accountId, text, { orderId, marketId });
  }

  #halt(accountId: AccountId, reason: string, numbers: Facts): void {
    const { desks, clock, log, readings } = this.#modules;
    const desk = desks.get(accountId);
    if (desk === undefined || desk.isHalted()) return;
    if (!readings().isElsewhere) desk.trip(foreignLatch(accountId, reason, numbers), clock.wallMs());
    else
      log.warn(
        { event: "fleet.elsewhere", account: `${accountId}` },
        `account ${accountId}: ${reason}; the lease of this node is over, so another node may hold the account: nothing is halted`,
      );
  }
}

export const foreignLatch = (accountId: AccountId, reason: string, numbers: Facts): Latch => ({
  kind: "foreignActivity",
  accountId,
  marketId: null,
  holds: "halted",
  reason,
  numbers,
});
