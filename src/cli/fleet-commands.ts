// `quoin fleet`: its commands and their options.

import { type Command, Option } from "commander";
import type { ExitCode, Host } from "../host/host.ts";
import { ConfigOption } from "./config-option.ts";

/** How the parser runs a command. */
export type Doors = {
  readonly host: Host;
  /**
   * Makes an action for Commander, which calls it with parsed options. The command's exit code becomes the program's. Each command's
   * modules are loaded only when it runs.
   */
  readonly ends: <Options>(
    command: (options: Options) => ExitCode | Promise<ExitCode>,
  ) => (options: Options) => Promise<void>;
  /** For a command that runs for days: the process ends once its last lines are written, even with open handles. */
  readonly daemon: <Options>(
    command: (options: Options, host: Host) => Promise<ExitCode>,
  ) => (options: Options) => Promise<void>;
};

/** Adds commands to the program. */
export type Commands = { readonly command: (name: string, description: string) => Command };

type WithConfig = { readonly config: string };

export function fleetCommands(fleet: Command, { ends, daemon, host }: Doors): void {
  const command = (name: string, description: string): Command =>
    fleet
      .command(name)
      .description(description)
      .exitOverride()
      .addOption(new ConfigOption("the bot's configuration, with `fleet`"));

  command("init", "makes or migrates the schema, and records the accounts and limits that all nodes must have").action(
    ends(async (options: WithConfig) => (await import("./fleet.ts")).fleetInit(options, host)),
  );
  command("run", "starts a node: it takes accounts that nobody holds, quotes them, and gives them up in order").action(
    daemon(async (options: WithConfig, host) => (await import("./fleet-run.ts")).fleetRun(options, host)),
  );
  command("status", "shows every account with its node and its lease")
    .option("--json", "print JSON, one object per line", false)
    .action(
      ends(async (options: WithConfig & { json: boolean }) => (await import("./fleet.ts")).fleetStatus(options, host)),
    );
  command("drain", "moves what a node holds to others, canceled and confirmed first")
    .requiredOption("--node <NAME>", "which node")
    .action(
      ends(async (options: WithConfig & { node: string }) => (await import("./fleet.ts")).fleetDrain(options, host)),
    );
  for (const [verb, does] of [
    ["halt", "cancels all orders of all accounts and blocks new ones until resume, whichever node holds them"],
    ["resume", "lifts the halts of all accounts"],
  ] as const)
    command(verb, does)
      .addOption(new Option("--reason <TEXT>", "why; kept in the ledger").makeOptionMandatory(verb !== "halt"))
      .action(
        ends(async (options: WithConfig & { reason?: string }) =>
          (await import("./fleet.ts")).fleetOrder(verb, options, host),
        ),
      );
}
