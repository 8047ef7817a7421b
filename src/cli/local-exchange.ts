// An embedded exchange for one command: started on free ports, with the bot's keys approved, and a configuration that connects to it like
// to any other exchange.

import type { BotConfig } from "../bot/config/config.ts";
import type { AgentKey } from "../bot/execution/agent-key.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Configuration } from "../configuration.ts";
import { keysOf, realKeysOf } from "../daemon/prepare.ts";
import { startEmbedded } from "../daemon/serve-devnet.ts";
import type { Devnet } from "../devnet/devnet.ts";
import type { AccountId } from "../domain/units.ts";
import type { Host } from "../host/host.ts";

export type LocalExchange = {
  readonly devnet: Devnet;
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  readonly reached: BotConfig;
};

/**
 * Starts the exchange and says on stderr that it is not the one inside a running daemon. Null when the configuration embeds none. Throws
 * StartError, PrivateFileError and ListenError.
 */
export async function startLocalExchange(
  { bot, devnet: embedded }: Configuration,
  host: Host,
  log: Log,
): Promise<LocalExchange | null> {
  if (embedded === null) return null;
  const keys = keysOf(bot, host);
  const devnet = await startEmbedded(embedded, realKeysOf(bot, keys), host, log);
  host.stderr(
    `quoin: ${bot.file} embeds its exchange: this command started a fresh one, which knows nothing of a running daemon's\n`,
  );
  return { devnet, keys, reached: { ...bot, venue: remoteVenue(bot, devnet) } };
}

function remoteVenue({ venue }: BotConfig, { validatorUrl, wsUrl, restUrl }: Devnet): BotConfig["venue"] {
  return { ...venue, kind: "remote", validatorUrl, wsUrl, restUrl };
}
