// The watchdog: a process of its own, with a key of its own, that listens to the daemon's heartbeat and cancels everything when it falls
// silent. The exchange has no dead man's switch, so this is ours. A clean stop stands it down, once the exchange shows nothing.

import { type AccountId, type OrderId, orderId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { LocklessCancelResult } from "../../execution/lockless-cancel.ts";
import { Pauses } from "../../execution/pauses.ts";
import type { Log } from "../../telemetry/log.ts";
import { remainingLines } from "../operator/halts.ts";
import type { Heartbeat } from "./heartbeat.ts";

export type WatchdogOptions = {
  /** Without a completed turn for so long the daemon is taken for dead. */
  readonly silenceMs: number;
  readonly pollMs: number;
  readonly accounts: readonly AccountId[];
};

export type WatchdogModules = {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined when nothing answers. Never rejects. */
  readonly heartbeat: () => Promise<Heartbeat | undefined>;
  /** Cancels every order of the account except those to keep, until none rests or it is over. Never rejects. */
  readonly massCancel: (
    account: AccountId,
    keep: ReadonlySet<OrderId>,
    isOver: () => boolean,
  ) => Promise<LocklessCancelResult>;
};

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #modules: WatchdogModules;
  readonly #pauses: Pauses;
  /** The newest heartbeat, and when its turns last moved, monotonic. */
  #newest: Heartbeat | null = null;
  #heardMs: number;
  #isStopped = false;
  /** `stoodDown`: after a clean stop, with nothing resting. */
  #silence: "heard" | "silent" | "stoodDown" = "heard";
  #nextCancelMs = 0;
  #canceling: Promise<void> | null = null;

  constructor(options: WatchdogOptions, modules: WatchdogModules) {
    this.#options = options;
    this.#modules = modules;
    this.#pauses = new Pauses(modules);
    this.#heardMs = modules.clock.monotonicMs();
  }

  /** Watches until `stop`. A daemon that was never heard is as silent as one that died. */
  async run(): Promise<void> {
    const { clock, heartbeat } = this.#modules;
    while (!this.#isStopped) {
      const beat = await heartbeat();
      if (this.#isStopped) break;
      if (beat !== undefined) this.#hear(beat);
      const silentMs = clock.monotonicMs() - this.#heardMs;
      if (silentMs >= this.#options.silenceMs) this.#act(silentMs);
      await this.#pauses.wait(this.#options.pollMs);
    }
    await this.#canceling;
  }

  stop(): void {
    this.#isStopped = true;
    this.#pauses.end();
  }

  #hear(beat: Heartbeat): void {
    const { clock, log } = this.#modules;
    // A process that comes up has turned when it has turned once.
    const moved = beat.turns > 0 && beat.turns !== this.#newest?.turns;
    // A daemon that starts does not know yet which orders stay.
    this.#newest = beat.phase === "starting" ? { ...beat, kept: this.#newest?.kept ?? [] } : beat;
    if (!moved) return;
    this.#heardMs = clock.monotonicMs();
    if (this.#silence === "heard") return;
    this.#silence = "heard";
    this.#nextCancelMs = 0;
    log.warn({ event: "watchdog.back", phase: beat.phase }, `the daemon turns again (${beat.phase})`);
  }

  #act(silentMs: number): void {
    const { clock } = this.#modules;
    if (this.#canceling !== null || this.#silence === "stoodDown" || clock.monotonicMs() < this.#nextCancelMs) return;
    const isNew = this.#silence === "heard";
    if (isNew) this.#sayItBegan(silentMs);
    this.#silence = "silent";
    this.#canceling = this.#cancelAll(isNew).finally(() => {
      this.#canceling = null;
    });
  }

  #sayItBegan(silentMs: number): void {
    const { log } = this.#modules;
    const silentSec = Math.round(silentMs / 1000);
    if (this.#isCleanStop())
      log.info({ event: "watchdog.stopped" }, "the daemon stopped; looking whether anything rests");
    else
      log.error(
        { event: "watchdog.silent", silentMs },
        `no turn of the daemon for ${silentSec} s: canceling everything`,
      );
  }

  async #cancelAll(isNew: boolean): Promise<void> {
    const { log, massCancel, clock } = this.#modules;
    const isOver = (): boolean => this.#isStopped || this.#silence === "heard";
    const keep = new Set((this.#newest?.kept ?? []).map((id) => orderId(BigInt(id))));
    const results = await Promise.all(
      this.#options.accounts.map(async (account) => ({ account, result: await massCancel(account, keep, isOver) })),
    );
    if (isOver()) return;
    const remaining = results.flatMap(({ account, result }) => remainingLines(account, result));
    const canceled = results.reduce((sum, { result }) => sum + result.canceled, 0);
    if (remaining.length > 0) {
      log.error(
        { event: "watchdog.failed", remaining },
        `orders may still rest, trying again: ${remaining.join("; ")}`,
      );
    } else if (canceled === 0 && this.#isCleanStop()) {
      this.#silence = "stoodDown";
      log.info({ event: "watchdog.standsDown" }, "nothing rests; standing down until a daemon turns again");
    } else {
      // What was under way when the daemon died may land late: it is looked for again.
      this.#nextCancelMs = clock.monotonicMs() + this.#options.silenceMs;
      if (canceled > 0)
        log.error({ event: "watchdog.canceled", canceled }, `${canceled} orders canceled; nothing rests`);
      else if (isNew) log.warn({ event: "watchdog.canceled", canceled }, "nothing rests; still watching");
    }
  }

  /** Its last heartbeat said that it was stopping: it cancels its own orders. */
  #isCleanStop(): boolean {
    return this.#newest?.phase === "stopping";
  }
}
