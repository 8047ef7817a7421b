// Whether the daemon can act on its accounts: when the exchange last answered, whether cancels get through, and until when the key may
// act. The heartbeat carries it. A watchdog treats inability like silence; a resync later finds what the watchdog canceled.

import type { Command } from "../../../domain/command.ts";
import type { ExecutionEvent, SubmitOutcome, VenueEvent } from "../../../domain/event.ts";
import type { AccountId, MarketId, OrderId } from "../../../domain/units.ts";
import { type Clocks, type Instant, instantOf, passedMs } from "../../../kernel/clock.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { chainTimeMs } from "../../market/time.ts";

/** Whether the daemon can act on an account. All times are durations, so two clocks need not agree. */
export type AccountAbility = {
  /** Decimal text. */
  readonly accountId: string;
  /** Time since the exchange's last answer; null: none yet. */
  readonly answeredAgoMs: number | null;
  /** False while an unwanted order of ours rests that a cancel failed to remove. */
  readonly cancelsSucceed: boolean;
  /** Time until the agent key expires; 0: it may not act. Null: it never expires, or the account was not read yet. */
  readonly keyLeftMs: number | null;
  /** Ids of orders of ours that may rest, decimal text: the watchdog's reads may be too old to list them. */
  readonly resting: readonly string[];
};

export type AbilityOptions = {
  /** The watchdog cancels when it hears nothing for this long from a daemon that can act. */
  readonly silenceMs: number;
};

export type AbilityModules = { readonly state: BotState; readonly clock: Clocks };

type Known = {
  /** When the daemon could last act for certain, monotonic. */
  ableMs: number;
  /** Unwanted orders that a cancel did not reach, with their markets. */
  readonly failing: Map<OrderId, MarketId | null>;
};

/** Reads that prove that the exchange answers. Those whose fields are all optional do not: a broken proxy's `{}` passes for one. */
const provesAnswer: ReadonlySet<VenueEvent["kind"]> = new Set([
  "marketRead",
  "oracleRead",
  "oracleHistoryRead",
  "bookRead",
  "fundingRead",
  "accountRead",
  "ordersRead",
  "tradesRead",
  "feeTiersRead",
]);

export class Ability {
  readonly #knownAfterMs: number;
  readonly #modules: AbilityModules;
  readonly #accounts = new Map<AccountId, Known>();
  /** When the exchange last answered; null: never. */
  #answered: Instant | null = null;
  #isUnable = false;

  constructor({ silenceMs }: AbilityOptions, modules: AbilityModules) {
    this.#modules = modules;
    // The watchdog's clock and ours started at different beats.
    this.#knownAfterMs = silenceMs / 2;
    const ableMs = modules.clock.monotonicMs();
    for (const accountId of modules.state.accounts.keys())
      this.#accounts.set(accountId, { ableMs, failing: new Map() });
  }

  /** Call it when the exchange has answered a read, even implausibly. */
  answered(): void {
    this.#answered = instantOf(this.#modules.clock);
  }

  /** Call it with each event before it is folded. */
  note(event: VenueEvent): void {
    if (event.kind === "answered") this.#noteAnswer(event);
    else if (provesAnswer.has(event.kind)) this.answered();
  }

  /** Call it with all commands of a turn. A failed cancel no longer counts once a turn leaves its order where it is. */
  wants(accountId: AccountId, marketId: MarketId, commands: readonly Command[]): void {
    const { failing } = this.#accounts.get(accountId) ?? {};
    if (failing === undefined || failing.size === 0) return;
    const canceled = new Set(commands.flatMap((command) => (command.kind === "cancel" ? [command.orderId] : [])));
    for (const { orderId, state, isForeign } of this.#accountOf(accountId)?.orders.inMarket(marketId) ?? []) {
      // A turn neither cancels a foreign order nor repeats a cancel that is on its way.
      if (orderId === null || isForeign || state !== "working" || canceled.has(orderId)) continue;
      failing.delete(orderId);
    }
  }

  /** Call it ten times a second. True: the daemon could not act on an account for so long that a watchdog may have acted there. */
  tick(): boolean {
    const nowMs = this.#modules.clock.monotonicMs();
    let unableMs = 0;
    for (const [accountId, known] of this.#accounts) {
      this.#forgetGone(accountId, known.failing);
      if (this.#mayAct(accountId)) known.ableMs = Math.max(known.ableMs, this.#answered?.monotonicMs ?? 0);
      unableMs = Math.max(unableMs, nowMs - known.ableMs);
    }
    const wasUnable = this.#isUnable;
    this.#isUnable = unableMs >= this.#knownAfterMs;
    return this.#isUnable && !wasUnable;
  }

  show(now: Instant): readonly AccountAbility[] {
    const answeredAgoMs = this.#answered === null ? null : Math.round(passedMs(this.#answered, now));
    return [...this.#accounts.keys()].map((accountId) => ({
      accountId: `${accountId}`,
      answeredAgoMs,
      cancelsSucceed: this.#cancelsSucceed(accountId),
      keyLeftMs: this.#keyLeftMs(accountId, now),
      resting: this.#restingIds(accountId),
    }));
  }

  #mayAct(accountId: AccountId): boolean {
    return this.#cancelsSucceed(accountId) && this.#keyLeftMs(accountId, instantOf(this.#modules.clock)) !== 0;
  }

  #noteAnswer({ command, outcome }: Extract<ExecutionEvent, { readonly kind: "answered" }>): void {
    if (isOfTheExchange(outcome)) this.answered();
    const { failing } = this.#accounts.get(command.accountId) ?? {};
    if (failing === undefined) return;
    const isExecuted = outcome.kind === "executed";
    if (command.kind === "cancelAll" && isExecuted) {
      // Nothing rests there now, and cancels get through.
      for (const [orderId, marketId] of failing)
        if (command.marketId === null || command.marketId === marketId) failing.delete(orderId);
    } else if (command.kind === "cancel") {
      // A refusal was executed: a cancel gets through, and the order no longer rests.
      if (isExecuted || outcome.kind === "refused") failing.delete(command.orderId);
      else failing.set(command.orderId, command.marketId);
    }
  }

  /** An order that no longer rests needs no cancel. */
  #forgetGone(accountId: AccountId, failing: Map<OrderId, MarketId | null>): void {
    if (failing.size === 0) return;
    const resting = new Set(Array.from(this.#accountOf(accountId)?.orders.resting() ?? [], ({ orderId }) => orderId));
    for (const orderId of failing.keys()) if (!resting.has(orderId)) failing.delete(orderId);
  }

  #cancelsSucceed(accountId: AccountId): boolean {
    const known = this.#accounts.get(accountId);
    const account = this.#accountOf(accountId);
    if (known === undefined || account === undefined || known.failing.size === 0) return true;
    return [...account.orders.resting()].every(({ orderId }) => orderId === null || !known.failing.has(orderId));
  }

  #keyLeftMs(accountId: AccountId, now: Instant): number | null {
    const { state } = this.#modules;
    const account = this.#accountOf(accountId);
    if (account === undefined || account.read === null) return null;
    const agent = account.read.value.agents.find(({ pubkey }) => pubkey === account.agentPubkey);
    if (agent === undefined) return 0;
    if (agent.expiresAtSec === null) return null;
    // Either clock may be wrong.
    const nowMs = Math.max(chainTimeMs(state, now.monotonicMs) ?? Number.NEGATIVE_INFINITY, now.wallMs);
    return Math.max(0, Math.round(agent.expiresAtSec * 1000 - nowMs));
  }

  #restingIds(accountId: AccountId): readonly string[] {
    const resting = [...(this.#accountOf(accountId)?.orders.resting() ?? [])];
    return resting.flatMap(({ orderId, isForeign }) => (orderId === null || isForeign ? [] : [`${orderId}`]));
  }

  #accountOf(accountId: AccountId): AccountState | undefined {
    return this.#modules.state.accounts.get(accountId);
  }
}

/** Rejections by a rate limiter and broken connections do not come from the exchange itself. */
const isOfTheExchange = ({ kind }: SubmitOutcome): boolean =>
  kind === "executed" || kind === "refused" || kind === "rejected";
