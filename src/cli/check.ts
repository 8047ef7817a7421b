// `quoin check`: validates a configuration, a bot's or a devnet's, tries one turn of each strategy, and reports every fault at its line and
// column at once.

import type { BotConfig } from "../bot/config/config.ts";
import { limitConflicts } from "../bot/config/footprint.ts";
import { trialConflicts } from "../bot/config/trial-turn.ts";
import { loadAgentKey } from "../bot/execution/agent-key.ts";
import { KeyFileError, type KeyFileErrorCode } from "../bot/execution/key-file.ts";
import { VenueError } from "../bot/venue/port.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { loadDevnetConfig } from "../devnet/config/load.ts";
import type { AccountId, MarketId } from "../domain/units.ts";
import { countText } from "../kernel/text.ts";
import { ConfigError, type Fault, faultAt, formatFault } from "../kernel/yaml/fault.ts";
import type { Files } from "../kernel/yaml/files.ts";
import { readYaml, type YamlDocument } from "../kernel/yaml/yaml.ts";
import { loadConfiguration } from "../sim/configuration.ts";
import { gatherFacts, type Read } from "./doctor/facts.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";
import { reachVenue } from "./reach-venue.ts";
import { gapsIn } from "./serve-devnet.ts";

export type CheckOptions = { readonly config: string; readonly online: boolean; readonly json: boolean };

/** Exit 1 when the exchange was to be asked and does not answer. */
export async function check(options: CheckOptions, host: Host): Promise<ExitCode> {
  try {
    const found = await validate(options, host);
    if (options.json) host.stdout(`${JSON.stringify({ ok: true, faults: [] })}\n`);
    else host.stdout(`${options.config}: valid; ${found}\n`);
    return EXIT_DONE;
  } catch (error) {
    if (error instanceof VenueError) {
      host.stderr(`quoin: ${options.config} is valid, but the exchange cannot be asked: ${error.message}\n`);
      return EXIT_FAILED;
    }
    if (!(error instanceof ConfigError)) throw error;
    if (options.json) host.stdout(`${JSON.stringify({ ok: false, faults: error.faults })}\n`);
    else for (const fault of error.faults) host.stderr(`${formatFault(fault)}\n`);
    return EXIT_USAGE;
  }
}

/** What the file describes, in a few words. Throws ConfigError, and VenueError of an exchange that does not say. */
async function validate({ config: file, online }: CheckOptions, host: Host): Promise<string> {
  const { files } = host;
  if (isDevnet(file, files)) {
    const devnet = loadDevnetConfig(file, files);
    const { markets, accounts } = devnet;
    const counts = `a devnet of ${countText(markets.length, "market")} and ${countText(accounts.length, "account")}`;
    return [counts, ...gapsIn(devnet)].join("; ");
  }
  const { bot: config, devnet } = await loadConfiguration(file, files);
  const faults = [...keyFaults(config, readYaml(files.read(file))), ...conflictFaults(config, files)];
  if (devnet !== null) faults.push(...absentFaults(config, listedBy(devnet), files));
  else if (online) faults.push(...absentFaults(config, await askWhatIsListed(config, host), files));
  if (faults.length > 0) throw new ConfigError(faults);
  const { accounts } = config;
  const markets = accounts.reduce((count, account) => count + account.markets.length, 0);
  const counts = `a bot of ${countText(accounts.length, "account")} and ${countText(markets, "market")}`;
  return [counts, ...(devnet === null ? [] : gapsIn(devnet))].join("; ");
}

/** Quotes that a limit of their own market would deny, or that are none: a daemon runs with them and says so, and nobody means them. */
export function conflictFaults(config: BotConfig, files: Files): readonly Fault[] {
  const document = readYaml(files.read(config.file));
  return [...limitConflicts(config), ...trialConflicts(config)].map(({ path, message }) =>
    faultAt(config.file, document, path, message),
  );
}

/** What an exchange has of what a configuration names. */
type Listed = { readonly account: (id: AccountId) => boolean; readonly market: (id: MarketId) => boolean };

const listedBy = ({ accounts, markets }: DevnetConfig): Listed => ({
  account: (id) => accounts.some(({ accountId }) => accountId === id),
  market: (id) => markets.some(({ marketId }) => marketId === id),
});

async function askWhatIsListed(config: BotConfig, host: Host): Promise<Listed> {
  const venue = reachVenue(config, host);
  if (venue === null) return { account: () => true, market: () => true };
  try {
    await venue.reads.node();
    const { accounts, markets } = await gatherFacts(config, venue.reads, host.clock);
    const isThere = (read: Read<unknown> | undefined): boolean => read === undefined || read.ok || !read.isMissing;
    return { account: (id) => isThere(accounts.get(id)), market: (id) => isThere(markets.get(id)) };
  } finally {
    await venue.close();
  }
}

function absentFaults(config: BotConfig, has: Listed, files: Files): readonly Fault[] {
  const document = readYaml(files.read(config.file));
  const at = (path: readonly PropertyKey[], message: string) => faultAt(config.file, document, path, message);
  return config.accounts.flatMap(({ accountId, markets }, account) => [
    ...(has.account(accountId)
      ? []
      : [at(["accounts", account, "accountId"], `the exchange has no account ${accountId}`)]),
    ...markets.flatMap(({ marketId }, position) =>
      has.market(marketId)
        ? []
        : [at(["accounts", account, "markets", position, "marketId"], `the exchange has no market ${marketId}`)],
    ),
  ]);
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
    for (const name of ["agentKeyFile", "watchdogKeyFile", "formerKeyFiles"] as const) {
      for (const path of [account[name]].flat()) {
        const fault = faultOf(path, used);
        if (fault !== null) yield faultAt(file, document, ["accounts", index, name], fault);
      }
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
