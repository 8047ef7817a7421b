// The words that a shell may complete, taken from the definition of the command line.

import type { Command } from "commander";

export type CommandWords = {
  readonly name: string;
  readonly does: string;
  /** Its heading in the list of commands. */
  readonly group: string;
  readonly options: readonly { readonly flag: string; readonly does: string }[];
  readonly commands: readonly CommandWords[];
};

export const wordsOf = (program: Command): readonly CommandWords[] =>
  program.commands.map((command) => ({
    name: command.name(),
    does: command.description(),
    group: command.helpGroup().replace(/:$/, ""),
    options: [
      ...command.options.flatMap(({ long, description }) => (long ? [{ flag: long, does: description }] : [])),
      { flag: "--help", does: "shows options and examples" },
    ],
    commands: wordsOf(command),
  }));
