// `quoin check`: is this configuration right, a bot's or a devnet's? Every fault at its line and column, all at once.

import { loadBotConfig } from "../bot/config/load.ts";
import { loadDevnetConfig } from "../devnet/config/load.ts";
import { ConfigError, formatFault } from "../kernel/yaml/fault.ts";
import type { Files } from "../kernel/yaml/files.ts";
import { readYaml } from "../kernel/yaml/yaml.ts";
import { EXIT_DONE, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { keyFaults } from "./key-faults.ts";

export async function check(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  try {
    const found = await validate(options.config, host.files);
    if (options.json) host.stdout(`${JSON.stringify({ ok: true, faults: [] })}\n`);
    else host.stdout(`${options.config}: right; ${found}\n`);
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (options.json) host.stdout(`${JSON.stringify({ ok: false, faults: error.faults })}\n`);
    else for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return EXIT_USAGE;
  }
}

/** What the file describes, in a few words. Throws ConfigError. */
async function validate(file: string, files: Files): Promise<string> {
  if (isDevnet(file, files)) {
    const { markets, accounts } = loadDevnetConfig(file, files);
    return `a devnet of ${markets.length} market(s) and ${accounts.length} account(s)`;
  }
  const config = await loadBotConfig(file, files);
  const faults = [...keyFaults(config, readYaml(files.read(file)))];
  if (faults.length > 0) throw new ConfigError(faults);
  const { accounts } = config;
  const markets = accounts.reduce((count, account) => count + account.markets.length, 0);
  return `a bot of ${accounts.length} account(s) and ${markets} market(s)`;
}

/** A devnet names its markets at the top; a bot names a venue, and markets below accounts. */
function isDevnet(file: string, files: Files): boolean {
  try {
    const { value } = readYaml(files.read(file));
    return typeof value === "object" && value !== null && "markets" in value && !("venue" in value);
  } catch {
    return false; // the bot's reader says what is wrong with the file
  }
}
