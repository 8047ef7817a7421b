// Watches one account: since when the daemon has not turned or been able to act on it, and what is done about it.

import { type AccountId, type OrderId, orderId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { AccountAbility } from "../../decider/acting/ability.ts";
import { remainingLines } from "../../decider/acting/remaining-text.ts";
import type { LocklessCancelResult } from "../../execution/lockless-cancel.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Heartbeat } from "./heartbeat.ts";

export type AccountWatchOptions = {
  readonly accountId: AccountId;
  /** A daemon that can act and sends no heartbeat for this long counts as dead. */
  readonly silenceMs: number;
};

/** What the daemon reported of its orders. */
export type WatchedOrders = {
  /** Foreign ones that stay. */
  readonly keep: ReadonlySet<OrderId>;
  /** Its own that may rest. */
  readonly named: ReadonlySet<OrderId>;
};

export type AccountWatchModules = {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks the daemon for one more heartbeat, now. Never rejects. */
  readonly lookAgain: () => Promise<void>;
  /** Cancels every order of the account except those to keep, until none rests or it is over. Never rejects. */
  readonly massCancel: (
    account: AccountId,
    orders: WatchedOrders,
    isOver: () => boolean,
  ) => Promise<LocklessCancelResult>;
};

export class AccountWatch {
  readonly #options: AccountWatchOptions;
  readonly #modules: AccountWatchModules;
  #newest: Heartbeat | null = null;
  #orders: WatchedOrders = { keep: new Set(), named: new Set() };
  /** When the daemon last turned and could act, monotonic. */
  #heardMs: number;
  #isStopped = false;
  /** `stoodDown`: after a clean stop, with nothing resting. */
  #silence: "answering" | "silent" | "stoodDown" = "answering";
  #nextCancelMs = 0;
  #canceling: Promise<void> | null = null;

  constructor(options: AccountWatchOptions, modules: AccountWatchModules) {
    this.#options = options;
    this.#modules = modules;
    this.#heardMs = modules.clock.monotonicMs();
  }

  hear(beat: Heartbeat): void {
    const { clock, log } = this.#modules;
    const turned = beat.turns > 0 && beat.turns !== this.#newest?.turns;
    this.#newest = beat;
    // A starting daemon does not know its orders yet.
    if (beat.phase !== "starting")
      this.#orders = { keep: idsOf(beat.kept), named: idsOf(this.#own(beat)?.resting ?? []) };
    const ableAgoMs = turned ? this.#ableAgoMs(beat) : null;
    if (ableAgoMs === null) return;
    this.#heardMs = Math.max(this.#heardMs, clock.monotonicMs() - ableAgoMs);
    if (this.#silence === "answering" || this.#isSilent) return;
    this.#silence = "answering";
    this.#nextCancelMs = 0;
    log.warn(
      { event: "watchdog.back", ...this.#account, phase: beat.phase },
      `the daemon is running again (${beat.phase})`,
    );
  }

  /** Cancels once the silence has lasted, and repeats while it goes on. */
  look(): void {
    if (!this.#isSilent || this.#canceling !== null || this.#silence === "stoodDown") return;
    if (this.#modules.clock.monotonicMs() < this.#nextCancelMs) return;
    this.#canceling = this.#cancelAll().finally(() => {
      this.#canceling = null;
    });
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#canceling;
  }

  get #silentMs(): number {
    return this.#modules.clock.monotonicMs() - this.#heardMs;
  }

  get #isSilent(): boolean {
    return this.#silentMs >= this.#options.silenceMs;
  }

  get #account(): { readonly account: string } {
    return { account: `${this.#options.accountId}` };
  }

  /** How long ago it could certainly act; null: it cannot. */
  #ableAgoMs(beat: Heartbeat): number | null {
    const own = this.#own(beat);
    if (own === undefined) return 0;
    return own.cancelsSucceed && own.keyLeftMs !== 0 ? own.answeredAgoMs : null;
  }

  async #cancelAll(): Promise<void> {
    const { massCancel, clock, lookAgain } = this.#modules;
    await lookAgain();
    if (this.#isStopped || !this.#isSilent) return;
    const isNew = this.#silence === "answering";
    if (isNew) this.#sayItBegan();
    this.#silence = "silent";
    const isOver = (): boolean => this.#isStopped || this.#silence === "answering";
    const result = await massCancel(this.#options.accountId, this.#orders, isOver);
    if (isOver()) return;
    // Transactions under way when the daemon died may land late: check again.
    if (this.#say(result, isNew)) this.#nextCancelMs = clock.monotonicMs() + this.#options.silenceMs;
  }

  #sayItBegan(): void {
    const { log } = this.#modules;
    const silentMs = this.#silentMs;
    const silentSec = Math.round(silentMs / 1000);
    if (this.#isCleanStop()) {
      const text = "the daemon stopped; looking whether anything rests";
      log.info({ event: "watchdog.stopped", ...this.#account }, text);
      return;
    }
    const why = this.#inability() ?? `no turn of the daemon for ${silentSec} s`;
    log.error({ event: "watchdog.silent", ...this.#account, silentMs }, `${why}: canceling everything`);
  }

  /** What its newest heartbeat says that it cannot do, a sentence; null: nothing. */
  #inability(): string | null {
    const { accountId, silenceMs } = this.#options;
    const own = this.#newest === null ? undefined : this.#own(this.#newest);
    if (own === undefined || this.#newest?.phase !== "trading") return null;
    if (own.keyLeftMs === 0) return `the daemon's key may not act on account ${accountId}`;
    if (!own.cancelsSucceed) return `the daemon's cancels on account ${accountId} fail`;
    if (own.answeredAgoMs === null || own.answeredAgoMs < silenceMs) return null;
    return `the exchange has not answered the daemon for ${Math.round(own.answeredAgoMs / 1000)} s`;
  }

  /** Returns whether nothing rests. */
  #say(result: LocklessCancelResult, isNew: boolean): boolean {
    const { log } = this.#modules;
    const remaining = remainingLines(this.#options.accountId, result);
    const { canceled } = result;
    if (remaining.length > 0) {
      const text = `orders may still rest, trying again: ${remaining.join("; ")}`;
      log.error({ event: "watchdog.failed", ...this.#account, remaining }, text);
      return false;
    }
    const facts = { event: "watchdog.canceled", ...this.#account, canceled };
    if (canceled > 0) log.error(facts, `${canceled} orders canceled; nothing rests`);
    else if (this.#isCleanStop()) {
      this.#silence = "stoodDown";
      const text = "nothing rests; standing down until a daemon runs again";
      log.info({ event: "watchdog.standsDown", ...this.#account }, text);
    } else if (isNew) log.warn(facts, "nothing rests; still watching");
    return true;
  }

  #own({ accounts }: Heartbeat): AccountAbility | undefined {
    return accounts.find(({ accountId }) => accountId === `${this.#options.accountId}`);
  }

  /** Its last heartbeat said that it was stopping: it cancels its own orders. */
  #isCleanStop(): boolean {
    return this.#newest?.phase === "stopping";
  }
}

const idsOf = (texts: readonly string[]): ReadonlySet<OrderId> => new Set(texts.map((text) => orderId(BigInt(text))));
