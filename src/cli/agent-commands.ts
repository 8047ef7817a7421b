// Options of the commands for agents, and for the people who decide on what agents propose.

import { ConfigOption, TokenFileOption } from "./config-option.ts";
import type { Commands, Doors } from "./fleet-commands.ts";
import type { McpOptions } from "./mcp.ts";
import type { ProposalsOptions } from "./proposals.ts";

export function agentCommands({ command, ends, host }: Doors & Commands): void {
  command(
    "mcp",
    "lets an agent read the running daemon over stdio, by the Model Context Protocol; it can change nothing",
  )
    .addOption(new ConfigOption())
    .option("--propose", "also let it propose changes, which a person approves", false)
    .addOption(new TokenFileOption("in place of tokens/mcp or tokens/mcp-propose beside the ledger"))
    .action(ends(async (options: McpOptions) => (await import("./mcp.ts")).mcp(options, host)));

  command("proposals", "lists what agents propose to the running daemon, with what each proposal would change")
    .addOption(new ConfigOption())
    .option("--all", "also those of this run that are no longer open", false)
    .addOption(new TokenFileOption())
    .option("--json", "print JSON, one object a proposal", false)
    .action(
      ends(async (options: ProposalsOptions & { readonly all: boolean }) =>
        (await import("./proposals.ts")).proposals(options, host),
      ),
    );

  for (const [verdict, does] of [
    ["approve", "carries out a proposal; exit 1 if it is not open or the configuration has changed"],
    ["refuse", "closes a proposal without carrying it out"],
  ] as const)
    command(verdict, does)
      .argument("<id>", "as quoin proposals shows it")
      .addOption(new ConfigOption())
      .addOption(new TokenFileOption())
      .option("--json", "print JSON", false)
      .action((id: string, options: ProposalsOptions) =>
        ends(async (given: ProposalsOptions) => (await import("./proposals.ts")).decideOn(id, verdict, given, host))(
          options,
        ),
      );
}
