// The watchdog: a process of its own, with a key of its own, that listens to the daemon's heartbeat and cancels everything when it falls
// silent. The exchange has no dead man's switch, so this is ours. A clean stop stands it down, once the exchange shows nothing.

import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Pauses } from "../../execution/pauses.ts";
import type { Log } from "../../telemetry/log.ts";
import { survivorLines } from "../operator/clearing.ts";
import type { Swept } from "../operator/sweep.ts";
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
  /** Cancels everything of the account until nothing rests, or it is over. Never rejects. */
  readonly sweep: (account: AccountId, isOver: () => boolean) => Promise<Swept>;
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
  #nextSweepMs = 0;
  #sweeping: Promise<void> | null = null;

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
    await this.#sweeping;
  }

  stop(): void {
    this.#isStopped = true;
    this.#pauses.end();
  }

  #hear(beat: Heartbeat): void {
    const { clock, log } = this.#modules;
    // A process that comes up has turned when it has turned once.
    const moved = beat.turns > 0 && beat.turns !== this.#newest?.turns;
    this.#newest = beat;
    if (!moved) return;
    this.#heardMs = clock.monotonicMs();
    if (this.#silence === "heard") return;
    this.#silence = "heard";
    this.#nextSweepMs = 0;
    log.warn({ event: "watchdog.back", phase: beat.phase }, `the daemon turns again (${beat.phase})`);
  }

  #act(silentMs: number): void {
    const { clock } = this.#modules;
    if (this.#sweeping !== null || this.#silence === "stoodDown" || clock.monotonicMs() < this.#nextSweepMs) return;
    const isNew = this.#silence === "heard";
    if (isNew) this.#sayItBegan(silentMs);
    this.#silence = "silent";
    this.#sweeping = this.#sweepAll(isNew).finally(() => {
      this.#sweeping = null;
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

  async #sweepAll(isNew: boolean): Promise<void> {
    const { log, sweep, clock } = this.#modules;
    const isOver = (): boolean => this.#isStopped || this.#silence === "heard";
    const swept = await Promise.all(
      this.#options.accounts.map(async (account) => ({ account, result: await sweep(account, isOver) })),
    );
    if (isOver()) return;
    const survivors = swept.flatMap(({ account, result }) => survivorLines(account, result));
    const canceled = swept.reduce((sum, { result }) => sum + result.canceled, 0);
    if (survivors.length > 0) {
      log.error(
        { event: "watchdog.failed", survivors },
        `orders may still rest, trying again: ${survivors.join("; ")}`,
      );
    } else if (canceled === 0 && this.#isCleanStop()) {
      this.#silence = "stoodDown";
      log.info({ event: "watchdog.standsDown" }, "nothing rests; standing down until a daemon turns again");
    } else {
      // What was under way when the daemon died may land late: it is looked for again.
      this.#nextSweepMs = clock.monotonicMs() + this.#options.silenceMs;
      if (canceled > 0)
        log.error({ event: "watchdog.canceled", canceled }, `${canceled} orders canceled; nothing rests`);
      else if (isNew) log.warn({ event: "watchdog.canceled", canceled }, "nothing rests; still watching");
    }
  }

  /** The last thing that was heard is that it was stopping: it canceled by itself. */
  #isCleanStop(): boolean {
    return this.#newest?.phase === "stopping";
  }
}
