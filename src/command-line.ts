// The command line of Quoin: names commands and their options, and runs the one that was asked for.

import { fileURLToPath } from "node:url";
import { Argument, Command, CommanderError, Help, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { agentCommands } from "./cli/agent-commands.ts";
import {
  collect,
  count,
  days,
  daysFromZero,
  idText,
  latchKind,
  marketNumber,
  minutes,
  port,
  seed,
  slippage,
} from "./cli/arguments.ts";
import type { BacktestOptions } from "./cli/backtest.ts";
import type { CancelOptions } from "./cli/cancel.ts";
import type { CheckOptions } from "./cli/check.ts";
import { latchNames, type Shell, shells } from "./cli/choices.ts";
import { wordsOf } from "./cli/command-words.ts";
import { ConfigOption, TokenFileOption, takeUsualConfig } from "./cli/config-option.ts";
import type { DevnetOptions } from "./cli/devnet.ts";
import type { DoctorOptions } from "./cli/doctor.ts";
import type { DrillOptions } from "./cli/drill.ts";
import { examplesOf, firstSteps } from "./cli/examples.ts";
import { type Doors, fleetCommands } from "./cli/fleet-commands.ts";
import type { InitOptions } from "./cli/init.ts";
import { exportCommand, importCommand, learningCommands, tuneCommand } from "./cli/learning-commands.ts";
import type { PreviewOptions } from "./cli/preview.ts";
import type { ProbeOptions } from "./cli/probe.ts";
import type { PromoteOptions } from "./cli/promote.ts";
import { recordCommands } from "./cli/record-commands.ts";
import type { ReplayOptions } from "./cli/replay.ts";
import type { RiskOptions } from "./cli/risk.ts";
import type { SimulateOptions } from "./cli/simulate.ts";
import type { TradingStateOptions } from "./cli/trading-state.ts";
import type { WorkerOptions } from "./cli/worker.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host/host.ts";
import { messageOf } from "./kernel/errors.ts";
import { meant } from "./kernel/nearest.ts";
import { withoutKeys } from "./kernel/secret.ts";

/** Where commands run: one that ends with its results, and one that runs for days. */
export type Hosts = { readonly host: Host; readonly daemonHost: () => Host };

/** Runs the command that `words` name and resolves with its exit code; never rejects. A daemon's end is its host's `exit`. */
export async function runCommand(words: readonly string[], hosts: Hosts): Promise<ExitCode> {
  const { host } = hosts;
  const line = lineOf(hosts);
  const { program, command } = line;
  program.commandsGroup("Trading:");
  startCommands(line);
  preparingCommands(line);
  program.commandsGroup("The operator's day:");
  operatingCommands(line);
  changeCommands(line);
  agentCommands(line);
  program.commandsGroup("Research:");
  strategyCommands(line);
  simulateCommand(line);
  backtestCommand(line);
  replayCommand(line);
  learningCommands(line);
  tuneCommand(line);
  program.commandsGroup("Data:");
  recordCommands(line);
  exportCommand(line);
  importCommand(line);
  program.commandsGroup("Fleet:");
  fleetCommands(command("fleet", "runs accounts across several machines, on PostgreSQL"), line);
  workerCommand(line);
  program.commandsGroup("Help:").helpCommand(true);
  command("completion", "prints a shell's completion script")
    .addArgument(new Argument("<shell>").choices(shells))
    .action((shell: Shell) =>
      line.ends(async () => (await import("./cli/completion.ts")).completion(shell, wordsOf(program), host))(undefined),
    );
  try {
    await program.parseAsync(words, { from: "user" });
    return line.exitCode();
  } catch (error) {
    if (error instanceof CommanderError) {
      host.stderr(withoutKeys(mistyped(error, words)));
      return error.exitCode === 0 ? EXIT_DONE : EXIT_USAGE;
    }
    host.stderr(faultOf(error));
    return EXIT_FAILED;
  }
}

/** What the groups of commands are built with. */
type Line = Doors & {
  readonly program: Command;
  readonly command: (name: string, description: string) => Command;
  /** Exit code of the command that ran. */
  readonly exitCode: () => ExitCode;
};

function lineOf({ host, daemonHost }: Hosts): Line {
  const program = new Command("quoin")
    .description(manifest.description)
    .version(manifest.version)
    .addHelpText("after", firstSteps)
    // An option behind a subcommand is the subcommand's, even where its parent has one of the same name.
    .enablePositionalOptions()
    .configureHelp({ optionDescription })
    // Hides a key typed in place of a file or a command.
    .configureOutput({ writeOut: host.stdout, writeErr: (text) => host.stderr(withoutKeys(text)) })
    .exitOverride()
    .hook("preAction", (_, command) => takeUsualConfig(command, host));
  let exitCode: ExitCode = EXIT_DONE;
  return {
    program,
    host,
    exitCode: () => exitCode,
    command: (name, description) =>
      program.command(name).description(description).exitOverride().addHelpText("after", examplesOf(name)),
    ends: (command) => async (options) => {
      exitCode = await command(options);
    },
    daemon: (command) => async (options) => {
      const daemons = daemonHost();
      const failed = (error: unknown): ExitCode => {
        daemons.stderr(faultOf(error));
        return EXIT_FAILED;
      };
      daemons.exit(await command(options, daemons).catch(failed));
    },
  };
}

/** As the parser writes it, and whether the command needs it. */
const optionDescription = (option: Option): string =>
  `${option.mandatory ? "required; " : ""}${Help.prototype.optionDescription(option)}`;

const faultOf = (error: unknown): string => `quoin: ${withoutKeys(messageOf(error))}\n`;

const CONFIG = "--config <FILE>";
/** An absolute path: the command may run in any folder. */
const SHIPPED_DEVNET = fileURLToPath(new URL("../config/devnet.yaml", import.meta.url));
const JSON_OUTPUT = "--json";
const DATA_DIR = "--data-dir <FOLDER>";

/** Commands that trade, the exchange to try them on, and checks of a configuration before that. */
function startCommands({ command, daemon, ends, host }: Line): void {
  command("run", "starts the daemon for every account and market in FILE")
    .addOption(new ConfigOption())
    .action(daemon(async (options: { config: string }, host) => (await import("./cli/run.ts")).run(options, host)));

  const devnetCommand = command("devnet", "starts only the embedded exchange; prints one line of JSON when it serves")
    .option(CONFIG, "the devnet's configuration", SHIPPED_DEVNET)
    .option("--port <N>", "port of the validator's HTTP and WebSocket; 0: any free one", port, 18_080)
    .option("--rest-port <N>", "port of the hosted REST API; 0: any free one", port, 18_081)
    .option("--control-port <N>", "port of the control listener; 0: any free one", port, 18_082)
    .option(DATA_DIR, "keep blocks and snapshots there, and resume from them")
    .action(ends(async (options: DevnetOptions) => (await import("./cli/devnet.ts")).devnet(options, host)));

  devnetCommand
    .command("verify")
    .description("replays a kept chain from genesis and compares every block and snapshot")
    .exitOverride()
    .requiredOption(DATA_DIR, "the folder of the chain")
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { dataDir: string; json: boolean }) =>
        (await import("./cli/devnet-verify.ts")).devnetVerify(options, host),
      ),
    );

  command("watchdog", "starts the watchdog: with its own agent key it cancels everything when the daemon falls silent")
    .addOption(new ConfigOption())
    .action(
      daemon(async (options: { config: string }, host) => (await import("./cli/watchdog.ts")).watchdog(options, host)),
    );

  command("check", "validates a configuration; all faults at once, exit 2")
    .addOption(new ConfigOption("a bot's or a devnet's configuration"))
    .option("--online", "also ask the exchange whether accounts and markets exist", false)
    .option(JSON_OUTPUT, "print JSON", false)
    .action(ends(async (options: CheckOptions) => (await import("./cli/check.ts")).check(options, host)));

  command(
    "doctor",
    "checks configuration, keys, exchange, account and machine before going live; exit 1 if a check fails",
  )
    .addOption(new ConfigOption())
    .option("--live-test", "also place one post-only order far from the market, and cancel it", false)
    .option(JSON_OUTPUT, "print JSON, one object per check", false)
    .action(ends(async (options: DoctorOptions) => (await import("./cli/doctor.ts")).doctor(options, host)));
}

/** Commands before the first start. */
function preparingCommands({ command, ends, host }: Line): void {
  const initCommand = command(
    "init",
    "asks a few questions, writes a configuration and an agent key, prints the public key to approve",
  )
    .requiredOption("--out <FILE>", "the configuration to write; never overwritten")
    .option("--yes", "ask nothing: options and defaults answer", false)
    .option("--key <FILE>", "where the agent key goes; default: agent.key beside the configuration")
    .option("--live", "confirms that the chain is not a devnet's", false)
    .option("--server-port <N>", "port of the daemon's HTTP", port, 9464)
    .option(JSON_OUTPUT, "print JSON", false);
  for (const [option, what] of [
    ["--validator-url <URL>", "the validator's address; default: a devnet on this machine"],
    ["--chain-id <TEXT>", "the chain; default: what the exchange reports"],
    ["--account <ID>", "the account to trade; required with --yes"],
    ["--market <ID>", "the market to quote; default: 1"],
    ["--strategy <NAME>", "glft or fixed-spread; default: glft"],
    ["--max-position <CONTRACTS>", "default: 20"],
    ["--max-order-size <CONTRACTS>", "default: a tenth of the largest position"],
    ["--max-loss <USDC>", "a day; default: 500"],
  ] as const)
    initCommand.option(option, what);
  initCommand.action(
    ends(async ({ serverPort, ...options }: InitOptions & { serverPort: number }) =>
      (await import("./cli/init.ts")).init({ ...options, port: serverPort }, host),
    ),
  );

  command("keygen", "makes an agent key file and prints the public key to approve")
    .requiredOption("--out <FILE>", "where the key goes; mode 0600, never overwritten")
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { out: string; json: boolean }) => (await import("./cli/keygen.ts")).keygen(options, host)),
    );

  command("drill", "runs drills with FILE's strategies and limits against a faulty local exchange; exit 1 if one fails")
    .addOption(new ConfigOption())
    .option("--only <NAME>", "only this drill; may be repeated", collect, [])
    .option(JSON_OUTPUT, "print JSON, one object per drill", false)
    .action(ends(async (options: DrillOptions) => (await import("./cli/drill.ts")).drill(options, host)));

  command("probe", "tests step by step what Quoin assumes about an exchange; exit 1 if an assumption does not hold")
    .addOption(new ConfigOption())
    .option("--out <FILE>", "write the results, and the configuration keys that replace assumptions")
    .option("--write", "write the venue.dialect that was found into the configuration; no daemon may run on it", false)
    .option(
      "--no-order",
      "only read; otherwise one post-only order far from the market is placed, modified and canceled",
    )
    .option(JSON_OUTPUT, "print JSON, one object per assumption, and the dialect in the last", false)
    .action(ends(async (options: ProbeOptions) => (await import("./cli/probe.ts")).probe(options, host)));
}

/** Commands that show the effect of a change before it is made. */
function changeCommands({ command, ends, host }: Line): void {
  command("risk", "shows the loss with every position at its limit: print gaps, funding at its cap, a late print")
    .addOption(new ConfigOption())
    .option(JSON_OUTPUT, "print JSON, one object a scenario", false)
    .action(ends(async (options: RiskOptions) => (await import("./cli/risk.ts")).risk(options, host)));

  command(
    "preview",
    "shows what a configuration would change in the running daemon: orders kept, moved, canceled, placed",
  )
    .addOption(new ConfigOption("the new configuration; its server says where the daemon is"))
    .addOption(new TokenFileOption())
    .option(JSON_OUTPUT, "print JSON, one object a market", false)
    .action(ends(async (options: PreviewOptions) => (await import("./cli/preview.ts")).preview(options, host)));

  command("promote", "makes a market's shadow the strategy that trades, in the running daemon and in the file")
    .addOption(new ConfigOption())
    .requiredOption("--account <ID>", "the account")
    .requiredOption("--market <ID>", "the market", marketNumber)
    .option(JSON_OUTPUT, "print JSON", false)
    .action(ends(async (options: PromoteOptions) => (await import("./cli/promote.ts")).promote(options, host)));

  command("token", "prints the token that the daemon's HTTP asks for")
    .addOption(new ConfigOption())
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { config: string; json: boolean }) => (await import("./cli/token.ts")).token(options, host)),
    );
}

/** A strategy of the user's own. */
function strategyCommands({ command, ends, host }: Line): void {
  command("strategy", "creates a strategy of your own")
    .command("new")
    .description(
      "writes a strategy that works, its test, a configuration that runs it on paper, and types for an editor",
    )
    .exitOverride()
    .addHelpText("after", examplesOf("strategy"))
    .argument("<FILE>", "the strategy to write; its name is the file's; never overwritten")
    .option(JSON_OUTPUT, "print JSON", false)
    .action((file: string, options: { readonly json: boolean }) =>
      ends(async (given: { readonly json: boolean }) =>
        (await import("./cli/strategy-new.ts")).strategyNew(file, given, host),
      )(options),
    );
}

/** Commands of an operator beside a daemon, or without one. */
function operatingCommands({ command, ends, host }: Line): void {
  command("status", "shows the accounts as the exchange and a running daemon report them")
    .addOption(new ConfigOption())
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { config: string; json: boolean }) =>
        (await import("./cli/status.ts")).status(options, host),
      ),
    );

  command("top", "shows a running daemon live: quotes, positions, PnL, and why nothing is quoted; q ends it")
    .addOption(new ConfigOption())
    .action(ends(async (options: { config: string }) => (await import("./cli/top.ts")).top(options, host)));

  command("cancel", "has a running daemon cancel one of its orders; the strategy may place another one at once")
    .addOption(new ConfigOption())
    .requiredOption("--account <ID>", "the account")
    .requiredOption("--order <ID>", "its id, as quoin status --json shows it", idText)
    .option(JSON_OUTPUT, "print JSON", false)
    .action(ends(async (options: CancelOptions) => (await import("./cli/cancel.ts")).cancel(options, host)));

  command("cancel-all", "asks a running daemon to halt, then cancels order by order until nothing rests")
    .addOption(new ConfigOption())
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { config: string; json: boolean }) =>
        (await import("./cli/cancel-all.ts")).cancelAll(options, host),
      ),
    );

  for (const [verb, does] of [
    ["halt", "cancels all orders and blocks new ones until resume; survives restarts"],
    ["reduce", "allows only what reduces positions until resume; survives restarts"],
    ["resume", "lifts the halts of an account or market; after a loss halt the day's loss counts from zero"],
  ] as const) {
    const changes = command(verb, does)
      .addOption(new ConfigOption())
      // A halt must not wait for words.
      .addOption(new Option("--reason <TEXT>", "why; kept in the ledger").makeOptionMandatory(verb !== "halt"))
      .option("--account <ID>", "only this account")
      .option("--market <ID>", "only this market", marketNumber)
      .option(JSON_OUTPUT, "print JSON", false)
      .action(
        ends(async (options: TradingStateOptions) =>
          (await import("./cli/trading-state.ts")).changeTradingState(verb, options, host),
        ),
      );
    if (verb === "resume") changes.option("--latch <KIND>", `only this kind: ${latchNames.join(", ")}`, latchKind);
  }

  command("flatten", "cancels all orders, then closes positions reduce-only; needs the daemon halted or stopped")
    .addOption(new ConfigOption())
    .option(
      "--max-slippage-bps <N>",
      "the largest distance from oracle and mark price at which it trades",
      slippage,
      100,
    )
    .option(JSON_OUTPUT, "print JSON", false)
    .action(
      ends(async (options: { config: string; maxSlippageBps: number; json: boolean }) =>
        (await import("./cli/flatten.ts")).flatten(options, host),
      ),
    );
}

/** Bot and exchange in virtual time. */
function simulateCommand({ command, ends, host }: Line): void {
  command("simulate", "runs bot and exchange in one virtual world per seed, under faults; exit 1 when a law is broken")
    .option("--seeds <N>", "how many worlds", count, 100)
    .addOption(new Option("--seed <K>", "seed of the first").argParser(seed).default(1n, "1"))
    .option("--minutes <M>", "simulated minutes per world, at least 2", minutes, 10)
    .option("--workers <W>", "threads that run worlds", count, host.cores)
    .addOption(
      new Option("--queue", "hand the worlds to all `quoin worker` of the configuration's `fleet`")
        .default(false)
        .conflicts(["workers", "trace"]),
    )
    .addOption(
      new ConfigOption(
        "with --queue: a configuration with `fleet`, whose database holds the queue",
        ({ queue }) => queue === true,
      ),
    )
    .option("--trace", "print every event of the first world and run no other", false)
    .option(JSON_OUTPUT, "print JSON", false)
    .action(ends(async (options: SimulateOptions) => (await import("./cli/simulate.ts")).simulate(options, host)));
}

function backtestCommand({ command, ends, host }: Line): void {
  command("backtest", "runs the bot in virtual time on its embedded exchange, or in a recorded market: PnL by source")
    .addOption(
      new ConfigOption(
        "the bot's configuration, with `embedded` unless in a recording; again to compare it with another",
      ).argParser(collect),
    )
    .addOption(new Option("--days <N>", "simulated days per run, may be a fraction").argParser(days))
    .addOption(
      new Option(
        "--recording <FILE>",
        "the market of a recording instead, or of a folder of them, as long as it lasts; again for another",
      )
        .argParser(collect)
        .default([], "none")
        .conflicts(["days", "seeds", "queue"]),
    )
    .addOption(
      new Option(
        "--world <FILE>",
        "run in each of FILE's named worlds, and tell the worst quarter of the runs",
      ).conflicts(["recording", "holdout", "report"]),
    )
    .option(
      "--warm-up <N>",
      "simulated days before that, not counted; may be a fraction (default: a quarter of --days, 0.25 at most; in a recording none)",
      daysFromZero,
    )
    .option("--seeds <N>", "how many seeds, a run each", count, 1)
    .addOption(new Option("--seed <K>", "the first of them").argParser(seed).default(1n, "1"))
    .option("--holdout <N>", "further seeds, or the last recordings, on which only the best setting runs", count, 0)
    .option(
      "--fixed-world",
      "latency, informed takers and funding as usual and configured, not drawn from each seed",
      false,
    )
    .option(
      "--set <PATH=V1,V2>",
      "a key of the configuration takes these values in turn; again for a grid",
      collect,
      [],
    )
    .option("--workers <W>", "threads for the runs", count, host.cores)
    .addOption(
      new Option("--queue", "hand the runs to all `quoin worker` of the configuration's `fleet`")
        .default(false)
        .conflicts("workers"),
    )
    .option("--no-shortcuts", "run every step as live: the same results, slower")
    .addOption(
      new Option(
        "--approximate",
        "some thirty times faster: our orders fill by a queue model in the seed's market, which does not answer to them; only to choose what to run in full",
      )
        .default(false)
        .conflicts("queue"),
    )
    .option("--report <FILE>", "write a page of HTML with charts to FILE")
    .option("--out <FOLDER>", "write fills and equity as Parquet into FOLDER")
    .option("--resume <FILE>", "keep finished runs in FILE, and do not repeat those that it has")
    .option(JSON_OUTPUT, "print JSON, one object per line", false)
    .action(ends(async (options: BacktestOptions) => (await import("./cli/backtest.ts")).backtest(options, host)));
}

function replayCommand({ command, ends, host }: Line): void {
  command("replay", "replays every decision of a recording and compares; exit 1 names the first difference")
    .argument("<recording>", "a file that `recording` in the configuration wrote, or its folder")
    .option(CONFIG, "another configuration: lists where it would have decided otherwise on the same events")
    .option(JSON_OUTPUT, "print JSON, one object per line", false)
    .action((recording: string, options: ReplayOptions) =>
      ends(async (given: ReplayOptions) => (await import("./cli/replay.ts")).replay(recording, given, host))(options),
    );
}

/** Runs the jobs of other machines. */
function workerCommand({ command, ends, host }: Line): void {
  command("worker", "runs the jobs that backtest --queue and simulate --queue put on the same database")
    .addOption(new ConfigOption("a configuration with `fleet`, whose database holds the queue"))
    .option("--workers <W>", "threads, each with one run or world at a time", count, host.cores)
    .action(ends(async (options: WorkerOptions) => (await import("./cli/worker.ts")).worker(options, host)));
}

/** A mistyped option leaves a required one missing, which is all that the parser says. */
function mistyped({ code, message }: CommanderError, words: readonly string[]): string {
  const missing = /--[a-z-]+/.exec(message)?.[0];
  if (code !== "commander.missingMandatoryOptionValue" || missing === undefined) return "";
  const written = words.filter((argument) => argument.startsWith("--"));
  return meant(written, [missing]).replace("; d", "(D").replace("?", "?)\n");
}
