// Reads the bot's YAML file into a BotConfig: syntax, schema, cross-field rules, then each market's strategy.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unknownDialect } from "../../domain/dialect.ts";
import { type QueueModel, type UsualQueueModel, usualQueueModel } from "../../domain/queue.ts";
import { withAllowed } from "../../kernel/nearest.ts";
import { ConfigError, type Fault, faultAt, schemaFaults, syntaxFaults } from "../../kernel/yaml/fault.ts";
import { type Files, unreadable } from "../../kernel/yaml/files.ts";
import { listAt, mappingOf, readAs } from "../../kernel/yaml/partial-parse.ts";
import { readYaml, type YamlDocument } from "../../kernel/yaml/yaml.ts";
import {
  builtinStrategies,
  isStrategyName,
  type LoadedStrategy,
  loadStrategy,
  ownStrategy,
  StrategyFault,
} from "../strategy/loader.ts";
import type { BotConfig, FleetConfig, QuotedAccount, QuotedMarket, ServerConfig, VenueConfig } from "./config.ts";
import { crossFieldFaults } from "./cross-field.ts";
import { marketHash, shortHash } from "./market-hash.ts";
import { botSchema, strategyName, type WrittenBot } from "./schema.ts";
import { type Setting, withSettings } from "./setting.ts";
import { quotedSignals, signalSources } from "./signals.ts";

const LEDGER_FILE = "var/quoin.sqlite";
/** Next to the ledger. */
const TOKEN_FILE = "admin.token";

/** Reads the exchange's own file, named by `venue.embedded`. Throws ConfigError with its faults. */
export type ReadEmbedded = (path: string) => { readonly chainId: string };

/**
 * Reads and checks a file and the files it names; `settings` replace the values at their paths. Throws ConfigError with every fault,
 * SettingError for a path that does not exist. `loading` is called before each strategy's code runs, with the place for a fault.
 */
export async function readBotConfig(
  path: string,
  files: Files,
  readEmbedded: ReadEmbedded,
  settings: readonly Setting[] = [],
  loading: (strategy: Fault) => void = () => {},
): Promise<BotConfig> {
  const { document, value, faults, written } = parseBot(path, files, readEmbedded, settings);
  const place = { path, document, files, faults, loading };
  const strategies = await readStrategies(place, value);
  const resolve = (file: string) => files.resolve(path, file);
  const at = (where: readonly PropertyKey[], message: string) => faultAt(path, document, where, message);
  const signals = written === undefined ? [] : signalSources(written.signals, { resolve, files, at, faults });
  if (written === undefined || faults.length > 0) throw new ConfigError(faults);
  const accounts = written.accounts.map((account, index) => ({
    ...completeAccount(place, withNode(account, written), usualQueueModel(written.queueModel)),
    markets: completeMarkets(account, strategies[index] ?? [], written),
  }));
  return { ...complete(path, written, files), accounts, signals, settings };
}

/** A configuration without loaded strategies. */
export type WithoutMarkets = Omit<BotConfig, "accounts" | "settings"> & {
  readonly accounts: readonly Omit<QuotedAccount, "markets">[];
};

/**
 * Like `readBotConfig`, for a process that does not trade: the operator's own strategies need not be on its machine. Throws ConfigError.
 */
export function readWithoutMarkets(path: string, files: Files, readEmbedded: ReadEmbedded): WithoutMarkets {
  const { faults, written } = parseBot(path, files, readEmbedded, []);
  if (written === undefined || faults.length > 0) throw new ConfigError(faults);
  const accounts = written.accounts.map((account) =>
    completeAccount({ path, files }, withNode(account, written), usualQueueModel(written.queueModel)),
  );
  return { ...complete(path, written, files), accounts, signals: [] };
}

type ParsedBot = {
  readonly document: YamlDocument;
  readonly value: unknown;
  /** Faults of the schema and across fields; more may be added. */
  readonly faults: Fault[];
  /** Undefined: the schema found faults. */
  readonly written: WrittenBot | undefined;
};

/** Throws ConfigError for an unreadable file, wrong syntax, and a devnet's file. */
function parseBot(path: string, files: Files, readEmbedded: ReadEmbedded, settings: readonly Setting[]): ParsedBot {
  let text: string;
  try {
    text = files.read(path);
  } catch (cause) {
    throw new ConfigError([{ file: path, line: 1, column: 1, path: "", message: unreadable(cause) }]);
  }
  const document = readYaml(text);
  if (document.errors.length > 0) throw new ConfigError(syntaxFaults(path, document));
  const value = withSettings(document.value, settings);
  const parsed = botSchema.safeParse(value);
  const faults = parsed.success ? [] : [...schemaFaults(path, document, parsed.error.issues)];
  const at = (where: readonly PropertyKey[], message: string) => faultAt(path, document, where, message);
  if (describesDevnet(value))
    throw new ConfigError([
      at([], "this is a devnet's configuration; a bot's is needed, which names it at venue.embedded"),
    ]);
  faults.push(...crossFieldFaults(value, at, (file) => files.resolve(path, file)));
  faults.push(...embeddedFaults(value, at, (file) => readEmbedded(files.resolve(path, file))));
  return { document, value, faults, written: parsed.data };
}

/** A devnet has its markets at the top level; a bot has a venue, and markets under accounts. */
export function describesDevnet(value: unknown): boolean {
  const keys = mappingOf(value);
  return keys.markets !== undefined && keys.venue === undefined;
}

function complete(
  path: string,
  written: WrittenBot,
  files: Files,
): Omit<BotConfig, "accounts" | "signals" | "settings"> {
  const { log, recording, watchdog, webhook, fleet } = written;
  const resolve = (file: string) => files.resolve(path, file);
  return {
    file: path,
    venue: completeVenue(written),
    server: completeServer(written, resolve),
    watchdog: {
      ...watchdog,
      daemonUrl: watchdog.daemonUrl?.replace(/\/+$/, "") ?? null,
      port: watchdog.port ?? null,
    },
    ledger: { ...written.ledger, file: ledgerFileOf(written, resolve) },
    ...(written.queueModel === undefined ? {} : { usualModel: usualQueueModel(written.queueModel) }),
    recording: recording === undefined ? null : { ...recording, folder: resolve(recording.folder) },
    fleet: fleetOf(fleet, resolve),
    log,
    webhook:
      webhook === undefined
        ? null
        : { ...webhook, secretFile: resolve(webhook.secretFile), pageUrl: webhook.pageUrl ?? null },
    hash: shortHash(written),
  };
}

/** Null: each run has its own, with an embedded devnet. */
export function ledgerFileOf(
  { venue, ledger }: Pick<WrittenBot, "venue" | "ledger">,
  resolve: (path: string) => string,
): string | null {
  return venue.embedded !== undefined && ledger.file === undefined ? null : resolve(ledger.file ?? LEDGER_FILE);
}

export function completeServer(
  written: Pick<WrittenBot, "venue" | "ledger" | "server">,
  resolve: (path: string) => string,
): ServerConfig {
  const { tokenFile, ...server } = written.server;
  const ledger = ledgerFileOf(written, resolve);
  const beside = ledger === null ? null : join(dirname(ledger), TOKEN_FILE);
  return { ...server, tokenFile: tokenFile === undefined ? beside : resolve(tokenFile) };
}

export function fleetOf(written: WrittenBot["fleet"], resolve: (path: string) => string): FleetConfig | null {
  if (written === undefined) return null;
  const { databaseUrlFile, node, leaseMs, fenceKeys } = written;
  return { databaseUrlFile: resolve(databaseUrlFile), node, leaseMs, fenceKeys: fenceKeys.map(resolve) };
}

type At = (path: readonly PropertyKey[], message: string) => Fault;

function embeddedFaults(value: unknown, at: At, read: ReadEmbedded): readonly Fault[] {
  const { embedded, chainId } = mappingOf(mappingOf(value).venue);
  if (typeof embedded !== "string") return [];
  try {
    const exchange = read(embedded);
    if (typeof chainId !== "string" || chainId === exchange.chainId) return [];
    return [at(["venue", "chainId"], `is not the embedded devnet's; set it to ${exchange.chainId}`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

export function completeVenue({ venue }: Pick<WrittenBot, "venue">): VenueConfig {
  const { embedded, validatorUrl = "", wsUrl, restUrl, dialect, ...plain } = venue;
  const shared = { ...plain, dialect: dialect ?? unknownDialect };
  if (embedded !== undefined) return { kind: "embedded", ...shared };
  const base = validatorUrl.replace(/\/+$/, "");
  return {
    kind: "remote",
    ...shared,
    validatorUrl: base,
    wsUrl: wsUrl ?? `${base.replace(/^http/, "ws")}/v1/ws`,
    restUrl: restUrl?.replace(/\/+$/, "") ?? null,
  };
}

type Place = {
  readonly path: string;
  readonly document: YamlDocument;
  readonly files: Files;
  readonly faults: Fault[];
  readonly loading: (strategy: Fault) => void;
};

type WrittenAccount = WrittenBot["accounts"][number];

function completeAccount(
  { path, files }: Pick<Place, "path" | "files">,
  account: WrittenAccount,
  usual: UsualQueueModel,
): Omit<QuotedAccount, "markets"> {
  const resolve = (file: string | undefined) => (file === undefined ? null : files.resolve(path, file));
  return {
    accountId: account.accountId,
    paper: account.paper === undefined ? null : withQueueModel(account.paper, usual),
    // Nothing of a paper account is signed with it.
    agentKeyFile: account.paper === undefined ? resolve(account.agentKeyFile) : null,
    formerKeyFiles: account.formerKeyFiles.map((file) => files.resolve(path, file)),
    watchdogKeyFile: resolve(account.watchdogKeyFile),
    foreignOrders: account.foreignOrders,
    maxAwayLossRatio: account.maxAwayLossRatio,
    limits: account.limits,
  };
}

const withQueueModel = <P extends { readonly queueModel?: QueueModel | undefined }>(
  paper: P,
  usual: UsualQueueModel,
) =>
  paper.queueModel === undefined
    ? { ...paper, ...usual, isUsualModel: true }
    : { ...paper, queueModel: paper.queueModel };

const completeMarkets = (
  { markets }: WrittenAccount,
  strategies: Strategies[number],
  written: Pick<WrittenBot, "queueModel" | "signals">,
): QuotedMarket[] =>
  markets.flatMap((market, position): QuotedMarket[] => {
    const { marketId, limits, requoteDepths, queueTicks, printSchedule = null, premiumBook = null } = market;
    const { strategy, shadow: shadowed } = strategies[position] ?? {};
    if (strategy === undefined) return [];
    const signals = quotedSignals(market.signals, written.signals);
    const quoted = { strategy, limits, requoteDepths, queueTicks, printSchedule, premiumBook, signals };
    const usual = usualQueueModel(written.queueModel);
    const shadow =
      market.shadow === undefined || shadowed === undefined
        ? null
        : { ...withQueueModel(market.shadow, usual), strategy: shadowed };
    return [{ marketId, ...quoted, shadow, hash: marketHash(quoted) }];
  });

/** Replaces `{node}` by the node's name, because each node has its own key. */
export function withNode<Account extends { readonly agentKeyFile?: unknown }>(
  account: Account,
  { fleet }: Pick<WrittenBot, "fleet">,
): Account {
  const { agentKeyFile } = account;
  if (fleet === undefined || typeof agentKeyFile !== "string") return account;
  return { ...account, agentKeyFile: agentKeyFile.replaceAll("{node}", fleet.node) };
}

/** Undefined: a fault was found here or by the schema, or none is configured. */
type OfMarket = Partial<Readonly<Record<"strategy" | "shadow", LoadedStrategy | undefined>>>;
/** By account and market. */
type Strategies = readonly (readonly OfMarket[])[];

async function readStrategies(place: Place, value: unknown): Promise<Strategies> {
  const accounts: OfMarket[][] = [];
  for (const [index, account] of listAt(value, "accounts").entries()) {
    const markets: OfMarket[] = [];
    for (const [position, market] of listAt(account, "markets").entries()) {
      const at = ["accounts", index, "markets", position];
      const strategy = await readNamed(place, at, market);
      const { shadow } = mappingOf(market);
      markets.push({ strategy, shadow: await readNamed(place, [...at, "shadow"], shadow) });
    }
    accounts.push(markets);
  }
  return accounts;
}

/** `row`: a mapping with a strategy and its parameters, valid or not. */
async function readNamed(place: Place, at: readonly PropertyKey[], row: unknown): Promise<LoadedStrategy | undefined> {
  const { strategy: written, params = {} } = mappingOf(row);
  const strategy = readAs(strategyName, written);
  const isRight = strategy !== undefined && mappingOf(params) === params;
  return isRight ? await readStrategy(place, at, { strategy, params }) : undefined;
}

async function readStrategy(
  place: Place,
  at: readonly PropertyKey[],
  market: { readonly strategy: string; readonly params: unknown },
): Promise<LoadedStrategy | undefined> {
  place.loading(faultAt(place.path, place.document, [...at, "strategy"], ""));
  try {
    // The file's text is part of the module's identity, so that SIGHUP can load an edited strategy while the daemon runs.
    const readText = (file: URL) => place.files.read(fileURLToPath(file));
    const { name, source } = market.strategy.endsWith(".ts")
      ? ownStrategy(place.files.resolve(place.path, market.strategy), readText)
      : { name: market.strategy, source: { ...builtinStrategies, readText } };
    return await loadStrategy(name, market.params, source);
  } catch (error) {
    if (!(error instanceof StrategyFault)) throw error;
    const issues = error.issues ?? [];
    if (issues.length > 0) place.faults.push(...schemaFaults(place.path, place.document, issues, [...at, "params"]));
    else {
      const message = withStrategies(error, market.strategy, place.files);
      place.faults.push(faultAt(place.path, place.document, [...at, "strategy"], message));
    }
    return undefined;
  }
}

/** The fault, with suggestions if no strategy has this name. */
function withStrategies({ code, message }: StrategyFault, written: string, files: Files): string {
  if (code !== "strategy_missing" && code !== "strategy_name") return message;
  return withAllowed(message, [written], strategyNames(files), ", or the path of a .ts file");
}

/** The files of strategies/, without their extension; excludes tests. */
const strategyNames = (files: Files): readonly string[] =>
  files
    .list(fileURLToPath(builtinStrategies.folder))
    .filter((name) => name.endsWith(builtinStrategies.extension))
    .map((name) => name.slice(0, -builtinStrategies.extension.length))
    .filter(isStrategyName);
