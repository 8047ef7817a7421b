// Opens the fleet's database that a configuration names, and hashes what all nodes of a fleet must agree on.

import type { BotConfig, FleetConfig } from "../../bot/config/config.ts";
import { shortHash } from "../../bot/config/market-hash.ts";
import { type Database, FleetError, openDatabase } from "../../bot/fleet/database.ts";
import { checkSchema } from "../../bot/fleet/schema.ts";
import { EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../../host/host.ts";
import { PrivateFileError, readSecretFile } from "../../kernel/private-file.ts";

/** A fault of the configuration, as opposed to one of the database. */
export class FleetFault extends Error {}

/** How long an operator's command waits for the database. */
const COMMAND_MS_MAX = 5000;

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
export function fleetExit(error: unknown, host: Pick<Host, "stderr">): ExitCode {
  if (!(error instanceof FleetError || error instanceof FleetFault)) throw error;
  if (error instanceof FleetFault) return endWith(EXIT_USAGE, error.message, host);
  return endWith(EXIT_FAILED, `the fleet's database: ${error.message}`, host);
}

type Run = (database: Database) => Promise<ExitCode>;

/** Opens the database for `run` and closes it. Reports FleetError and FleetFault on stderr; rejects with every other error. */
export async function withFleetDatabase(
  config: Pick<BotConfig, "file" | "fleet">,
  timeoutMs: number,
  host: Pick<Host, "clock" | "stderr">,
  run: Run,
): Promise<ExitCode> {
  let database: Database | undefined;
  try {
    database = fleetDatabase(config, timeoutMs, host).database;
    return await run(database);
  } catch (error) {
    return fleetExit(error, host);
  } finally {
    await database?.close();
  }
}

/** For an operator's command: also checks that the database has the fleet's schema and chain. */
export const withFleet = (
  config: Pick<BotConfig, "file" | "fleet"> & { readonly venue: Pick<BotConfig["venue"], "chainId"> },
  host: Pick<Host, "clock" | "stderr">,
  run: Run,
): Promise<ExitCode> =>
  withFleetDatabase(config, COMMAND_MS_MAX, host, async (database) => {
    await checkSchema(database.ask, config.venue.chainId);
    return run(database);
  });

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
