// Opens the fleet's database that a configuration names, and hashes what all nodes of a fleet must agree on.

import type { BotConfig, FleetConfig } from "../../bot/config/config.ts";
import { shortHash } from "../../bot/config/market-hash.ts";
import { type Database, FleetError, openDatabase } from "../../bot/fleet/database.ts";
import { EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "../../host/host.ts";
import { PrivateFileError, readSecretFile } from "../../kernel/private-file.ts";

/** A fault of the configuration, as opposed to one of the database. */
export class FleetFault extends Error {}

/** How long an operator's command waits for the database. */
export const COMMAND_MS_MAX = 5000;

/** Opens no connection yet. Throws FleetFault. */
export function fleetDatabase(
  { file, fleet }: Pick<BotConfig, "file" | "fleet">,
  timeoutMs: number,
  { clock }: Pick<Host, "clock">,
): { readonly database: Database; readonly fleet: FleetConfig } {
  if (fleet === null) throw new FleetFault(`${file} has no fleet: name databaseUrlFile and node there`);
  const { databaseUrlFile } = fleet;
  try {
    return { database: openDatabase(readSecretFile(databaseUrlFile), timeoutMs, clock), fleet };
  } catch (error) {
    if (error instanceof FleetError)
      throw new FleetFault(`fleet.databaseUrlFile: ${databaseUrlFile}: ${error.message}`);
    if (!(error instanceof PrivateFileError)) throw error;
    throw new FleetFault(`fleet.databaseUrlFile: ${error.message}`);
  }
}

/** Writes the error to stderr and returns the exit code. Throws every error that is neither FleetError nor FleetFault. */
export function fleetExit(error: unknown, { stderr }: Pick<Host, "stderr">): ExitCode {
  if (!(error instanceof FleetError || error instanceof FleetFault)) throw error;
  stderr(`quoin: ${error instanceof FleetError ? "the fleet's database: " : ""}${error.message}\n`);
  return error instanceof FleetFault ? EXIT_USAGE : EXIT_FAILED;
}

/** No other node can reach an embedded exchange. Throws FleetFault. */
export function refuseEmbedded({ file, venue }: Pick<BotConfig, "file" | "venue">): void {
  if (venue.kind === "embedded")
    throw new FleetFault(`${file}: venue.embedded: no other node reaches that exchange; name its validatorUrl`);
}

/** Hash of what every node must agree on: accounts, markets, strategies and limits. Each node has its own keys. */
export const accountsHash = ({ accounts }: Pick<BotConfig, "accounts">): string =>
  shortHash(
    accounts.map(({ accountId, foreignOrders, limits, markets }) => ({
      accountId: `${accountId}`,
      foreignOrders,
      limits: shortHash(limits),
      markets: markets.map(({ marketId, hash }) => ({ marketId, hash })),
    })),
  );
