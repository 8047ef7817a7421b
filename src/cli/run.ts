// `quoin run`: the daemon. Reads the configuration, starts the exchange where it is embedded, trades until a signal stops it,
// and ends only when the exchange itself says that nothing rests.

import type { BotConfig } from "../bot/config/config.ts";
import { readPage } from "../bot/dashboard/page-files.ts";
import { summaryLine } from "../bot/dashboard/summary.ts";
import { type Bot, startBot } from "../bot/service/lifecycle/bot.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import { type Routes, serveHttp } from "../bot/telemetry/http.ts";
import { createLog, type Log } from "../bot/telemetry/log.ts";
import { createMetrics, observeProcess } from "../bot/telemetry/metrics.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import { type Configuration, loadConfiguration } from "./configuration.ts";
import {
  EXIT_DONE,
  EXIT_FAILED,
  EXIT_ORDERS_MAY_REST,
  EXIT_USAGE,
  type ExitCode,
  type Host,
  untilStopped,
} from "./host.ts";
import { type PreparedBot, prepareBot } from "./prepare.ts";
import { watchConfig } from "./watch-config.ts";

/** How often a terminal shows the state in one line. */
const SUMMARY_EVERY_MS = 5000;

export async function run(options: { readonly config: string }, host: Host): Promise<ExitCode> {
  // From the first moment: a stop that comes during the start is kept, and what an earlier life left resting is canceled too.
  const stopped = untilStopped(host);
  let configuration: Configuration;
  try {
    configuration = await loadConfiguration(options.config, host.files);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return EXIT_USAGE;
  }
  const config = configuration.bot;
  const log = createLog(config.log.level, {
    write: host.stdout,
    terminal: host.terminal.stdout,
    wallMs: host.clock.wallMs,
  });
  void stopped.then((signal) =>
    log.info({ event: "stopping", signal }, `${signal}: no new exposure from now on; canceling everything`),
  );
  const metrics = createMetrics();
  observeProcess(metrics);
  let prepared: PreparedBot | undefined;
  const killSwitch = listenForHalt(host);
  try {
    prepared = await prepareBot(configuration, host, log, metrics);
    const { clock, version, commit } = host;
    const page = readPage();
    const serve = (listen: BotConfig["server"], routes: Routes) => serveHttp(listen, new Map([...page, ...routes]));
    const bot = await startBot(config, prepared, { clock, version, commit, log, metrics, serve });
    killSwitch.reaches(bot);
    return await tradeUntilStopped(bot, stopped, config, host, log);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    host.stderr(`quoin: ${error.message}\n`);
    return error.code === "configuration" ? EXIT_USAGE : EXIT_FAILED;
  } finally {
    await prepared?.close();
  }
}

/** SIGUSR2 halts from the first moment: one that came before there was a bot is kept for it. */
function listenForHalt(host: Host): { readonly reaches: (bot: Bot) => void } {
  let bot: Bot | undefined;
  let asked = false;
  host.onSignal("SIGUSR2", () => {
    asked = true;
    bot?.halt("SIGUSR2");
  });
  return {
    reaches(started) {
      bot = started;
      if (asked) started.halt("SIGUSR2");
    },
  };
}

async function tradeUntilStopped(
  bot: Bot,
  stopped: ReturnType<typeof untilStopped>,
  config: BotConfig,
  host: Host,
  log: Log,
): Promise<ExitCode> {
  const unwatch = watchConfig(config.file, bot, host, log);
  const summary = host.terminal.stdout
    ? host.clock.every(SUMMARY_EVERY_MS, () => log.info({ event: "summary" }, summaryLine(bot.status())))
    : undefined;
  await stopped;
  unwatch();
  summary?.cancel();
  const remaining = await bot.stop();
  if (remaining.length === 0) {
    log.info({ event: "stopped" }, "stopped: the exchange lists no order of ours");
    return EXIT_DONE;
  }
  host.stderr(`quoin: stopped, but orders may still rest:\n${remaining.map((line) => `  ${line}\n`).join("")}`);
  return EXIT_ORDERS_MAY_REST;
}
