// The words of the command line, as its own definition has them: what a shell may complete.

import type { Command } from "commander";

export type CommandWords = {
  readonly name: string;
  readonly does: string;
  readonly options: readonly { readonly flag: string; readonly does: string }[];
  /** Names of its own commands. */
  readonly commands: readonly string[];
};

export const wordsOf = (program: Command): readonly CommandWords[] =>
  program.commands.map((command) => ({
    name: command.name(),
    does: command.description(),
    options: [
      ...command.options.flatMap(({ long, description }) => (long ? [{ flag: long, does: description }] : [])),
      { flag: "--help", does: "shows options and examples" },
    ],
    commands: command.commands.map((each) => each.name()),
  }));
