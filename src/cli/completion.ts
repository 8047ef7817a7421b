// `quoin completion`: prints a script with which a shell completes commands, in their groups, and options. Everything else is completed as
// a file.

import { EXIT_DONE, type ExitCode, type Host } from "../host/host.ts";
import type { Shell } from "./choices.ts";
import type { CommandWords } from "./command-words.ts";

export function completion(shell: Shell, words: readonly CommandWords[], host: Host): ExitCode {
  host.stdout(scripts[shell](words));
  return EXIT_DONE;
}

const namesOf = (commands: readonly CommandWords[]): string => commands.map(({ name }) => name).join(" ");
const wordList = ({ options, commands }: CommandWords): string =>
  [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(" ");
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** The branches of a shell's `case` over commands. For a command with subcommands, `$below` holds the typed one. */
const branchesOf = (commands: readonly CommandWords[], act: (words: string) => string): string =>
  linesOf(
    commands.map((command) => {
      const own = act(wordList(command));
      const deeper = command.commands.map((each) => `${each.name}) ${act(wordList(each))} ;;`).join(" ");
      return `      ${command.name}) ${deeper === "" ? own : `case "$below" in ${deeper} *) ${own} ;; esac`} ;;`;
    }),
  );

const scripts: Readonly<Record<Shell, (words: readonly CommandWords[]) => string>> = {
  // Bash before 4.4 has no `nosort` and loses the groups.
  bash: (commands) => `_quoin() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="" below=""
  [ "$COMP_CWORD" -gt 2 ] && below="\${COMP_WORDS[2]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(namesOf(commands))}
  else
    case "\${COMP_WORDS[1]}" in
${branchesOf(commands, (words) => `words=${quoted(words)}`)}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o nosort -F _quoin quoin 2>/dev/null || complete -o default -F _quoin quoin
`,
  zsh: (commands) => `#compdef quoin
_quoin() {
  if (( CURRENT == 2 )); then
    local -a commands
${linesOf(
  [...Map.groupBy(commands, ({ group }) => group)].map(([group, members], nth) => {
    const rows = members.map(({ name, does }) => quoted(`${name}:${does.replaceAll(":", "\\:")}`)).join(" ");
    return `    commands=(${rows}); _describe -V -t group-${nth} ${quoted(group)} commands`;
  }),
)}    return
  fi
  local below=""
  (( CURRENT > 3 )) && below="$words[3]"
  case "$words[2]" in
${branchesOf(commands, (words) => `compadd -- ${words}`)}  esac
  _files
}
compdef _quoin quoin
`,
  // Fish has no groups: the description begins with its name.
  fish: (commands) => {
    const optionLines = ({ options }: CommandWords, condition: string): readonly string[] =>
      options.map(
        ({ flag, does }) => `complete -c quoin -n ${quoted(condition)} -l ${flag.slice(2)} -d ${quoted(does)}`,
      );
    return linesOf(
      commands.flatMap((command) => {
        const { name, does, group, commands: below } = command;
        const isHere = `__fish_seen_subcommand_from ${name}`;
        const isAbove =
          below.length === 0 ? isHere : `${isHere}; and not __fish_seen_subcommand_from ${namesOf(below)}`;
        return [
          `complete -c quoin -n __fish_use_subcommand -a ${name} -d ${quoted(`${group}: ${does}`)}`,
          ...below.map((each) => `complete -c quoin -n ${quoted(isAbove)} -a ${each.name} -d ${quoted(each.does)}`),
          ...optionLines(command, isAbove),
          ...below.flatMap((each) => optionLines(each, `${isHere}; and __fish_seen_subcommand_from ${each.name}`)),
        ];
      }),
    );
  },
};
