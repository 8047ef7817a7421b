// The watchdog on its own machine: the production composition with its own key, clock and network, restarted as a supervisor would. Its
// link to the daemon may fall silent.

import type { WatchdogConfig } from "../bot/config/config.ts";
import { agentKeyOf } from "../bot/execution/agent-key.ts";
import { type Heartbeat, readHeartbeat } from "../bot/service/watchdog/heartbeat.ts";
import { startWatch, type WatchModules } from "../bot/service/watchdog/watchdog.ts";
import { createLog } from "../bot/telemetry/log.ts";
import type { AccountId } from "../domain/units.ts";
import type { Timer } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import type { Prng } from "../kernel/prng.ts";
import type { SkewedClock, VirtualClock } from "../kernel/virtual-clock.ts";
import type { Signer } from "../wire/signing.ts";
import type { Daemon } from "./daemon.ts";
import type { HttpCall, SimulatedExchange } from "./exchange.ts";
import { NetworkFaults } from "./faults/network-faults.ts";
import { createInProcessVenue } from "./in-process-venue.ts";
import { ProcessRun } from "./process-run.ts";
import type { Latency } from "./world-config.ts";

export type WatchdogMachineOptions = WatchdogConfig & {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly signer: Signer;
  readonly network: Latency;
  /** Wait before the next start after a failed one, ms. */
  readonly retryMs: number;
};

export type WatchdogMachineModules = {
  readonly world: VirtualClock;
  readonly view: SkewedClock;
  readonly prng: Prng;
  readonly exchange: SimulatedExchange;
  readonly daemon: Pick<Daemon, "reach">;
  /** Replaces these modules, for tests. */
  readonly swap: (modules: WatchModules) => WatchModules;
  /** A transaction left it. */
  readonly onSent: (call: HttpCall) => void;
  readonly onLog: (line: string) => void;
  readonly onEvent: (event: string) => void;
};

/** An address other than the bot's. */
const CLIENT = "127.0.0.2";

export class WatchdogMachine {
  readonly networkFaults: NetworkFaults;
  readonly #options: WatchdogMachineOptions;
  readonly #modules: WatchdogMachineModules;
  #processRun: ProcessRun;
  #processRuns = 0;
  #retry: Timer | null = null;
  #isWatching = false;
  #isDeaf = false;

  constructor(options: WatchdogMachineOptions, modules: WatchdogMachineModules) {
    this.#options = options;
    this.#modules = modules;
    this.networkFaults = new NetworkFaults(options.network, { prng: modules.prng.fork("storm") });
    this.#processRun = this.#newProcessRun();
    this.#processRun.end();
  }

  /** Running, and past its checks. */
  get isWatching(): boolean {
    return this.#isWatching;
  }

  /** Whether heartbeats cannot reach it. */
  get isDeaf(): boolean {
    return this.#isDeaf;
  }

  deafen(isDeaf: boolean): void {
    this.#isDeaf = isDeaf;
  }

  boot(): void {
    if (!this.#processRun.isDead) return;
    this.#retry?.cancel();
    const { accountId, chainId, readLagMaxMs, signer, silenceMs, pollMs, retryMs } = this.#options;
    const { world, swap, onLog, onEvent } = this.#modules;
    const processRun = this.#newProcessRun();
    this.#processRun = processRun;
    this.#processRuns += 1;
    onEvent("boot");
    startWatch(
      { chainId, readLagMaxMs, silenceMs, pollMs, keys: new Map([[accountId, agentKeyOf(signer)]]) },
      swap({
        clock: processRun.clock,
        log: createLog("info", { write: onLog, terminal: false, wallMs: processRun.clock.wallMs }),
        venue: this.#venueOf(processRun),
        heartbeat: (timeoutMs) => this.#heartbeat(processRun, timeoutMs),
      }),
    ).then(
      () => {
        if (processRun.isDead) return;
        this.#isWatching = true;
        onEvent("watching");
      },
      (error: unknown) => {
        if (processRun.isDead) return;
        onEvent(`did not start: ${messageOf(error)}`);
        processRun.end();
        this.#retry = world.after(retryMs, () => this.boot());
      },
    );
  }

  kill(): void {
    this.#retry?.cancel();
    this.#processRun.end();
    this.#isWatching = false;
    this.#modules.onEvent("killed");
  }

  #newProcessRun(): ProcessRun {
    return new ProcessRun({ world: this.#modules.world, view: this.#modules.view });
  }

  #venueOf(processRun: ProcessRun) {
    const { world, prng, exchange, onSent } = this.#modules;
    return createInProcessVenue(
      {},
      {
        world,
        processRun,
        exchange: { ...exchange, request: (call) => exchange.request(call, CLIENT) },
        conditions: this.networkFaults.conditions,
        prng: prng.fork(`life ${this.#processRuns}`),
        witness: {
          onSent: (call) => call.method === "POST" && onSent(call),
          onExecuted: () => {},
          onEnd: () => {},
          onOpen: () => {},
          onFrame: () => {},
          onClose: () => {},
        },
      },
    );
  }

  /** Round trip over its own link: a dead daemon gives null at once, a stalled one answers late. */
  #heartbeat(processRun: ProcessRun, timeoutMs: number): Promise<Heartbeat | undefined> {
    const { world, daemon } = this.#modules;
    const { latencyMs } = this.networkFaults.conditions;
    return new Promise((resolve) => {
      const timer = processRun.clock.after(timeoutMs, () => resolve(undefined));
      const arrive = (beat: Heartbeat | undefined): void => {
        timer.cancel();
        resolve(beat);
      };
      world.after(latencyMs(), () => {
        if (this.#isDeaf) return;
        daemon.reach("GET /heartbeat", (answer) => {
          const beat = answer === null ? undefined : readHeartbeat(JSON.parse(answer.body));
          if (!this.#isDeaf) world.after(latencyMs(), () => processRun.enter(() => arrive(beat)));
        });
      });
    });
  }
}
