// The bot on its simulated machine: the production composition over a simulated disk, clock and network, started, killed and restarted as a
// supervisor would.

import type { BotConfig } from "../bot/config/config.ts";
import { type AgentKey, agentKeyOf } from "../bot/execution/agent-key.ts";
import type { LedgerEngine } from "../bot/ledger/store.ts";
import type { Recorder } from "../bot/recording/recorder.ts";
import { type Bot, startBot } from "../bot/service/lifecycle/bot.ts";
import type { HttpAnswer, HttpRequest, Routes } from "../bot/telemetry/http.ts";
import { createLog } from "../bot/telemetry/log.ts";
import type { LogLevel } from "../bot/telemetry/log-level.ts";
import { createMetrics, type Metrics } from "../bot/telemetry/metrics.ts";
import type { Venue } from "../bot/venue/port.ts";
import type { AccountId } from "../domain/units.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import type { Prng } from "../kernel/prng.ts";
import type { VirtualClock } from "../kernel/virtual-clock.ts";
import type { Signer } from "../wire/signing.ts";
import type { ProcessRun } from "./process-run.ts";

export type DaemonOptions = {
  readonly accountId: AccountId;
  /** Wait before the next start after a failed one, ms. */
  readonly retryMs: number;
  readonly logLevel: LogLevel;
};

export type DaemonModules = {
  readonly world: VirtualClock;
  readonly newProcessRun: () => ProcessRun;
  readonly venueOf: (processRun: ProcessRun) => Venue;
  readonly openLedger: () => LedgerEngine;
  readonly prng: Prng;
  readonly config: () => BotConfig;
  /** The current key in the account's file. */
  readonly key: () => Signer;
  /** Replaces the started bot, for tests. */
  readonly swap: (bot: Bot) => Bot;
  /** Makes a recorder for each run; absent: no recording. */
  readonly record?: ((clock: Clock) => Recorder) | undefined;
  readonly onLog: (line: string) => void;
  readonly onEvent: (event: string) => void;
};

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #modules: DaemonModules;
  #processRun: ProcessRun;
  #bot: Bot | null = null;
  #routes: Routes | null = null;
  #metrics: Metrics | null = null;
  #retry: Timer | null = null;
  #reloadedMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  /** Called if an edit that came during the start is refused; null: there was none. */
  #keptEdit: ((error: unknown) => void) | null = null;

  constructor(options: DaemonOptions, modules: DaemonModules) {
    this.#options = options;
    this.#modules = modules;
    this.#processRun = modules.newProcessRun();
    this.#processRun.end();
  }

  get processRun(): ProcessRun {
    return this.#processRun;
  }

  get bot(): Bot | null {
    return this.#bot;
  }

  get metrics(): Metrics | null {
    return this.#metrics;
  }

  get isRunning(): boolean {
    return this.#bot !== null && !this.#processRun.isDead;
  }

  /** True between SIGTERM and the end. */
  get isStopping(): boolean {
    return this.isRunning && this.#isStopping;
  }

  /** True if its loop is running. */
  get isTurning(): boolean {
    return this.isRunning && !this.#isStopping && !this.#processRun.isStalled;
  }

  /** When an edit last took effect, ms of the world. */
  get reloadedMs(): number {
    return this.#reloadedMs;
  }

  boot(): void {
    if (!this.#processRun.isDead) return;
    this.#retry?.cancel();
    const { world, newProcessRun, venueOf, openLedger, prng, config, key, record, onLog, onEvent } = this.#modules;
    const processRun = newProcessRun();
    this.#processRun = processRun;
    this.#bot = null;
    this.#routes = null;
    this.#isStopping = false;
    this.#keptEdit = null;
    const metrics = createMetrics();
    this.#metrics = metrics;
    const log = createLog(this.#options.logLevel, { write: onLog, terminal: false, wallMs: processRun.clock.wallMs });
    const { accountId } = this.#options;
    onEvent("boot");
    const reloadKey = async (_: unknown, running: AgentKey): Promise<AgentKey> =>
      running.publicKey === key().publicKey ? running : agentKeyOf(key());
    startBot(
      config(),
      {
        venue: venueOf(processRun),
        keys: new Map([[accountId, agentKeyOf(key())]]),
        reloadKey,
        ledger: openLedger(),
        prng,
        release: () => {},
      },
      {
        clock: processRun.clock,
        log,
        metrics,
        serve: async (_, { routes }) => {
          if (this.#processRun === processRun) this.#routes = routes;
          return { url: "http://daemon.invalid", close: async () => this.#hangUp(routes) };
        },
        version: "simulated",
        commit: "simulated",
        ...(record === undefined ? {} : { record: () => record(processRun.clock) }),
      },
    ).then(
      (bot) => {
        if (this.#processRun !== processRun || processRun.isDead) return;
        this.#bot = this.#modules.swap(bot);
        onEvent("up");
        if (this.#keptEdit !== null) this.reload(this.#keptEdit);
        void bot.chainRestarted.then(() => this.#startAgain(processRun));
      },
      (error: unknown) => {
        if (this.#processRun !== processRun || processRun.isDead) return;
        onEvent(`did not start: ${messageOf(error)}`);
        processRun.end();
        this.#retry = world.after(this.#options.retryMs, () => this.boot());
      },
    );
  }

  /** SIGHUP after an edit of the configuration. An edit during the start is kept; the next start reads the current file. */
  reload(onRefused: (error: unknown) => void): void {
    const bot = this.#bot;
    if (bot === null) this.#keptEdit = onRefused;
    else
      this.#processRun.enter(() => {
        const read = async () => this.#modules.config();
        void bot.reload({ by: "signal", asked: bot.configVersion, read }).then(this.#reloaded, onRefused);
      });
  }

  readonly #reloaded = (): void => {
    this.#reloadedMs = this.#modules.world.elapsedMs();
  };

  /** SIGKILL. */
  kill(): void {
    this.#retry?.cancel();
    if (this.#processRun.isDead) return;
    this.#processRun.end();
    this.#bot = null;
    this.#modules.onEvent("killed");
  }

  /** SIGTERM: resolves with the remaining orders, or null if it died meanwhile or was not running; then the process has ended. */
  async terminate(): Promise<readonly string[] | null> {
    const bot = this.#bot;
    const processRun = this.#processRun;
    if (bot === null || processRun.isDead) {
      this.kill();
      return null;
    }
    this.#modules.onEvent("terminating");
    this.#isStopping = true;
    const remaining = await bot.stop();
    if (processRun.isDead) return null;
    processRun.end();
    this.#bot = null;
    this.#modules.onEvent(`stopped: ${remaining.length === 0 ? "nothing rests" : remaining.join("; ")}`);
    return remaining;
  }

  /** Delivers a request from another machine. Calls `answered` with the answer, or at once with null if nothing listens. */
  reach(route: string, answered: (answer: HttpAnswer | null) => void): void {
    const handle = this.#processRun.isDead ? undefined : this.#routes?.get(route);
    if (handle === undefined) answered(null);
    else this.#processRun.enter(() => void Promise.resolve(handle(requestOf(route))).then(answered));
  }

  /** One request to the daemon's HTTP; null if it does not answer. */
  ask(route: string, body = ""): unknown {
    const handle = this.isRunning && !this.#processRun.isStalled ? this.#routes?.get(route) : undefined;
    if (handle === undefined) return null;
    return handle(requestOf(route, body));
  }

  /** Restarts as the command line does if the chain continues at a lower height. */
  async #startAgain(processRun: ProcessRun): Promise<void> {
    if (this.#processRun !== processRun || this.#isStopping) return;
    await this.terminate();
    if (this.#processRun === processRun) this.boot();
  }

  #hangUp(routes: Routes): void {
    if (this.#routes === routes) this.#routes = null;
  }
}

const requestOf = (route: string, body = ""): HttpRequest => ({
  path: route.split(" ")[1] ?? "",
  query: new URLSearchParams(),
  isAdmin: true,
  token: null,
  body,
});
