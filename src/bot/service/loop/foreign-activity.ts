// Signs that somebody else acts on the account: orders and fills that none of our transactions made, and orders of ours that another key
// canceled. Neither may go on unseen: a second daemon trades against this one, and a watchdog cancels what it took for orphaned. Only what
// the watchdog canceled while this daemon knew that it could not act is no news.

import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { ExecutionEvent } from "../../../domain/event.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { Latch } from "../../../domain/latch.ts";
import type { AccountId, OrderId } from "../../../domain/units.ts";
import { type Clock, instantOf } from "../../../kernel/clock.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { isTradedUnseen } from "../../feed/account/newness.ts";
import type { FeedEffect } from "../../feed/effects.ts";
import { chainTimeMs } from "../../feed/market/chain-clock.ts";
import type { FeedState } from "../../feed/state.ts";
import type { Log } from "../../telemetry/log.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Ability } from "../watchdog/ability.ts";
import { OwnCancels } from "./own-cancels.ts";
import type { Absence, StallDetector } from "./stall-detector.ts";

export type ForeignActivityModules = {
  readonly state: FeedState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly clock: Clock;
  readonly log: Log;
  readonly ability: Pick<Ability, "lackedFor">;
  readonly stalls: StallDetector;
  /** As configured: a transaction that nobody answered may land for so long. */
  readonly landingBoundMs: number;
  /** Another node of the fleet may hold the account by now: what happens there is its doing. */
  readonly isElsewhere: () => boolean;
};

type EffectOf<K extends FeedEffect["kind"]> = Extract<FeedEffect, { readonly kind: K }>;

/** The word of the exchange for a cancel that a key asked for (S6.2); its other words are its own doing. */
const BY_KEY = "UserCanceled";

export class ForeignActivity {
  readonly #modules: ForeignActivityModules;
  readonly #own: OwnCancels;
  /** Ended while our own cancel of it was out, or while we were away: an answer or a read of the market will tell who did it. */
  readonly #undecided = new Map<OrderId, EffectOf<"orderEnded">>();
  /** Ended while our own modify of it was out, which may be a cancel and a new order: its answer will tell. */
  readonly #modifying = new Map<OrderId, EffectOf<"orderEnded">>();

  constructor(modules: ForeignActivityModules) {
    this.#modules = modules;
    this.#own = new OwnCancels(modules.landingBoundMs);
  }

  /** Call it at the start with what earlier lives sent and nobody answered. */
  recall(intents: readonly StoredIntent[]): void {
    const { clock } = this.#modules;
    this.#own.recall(intents, instantOf(clock));
  }

  /** Call it at the start with those who held the account before. */
  expect(accountId: AccountId, holders: readonly EarlierHolder[]): void {
    for (const { untilMs } of holders) this.#own.expect(accountId, untilMs);
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    this.#own.note(event);
    if (event.kind !== "answered") return;
    const { command, outcome } = event;
    if (command.kind === "cancel") {
      const ended = this.#undecided.get(command.orderId);
      if (ended !== undefined) this.#judge(ended);
    } else if (command.kind === "modify") {
      const ended = this.#modifying.get(command.orderId);
      this.#modifying.delete(command.orderId);
      const mayHaveLanded = outcome.kind === "executed" || outcome.kind === "unknown";
      if (ended !== undefined && !mayHaveLanded) this.#judgeEnd(ended);
    }
  }

  foreign({ accountId, marketId, orderId, what }: EffectOf<"foreign">): void {
    this.#modules.desks.get(accountId)?.records.foreignOrder(orderId);
    const found = what === "order" ? "an order" : "a fill of an order";
    const reason = `${found} that none of our transactions made: order ${orderId} in market ${marketId}`;
    this.#halt(accountId, reason, { orderId, marketId });
  }

  /** Call it after every read, once it is folded. */
  read(): void {
    for (const ended of this.#undecided.values()) this.#judge(ended);
  }

  /** An order of ours that somebody else canceled halts the account, unless it is halted already. */
  ended(effect: EffectOf<"orderEnded">): void {
    const { orderId, isForeign, pending } = effect.order;
    if (isForeign || orderId === null) return;
    if (pending === null) this.#judgeEnd(effect);
    else this.#modifying.set(orderId, effect);
  }

  #judgeEnd(effect: EffectOf<"orderEnded">): void {
    const { why, reason } = effect;
    const went = why === "vanished" && this.#wentWhileAway(effect);
    if (went || (why === "canceled" && reason === BY_KEY)) {
      this.#judge(effect);
    }
  }

  #judge(effect: EffectOf<"orderEnded">): void {
    const { accountId, order, why } = effect;
    const { orderId, marketId } = order;
    if (orderId === null) return;
    const ours = this.#own.explains(accountId, order, this.#goneSinceMs(effect));
    const ofTheMarket = why === "vanished" ? this.#wasCleared(effect) : "no";
    if (ours === "open" || (ours === "no" && ofTheMarket === "open")) {
      this.#undecided.set(orderId, effect);
      return;
    }
    this.#undecided.delete(orderId);
    if (ours === "yes" || ofTheMarket === "yes" || this.#isOfTheWatchdog(effect)) return;
    const how = why === "canceled" ? "was canceled by another key" : "was canceled while this process stood still";
    const text = `order ${orderId} in market ${marketId} ${how}: a watchdog, or a person, took this daemon for dead`;
    this.#halt(accountId, text, { orderId, marketId });
  }

  /** The daemon knew that it could not act, and the account has a watchdog: that did what it is for, and there is nothing to halt for. */
  #isOfTheWatchdog({ accountId, order, goneMs }: EffectOf<"orderEnded">): boolean {
    const { desks, ability, log } = this.#modules;
    const hasWatchdog = (desks.get(accountId)?.quoted.watchdogKeyFile ?? null) !== null;
    if (!hasWatchdog || !ability.lackedFor(accountId, order, goneMs)) return false;
    log.warn(
      { event: "watchdog.acted", account: `${accountId}`, market: order.marketId },
      `order ${order.orderId} was canceled while this daemon could not act: by the watchdog; going on`,
    );
    return true;
  }

  /** No frame showed it, we were away, and it was not filled: the account has traded nothing since but what our fills show. */
  #wentWhileAway(effect: EffectOf<"orderEnded">): boolean {
    const account = this.#modules.state.accounts.get(effect.accountId);
    const away = this.#absenceOf(effect);
    return account !== undefined && away !== null && !isTradedUnseen(account, away.backMs);
  }

  /** When it may have gone at the earliest, monotonic ms: of what happened while we were away we hear afterwards. */
  #goneSinceMs(effect: EffectOf<"orderEnded">): number {
    return this.#absenceOf(effect)?.sinceMs ?? effect.goneMs;
  }

  /** The absence in which it may have gone; null: none. */
  #absenceOf({ order: { nonce }, goneMs }: EffectOf<"orderEnded">): Absence | null {
    const { state, stalls } = this.#modules;
    const away = stalls.absenceBefore(goneMs);
    if (away === null || nonce === null) return null;
    // Nonces are chain time (S5), as it was taken to be then: what was placed after we were back did not go while we were away. We placed
    // nothing meanwhile, so the middle divides best. Without a nonce it may have been listed by a read that was old.
    const backChainMs = chainTimeMs(state, away.backMs);
    return backChainMs !== null && Number(nonce) > backChainMs - away.forMs / 2 ? null : away;
  }

  /**
   * Whether the exchange itself took the order, with all others of its market, for another tick. `open`: the market is yet to be read.
   * A tick that was known before the absence explains nothing: it took no order that rested later.
   */
  #wasCleared({ order: { marketId, nonce }, goneMs }: EffectOf<"orderEnded">): "yes" | "no" | "open" {
    const { state, stalls } = this.#modules;
    const backMs = stalls.absenceBefore(goneMs)?.backMs ?? null;
    if (backMs === null) return "no";
    const { market = null, clearedMs = null } = state.markets.get(marketId) ?? {};
    if (market === null || market.askedMs < backMs) return "open";
    if (clearedMs === null || clearedMs < backMs) return "no";
    const clearedChainMs = chainTimeMs(state, clearedMs);
    return nonce === null || clearedChainMs === null || Number(nonce) <= clearedChainMs ? "yes" : "no";
  }

  #halt(accountId: AccountId, reason: string, numbers: Facts): void {
    const { desks, clock, log, isElsewhere } = this.#modules;
    const desk = desks.get(accountId);
    if (desk === undefined || desk.isHalted()) return;
    if (!isElsewhere()) desk.trip(foreignLatch(accountId, reason, numbers), clock.wallMs());
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
