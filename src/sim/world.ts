// One seeded world: the bot on its machine, the exchange, the network between them, the faults, and the laws. Everything happens in virtual
// time and depends only on the seed and the list of faults.

import type { BotConfig } from "../bot/config/config.ts";
import { MemoryDisk } from "../bot/ledger/memory/memory.ts";
import type { Recorder } from "../bot/recording/recorder.ts";
import type { Bot } from "../bot/service/lifecycle/bot.ts";
import type { WatchModules } from "../bot/service/watchdog/watchdog.ts";
import type { LogLevel } from "../bot/telemetry/log-level.ts";
import type { Venue } from "../bot/venue/port.ts";
import type { AccountId, MarketId, Size } from "../domain/units.ts";
import { type Clock, microtasks } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { createPrng, type Prng } from "../kernel/prng.ts";
import { createVirtualClock, type SkewedClock, type VirtualClock } from "../kernel/virtual-clock.ts";
import type { Signer } from "../wire/signing.ts";
import { type Coverage, createCoverage } from "./coverage.ts";
import { Daemon } from "./daemon.ts";
import { SimulatedDisk } from "./disk.ts";
import { createSimulatedExchange, type SimulatedExchange } from "./exchange.ts";
import { NetworkFaults } from "./faults/network-faults.ts";
import { createInProcessVenue } from "./in-process-venue.ts";
import { Inspector } from "./invariants/inspector.ts";
import { latencyOnly, sameLatency } from "./network/network-conditions.ts";
import type { LinkConnection } from "./network/stream-link.ts";
import { OrderWatch } from "./order-watch.ts";
import { ProcessRun } from "./process-run.ts";
import type { Scene } from "./sim-scene.ts";
import { Trace } from "./trace.ts";
import { WatchdogMachine } from "./watchdog-machine.ts";
import { BOT_ACCOUNT, START_MS, type WorldConfig } from "./world-config.ts";

/** Replaces parts of the production composition: tests use it to restore known bugs and to record decisions. */
export type Swaps = {
  readonly record?: (clock: Clock) => Recorder;
  readonly config?: (config: BotConfig) => BotConfig;
  readonly venue?: (venue: Venue, world: Scene) => Venue;
  readonly bot?: (bot: Bot) => Bot;
  readonly watch?: (modules: WatchModules) => WatchModules;
};

export type WorldOptions = {
  readonly seed: bigint;
  readonly worldConfig: WorldConfig;
  readonly swaps: Swaps;
  readonly onLine?: (line: string) => void;
};

/** A supervisor's wait before it restarts a daemon, ms. */
const RESTART_MS = 1000;

export class World implements Scene {
  readonly account: AccountId = BOT_ACCOUNT;
  readonly markets: readonly MarketId[];
  readonly clock: VirtualClock;
  readonly prng: Prng;
  readonly trace: Trace;
  readonly exchange: SimulatedExchange;
  readonly disk: SimulatedDisk;
  readonly networkFaults: NetworkFaults;
  readonly machine: SkewedClock;
  readonly daemon: Daemon;
  readonly watchdog: WatchdogMachine | null;
  readonly watch: OrderWatch;
  readonly coverage: Coverage = createCoverage();
  readonly inspector: Inspector;
  readonly worldConfig: WorldConfig;
  readonly #swaps: Swaps;
  readonly #logLevel: LogLevel;
  readonly #secrets: readonly string[];
  readonly #links = new Set<LinkConnection>();
  #config: BotConfig;
  #key: Signer;
  #processRuns = 0;
  /** Limits under which decisions in flight may have been made. */
  readonly #limits: { readonly config: BotConfig; untilMs: number }[] = [];

  constructor(options: WorldOptions) {
    const { worldConfig, swaps } = options;
    this.worldConfig = worldConfig;
    this.#swaps = swaps;
    this.#config = swaps.config?.(worldConfig.bot) ?? worldConfig.bot;
    this.#key = worldConfig.keys.agent;
    this.#secrets = worldConfig.keys.secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret);
      return [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")];
    });
    this.markets = worldConfig.markets;
    this.prng = createPrng(options.seed).fork("world");
    this.clock = createVirtualClock({ startMs: START_MS, settle: microtasks });
    this.trace = new Trace({ elapsedMs: this.clock.elapsedMs, onLine: options.onLine });
    this.#logLevel = options.onLine === undefined ? "info" : "debug";
    this.machine = this.clock.viewOf(worldConfig.machine);
    this.networkFaults = new NetworkFaults(worldConfig.network, { prng: this.prng.fork("storm") });
    this.watch = new OrderWatch({ nowMs: this.clock.elapsedMs });
    this.exchange = createSimulatedExchange(
      { config: worldConfig.devnet },
      {
        clock: this.clock,
        verifier: worldConfig.verifier,
        signerOf: worldConfig.signerOf,
        log: (message, facts) => this.trace.note("exchange", `${message} ${JSON.stringify(facts)}`),
      },
    );
    this.disk = new SimulatedDisk({ prng: this.prng.fork("disk"), processRun: () => this.daemon.processRun });
    this.daemon = this.#makeDaemon();
    this.watchdog = this.#makeWatchdog();
    this.inspector = new Inspector(this);
    this.exchange.chain.onEvents((batch) => this.inspector.events(batch));
    this.exchange.chain.onBlock(({ height, hash }) => this.trace.note("chain", `${height} ${hash.slice(0, 16)}`));
  }

  get config(): BotConfig {
    return this.#config;
  }

  get agentKey(): Signer {
    return this.#key;
  }

  connections(): readonly LinkConnection[] {
    for (const link of this.#links) if (!link.isOpen()) this.#links.delete(link);
    return [...this.#links];
  }

  /** The largest limit in force when a decision now in flight was made; null: the market was not quoted then. */
  maxPosition(marketId: MarketId): Size | null {
    const nowMs = this.clock.elapsedMs();
    const configs = [
      this.#config,
      ...this.#limits.filter(({ untilMs }) => nowMs <= untilMs).map(({ config }) => config),
    ];
    const limits = configs.flatMap(({ accounts }) =>
      accounts.flatMap(({ markets }) =>
        markets.filter((market) => market.marketId === marketId).map((market) => market.limits.maxPosition),
      ),
    );
    return limits.reduce<Size | null>((most, limit) => (most === null || limit > most ? limit : most), null);
  }

  crash(how: "killed" | "powerLost" | "restored", downMs: number): void {
    this.inspector.watching.look(); // A run may begin and end between two checks.
    this.daemon.kill();
    this.watch.forget();
    const isSetBack = how === "restored" && this.disk.restore();
    const lostCommits = how === "powerLost" ? this.disk.losePower() : 0;
    if (how !== "powerLost" && !isSetBack) this.disk.rows.killProcess();
    const mayLoseHalt = isSetBack || this.disk.failure !== null;
    if (mayLoseHalt || lostCommits > 0) {
      const known = this.disk.rows.open().read.knownOrders(this.account, Number.MAX_SAFE_INTEGER);
      this.inspector.lostRecords(known.map(({ orderId }) => orderId));
    }
    if (mayLoseHalt) this.inspector.loseUnwrittenHalt();
    this.clock.after(downMs, () => this.daemon.boot());
  }

  terminate(downMs: number): void {
    const isUp = this.daemon.isRunning;
    void this.daemon.terminate().then((remaining) => {
      if (remaining !== null) this.inspector.stopped(remaining);
      this.clock.after(downMs, () => this.daemon.boot());
    });
    if (!isUp) this.disk.rows.killProcess();
  }

  /** An operator reloads; if it is refused, the operator reads why and repeats it. */
  reload(config: BotConfig): void {
    const before = { config: this.#config, untilMs: 0 };
    this.#limits.push(before);
    this.#config = config;
    const signal = (): void => {
      if (this.#config !== config) return;
      before.untilMs = this.clock.elapsedMs() + LIMITS_LINGER_MS;
      this.daemon.reload((error) => {
        this.trace.note("bot", `reload: ${messageOf(error)}`);
        before.untilMs = Number.POSITIVE_INFINITY; // A refused change leaves everything as it was.
        this.clock.after(AGAIN_MS, signal);
      });
    };
    signal();
  }

  rotateKey(): void {
    const { agent, spare } = this.worldConfig.keys;
    this.#key = this.#key === agent ? spare : agent;
  }

  /** The current key is revoked or about to expire; `enableAgents` restores it. */
  disableAgent(how: "revoked" | "expires"): void {
    const { agent, spare } = this.worldConfig.keys;
    for (const { publicKey } of [agent, spare]) {
      const inMs = how === "expires" ? 3000 : 0;
      const expiresAtSec = Math.floor((this.exchange.chain.timeMs() + inMs) / 1000) + 1;
      const act = { pubkey: publicKey, name: "bot", expiresAtSec };
      this.exchange.chain.control.approveAgent(this.account, act);
    }
    this.inspector.keyDisabled();
  }

  enableAgents(): void {
    const { agent, spare } = this.worldConfig.keys;
    for (const { publicKey } of [agent, spare]) {
      this.exchange.chain.control.approveAgent(this.account, { pubkey: publicKey, name: "bot", expiresAtSec: null });
    }
    this.inspector.keyEnabled();
  }

  /** Asks the daemon to halt until an operator lifts it. */
  halt(reason: string): void {
    const answer = this.daemon.ask("POST /halt", JSON.stringify({ reason }));
    if (answer !== null) this.inspector.halted();
  }

  /** A second daemon with the same key starts on another machine, with its own ledger. */
  startDuplicate(forMs: number): void {
    this.inspector.resting.isShared = true;
    const rows = new MemoryDisk();
    const duplicate = new Daemon(
      { accountId: this.account, retryMs: RESTART_MS, logLevel: this.#logLevel },
      {
        world: this.clock,
        newProcessRun: () => new ProcessRun({ world: this.clock, view: this.clock.viewOf({ skewMs: 0, driftPpm: 0 }) }),
        venueOf: (processRun) =>
          createInProcessVenue(
            {},
            {
              world: this.clock,
              processRun,
              exchange: this.exchange,
              conditions: latencyOnly(sameLatency(() => 10)),
              prng: this.prng.fork("twin"),
            },
          ),
        openLedger: () => rows.open(),
        prng: this.prng.fork("twin's bot"),
        config: () => this.#config,
        key: () => this.#key,
        swap: (bot) => bot,
        onLog: () => {},
        onEvent: (event) => this.trace.note("duplicate", event),
      },
    );
    duplicate.boot();
    this.clock.after(forMs, () => duplicate.kill());
  }

  /** A time service corrects the machine's clock. */
  setClock(): void {
    this.machine.step(this.clock.wallMs() - this.machine.wallMs());
  }

  /** Logs and pages must not show a key. */
  readonly showsSecret = (text: string): boolean => this.#secrets.some((secret) => text.includes(secret));

  #makeDaemon(): Daemon {
    return new Daemon(
      { accountId: this.account, retryMs: RESTART_MS, logLevel: this.#logLevel },
      {
        world: this.clock,
        newProcessRun: () => new ProcessRun({ world: this.clock, view: this.machine }),
        venueOf: (processRun) => this.#venueOf(processRun),
        openLedger: () => this.disk.rows.open(),
        prng: this.prng.fork("bot"),
        config: () => this.#config,
        key: () => this.#key,
        swap: this.#swaps.bot ?? ((bot) => bot),
        record: this.#swaps.record,
        onLog: (line) => {
          this.inspector.logged(line);
          if (this.#logLevel === "debug") this.trace.note("log", line.trimEnd());
        },
        onEvent: (event) => {
          this.trace.note("bot", event);
          if (event === "boot") this.inspector.booted();
        },
      },
    );
  }

  #makeWatchdog(): WatchdogMachine | null {
    const { watchdog, keys, bot } = this.worldConfig;
    if (watchdog === null || keys.watchdog === null) return null;
    return new WatchdogMachine(
      {
        ...bot.watchdog,
        accountId: this.account,
        chainId: bot.venue.chainId,
        readLagMaxMs: bot.venue.readLagMaxMs,
        signer: keys.watchdog,
        network: watchdog.network,
        retryMs: RESTART_MS,
      },
      {
        world: this.clock,
        view: this.clock.viewOf(watchdog.machine),
        prng: this.prng.fork("watchdog"),
        exchange: this.exchange,
        daemon: this.daemon,
        swap: this.#swaps.watch ?? ((modules) => modules),
        onSent: (call) => this.inspector.watching.sent(call),
        onLog: (line) => this.inspector.logged(line),
        onEvent: (event) => this.trace.note("watchdog", event),
      },
    );
  }

  #venueOf(processRun: ProcessRun): Venue {
    this.#processRuns += 1;
    const venue = createInProcessVenue(
      {},
      {
        world: this.clock,
        processRun,
        exchange: this.exchange,
        conditions: this.networkFaults.conditions,
        prng: this.prng.fork(`life ${this.#processRuns}`),
        witness: this.inspector.witnessOf(processRun),
        register: (link) => this.#links.add(link),
      },
    );
    return this.#swaps.venue?.(venue, this) ?? venue;
  }
}

/** An order decided under the former limits is in flight or unresolved for at most this long. */
const LIMITS_LINGER_MS = 60_000;
/** An operator repeats a refused reload after this time. */
const AGAIN_MS = 5000;
