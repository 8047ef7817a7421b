// `quoin check`: validates a configuration, a bot's or a devnet's, and reports every fault at its line and column at once.

import type { BotConfig } from "../bot/config/config.ts";
import { loadAgentKey } from "../bot/execution/agent-key.ts";
import { KeyFileError, type KeyFileErrorCode } from "../bot/execution/key-file.ts";
import { loadDevnetConfig } from "../devnet/config/load.ts";
import { countText } from "../kernel/text.ts";
import { ConfigError, type Fault, faultAt, formatFault } from "../kernel/yaml/fault.ts";
import type { Files } from "../kernel/yaml/files.ts";
import { readYaml, type YamlDocument } from "../kernel/yaml/yaml.ts";
import { loadConfiguration } from "../sim/configuration.ts";
import { EXIT_DONE, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";

export async function check(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  try {
    const found = await validate(options.config, host.files);
    if (options.json) host.stdout(`${JSON.stringify({ ok: true, faults: [] })}\n`);
    else host.stdout(`${options.config}: valid; ${found}\n`);
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
    return `a devnet of ${countText(markets.length, "market")} and ${countText(accounts.length, "account")}`;
  }
  const config = (await loadConfiguration(file, files)).bot;
  const faults = [...keyFaults(config, readYaml(files.read(file)))];
  if (faults.length > 0) throw new ConfigError(faults);
  const { accounts } = config;
  const markets = accounts.reduce((count, account) => count + account.markets.length, 0);
  return `a bot of ${countText(accounts.length, "account")} and ${countText(markets, "market")}`;
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

/** Not a fault of the configuration: the key may be on another host, exist only while the unit runs, or belong to the daemon's user. */
const ELSEWHERE: ReadonlySet<KeyFileErrorCode> = new Set(["key_file_missing", "key_file_unreadable", "key_file_owner"]);

/** Faults of the key files that the configuration names. */
function* keyFaults({ file, accounts }: BotConfig, document: YamlDocument): Generator<Fault> {
  const used = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    for (const name of ["agentKeyFile", "watchdogKeyFile"] as const) {
      const fault = faultOf(account[name], used);
      if (fault !== null) yield faultAt(file, document, ["accounts", index, name], fault);
    }
  }
}

/** Null where there is none, or nothing to see. */
function faultOf(path: string | null, used: Set<string>): string | null {
  if (path === null) return null;
  try {
    const { publicKey } = loadAgentKey(path);
    if (used.has(publicKey)) return "holds a key that is used twice; use one key per account and purpose";
    used.add(publicKey);
    return null;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    return ELSEWHERE.has(error.code) ? null : error.message;
  }
}
