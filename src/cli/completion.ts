// `quoin completion`: a script that teaches a shell the commands and options. Everything else is completed as a file.

import type { Shell } from "./choices.ts";
import type { CommandWords } from "./command-words.ts";
import { EXIT_DONE, type ExitCode, type Host } from "./host.ts";

export function completion(shell: Shell, words: readonly CommandWords[], host: Host): ExitCode {
  host.stdout(scripts[shell](words));
  return EXIT_DONE;
}

const wordList = ({ options, commands }: CommandWords): string =>
  [...commands, ...options.map(({ flag }) => flag)].join(" ");
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const scripts: Readonly<Record<Shell, (words: readonly CommandWords[]) => string>> = {
  bash: (words) => `_quoin() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(words.map(({ name }) => name).join(" "))}
  else
    case "\${COMP_WORDS[1]}" in
${words.map((command) => `      ${command.name}) words=${quoted(wordList(command))} ;;\n`).join("")}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _quoin quoin
`,
  zsh: (words) => `#compdef quoin
_quoin() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${words.map(({ name, does }) => `      ${quoted(`${name}:${does.replaceAll(":", "\\:")}`)}\n`).join("")}    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${words.map((command) => `    ${command.name}) compadd -- ${wordList(command)} ;;\n`).join("")}  esac
  _files
}
compdef _quoin quoin
`,
  fish: (words) =>
    words
      .flatMap(({ name, does, options, commands }) => [
        `complete -c quoin -n __fish_use_subcommand -a ${name} -d ${quoted(does)}`,
        ...commands.map((each) => `complete -c quoin -n '__fish_seen_subcommand_from ${name}' -a ${each}`),
        ...options.map(
          ({ flag, does: what }) =>
            `complete -c quoin -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quoted(what)}`,
        ),
      ])
      .map((line) => `${line}\n`)
      .join(""),
};
