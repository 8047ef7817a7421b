// The watchdog: a process of its own, with a key of its own, that listens to the daemon's heartbeat and cancels everything on an account
// when the daemon falls silent or can no longer act there. The exchange has no dead man's switch, so this is ours.

import type { AccountId } from "../../../domain/units.ts";
import { Pauses } from "../../execution/pauses.ts";
import { watchdogTiming } from "../../timing.ts";
import { AccountWatch, type AccountWatchModules } from "./account-watch.ts";
import type { Heartbeat } from "./heartbeat.ts";

export type WatchdogOptions = {
  /** Without a beat of a daemon that can act for so long it is taken for dead. */
  readonly silenceMs: number;
  readonly pollMs: number;
  readonly accounts: readonly AccountId[];
};

export type WatchdogModules = Omit<AccountWatchModules, "lookAgain"> & {
  /** Undefined when nothing answers within `timeoutMs`. Never rejects. */
  readonly heartbeat: (timeoutMs: number) => Promise<Heartbeat | undefined>;
};

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #modules: WatchdogModules;
  readonly #pauses: Pauses;
  readonly #watches: readonly AccountWatch[];
  #isStopped = false;

  constructor(options: WatchdogOptions, modules: WatchdogModules) {
    const { silenceMs, accounts } = options;
    this.#options = options;
    this.#modules = modules;
    this.#pauses = new Pauses(modules);
    const lookAgain = (): Promise<void> => this.#listen(watchdogTiming.lastLookMaxMs);
    this.#watches = accounts.map((accountId) => new AccountWatch({ accountId, silenceMs }, { ...modules, lookAgain }));
  }

  /** Watches until `stop`. A daemon that was never heard is as silent as one that died. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#listen(watchdogTiming.answerMaxMs);
      if (this.#isStopped) break;
      for (const watch of this.#watches) watch.look();
      await this.#pauses.wait(this.#options.pollMs);
    }
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  stop(): void {
    this.#isStopped = true;
    for (const watch of this.#watches) void watch.stop();
    this.#pauses.end();
  }

  async #listen(timeoutMs: number): Promise<void> {
    const beat = await this.#modules.heartbeat(Math.min(this.#options.silenceMs / 2, timeoutMs));
    if (beat !== undefined && !this.#isStopped) for (const watch of this.#watches) watch.hear(beat);
  }
}
