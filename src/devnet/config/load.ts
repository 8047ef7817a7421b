// Reads a devnet's YAML file into a DevnetConfig: syntax, schema, then rules across several values.

import type { z } from "zod";
import type { IndexSeries } from "../../domain/index-series.ts";
import { amountUsdc } from "../../domain/scalars.ts";
import { IndexFileError } from "../../index-files/fault.ts";
import { type IndexFile, readIndexFile } from "../../index-files/read.ts";
import { assert } from "../../kernel/assert.ts";
import { ConfigError, faultAt, schemaFaults, syntaxFaults } from "../../kernel/yaml/fault.ts";
import { type Files, HISTORY_BYTES_MAX, unreadable } from "../../kernel/yaml/files.ts";
import { listAt, mappingOf, readAs } from "../../kernel/yaml/partial-parse.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";
import type { DevnetConfig, MarketConfig, OracleSource } from "./config.ts";
import { crossFieldFaults, csvOracle, devnetSchema, type WrittenDevnet } from "./schema.ts";

/** Default fee tiers by USDC of 30-day family volume. Our numbers: the interface shows none. */
const DEFAULT_FEE_TIERS = [
  { minVolume30d: "0", makerFeeBps: -1, takerFeeBps: 5 },
  { minVolume30d: "1000000", makerFeeBps: -1, takerFeeBps: 4 },
  { minVolume30d: "10000000", makerFeeBps: -2, takerFeeBps: 3 },
] as const;

/** Throws ConfigError with all faults. */
export function loadDevnetConfig(path: string, files: Files): DevnetConfig {
  let text: string;
  try {
    text = files.read(path);
  } catch (cause) {
    throw new ConfigError([{ file: path, line: 1, column: 1, path: "", message: unreadable(cause) }]);
  }
  return parseDevnetConfig(path, text, files);
}

function parseDevnetConfig(path: string, text: string, files: Files): DevnetConfig {
  const document = readYaml(text);
  if (document.errors.length > 0) throw new ConfigError(syntaxFaults(path, document));
  const { value } = document;
  const parsed = devnetSchema.safeParse(value);
  const faults = parsed.success ? [] : [...schemaFaults(path, document, parsed.error.issues)];
  const at = (where: readonly PropertyKey[], message: string) => faultAt(path, document, where, message);
  faults.push(...crossFieldFaults(value, at));
  const histories = listAt(value, "markets").map((market, index) => {
    const written = mappingOf(market).oracle;
    const oracle = readAs(csvOracle, written);
    if (oracle === undefined) return undefined;
    try {
      const history = readHistory(oracle, path, files);
      const unknown = unknownPublication(history.series, mappingOf(written));
      if (unknown !== null) faults.push(at(["markets", index, "oracle", "file"], `${oracle.file}: ${unknown}`));
      return history;
    } catch (cause) {
      const found = cause instanceof IndexFileError ? cause.faults : [unreadable(cause)];
      faults.push(...found.map((fault) => at(["markets", index, "oracle", "file"], `${oracle.file}: ${fault}`)));
      return undefined;
    }
  });
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const markets = parsed.data.markets.map((market, index) => completeMarket(market, histories[index]));
  return complete(parsed.data, markets);
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

function completeMarket(market: WrittenMarket, history: IndexFile | undefined): MarketConfig {
  const flat = {
    notionalFloor: amountUsdc.parse(0),
    maxLeverage: Math.floor(10_000 / market.initialMarginRatioBps),
    maintenanceMarginRatioBps: market.maintenanceMarginRatioBps,
  };
  return { ...market, oracle: completeOracle(market.oracle, history), marginTiers: market.marginTiers ?? [flat] };
}

function completeOracle(oracle: WrittenMarket["oracle"], history: IndexFile | undefined): OracleSource {
  if (oracle.source !== "csv") return oracle;
  const { printEverySecs, validForSecs, clockChange } = oracle;
  assert(history !== undefined, "a history that could not be read is a fault");
  const { series, choice } = history;
  return { source: "csv", series, choice, printEverySecs, validForSecs, clockChange };
}

function readHistory(oracle: z.output<typeof csvOracle>, path: string, files: Files): IndexFile {
  const beside = files.resolve(path, oracle.file);
  const file = files.exists(beside) ? beside : oracle.file;
  return readIndexFile(files.pieces(file, HISTORY_BYTES_MAX), oracle.seriesId);
}

/** An index of months prints long after the month that a row names, so a print a day, the default, is true of days alone. */
const unknownPublication = ({ period }: IndexSeries, written: Readonly<Record<string, unknown>>): string | null =>
  period === "day" || written.printEverySecs !== undefined
    ? null
    : `has one value a ${period} and says nothing of when each was published; say printEverySecs, the seconds from one print to the next`;
