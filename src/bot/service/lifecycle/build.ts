// From a configuration to the wired parts of a bot: nothing is sent and nothing listens yet.

import type { AccountId, MarketId, OrderId } from "../../../domain/units.ts";
import { type Clock, DAY_MS, instantOf } from "../../../kernel/clock.ts";
import type { Prng } from "../../../kernel/prng.ts";
import type { BotState } from "../../account/account-state.ts";
import type { BotConfig, QuotedAccount, ServerConfig, SignalSource } from "../../config/config.ts";
import type { Detail } from "../../dashboard/detail.ts";
import type { Status } from "../../dashboard/status.ts";
import type { RemainingOrder } from "../../decider/acting/mass-cancel.ts";
import type { BeginOptions } from "../../decider/begin.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { StartCauses } from "../../decider/desks/desks.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import type { Readings } from "../../decider/input.ts";
import { Machine } from "../../decider/step.ts";
import type { AgentKey } from "../../execution/agent-key.ts";
import type { Execution } from "../../execution/execution.ts";
import { Ledger } from "../../ledger/ledger.ts";
import type { LedgerEngine, LedgerReads } from "../../ledger/store.ts";
import { Asks } from "../../live/asks.ts";
import { carryOut, type StreamRequests } from "../../live/carry-out.ts";
import { DeskSeries } from "../../live/desk-series.ts";
import { Driver } from "../../live/driver.ts";
import { sayDropped } from "../../live/execution-metrics.ts";
import { noted, readsGiven } from "../../live/kept-reads.ts";
import { Lines } from "../../live/lines.ts";
import { readFailureReport } from "../../live/read-failures.ts";
import { createReadings } from "../../live/readings.ts";
import { reader } from "../../live/reads.ts";
import { recordInputs } from "../../live/recorded-inputs.ts";
import { noShadows, type Shadows } from "../../live/shadow.ts";
import { UnreadAnswers } from "../../live/unread.ts";
import { chainTimeMs } from "../../market/time.ts";
import { recordedAccount, recordedReadings, type Start } from "../../recording/entry.ts";
import type { Recorder } from "../../recording/recorder.ts";
import type { QuoteFault } from "../../strategy/checked-quotes.ts";
import type { Supervise } from "../../strategy/supervised.ts";
import type { HttpServer, Served } from "../../telemetry/http.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { CriticalEvent } from "../../telemetry/webhook-shapes.ts";
import type { Channel, Venue } from "../../venue/port.ts";
import type { ReadConfig } from "../operator/params.ts";
import type { ReadOther } from "../operator/preview.ts";
import type { ConfigFile } from "../operator/promotions.ts";
import { type FleetShare, keyOf, makeExecution } from "./make-execution.ts";
import { KeyWatch } from "./other-accounts.ts";

/** What the caller prepared: the way to the exchange, the keys, and the disk. */
export type Prepared = StartCauses & {
  readonly venue: Venue;
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  /** Keys that these have replaced. */
  readonly formerKeys?: ReadonlyMap<AccountId, readonly AgentKey[]>;
  /** Returns the key in the account's file, with its lock held; the running one where nothing changed. Rejects with the fault. */
  readonly reloadKey: (account: QuotedAccount, running: AgentKey) => Promise<AgentKey>;
  readonly ledger: LedgerEngine;
  readonly fleet?: FleetShare;
  /** Draws what outsiders must not foresee; a simulation repeats its draws. */
  readonly prng: Prng;
  /** Frees locks; called last. */
  readonly release: () => void;
};

/** What the daemon answers over HTTP, and the data of its page. */
export type Shown = Pick<Served, "routes" | "onPost"> & {
  readonly status: () => Status;
  readonly detail: () => Detail;
};

/** What of ours may rest on an account, and the key that cancels it. */
export type Holding = {
  readonly accountId: AccountId;
  readonly chainId: string;
  readonly readLagMaxMs: number;
  readonly agentKey: AgentKey;
  /** Orders that stay. */
  readonly keep: readonly OrderId[];
  /** Our own that may rest. */
  readonly own: readonly RemainingOrder[];
  /** Transactions with lost answers that may still become orders. */
  readonly unknown: number;
  /** Chain time minus local wall time. */
  readonly offsetMs: number;
};

/** A bot that has not sent anything yet. */
export type MadeBot = {
  readonly abandon: () => Promise<readonly string[]>;
  readonly holdings: () => readonly Holding[];
};

export type BotModules = {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Listens for the daemon's HTTP; throws what the system throws. `startLedger`: the file of a ledger that ends with the process. */
  readonly serve: (
    listen: ServerConfig,
    served: Shown,
  ) => Promise<HttpServer & { readonly tokenFile?: string; readonly startLedger?: string | undefined }>;
  readonly version: string;
  readonly commit: string;
  /** Reads the configuration's file again, with these values; without it nothing can be set while the bot runs. */
  readonly readConfig?: ReadConfig;
  /** Another configuration's file, to be previewed. */
  readonly readOther?: ReadOther;
  /** The configuration's file; without it nothing can be promoted. */
  readonly configFile?: ConfigFile;
  /** Strategies beside those that trade; without them a market's shadow does not run. */
  readonly shadows?: Shadows;
  /** Called at the end of an account's day, for a webhook. */
  readonly tell?: (event: CriticalEvent) => void;
  /** Called with the bot before it sends anything. */
  readonly onMade?: (bot: MadeBot) => void;
  /** Makes the recorder of one process run, which gets every input that decides. Absent: nothing is recorded. */
  readonly record?: () => Recorder;
  /** Dates the rows of signals' files by the exchange's own time, where that does not follow the calendar; absent: they stay. */
  readonly dateSignals?: (sources: readonly SignalSource[]) => readonly SignalSource[];
  /** Starts each strategy; absent under virtual time. */
  readonly supervise?: Supervise;
};

export type BotParts = {
  readonly chainId: string;
  readonly state: BotState;
  readonly venue: Venue;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  readonly desks: Map<AccountId, AccountDesk>;
  readonly executions: Map<AccountId, Execution>;
  readonly unread: UnreadAnswers;
  readonly keyWatch: KeyWatch;
  readonly machine: Machine;
  /** For accounts and markets. */
  readonly series: DeskSeries;
  readonly driver: Driver;
  readonly asks: Asks;
  readonly keys: Map<AccountId, AgentKey>;
  readonly reloadKey: Prepared["reloadKey"];
  readonly prng: Prng;
  /** The ledger's current content for the machine. */
  readonly readsOfLedger: () => LedgerReads;
  readonly supervise: Supervise | undefined;
  readonly shadows: Shadows;
  /** Calls back with each fault of a strategy, after it was reported. */
  readonly onStrategyFault: (run: (market: MarketDesk, fault: QuoteFault) => void) => void;
  /** Records of earlier runs are lost. */
  readonly isLedgerLost: boolean;
  readonly onStreamWanted: (of: StreamRequests) => void;
  /** Resolves when the chain restarts at a lower height. */
  readonly chainRestarted: Promise<void>;
  /** For a run that ends before it began. */
  readonly endRecording: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The parts of the configuration that a bot is built from; a reload changes the accounts, at their desks. */
type BuildConfig = Pick<BotConfig, "accounts" | "ledger" | "venue" | "watchdog">;
type BuildModules = Pick<BotModules, "clock" | "log" | "metrics" | "shadows" | "supervise" | "record" | "tell"> &
  Partial<Pick<BotModules, "version">>;

export function buildBot(config: BuildConfig, prepared: Prepared, modules: BuildModules): BotParts {
  const { venue: at } = config;
  const { clock, log, metrics } = modules;
  const keys = new Map(prepared.keys);
  const recorder = modules.record?.() ?? null;
  const ledger = ledgerOf(config, prepared, modules);
  const executions = new Map<AccountId, Execution>();
  const isElsewhere = prepared.fleet?.isElsewhere ?? (() => false);
  let keyWatch: KeyWatch | null = null;
  const none: ReadonlySet<AccountId> = new Set();
  const keysElsewhere = () => keyWatch?.elsewhere ?? none;
  const readings = createReadings({ ledger, executions, isElsewhere, keysElsewhere });

  const options = beginOptions(config, { ...prepared, keys });
  const begun = { instant: instantOf(clock), readings: readings() };
  const kept = recorder === null ? ledger.read : noted(ledger.read);
  const machine = new Machine(options, begun, kept, {
    ...modules,
    prng: prepared.prng,
    onSlow: (accountId, marketId, why) => driver.feed({ kind: "slow", accountId, marketId, why }),
  });
  recorder?.start(startOf(options, prepared, { ...begun, kept: readsGiven(kept), version: modules.version ?? "" }));
  const record = recorder === null ? null : recordInputs(recorder, begun.readings);
  const onTurned = (ms: number): void => metrics.turnDuration.observe(ms / 1000);
  const driver = new Driver({ machine, clock, readings, onTurned, record });

  const { desks, state } = machine;
  const series = new DeskSeries(metrics, desks.values());
  const unread = unreadAnswersOf(log);
  const venue: Venue = { ...prepared.venue, reads: unread.hearing(prepared.venue.reads) };
  const { fleet, formerKeys = new Map() } = prepared;
  keyWatch = keyWatchOf(state, venue, modules);
  const parts = { ...modules, fleet, keys, formerKeys, state, venue, ledger, series, driver };
  for (const desk of desks.values()) executions.set(desk.accountId, makeExecution(at, desk, parts));
  const requests = createRequests();
  const lines = new Lines((accountId, lane) => driver.feed({ kind: "slot", accountId, lane }), { clock });
  const onDropped = sayDropped(log);
  const feed = driver.feed.bind(driver);
  const asks = new Asks(feed);
  const read = reader({ reads: venue.reads, clock, feed, onFailure: readFailureReport({ log }) });
  const left = leaving({ desks, series, log });
  const carriers = { series, executions, desks, lines, onDropped, read, asks, left, ...requests };
  driver.connect(carryOut({ ...modules, ledger, ...carriers }));

  return {
    chainId: at.chainId,
    state,
    venue,
    ledger,
    metrics,
    desks,
    executions,
    keyWatch,
    unread,
    machine,
    series,
    driver,
    asks,
    keys,
    reloadKey: prepared.reloadKey,
    prng: prepared.prng,
    readsOfLedger: () => (recorder === null ? ledger.read : noted(ledger.read)),
    supervise: modules.supervise,
    shadows: modules.shadows ?? noShadows,
    isLedgerLost: typeof prepared.ledgerLost === "string",
    onStrategyFault: requests.onStrategyFault,
    onStreamWanted: requests.onStreamWanted,
    chainRestarted: requests.chainRestarted,
    endRecording: async () => recorder?.close(),
    close: () => close({ driver, executions, lines, ledger, recorder }, prepared),
  };
}

function unreadAnswersOf(log: Log): UnreadAnswers {
  const report = readFailureReport({ log });
  return new UnreadAnswers((kind, subject, error) => report({ kind, subject }, error));
}

const keyWatchOf = (state: BotState, { reads }: Venue, { clock, log }: Pick<BuildModules, "clock" | "log">): KeyWatch =>
  new KeyWatch({
    ...{ accounts: state.accounts, reads, clock, log },
    chainTimeMs: () => chainTimeMs(state, clock.monotonicMs()),
  });

const beginOptions = (
  { accounts, watchdog, venue: { chainId, readLagMaxMs, landingBoundMs, dialect } }: BuildConfig,
  { keys, fleet, ledgerLost, halt }: Prepared,
): BeginOptions => ({
  accounts,
  chainId,
  readLagMaxMs,
  landingBoundMs,
  causes: { ...(ledgerLost === undefined ? {} : { ledgerLost }), ...(halt === undefined ? {} : { halt }) },
  publicKeys: new Map(accounts.map(({ accountId }) => [accountId, keyOf(keys, accountId).publicKey])),
  earlierHolders: fleet?.earlierHolders ?? [],
  watchdogSilenceMs: watchdog.silenceMs,
  dialect,
  isSending: true,
});

const startOf = (
  options: BeginOptions,
  { prng }: Pick<Prepared, "prng">,
  { instant, readings, kept, version }: Pick<Start, "instant" | "kept" | "version"> & { readonly readings: Readings },
): Start => ({
  instant,
  readings: recordedReadings(readings),
  version,
  chainId: options.chainId,
  readLagMaxMs: options.readLagMaxMs,
  landingBoundMs: options.landingBoundMs,
  watchdogSilenceMs: options.watchdogSilenceMs,
  seed: prng.seed,
  accounts: options.accounts.map(recordedAccount),
  publicKeys: [...options.publicKeys],
  earlierHolders: options.earlierHolders.map(({ allowances, untilMs }) => ({ allowances: [...allowances], untilMs })),
  ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
  ledgerLost: options.causes.ledgerLost ?? null,
  halt: options.causes.halt ?? null,
  kept,
});

async function close(
  { driver, executions, lines, ledger, recorder }: Closed,
  { venue, release }: Pick<Prepared, "venue" | "release">,
): Promise<void> {
  driver.close();
  lines.close();
  for (const execution of executions.values()) execution.close();
  await venue.close();
  await recorder?.close();
  ledger.close();
  release();
}

type Closed = Pick<BotParts, "driver" | "executions" | "ledger"> & {
  readonly lines: Lines;
  readonly recorder: Recorder | null;
};

/** A market that was removed from the configuration has gone. */
const leaving =
  ({ desks, series, log }: Pick<BotParts, "desks" | "series"> & Pick<BuildModules, "log">) =>
  (accountId: AccountId, marketId: MarketId): void => {
    const isLast = [...desks.values()].every(({ markets }) => !markets.has(marketId));
    series.forget(accountId, marketId, isLast);
    log.info({ event: "market.drained", market: marketId }, `market ${marketId}: none of its orders rests; removed`);
  };

/** The machine's requests to the daemon around it. */
function createRequests() {
  let stream: StreamRequests = { reconnect: () => {}, resubscribe: () => {} };
  let strategyFault = (_market: MarketDesk, _fault: QuoteFault): void => {};
  const { promise: chainRestarted, resolve: startAgain } = Promise.withResolvers<void>();
  return {
    stream: {
      reconnect: () => stream.reconnect(),
      resubscribe: (market: MarketId) => stream.resubscribe(market),
    },
    strategyFault: (market: MarketDesk, fault: QuoteFault) => strategyFault(market, fault),
    onStrategyFault(run: (market: MarketDesk, fault: QuoteFault) => void): void {
      strategyFault = run;
    },
    startAgain,
    chainRestarted,
    onStreamWanted(of: StreamRequests): void {
      stream = of;
    },
  };
}

const ledgerOf = (
  { ledger: { archiveAfterDays } }: BuildConfig,
  { ledger: engine }: Pick<Prepared, "ledger">,
  { clock, metrics, log }: BuildModules,
): Ledger =>
  new Ledger(
    {
      archiveAfterMs: archiveAfterDays * DAY_MS,
      onCommit: (durationMs) => metrics.journalCommit.observe(durationMs / 1000),
      onArchiveFailed: (why) =>
        log.warn({ event: "ledger.notArchived" }, `old fills could not be archived and stay in the ledger: ${why}`),
    },
    { engine, clock },
  );

export function channelsOf(accounts: readonly QuotedAccount[]): readonly Channel[] {
  const markets = new Set(accounts.flatMap((account) => account.markets.map(({ marketId }) => marketId)));
  return [
    ...[...markets].flatMap((marketId): Channel[] => [
      { channel: "orderbook", marketId },
      { channel: "trades", marketId },
      { channel: "oracleUpdates", marketId },
      { channel: "funding", marketId },
    ]),
    ...accounts.flatMap(({ accountId }): Channel[] => [
      { channel: "fills", accountId },
      { channel: "orders", accountId },
      { channel: "liquidations", accountId },
    ]),
  ];
}
