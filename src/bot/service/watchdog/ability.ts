// Whether the daemon can act on its accounts: when the exchange last answered, whether cancels get through, and until when the key may
// act. The heartbeat carries it, and for a watchdog inability is silence: what it cancels then is found by a resync.

import type { Command } from "../../../domain/command.ts";
import type { ExecutionEvent, SubmitOutcome } from "../../../domain/event.ts";
import type { AccountId, MarketId, OrderId } from "../../../domain/units.ts";
import { type Clock, type Instant, instantOf, passedMs } from "../../../kernel/clock.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { chainTimeMs } from "../../market/time.ts";
import { isImplausibleRead, type VenueReads } from "../../venue/port.ts";
import type { AccountAbility } from "./heartbeat.ts";

export type AbilityOptions = {
  /** After so long without a beat of a daemon that can act, the watchdog cancels. */
  readonly silenceMs: number;
};

export type AbilityModules = { readonly state: BotState; readonly clock: Clock };

type Known = {
  /** When the daemon last could act for certain, monotonic. */
  ableMs: number;
  /** Orders that a cancel did not reach, and that are not wanted, with the market of each. */
  readonly failing: Map<OrderId, MarketId | null>;
};

export class Ability {
  readonly #knownAfterMs: number;
  readonly #modules: AbilityModules;
  readonly #accounts = new Map<AccountId, Known>();
  /** When the exchange last answered; null: it has not. */
  #answered: Instant | null = null;
  #isUnable = false;

  constructor({ silenceMs }: AbilityOptions, modules: AbilityModules) {
    this.#modules = modules;
    // The watchdog's clock and ours began at different beats.
    this.#knownAfterMs = silenceMs / 2;
    const ableMs = modules.clock.monotonicMs();
    for (const accountId of modules.state.accounts.keys())
      this.#accounts.set(accountId, { ableMs, failing: new Map() });
  }

  /** Call it when the exchange has answered a read. */
  answered(): void {
    this.#answered = instantOf(this.#modules.clock);
  }

  /**
   * The same reads. An answer counts, whoever asked, and an implausible one too. It does not count where every field may be missing: a broken
   * proxy's `{}` passes for it.
   */
  hearing(reads: VenueReads): VenueReads {
    const heard =
      <Of extends readonly unknown[], Fact>(read: (...of: Of) => Promise<Fact>) =>
      async (...of: Of): Promise<Fact> => {
        try {
          const fact = await read(...of);
          this.answered();
          return fact;
        } catch (thrown) {
          if (isImplausibleRead(thrown)) this.answered();
          throw thrown;
        }
      };
    return {
      node: heard(reads.node),
      marketIds: heard(reads.marketIds),
      market: heard(reads.market),
      oracle: heard(reads.oracle),
      oracleHistory: heard(reads.oracleHistory),
      book: heard(reads.book),
      funding: heard(reads.funding),
      trades: heard(reads.trades),
      feeTiers: heard(reads.feeTiers),
      openOrderCap: reads.openOrderCap,
      account: heard(reads.account),
      ownedAccounts: reads.ownedAccounts,
      orders: heard(reads.orders),
      positions: heard(reads.positions),
      rateLimit: reads.rateLimit,
    };
  }

  /** Call it with everything that is sent and answered. */
  note(event: ExecutionEvent): void {
    if (event.kind === "answered") this.#noteAnswer(event);
  }

  /** Call it with all commands of a turn. A failed cancel no longer counts once a turn leaves its order where it rests. */
  wants(accountId: AccountId, marketId: MarketId, commands: readonly Command[]): void {
    const { failing } = this.#accounts.get(accountId) ?? {};
    if (failing === undefined || failing.size === 0) return;
    const canceled = new Set(commands.flatMap((command) => (command.kind === "cancel" ? [command.orderId] : [])));
    for (const { orderId, state, isForeign } of this.#accountOf(accountId)?.orders.inMarket(marketId) ?? []) {
      // A turn does not ask for the end of a foreign order, nor again for that of one whose cancel is on its way.
      if (orderId === null || isForeign || state !== "working" || canceled.has(orderId)) continue;
      failing.delete(orderId);
    }
  }

  /** To be called ten times a second. True when it turns out that it could not act on an account for so long that a watchdog may act there. */
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

  /** For the heartbeat. */
  show(): readonly AccountAbility[] {
    const answeredAgoMs =
      this.#answered === null ? null : Math.round(passedMs(this.#answered, instantOf(this.#modules.clock)));
    return [...this.#accounts.keys()].map((accountId) => ({
      accountId: `${accountId}`,
      answeredAgoMs,
      cancelsSucceed: this.#cancelsSucceed(accountId),
      keyLeftMs: this.#keyLeftMs(accountId),
      resting: this.#restingIds(accountId),
    }));
  }

  #mayAct(accountId: AccountId): boolean {
    return this.#cancelsSucceed(accountId) && this.#keyLeftMs(accountId) !== 0;
  }

  #noteAnswer({ command, outcome }: Extract<ExecutionEvent, { readonly kind: "answered" }>): void {
    if (isOfTheExchange(outcome)) this.answered();
    const { failing } = this.#accounts.get(command.accountId) ?? {};
    if (failing === undefined) return;
    const isExecuted = outcome.kind === "executed";
    if (command.kind === "cancelAll" && isExecuted) {
      // Whatever rested there is gone, and cancels get through.
      for (const [orderId, marketId] of failing)
        if (command.marketId === null || command.marketId === marketId) failing.delete(orderId);
    } else if (command.kind === "cancel") {
      // A refusal was executed: a cancel gets through, and the order is gone.
      if (isExecuted || outcome.kind === "refused") failing.delete(command.orderId);
      else failing.set(command.orderId, command.marketId);
    }
  }

  /** An order that rests no longer needs no cancel. */
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

  #keyLeftMs(accountId: AccountId): number | null {
    const { state, clock } = this.#modules;
    const account = this.#accountOf(accountId);
    if (account === undefined || account.read === null) return null;
    const agent = account.read.value.agents.find(({ pubkey }) => pubkey === account.agentPubkey);
    if (agent === undefined) return 0;
    if (agent.expiresAtSec === null) return null;
    const nowMs = chainTimeMs(state, clock.monotonicMs()) ?? clock.wallMs();
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

/** Whoever limits the rate or breaks the connection off stands before it. */
const isOfTheExchange = ({ kind }: SubmitOutcome): boolean =>
  kind === "executed" || kind === "refused" || kind === "rejected";
