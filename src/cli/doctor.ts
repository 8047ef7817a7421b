// `quoin doctor`: checks configuration, keys, exchange, account and machine before a daemon goes live. It reports every check, also one
// that an earlier failure makes impossible. It tries what a start needs: a file, a port, a transaction that changes nothing.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import { createLog } from "../bot/telemetry/log.ts";
import type { Configuration } from "../configuration.ts";
import { judgeConfiguration } from "../daemon/configuration/thread.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import { EXIT_DONE, EXIT_FAILED, type ExitCode, type Host } from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { countText } from "../kernel/text.ts";
import { commandText } from "../kernel/typed-command.ts";
import { ConfigError, type Fault, formatFault } from "../kernel/yaml/fault.ts";
import { type Facts, gatherFacts, gatherSizes } from "./doctor/facts.ts";
import { both, type CheckName, checkNames, isFatal, judged, notChecked, tell, type Verdict } from "./doctor/finding.ts";
import { exchangeChecks } from "./doctor/judge-exchange.ts";
import { holdKeys, judgeLedger, judgePort, judgeSecrets, judgeWatchdog, readKeys } from "./doctor/judge-machine.ts";
import { cancelNothing, liveTestOf, tryLiveOrder } from "./doctor/live-order.ts";
import { type LocalExchange, startLocalExchange } from "./local-exchange.ts";

export type DoctorOptions = { readonly config: string; readonly json: boolean; readonly liveTest: boolean };

type Verdicts = Partial<Record<CheckName, Verdict>>;

/** A check that hangs is given up, so that every check is reported within five seconds. */
export const READ_MS_MAX = 2500;

/** Exit 1 when a check of severity fail fails. */
export async function doctor(options: DoctorOptions, host: Host): Promise<ExitCode> {
  const verdicts = await examine(options, host);
  const asked = checkNames.filter((check) => check !== "liveOrder" || options.liveTest);
  const findings = asked.map((check) => ({ check, ...(verdicts[check] ?? notChecked("the configuration is wrong")) }));
  for (const finding of findings) tell(finding, options.json, host);
  const fatal = findings.filter(isFatal).length;
  if (!options.json)
    host.stdout(
      fatal === 0
        ? `ready; start it with: ${commandText("run", options.config)}\n`
        : `${countText(fatal, "check")} failed; a daemon would not trade as configured\n`,
    );
  return fatal === 0 ? EXIT_DONE : EXIT_FAILED;
}

async function examine(options: DoctorOptions, host: Host): Promise<Verdicts> {
  let configuration: Configuration;
  let faults: readonly Fault[];
  try {
    ({ configuration, faults } = await judgeConfiguration({ file: options.config }, host));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: judged(error.faults.map(formatFault), "") };
  }
  const { bot } = configuration;
  const config = judged(faults.map(formatFault), `valid: ${accountsText(bot)}`);
  const quiet = createLog("error", { write: host.stderr, terminal: host.terminal.stderr, wallMs: host.clock.wallMs });
  let local: LocalExchange | null = null;
  try {
    local = await startLocalExchange(configuration, host, quiet);
    return { config, ...(await examineReached(local?.reached ?? bot, bot, local, options, host)) };
  } catch (error) {
    return { config, reachable: judged([messageOf(error)], ""), ...judgeAlone(bot, host) };
  } finally {
    await local?.devnet.close();
  }
}

function accountsText(bot: BotConfig): string {
  const onPaper = bot.accounts.length - withoutPaper(bot).accounts.length;
  return `${countText(bot.accounts.length, "account")}${onPaper === 0 ? "" : `, ${onPaper} on paper`}`;
}

const judgeAlone = (bot: BotConfig, host: Host): Verdicts => ({
  keyFile: both(readKeys(bot, new Map()).verdict, judgeSecrets(bot, host)),
  ledger: judgeLedger(bot, host),
  watchdog: judgeWatchdog(bot, null),
});

/** `reached`: the configuration `bot`, with the address of its exchange even if that is embedded. */
async function examineReached(
  reached: BotConfig,
  bot: BotConfig,
  local: LocalExchange | null,
  options: DoctorOptions,
  host: Host,
): Promise<Verdicts> {
  const venue = reachVenue(reached, host, { readTimeoutMs: READ_MS_MAX, cancelTimeoutMs: READ_MS_MAX });
  if (venue === null) return {};
  const { keys, verdict: keyFile } = readKeys(bot, local?.keys ?? new Map());
  const [facts, sizes, held, port] = await Promise.all([
    gatherFacts(bot, venue.reads, host.clock),
    // A fresh exchange's book does not show what size a market carries.
    local === null ? gatherSizes(bot, venue.reads) : new Map(),
    holdKeys(bot, keys, host),
    judgePort(bot, host),
  ]);
  try {
    const posted = await cancelNothing(bot, facts, keys, { clock: host.clock, venue });
    const subject = { config: bot, facts, sizes, keys, posted, proxies: host.proxyVariables };
    const exchange = Object.entries(exchangeChecks).map(([name, judge]) => [name, judge(subject)]);
    const verdicts: Verdicts = {
      keyFile: both(keyFile, judgeSecrets(bot, host)),
      ...Object.fromEntries(exchange),
      ledger: judgeLedger(bot, host),
      secondDaemon: both(held.verdict, port),
      watchdog: judgeWatchdog(bot, facts),
    };
    if (!options.liveTest) return verdicts;
    return { ...verdicts, liveOrder: await liveOrder(verdicts, facts, { bot, keys, venue, clock: host.clock }) };
  } finally {
    for (const lock of held.locks) lock.release();
    await venue.close();
  }
}

type LiveModules = {
  readonly bot: BotConfig;
  readonly keys: ReturnType<typeof readKeys>["keys"];
  readonly venue: NonNullable<ReturnType<typeof reachVenue>>;
  readonly clock: Host["clock"];
};

/** Sends nothing to an exchange with another chain id, or while another process uses the key. */
async function liveOrder(verdicts: Verdicts, facts: Facts, { bot, keys, ...modules }: LiveModules): Promise<Verdict> {
  const needed = ["config", "keyFile", "reachable", "chainId", "clock", "agentKey", "markets", "secondDaemon"] as const;
  const failed = needed.filter((check) => {
    const verdict = verdicts[check];
    return verdict !== undefined && isFatal(verdict);
  });
  if (failed.length > 0) return notChecked(`${failed.join(", ")} failed; nothing was sent`);
  const test = liveTestOf(bot, facts, keys);
  return "detail" in test ? test : await tryLiveOrder(test, modules);
}
