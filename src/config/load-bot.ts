// From the bot's YAML file to a BotConfig: syntax, schema, the rules that join several values, then each market's strategy.

import { fileURLToPath } from "node:url";
import { builtinStrategies, type LoadedStrategy, loadStrategy, StrategyFault } from "../strategy/loader.ts";
import type { BotConfig, QuotedAccount, QuotedMarket, VenueConfig } from "./bot.ts";
import { botSchema, type WrittenBot } from "./bot-schema.ts";
import { ConfigError, type Fault, faultAt, schemaFaults, syntaxFaults } from "./fault.ts";
import { type Files, unreadable } from "./files.ts";
import { loadDevnetConfig } from "./load-devnet.ts";
import { marketHash, shortHash } from "./market-hash.ts";
import { readYaml, type YamlDocument } from "./yaml.ts";

const LEDGER_FILE = "var/quoin.sqlite";

/** Reads and checks one file and what it names. Throws ConfigError with every fault. */
export async function loadBotConfig(path: string, files: Files): Promise<BotConfig> {
  let text: string;
  try {
    text = files.read(path);
  } catch (cause) {
    throw new ConfigError([{ file: path, line: 1, column: 1, path: "", message: unreadable(cause) }]);
  }
  const document = readYaml(text);
  if (document.errors.length > 0) throw new ConfigError(syntaxFaults(path, document));
  const parsed = botSchema.safeParse(document.value);
  if (!parsed.success) {
    const faults = [...schemaFaults(path, document, parsed.error.issues)];
    await checkStrategies({ path, document, files, faults }, document.value);
    throw new ConfigError(faults);
  }
  const faults = [...jointFaults(path, document, parsed.data)];
  const venue = collect(faults, () => readVenue(path, document, parsed.data, files));
  const accounts: QuotedAccount[] = [];
  for (const index of parsed.data.accounts.keys()) {
    accounts.push(await readAccount({ path, document, files, faults }, parsed.data, index));
  }
  if (faults.length > 0 || venue === undefined) throw new ConfigError(faults);
  return complete(path, parsed.data, venue, accounts, files);
}

function complete(
  path: string,
  written: WrittenBot,
  venue: VenueConfig,
  accounts: QuotedAccount[],
  files: Files,
): BotConfig {
  const { ledger, server, log, watchdog } = written;
  const inMemory = venue.kind === "embedded" && ledger.file === undefined;
  return {
    file: path,
    venue,
    accounts,
    server,
    watchdog: { ...watchdog, daemonUrl: watchdog.daemonUrl?.replace(/\/+$/, "") ?? null },
    ledger: { file: inMemory ? null : files.resolve(path, ledger.file ?? LEDGER_FILE) },
    log,
    hash: shortHash(written),
  };
}

function collect<T>(faults: Fault[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

function readVenue(path: string, document: YamlDocument, written: WrittenBot, files: Files): VenueConfig {
  const { chainId, live, embedded, validatorUrl } = written.venue;
  const refuse = (key: string, message: string) => new ConfigError([faultAt(path, document, ["venue", key], message)]);
  if (embedded !== undefined) {
    const devnet = loadDevnetConfig(files.resolve(path, embedded), files);
    if (devnet.chainId !== chainId) {
      throw refuse("chainId", `is not the embedded devnet's, which is ${devnet.chainId}`);
    }
    return { kind: "embedded", chainId, live, devnet };
  }
  if (validatorUrl === undefined)
    throw refuse("validatorUrl", "missing; an http or https URL, or embedded with a devnet's file");
  const base = validatorUrl.replace(/\/+$/, "");
  return {
    kind: "remote",
    chainId,
    live,
    validatorUrl: base,
    wsUrl: written.venue.wsUrl ?? `${base.replace(/^http/, "ws")}/v1/ws`,
    restUrl: written.venue.restUrl?.replace(/\/+$/, "") ?? null,
  };
}

type Place = {
  readonly path: string;
  readonly document: YamlDocument;
  readonly files: Files;
  readonly faults: Fault[];
};

async function readAccount(place: Place, written: WrittenBot, index: number): Promise<QuotedAccount> {
  const account = written.accounts[index] as WrittenAccount;
  const resolve = (file: string | undefined) => (file === undefined ? null : place.files.resolve(place.path, file));
  const markets: QuotedMarket[] = [];
  for (const [position, market] of account.markets.entries()) {
    const strategy = await readStrategy(place, ["accounts", index, "markets", position], market);
    if (strategy === undefined) continue;
    const { marketId, limits } = market;
    markets.push({ marketId, strategy, limits, hash: marketHash(strategy, limits) });
  }
  return {
    accountId: account.accountId,
    agentKeyFile: resolve(account.agentKeyFile),
    watchdogKeyFile: resolve(account.watchdogKeyFile),
    foreignOrders: account.foreignOrders,
    limits: account.limits,
    markets,
  };
}

type WrittenAccount = WrittenBot["accounts"][number];
type WrittenMarket = WrittenAccount["markets"][number];

/** Faults of parameters in a file that is wrong elsewhere too: all are told at once. What is no market is the schema's to tell. */
async function checkStrategies(place: Place, value: unknown): Promise<void> {
  for (const [index, account] of listAt(value, "accounts").entries()) {
    for (const [position, market] of listAt(account, "markets").entries()) {
      const { strategy, params = {} } = (market ?? {}) as { readonly strategy?: unknown; readonly params?: unknown };
      if (typeof strategy !== "string" || typeof params !== "object") continue;
      await readStrategy(place, ["accounts", index, "markets", position], { strategy, params });
    }
  }
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list =
    typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  return Array.isArray(list) ? list : [];
}

async function readStrategy(
  place: Place,
  at: readonly PropertyKey[],
  market: { readonly strategy: string; readonly params: unknown },
): Promise<LoadedStrategy | undefined> {
  try {
    // With the text of its file an edited strategy is another module: SIGHUP swaps it in while the daemon runs.
    const readText = (file: URL) => place.files.read(fileURLToPath(file));
    return await loadStrategy(market.strategy, market.params, { ...builtinStrategies, readText });
  } catch (error) {
    if (!(error instanceof StrategyFault)) throw error;
    const issues = error.issues ?? [];
    if (issues.length > 0) place.faults.push(...schemaFaults(place.path, place.document, issues, [...at, "params"]));
    else place.faults.push(faultAt(place.path, place.document, [...at, "strategy"], error.message));
    return undefined;
  }
}

/** Rules no single value can break. */
function* jointFaults(path: string, document: YamlDocument, written: WrittenBot): Generator<Fault> {
  const at: At = (where, message) => faultAt(path, document, where, message);
  yield* venueFaults(at, written.venue);
  const { silenceMs, pollMs } = written.watchdog;
  if (pollMs * 2 > silenceMs)
    yield at(["watchdog", "pollMs"], `${pollMs} is more than half of silenceMs, ${silenceMs}`);
  const accountIds = written.accounts.map((account) => account.accountId);
  const keyFiles = new Set<string>();
  for (const [index, account] of written.accounts.entries()) {
    if (accountIds.indexOf(account.accountId) < index) {
      yield at(["accounts", index, "accountId"], `${account.accountId} stands twice; each account once`);
    }
    if (account.agentKeyFile === undefined && written.venue.embedded === undefined) {
      yield at(["accounts", index, "agentKeyFile"], "missing; a path to the agent key of this account");
    }
    yield* keyFileFaults(at, index, account, keyFiles);
    yield* marketFaults(at, index, account.markets);
  }
}

type At = (path: readonly PropertyKey[], message: string) => Fault;

function* venueFaults(at: At, venue: WrittenBot["venue"]): Generator<Fault> {
  for (const key of ["validatorUrl", "wsUrl", "restUrl"] as const) {
    if (venue.embedded === undefined || venue[key] === undefined) continue;
    yield at(["venue", key], "stands beside embedded; allowed: embedded alone, or URLs");
  }
  if (!venue.live && !isDevnet(venue.chainId)) {
    yield at(["venue", "chainId"], "is not a devnet's: say live: true to trade there, or use a chain id with :devnet:");
  }
}

function* keyFileFaults(at: At, index: number, account: WrittenAccount, seen: Set<string>): Generator<Fault> {
  for (const key of ["agentKeyFile", "watchdogKeyFile"] as const) {
    const file = account[key];
    if (file === undefined) continue;
    if (seen.has(file)) {
      yield at(["accounts", index, key], `${file} is used twice; one key an account and purpose, never one for two`);
    }
    seen.add(file);
  }
}

function* marketFaults(at: At, index: number, markets: readonly WrittenMarket[]): Generator<Fault> {
  const marketIds = markets.map((market) => market.marketId);
  for (const [position, marketId] of marketIds.entries()) {
    if (marketIds.indexOf(marketId) === position) continue;
    yield at(
      ["accounts", index, "markets", position, "marketId"],
      `${marketId} stands twice; each market once an account`,
    );
  }
}

const isDevnet = (chainId: string): boolean => /(^|:)devnet(:|$)/.test(chainId);
