// From a devnet's YAML file to a DevnetConfig: syntax, schema, then the rules that join several values.

import type { DevnetConfig, MarketConfig, OracleSource } from "../devnet/config.ts";
import { devnetSchema, type WrittenDevnet } from "./devnet-schema.ts";
import { ConfigError, type Fault, faultAt, schemaFaults, syntaxFaults } from "./fault.ts";
import { type Files, unreadable } from "./files.ts";
import { readPrints } from "./prints.ts";
import { amountUsdc } from "./scalars.ts";
import { readYaml, type YamlDocument } from "./yaml.ts";

/** USDC of 30-day family volume; the schedule of a devnet that names none. Our numbers: the interface shows none. */
const DEFAULT_FEE_TIERS = [
  { minVolume30d: "0", makerFeeBps: -1, takerFeeBps: 5 },
  { minVolume30d: "1000000", makerFeeBps: -1, takerFeeBps: 4 },
  { minVolume30d: "10000000", makerFeeBps: -2, takerFeeBps: 3 },
] as const;

/** Throws ConfigError with every fault. */
export function loadDevnetConfig(path: string, files: Files): DevnetConfig {
  let text: string;
  try {
    text = files.read(path);
  } catch (cause) {
    throw new ConfigError([{ file: path, line: 1, column: 1, path: "", message: unreadable(cause) }]);
  }
  return parseDevnetConfig(path, text, files);
}

export function parseDevnetConfig(path: string, text: string, files: Files): DevnetConfig {
  const document = readYaml(text);
  if (document.errors.length > 0) throw new ConfigError(syntaxFaults(path, document));
  const parsed = devnetSchema.safeParse(document.value);
  if (!parsed.success) throw new ConfigError(schemaFaults(path, document, parsed.error.issues));
  const faults: Fault[] = [...jointFaults(path, document, parsed.data)];
  const markets = parsed.data.markets.map((market, index) => {
    try {
      return completeMarket(market, path, files);
    } catch (cause) {
      const message = `${market.oracle.source === "csv" ? market.oracle.file : ""}: ${unreadable(cause)}`;
      faults.push(faultAt(path, document, ["markets", index, "oracle", "file"], message));
      return undefined;
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return complete(
    parsed.data,
    markets.filter((market) => market !== undefined),
  );
}

function complete(written: WrittenDevnet, markets: readonly MarketConfig[]): DevnetConfig {
  const classes = [...new Set(markets.map((market) => market.assetClass))];
  const feeTiers = written.feeTiers ?? classes.flatMap((assetClass) => defaultTiers(assetClass));
  const flow = written.flow.enabled ? { ...written.flow, enabled: true as const } : { enabled: false as const };
  return {
    ...written,
    markets,
    feeTiers,
    flow,
    accounts: written.accounts.map((account) => ({
      ...account,
      agents: account.agents.map(({ pubkey, name, expiresAt }) => ({ pubkey, name, expiresAtSec: expiresAt })),
    })),
  };
}

const defaultTiers = (assetClass: string) =>
  DEFAULT_FEE_TIERS.map((tier) => ({ ...tier, assetClass, minVolume30d: amountUsdc.parse(tier.minVolume30d) }));

type WrittenMarket = WrittenDevnet["markets"][number];

function completeMarket(market: WrittenMarket, path: string, files: Files): MarketConfig {
  const flat = {
    notionalFloor: amountUsdc.parse(0),
    maxLeverage: Math.floor(10_000 / market.initialMarginRatioBps),
    maintenanceMarginRatioBps: market.maintenanceMarginRatioBps,
  };
  return { ...market, oracle: completeOracle(market.oracle, path, files), marginTiers: market.marginTiers ?? [flat] };
}

function completeOracle(oracle: WrittenMarket["oracle"], path: string, files: Files): OracleSource {
  if (oracle.source !== "csv") return oracle;
  const beside = files.resolve(path, oracle.file);
  const prints = readPrints(files.read(files.exists(beside) ? beside : oracle.file), oracle.seriesId);
  const { printEverySecs, validForSecs } = oracle;
  return { source: "csv", prints, printEverySecs, validForSecs };
}

/** Rules no single value can break. */
function* jointFaults(file: string, document: YamlDocument, written: WrittenDevnet): Generator<Fault> {
  const at: At = (path, message) => faultAt(file, document, path, message);
  const marketIds = written.markets.map((market) => market.marketId);
  const accountIds = written.accounts.map((account) => account.accountId);
  for (const [index, market] of written.markets.entries()) {
    if (marketIds.indexOf(market.marketId) < index) {
      yield at(["markets", index, "marketId"], `${market.marketId} stands twice; each market once`);
    }
    if (market.maintenanceMarginRatioBps >= market.initialMarginRatioBps) {
      yield at(["markets", index, "maintenanceMarginRatioBps"], "must be below initialMarginRatioBps");
    }
    yield* tierFaults(at, ["markets", index, "marginTiers"], market.marginTiers ?? []);
  }
  for (const [index, account] of written.accounts.entries()) {
    if (accountIds.indexOf(account.accountId) < index) {
      yield at(["accounts", index, "accountId"], `${account.accountId} stands twice; each account once`);
    }
    yield* masterFaults(at, index, written.accounts);
  }
}

type At = (path: readonly PropertyKey[], message: string) => Fault;

function* tierFaults(
  at: At,
  path: readonly PropertyKey[],
  tiers: NonNullable<WrittenMarket["marginTiers"]>,
): Generator<Fault> {
  for (const [row, tier] of tiers.entries()) {
    const previous = tiers[row - 1];
    const floor = [...path, row, "notionalFloor"];
    if (previous === undefined) {
      if (tier.notionalFloor !== 0n) yield at(floor, "the first tier must start at 0");
      continue;
    }
    if (tier.notionalFloor <= previous.notionalFloor) yield at(floor, "must be above the tier before it");
    if (tier.maintenanceMarginRatioBps < previous.maintenanceMarginRatioBps) {
      yield at([...path, row, "maintenanceMarginRatioBps"], "must not be below the tier before it");
    }
  }
}

function* masterFaults(at: At, index: number, accounts: WrittenDevnet["accounts"]): Generator<Fault> {
  const masterAccountId = accounts[index]?.masterAccountId ?? null;
  if (masterAccountId === null) return;
  const master = accounts.find((candidate) => candidate.accountId === masterAccountId);
  if (master === undefined || master.masterAccountId !== null || master === accounts[index]) {
    const allowed = "must be the id of an account here that is no subaccount itself";
    yield at(["accounts", index, "masterAccountId"], `${masterAccountId} ${allowed}`);
  }
}
