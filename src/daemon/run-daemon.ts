// Runs the daemon of a valid configuration: starts the embedded exchange if there is one, trades until stopped, and ends only once the
// exchange lists no order of ours.

import type { BotConfig, ServerConfig, SignalSource } from "../bot/config/config.ts";
import type { Setting } from "../bot/config/setting.ts";
import { Live } from "../bot/dashboard/live.ts";
import { readPage } from "../bot/dashboard/page-files.ts";
import { summaryLines } from "../bot/dashboard/summary.ts";
import { type Bot, startBot } from "../bot/service/lifecycle/bot.ts";
import type { MadeBot, Shown } from "../bot/service/lifecycle/build.ts";
import { checkMarkets, marketsOf } from "../bot/service/lifecycle/start-checks.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { Access } from "../bot/telemetry/access.ts";
import { json, type Routes, serveHttp, stream } from "../bot/telemetry/http.ts";
import type { Log } from "../bot/telemetry/log.ts";
import { createMetrics, observeProcess } from "../bot/telemetry/metrics.ts";
import { type Configuration, datedByPrints } from "../configuration.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  endWith,
  type Host,
  type Signal,
} from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { commandText } from "../kernel/typed-command.ts";
import type { ReadTexts } from "./configuration/reader.ts";
import { readConfiguration } from "./configuration/thread.ts";
import { type KeptSignal, watchConfig } from "./configuration/watch.ts";
import { historyFile } from "./history-file.ts";
import { ledgerFault } from "./ledger/open-ledger.ts";
import { ledgerQuestions } from "./ledger/questions.ts";
import { makeStartLedger, type StartLedger } from "./ledger/start-ledger.ts";
import { writeState } from "./ledger/write-state.ts";
import { withShadows } from "./paper-accounts.ts";
import { type PreparedBot, prepareBot } from "./prepare.ts";
import { watchCalls } from "./process/call-watch.ts";
import { endOnCrash, ordersMayRest } from "./process/crash.ts";
import { watchHeap } from "./process/heap-watch.ts";
import { superviseBy } from "./process/supervisor.ts";
import { recordingOf } from "./recording.ts";
import { type AdminToken, makeToken } from "./running/admin-token.ts";
import { announceDaemon } from "./running/running-daemon.ts";
import { makeAgentTokens, scopedTokens } from "./running/token-files.ts";
import { createWebhookLog, type WebhookLog } from "./webhook.ts";

/** How often a terminal shows the state, one line per market. */
const SUMMARY_EVERY_MS = 5000;

/** `texts`: the files that the configuration was read from. */
export type Read = { readonly configuration: Configuration; readonly texts: ReadTexts };

/** Runs until `stopped`, which says what ended it, for the log. Resolves with the code to exit with. */
export async function runDaemon(
  { configuration, texts }: Read,
  stopped: Promise<string>,
  host: Host,
): Promise<ExitCode> {
  let config = configuration.bot;
  if (config.fleet !== null) {
    const start = commandText("fleet run", config.file);
    return endWith(EXIT_USAGE, `fleet: another node may quote these accounts; start this one with ${start}`, host);
  }
  const metrics = createMetrics();
  observeProcess(metrics);
  let webhook: WebhookLog;
  let recording: ReturnType<typeof recordingOf>;
  try {
    webhook = createWebhookLog(config, host, metrics);
    recording = recordingOf(config, { ...host, log: webhook.log, metrics });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return endWith(EXIT_USAGE, error.message, host);
  }
  const { log, tell } = webhook;
  void stopped.then((reason) =>
    log.info({ event: "stopping", reason }, `${reason}: no new orders from now on; canceling everything`),
  );
  let prepared: PreparedBot | undefined;
  let startLedger: StartLedger | undefined;
  const killSwitch = keepSignal(host, "SIGUSR2");
  const reload = keepSignal(host, "SIGHUP");
  const crash = endOnCrash(host, log);
  const calls = watchCalls(config, host, log);
  let running: { readonly config: BotConfig } = { config };
  const unwatchHeap = watchHeap(() => running.config, { clock: host.clock, log });
  const supervised = superviseBy(host.supervisor, host.clock);
  void stopped.then(supervised.stops);
  let remaining: readonly string[] = [];
  try {
    const { clock, version, commit } = host;
    if (config.ledger.file === null) startLedger = startLedgerOf(host);
    const ledger =
      startLedger === undefined ? config.ledger : { ...config.ledger, file: startLedger.file, isOfRun: true };
    const serve = serverOf(config, startLedger?.file, host, log);
    const reading = readersOf(configuration.bot, host);
    for (;;) {
      prepared = await prepareBot({ ...configuration, bot: { ...config, ledger } }, host, log, metrics);
      await refuseAbsentMarkets(config, prepared);
      const onMade = (made: MadeBot) => {
        crash.reaches(made);
        calls.reaches(made);
      };
      const { supervise } = calls;
      const { venue, ...shadows } = withShadows(prepared.venue, prepared.prng.fork("shadows"), host, log, supervise);
      const startMs = clock.wallMs();
      const dateSignals = (sources: readonly SignalSource[]) =>
        datedByPrints(sources, { ...configuration, bot: running.config }, startMs);
      const machine = { clock, version, commit, serve, ...reading, supervise, shadows, dateSignals, ...recording };
      const modules = { ...machine, log, tell, metrics, onMade };
      const bot = await startBot(config, { ...prepared, venue }, modules);
      remaining = [];
      running = bot;
      killSwitch.reaches(() => bot.halt("SIGUSR2"));
      supervised.trades(bot);
      if ((await tradeUntilEnded(bot, stopped, texts, reload, host, log)) === "stopped")
        return await stop(bot, host, log);
      // The next round is a start like any other: it finds and cancels what the last one left resting.
      killSwitch.reaches(undefined);
      supervised.pauses();
      config = bot.config;
      remaining = await bot.stop();
      await prepared.close();
    }
  } catch (error) {
    // Wherever the error was thrown, a bot that has started must cancel its orders.
    if (!(error instanceof StartError)) return await crash.end(error);
    host.stderr(`quoin: ${error.message}\n`);
    if (killSwitch.isKept()) haltNextStart(config, host);
    return endOfStart(error, [...remaining, ...error.remaining], host);
  } finally {
    calls.close();
    unwatchHeap();
    await Promise.allSettled([prepared?.close(), webhook.close()]);
    startLedger?.remove();
  }
}

/** How the running daemon reads its configuration's file, and others, again. */
const readersOf = ({ file }: BotConfig, host: Host) => ({
  async readConfig(settings: readonly Setting[], text?: string) {
    const instead = text === undefined ? {} : { instead: new Map([[file, text]]) };
    return (await readConfiguration({ file, settings, ...instead }, host)).bot;
  },
  readOther: async (other: string) => (await readConfiguration({ file: other }, host)).bot,
  configFile: {
    read: () => host.files.read(file),
    write: (text: string) => host.files.replace(file, text),
  },
});

/** The daemon's HTTP server with its page. `startLedger`: the file of a ledger that is removed when the daemon ends. Throws StartError. */
function serverOf(config: BotConfig, startLedger: string | undefined, host: Host, log: Log) {
  const { clock } = host;
  const page = readPage("daemon");
  const { file: tokenFile, token } = tokenOf(config, host);
  const ledgerFile = startLedger ?? config.ledger.file;
  makeAgentTokens(ledgerFile, host, log);
  const scoped = scopedTokens(ledgerFile, token, host, log);
  const paper = config.accounts.flatMap(({ accountId, paper: of }) => (of === null ? [] : [`${accountId}`]));
  const store = historyFile(historyFileOf(config), (err) =>
    log.warn(
      { event: "history.unwritten", err },
      "the page's history cannot be saved; it is lost when this process ends",
    ),
  );
  return async (server: ServerConfig, { routes, onPost, ...shown }: Shown) => {
    const access = new Access({ ...server, token, scoped }, clock);
    const live = new Live({ clock, store, ...shown });
    const questions = ledgerFile === null ? null : ledgerQuestions(ledgerFile, paper, host);
    const more: Routes = new Map([
      ["GET /events", () => stream((sink) => live.open(sink))],
      ["GET /log.json", () => json(200, { notes: live.notes() })],
      ["GET /openapi.json", async () => json(200, (await import("./openapi.ts")).openApiOf(host.version))],
      ["GET /ledger.json", () => json(200, { file: ledgerFile })],
      ...(questions?.routes ?? []),
    ]);
    try {
      const http = await serveHttp(server, { routes: new Map([...routes, ...more]), onPost, page, access });
      const withdraw = await announceDaemon(config, { url: http.url, tokenFile }, host, log);
      const close = () => {
        withdraw();
        live.close();
        questions?.close();
        return http.close();
      };
      return { url: http.url, close, tokenFile, startLedger };
    } catch (cause) {
      live.close();
      throw cause;
    }
  };
}

/** `remaining`: orders that the run before, or this one, may have left resting. */
function endOfStart({ code }: StartError, remaining: readonly string[], host: Host): ExitCode {
  if (remaining.length === 0) return code === "configuration" ? EXIT_USAGE : EXIT_FAILED;
  host.stderr(`quoin: ${ordersMayRest(remaining)}`);
  return EXIT_ORDERS_MAY_REST;
}

/** For a halt that was asked for by signal before a bot could serve it. */
function haltNextStart(config: BotConfig, host: Host): void {
  try {
    writeState("halt", { reason: "SIGUSR2" }, config, config.accounts, host);
    host.stderr("quoin: SIGUSR2: the halt is written in the ledger for the next start\n");
  } catch (error) {
    host.stderr(`quoin: SIGUSR2: the halt is not written, and the next start trades: ${messageOf(error)}\n`);
  }
}

/** The page's history lies beside the ledger. */
const historyFileOf = ({ ledger: { file } }: BotConfig): string | null => (file === null ? null : `${file}.history`);

/** Checks the ledger's place first: the token is the first file that a start writes, usually beside the ledger. Throws StartError. */
function tokenOf(config: Configuration["bot"], host: Host): AdminToken {
  const fault = ledgerFault(config.ledger);
  if (fault !== null) throw new StartError("configuration", fault);
  try {
    return makeToken(config, host);
  } catch (cause) {
    throw new StartError("configuration", `server.tokenFile: ${messageOf(cause)}`, { cause });
  }
}

/** Throws StartError and leaves nothing behind. */
function startLedgerOf(host: Host): StartLedger {
  let made: StartLedger;
  try {
    made = makeStartLedger(host);
  } catch (cause) {
    throw new StartError("configuration", `ledger.file: ${messageOf(cause)}; name one`, { cause });
  }
  const fault = ledgerFault(made);
  if (fault === null) return made;
  made.remove();
  throw new StartError("configuration", `${fault}; name another`);
}

/** A market that the exchange does not list would wait for data forever. Throws StartError, with everything in `prepared` closed. */
async function refuseAbsentMarkets({ accounts, venue: { chainId } }: BotConfig, prepared: PreparedBot): Promise<void> {
  const markets = new Set(accounts.flatMap((account) => account.markets.flatMap(marketsOf)));
  try {
    await checkMarkets({ chainId, markets: [...markets] }, prepared.venue.reads);
  } catch (cause) {
    await prepared.venue.close();
    prepared.ledger.close();
    prepared.release();
    throw cause;
  }
}

/** Listens for a signal from now on. A signal that arrives while no bot can act on it is kept for the next bot. */
function keepSignal(host: Host, signal: Signal): KeptSignal & { readonly isKept: () => boolean } {
  let act: (() => void) | undefined;
  let isKept = false;
  host.onSignal(signal, () => {
    if (act === undefined) isKept = true;
    else act();
  });
  return {
    isKept: () => isKept,
    reaches(next) {
      act = next;
      if (!isKept || next === undefined) return;
      isKept = false;
      next();
    },
  };
}

/** A stop wins over a chain restart that comes later. */
async function tradeUntilEnded(
  bot: Bot,
  stopped: Promise<string>,
  texts: ReadTexts,
  reload: KeptSignal,
  host: Host,
  log: Log,
): Promise<"stopped" | "chainRestarted"> {
  const unwatch = watchConfig(bot.config.file, texts, bot, reload, host, log);
  const summary = host.terminal.stdout
    ? host.clock.every(SUMMARY_EVERY_MS, () => {
        for (const line of summaryLines(bot.status())) log.info({ event: "summary" }, line);
      })
    : undefined;
  const end = await Promise.race([
    stopped.then(() => "stopped" as const),
    bot.chainRestarted.then(() => "chainRestarted" as const),
  ]);
  unwatch();
  summary?.cancel();
  return end;
}

async function stop(bot: Bot, host: Host, log: Log): Promise<ExitCode> {
  const remaining = await bot.stop();
  if (remaining.length === 0) {
    log.info({ event: "stopped" }, "stopped: the exchange lists no order of ours");
    return EXIT_DONE;
  }
  host.stderr(`quoin: stopped, but ${ordersMayRest(remaining)}`);
  return EXIT_ORDERS_MAY_REST;
}
