// `--config`: the file that a command reads. The default is the file that QUOIN_CONFIG names, else quoin.yaml in this folder.

import { type Command, Option } from "commander";
import { EXIT_USAGE, type Host } from "../host/host.ts";
import { withoutKeys } from "../kernel/secret.ts";
import { commandText } from "../kernel/typed-command.ts";

const USUAL = "quoin.yaml";

/** The option of a command that needs a configuration. */
export class ConfigOption extends Option {
  /** Whether the command needs a configuration with these options. */
  readonly isNeeded: (options: Readonly<Record<string, unknown>>) => boolean;

  constructor(description = "the bot's configuration", isNeeded: ConfigOption["isNeeded"] = () => true) {
    super("--config <FILE>", `${description} (default: QUOIN_CONFIG, then ./${USUAL})`);
    this.isNeeded = isNeeded;
  }
}

/** The option of a command that may ask the daemon with another token than its usual one. */
export class TokenFileOption extends Option {
  constructor(instead = "in place of the administrator's") {
    super("--token-file <FILE>", `a file with the daemon's token to use, ${instead}`);
  }
}

/**
 * Before the command runs: says on stderr which file it takes where none is written. Throws CommanderError, exit 2, where there is none.
 */
export function takeUsualConfig(
  command: Command,
  { configVariable, files, stderr }: Pick<Host, "configVariable" | "files" | "stderr">,
): void {
  const option = command.options.find((one) => one instanceof ConfigOption);
  if (option === undefined || command.getOptionValue("config") !== undefined || !option.isNeeded(command.opts()))
    return;
  const file = configVariable ?? (files.exists(USUAL) ? USUAL : null);
  if (file === null)
    command.error(
      `quoin: no configuration: write --config FILE or set QUOIN_CONFIG; this folder has no ${USUAL} (${commandText(`init --out ${USUAL}`)} makes one)`,
      { exitCode: EXIT_USAGE, code: "quoin.noConfig" },
    );
  // A repeatable option holds a list.
  command.setOptionValueWithSource("config", option.parseArg?.(file, undefined) ?? file, "default");
  stderr(
    `quoin: the configuration is ${withoutKeys(file)}${configVariable === null ? "" : ", named by QUOIN_CONFIG"}\n`,
  );
}
