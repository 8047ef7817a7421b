// The parts of a configuration that an emergency command needs: exchange, daemon, ledger, and each account with its key. Everything else in
// the file may be wrong, even its syntax, and no strategy is loaded.

import { usualQueueModel } from "../../domain/queue.ts";
import { accountNumber, marketNumber } from "../../domain/scalars.ts";
import { ConfigError, type Fault, faultAt, schemaFaults } from "../../kernel/yaml/fault.ts";
import { type Files, unreadable } from "../../kernel/yaml/files.ts";
import { listAt, mappingOf, readAs } from "../../kernel/yaml/partial-parse.ts";
import { readYaml, type YamlDocument } from "../../kernel/yaml/yaml.ts";
import { accountLimitsSchema, type MarketLimits, marketLimitsSchema } from "../risk/limits/limits.ts";
import type { BotConfig, QuotedAccount, QuotedMarket } from "./config.ts";
import { completeServer, completeVenue, fleetOf, ledgerFileOf, withNode } from "./load.ts";
import { accountSchema, botSchema, paperSchema } from "./schema.ts";

type EmergencyMarket = Pick<QuotedMarket, "marketId"> & {
  /** Null: the written limits are wrong. */
  readonly limits: MarketLimits | null;
};

export type EmergencyAccount = Pick<QuotedAccount, "accountId" | "paper" | "agentKeyFile" | "limits"> & {
  /** Null: at least one cannot be read, so any market may be among them. */
  readonly markets: readonly EmergencyMarket[] | null;
};

/** A whole configuration satisfies this type too. */
export type EmergencyConfig = Pick<BotConfig, "file" | "venue" | "server" | "ledger" | "fleet"> & {
  readonly accounts: readonly EmergencyAccount[];
};

const needed = botSchema.pick({ venue: true, server: true, ledger: true });

/** Reads only these parts of the file. Throws ConfigError with the faults in them. */
export function readEmergencyConfig(file: string, files: Files): EmergencyConfig {
  const document = readYaml(textOf(file, files));
  const { salvaged } = document;
  const { venue, server, ledger, fleet } = mappingOf(salvaged);
  const parsed = needed.safeParse({ venue, server, ledger });
  const node = { fleet: readAs(botSchema.shape.fleet, fleet) };
  const faults: Fault[] = parsed.success ? [] : [...schemaFaults(file, document, parsed.error.issues)];
  const resolve = (path: string): string => files.resolve(file, path);
  const accounts = listAt(salvaged, "accounts").map((row, index) =>
    readAccount(withNode(mappingOf(row), node), index, { file, document, faults, resolve }),
  );
  if (accounts.length === 0) faults.push(faultAt(file, document, ["accounts"], "names no account"));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return {
    file,
    venue: completeVenue(parsed.data),
    server: completeServer(parsed.data, resolve),
    ledger: { ...parsed.data.ledger, file: ledgerFileOf(parsed.data, resolve) },
    fleet: fleetOf(node.fleet, resolve),
    accounts,
  };
}

function textOf(file: string, files: Files): string {
  try {
    return files.read(file);
  } catch (cause) {
    throw new ConfigError([{ file, line: 1, column: 1, path: "", message: unreadable(cause) }]);
  }
}

type Place = {
  readonly file: string;
  readonly document: YamlDocument;
  readonly faults: Fault[];
  readonly resolve: (path: string) => string;
};

function readAccount(row: unknown, index: number, { file, document, faults, resolve }: Place): EmergencyAccount {
  const written = mappingOf(row);
  const id = accountNumber.safeParse(written.accountId);
  const key = accountSchema.shape.agentKeyFile.safeParse(written.agentKeyFile);
  for (const [name, { error }] of Object.entries({ accountId: id, agentKeyFile: key }))
    if (error !== undefined) faults.push(...schemaFaults(file, document, error.issues, ["accounts", index, name]));
  const isPaper = (written.paper ?? false) !== false;
  return {
    accountId: id.data ?? accountNumber.parse(0),
    // An emergency command needs none of its settings.
    paper: isPaper ? { ...paperSchema.parse({}), ...usualQueueModel() } : null,
    agentKeyFile: isPaper || key.data === undefined ? null : resolve(key.data),
    limits: readAs(accountLimitsSchema, written.limits) ?? accountLimitsSchema.parse({}),
    markets: readMarkets(listAt(row, "markets")),
  };
}

function readMarkets(rows: readonly unknown[]): readonly EmergencyMarket[] | null {
  const markets: EmergencyMarket[] = [];
  for (const row of rows) {
    const { marketId: written, limits } = mappingOf(row);
    const marketId = readAs(marketNumber, written);
    if (marketId === undefined) return null;
    markets.push({ marketId, limits: readAs(marketLimitsSchema, limits) ?? null });
  }
  return markets.length === 0 ? null : markets;
}
