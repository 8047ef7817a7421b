// The assembled bot: ledger, venue, state, a desk and an execution per account, and the loop. Starting is recovering: first halts, nonces
// and lost answers of earlier runs, then the exchange's state, then quotes.

import type { StreamEnd } from "../../../client/stream/report.ts";
import type { Account } from "../../../domain/account.ts";
import type { OutsideEvent } from "../../../domain/event.ts";
import { queueModelText } from "../../../domain/queue.ts";
import { type StorageFault, storageTexts } from "../../../domain/storage.ts";
import type { AccountId } from "../../../domain/units.ts";
import { instantOf, type Timer } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { commandText } from "../../../kernel/typed-command.ts";
import type { BotConfig } from "../../config/config.ts";
import type { Status } from "../../dashboard/status.ts";
import type { FlattenOptions } from "../../decider/input.ts";
import type { Flattened } from "../../decider/output.ts";
import { EstimatesKeeper } from "../../live/estimates-keeper.ts";
import { HoursKeeper } from "../../live/kept-hours.ts";
import { OutsideFeed } from "../../live/outside-feed.ts";
import { deskTiming, loopTiming, processTiming } from "../../timing.ts";
import type { VenueStream } from "../../venue/port.ts";
import { Control } from "../operator/control.ts";
import { Proposals } from "../operator/proposals.ts";
import { keptOrders, notReady, type Shown, showAccount } from "../operator/show.ts";
import type { Phase } from "../watchdog/heartbeat.ts";
import { abandon, holdings } from "./abandon.ts";
import { AuditHead } from "./audit-head.ts";
import { type BotModules, type BotParts, buildBot, channelsOf, type Holding, type Prepared } from "./build.ts";
import { listen } from "./listen.ts";
import { keyOf } from "./make-execution.ts";
import { checkOtherAccounts } from "./other-accounts.ts";
import { type Reload, RunningConfig } from "./running-config.ts";
import { beginChainAgain } from "./same-chain.ts";
import { checkAgent, checkChain } from "./start-checks.ts";
import { StartError } from "./start-error.ts";
import { StrategyMemory } from "./strategy-memory.ts";

export type Bot = {
  /** Where the daemon's HTTP listens. */
  readonly url: string;
  readonly status: () => Status;
  /** Milliseconds since the loop last turned, whatever the exchange does. */
  readonly sinceTurnMs: () => number;
  /** The running configuration, reloads included. */
  readonly config: BotConfig;
  /** Resolves when the chain restarts at a lower height: stop this bot and start another in its place. */
  readonly chainRestarted: Promise<void>;
  /** Version of the running configuration: grows with each change. */
  readonly configVersion: number;
  /** Applies changes. Throws the reason why the new configuration is impossible; nothing has changed then. */
  readonly reload: (reload: Reload) => Promise<void>;
  readonly reloadRefused: (why: string) => void;
  /** Takes an outside fact that another bot of this process has heard. */
  readonly hear: (event: OutsideEvent) => void;
  /** Halts every account until an operator lifts it, and cancels what is ours. */
  readonly halt: (reason: string) => void;
  /** Closes all positions; null, and nothing is done, while a market is not halted. */
  readonly flatten: (options: FlattenOptions) => Promise<readonly Flattened[]> | null;
  /** Blocks new orders, cancels, confirms; resolves with the orders that may still rest, a line each. */
  readonly stop: () => Promise<readonly string[]>;
  /** After an uncaught error: the same within five seconds, and no part of this bot works on. */
  readonly abandon: () => Promise<readonly string[]>;
  /** What a separate thread needs to cancel all of it if this one does not return. */
  readonly holdings: () => readonly Holding[];
};

/** Starts trading. Throws StartError; everything is closed then, and what was sent is canceled. */
export async function startBot(config: BotConfig, prepared: Prepared, modules: BotModules): Promise<Bot> {
  for (;;) {
    const parts = buildBot(config, prepared, modules);
    let daemon: Daemon | undefined;
    try {
      daemon = new Daemon(config, parts, modules);
      modules.onMade?.(daemon);
      if (await daemon.start()) return daemon;
      // The ledger's content was of a chain that ended; it is archived, and the parts are rebuilt from the rest.
      parts.driver.close();
      for (const execution of parts.executions.values()) execution.close();
      await parts.endRecording();
    } catch (error) {
      const remaining = (await daemon?.giveUp()) ?? [];
      await parts.close();
      if (error instanceof StartError && remaining.length === 0) throw error;
      throw new StartError("failed", messageOf(error), { cause: error, remaining });
    }
  }
}

class Daemon implements Bot {
  readonly #parts: BotParts;
  readonly #modules: BotModules;
  readonly #startedAtMs: number;
  readonly #running: RunningConfig;
  readonly #control: Control;
  readonly #proposals: Proposals;
  readonly #estimates: EstimatesKeeper;
  readonly #hours: HoursKeeper;
  readonly #outside: OutsideFeed;
  readonly #beside: Shown;
  #phase: Phase = "starting";
  #turns = 0;
  #stream: VenueStream | null = null;
  #timers: Timer[] = [];
  #stopping: Promise<readonly string[]> | null = null;
  #closeHttp: () => Promise<void> = () => Promise.resolve();
  #url = "";
  /** The reported reason why the ledger cannot be written. */
  #ledgerFault: StorageFault | null = null;
  /** From here on orders of this run may rest. */
  #maySend = false;
  /** Orders that may still rest once the stop has canceled, a line each. */
  #remaining: readonly string[] | null = null;

  constructor(config: BotConfig, parts: BotParts, modules: BotModules) {
    this.#parts = parts;
    this.#modules = modules;
    this.#control = new Control(parts, modules);
    this.#estimates = new EstimatesKeeper(parts.desks, { ...parts, clock: modules.clock });
    this.#hours = new HoursKeeper(parts.desks, { ...parts, clock: modules.clock });
    this.#outside = new OutsideFeed({ ...parts, ...modules, hear: (event) => this.#hearOutside(event) });
    this.#followSignals(config);
    this.#running = new RunningConfig(config, parts, modules, {
      phase: () => this.#phase,
      onApplied: () => this.#reached(),
    });
    this.#proposals = new Proposals({
      clock: modules.clock,
      log: modules.log,
      tell: modules.tell ?? (() => {}),
      runs: () => this.#running.hash,
      judge: this.#running.judge,
      carryOut: this.#running.change,
    });
    this.#beside = { shadows: parts.shadows, trialOf: (...of) => this.#running.trialOf(...of) };
    this.#startedAtMs = modules.clock.wallMs();
    parts.metrics.buildInfo.labels({ version: modules.version, commit: modules.commit }).set(1);
    parts.onStreamWanted({
      reconnect: () => {
        if (this.#stream !== null) this.#openStream();
      },
      resubscribe: (marketId) => this.#stream?.resubscribe({ channel: "orderbook", marketId }),
    });
  }

  get url(): string {
    return this.#url;
  }

  get config(): BotConfig {
    return this.#running.config;
  }

  get configVersion(): number {
    return this.#running.version;
  }

  get chainRestarted(): Promise<void> {
    return this.#parts.chainRestarted;
  }

  /** False: the ledger was reset for an account, and this bot was built from its old content. Nothing was sent then. */
  async start(): Promise<boolean> {
    const { driver } = this.#parts;
    const { clock } = this.#modules;
    // A pause of the process counts from here: a first tick after the start would not notice it.
    driver.feed({ kind: "look" });
    const looking = clock.every(loopTiming.tickMs, () => driver.feed({ kind: "look" }));
    this.#timers = [looking];
    try {
      const found = await this.#meet();
      if (found === null) return false;
      await this.#recover(found);
    } finally {
      looking.cancel();
    }
    this.#openStream();
    driver.feed({ kind: "start", lastOrderedMs: this.#lastOrderedMs() });
    this.#phase = "trading";
    this.#sayWhatIsQuoted();
    this.#running.followShadows();
    driver.feed({ kind: "tick" });
    const head = new AuditHead({
      ...this.#parts,
      clock,
      log: this.#modules.log,
      tell: this.#modules.tell ?? (() => {}),
    });
    head.look();
    const memory = new StrategyMemory({ ...this.#parts, log: this.#modules.log });
    this.#timers = [
      clock.every(loopTiming.tickMs, () => {
        this.#lookAtLedger();
        driver.feed({ kind: "tick" });
        if (this.#phase === "trading") this.#turns += 1;
      }),
      clock.every(processTiming.keepMs, () => {
        driver.feed({ kind: "results" });
        this.#estimates.keepPart();
        this.#hours.look();
        this.#parts.keyWatch.look();
        this.#running.look();
        this.#outside.look();
      }),
      clock.every(processTiming.tidyEveryMs, () => this.#parts.ledger.tidy()),
      clock.every(processTiming.archiveEveryMs, () => void this.#parts.ledger.archive()),
      clock.every(processTiming.tidyEveryMs, () => driver.feed({ kind: "equity" })),
      clock.every(processTiming.tidyEveryMs, () => head.look()),
      clock.every(deskTiming.memoryEveryMs, () => memory.look()),
    ];
    return true;
  }

  /** Returns the exchange's accounts, if they are those that the ledger knows; null: the chain restarted for one of them. */
  async #meet(): Promise<readonly Account[] | null> {
    const { venue, keys, ledger, keyWatch } = this.#parts;
    const { clock, log } = this.#modules;
    const node = await checkChain(this.config.venue.chainId, venue.reads, clock);
    const nowSec = node.blockTimestampSec;
    const found: Account[] = [];
    for (const { accountId } of this.config.accounts) {
      const publicKey = keys.get(accountId)?.publicKey ?? "";
      found.push(await checkAgent({ accountId, publicKey }, nowSec, venue.reads, clock));
    }
    const { readLagMaxMs } = this.config.venue;
    const checked = this.config.accounts.map(async ({ accountId, paper }, index): Promise<void> => {
      const account = found[index];
      if (paper !== null || account === undefined) return;
      const { publicKey } = keyOf(keys, accountId);
      keyWatch.started(accountId, publicKey, await checkOtherAccounts(account, publicKey, nowSec, venue.reads));
    });
    const [begun] = await Promise.all([
      Promise.all(
        found.map((account) => beginChainAgain(account, { ledger, reads: venue.reads, readLagMaxMs, clock, log })),
      ),
      ...checked,
    ]);
    return begun.includes(true) ? null : found;
  }

  /** Handles what earlier runs left, as the exchange shows it. */
  async #recover(found: readonly Account[]): Promise<void> {
    const { executions } = this.#parts;
    await this.#listen();
    await Promise.all(found.map((account) => this.#judgeFound(account)));
    this.#maySend = true;
    for (const execution of executions.values()) {
      execution.recover();
      execution.start();
    }
  }

  status = (): Status => {
    const { state, desks, unread } = this.#parts;
    const { clock, version, commit } = this.#modules;
    const offset = state.chain.offsetMs;
    return {
      version,
      commit,
      config: this.config.hash,
      tokenCommand: commandText("token", this.config.file),
      chainId: this.config.venue.chainId,
      height: state.chain.advancedMs === null ? null : state.chain.height,
      chainTimeOffsetMs: offset === null ? null : clock.monotonicMs() + offset - clock.wallMs(),
      startedAtMs: this.#startedAtMs,
      nowMs: clock.wallMs(),
      phase: this.#phase,
      reasons: this.#phase === "trading" ? notReady(desks.values(), unread.texts()) : [this.#phase],
      fileDifferences: this.#running.fileDifferences,
      proposals: this.#proposals.list().filter(({ state: of }) => of === "open"),
      accounts: [...desks.values()].map((desk) => showAccount(desk, this.#beside)),
    };
  };

  sinceTurnMs = (): number => this.#modules.clock.monotonicMs() - this.#parts.machine.lastTickMs;

  reload = (reload: Reload): Promise<void> => this.#running.reload(reload);

  hear = (event: OutsideEvent): void => this.#parts.driver.fold(event);

  /** Shadows hear what is pushed to the bot beside them. */
  #hearOutside(event: OutsideEvent): void {
    this.hear(event);
    this.#parts.shadows.hear(event);
  }

  #followSignals({ signals }: Pick<BotConfig, "signals">): void {
    const { dateSignals = (sources) => sources } = this.#modules;
    this.#outside.follow(dateSignals(signals));
  }

  /** A new connection resets every fact and pauses quotes: only for markets that are not on the stream yet. */
  #reached(): void {
    this.#followSignals(this.config);
    const wanted = this.config.accounts.flatMap(({ markets }) => markets);
    if (wanted.some(({ marketId }) => !this.#parts.state.streamed.has(marketId))) this.#openStream();
  }

  reloadRefused = (why: string): void => this.#running.refused(why);

  halt = (reason: string): void => {
    this.#control.operate("halt", { reason, chainId: null, accountId: null, marketId: null, latch: null });
  };

  flatten = (options: FlattenOptions): Promise<readonly Flattened[]> | null => this.#control.flatten(options);

  stop = (): Promise<readonly string[]> => {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  };

  abandon = (): Promise<readonly string[]> => {
    this.#phase = "stopping";
    for (const timer of this.#timers) timer.cancel();
    // No execution sent these cancels: if they were heard, they would count as another key's.
    this.#stream?.close();
    return this.#remaining === null ? abandon(this.#parts, this.#modules.clock) : Promise.resolve(this.#remaining);
  };

  holdings = (): readonly Holding[] => holdings(this.#parts, this.#modules.clock);

  /** After a failed start: the same, and only the parts stay open. Resolves with the orders that may rest. */
  async giveUp(): Promise<readonly string[]> {
    const remaining = this.#maySend ? await this.abandon() : [];
    this.#phase = "stopping";
    await this.#close();
    return remaining;
  }

  async #stop(): Promise<readonly string[]> {
    const { asks, driver } = this.#parts;
    this.#phase = "stopping";
    const canceled = asks.ask({ kind: "stop" });
    const ended = this.#control.stop();
    const closing = this.#parts.shadows.close();
    const { lines: remaining } = await canceled;
    this.#remaining = remaining;
    await ended;
    // Where something may rest the books cannot be closed, and a silent exchange is not waited for.
    if (remaining.length === 0) await asks.ask({ kind: "closeBooks" });
    await this.#close();
    driver.feed({ kind: "results" });
    this.#estimates.keepAll();
    this.#hours.keep();
    driver.feed({ kind: "equity" });
    await closing;
    await this.#parts.close();
    return remaining;
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.#parts.driver.feed({ kind: "stopReads" });
    this.#stream?.close();
    await this.#closeHttp();
  }

  /** Reports why the ledger cannot be written for more than a moment, and when that ends. */
  #lookAtLedger(): void {
    const { ledger } = this.#parts;
    const { clock, log } = this.#modules;
    ledger.look();
    const health = ledger.health();
    if (health.ok) {
      if (this.#ledgerFault !== null) log.info({ event: "ledger.works" }, "the ledger can be written again");
      this.#ledgerFault = null;
    } else if (
      this.#ledgerFault !== health.fault &&
      clock.monotonicMs() - health.sinceMs >= processTiming.ledgerFaultMs
    ) {
      const { fault, reason } = health;
      this.#ledgerFault = fault;
      log.error({ event: "ledger.failed", fault, reason }, `${storageTexts[fault]} (${reason}); no new exposure`);
    }
  }

  /** Closes the stream, if there is one, and opens another: every subscription begins with a snapshot. */
  #openStream(): void {
    if (this.#phase === "stopping") return;
    const { venue, driver, metrics } = this.#parts;
    if (this.#stream !== null) {
      metrics.feedReconnects.labels({ reason: "requested" satisfies StreamEnd }).inc();
      this.#stream.close();
    }
    const channels = channelsOf(this.config.accounts);
    const markets = channels.flatMap((of) => (of.channel === "orderbook" ? [of.marketId] : []));
    driver.feed({ kind: "streamed", markets });
    this.#stream = venue.stream(channels, (event) => driver.fold(event));
  }

  async #judgeFound(account: Account): Promise<void> {
    const { accountId } = account;
    const { asks, ledger, isLedgerLost } = this.#parts;
    const open = ledger.openIntents().filter((intent) => intent.accountId === accountId);
    const isLedgerNew = ledger.read.knownOrders(accountId, 1).length === 0;
    await asks.ask({ kind: "found", account, open, isLedgerLost, isLedgerNew });
  }

  /** When earlier runs last sent an order, by this run's monotonic clock. */
  #lastOrderedMs(): ReadonlyMap<AccountId, number> {
    const { clock } = this.#modules;
    const { ledger, desks } = this.#parts;
    const found = new Map<AccountId, number>();
    for (const accountId of desks.keys()) {
      const lastMs = ledger.read.lastOrderedMs(accountId);
      if (lastMs !== null) found.set(accountId, clock.monotonicMs() - Math.max(0, clock.wallMs() - lastMs));
    }
    return found;
  }

  #sayWhatIsQuoted(): void {
    const { usualModel } = this.config;
    if (usualModel?.tooFewFills !== undefined)
      this.#modules.log.warn(
        { event: "queueModel.unfitted" },
        `on paper the queue model is ${queueModelText("riskAverse", usualModel.tooFewFills)}`,
      );
    for (const { accountId, paper, markets } of this.config.accounts) {
      const list = markets.map(({ marketId, strategy }) => `market ${marketId} by ${strategy.name}`).join(", ");
      this.#modules.log.info(
        { event: "quoting", account: `${accountId}` },
        `account ${accountId} quotes ${list}${paper === null ? "" : " on PAPER: nothing of it is sent"}`,
      );
      this.#sayWhatIsKept(accountId);
    }
  }

  #sayWhatIsKept(accountId: AccountId): void {
    const markets = [...(this.#parts.desks.get(accountId)?.markets.values() ?? [])];
    const kept = markets.flatMap(({ marketId, estimates: { kept } }) =>
      kept === null ? [] : [{ ...kept, id: marketId }],
    );
    if (kept.length === 0) return;
    const since = Math.round(Math.max(...kept.map(({ downMs }) => downMs)) / 1000);
    this.#modules.log.info(
      { event: "estimates.kept", account: `${accountId}`, markets: kept.map(({ id }) => id) },
      `account ${accountId}: estimates of ${kept.map(({ id }) => `market ${id}`).join(", ")} restored from the ledger, ${since} s old`,
    );
  }

  async #listen(): Promise<void> {
    const control = this.#control;
    const { url, close } = await listen(this.config.server, this.#parts, this.#modules, {
      status: this.status,
      heartbeat: () => ({
        phase: this.#phase,
        turns: this.#turns,
        kept: keptOrders(this.#parts),
        accounts: this.#parts.machine.acting.ability.show(instantOf(this.#modules.clock)),
      }),
      operate: control.operate.bind(control),
      cancel: control.cancel.bind(control),
      flatten: control.flatten.bind(control),
      change: this.#running.change,
      preview: this.#running.preview,
      promote: this.#running.promote,
      proposals: this.#proposals,
      outside: this.#outside,
    });
    this.#url = url;
    this.#closeHttp = close;
  }
}
