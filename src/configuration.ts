// A bot's configuration and, where it embeds one, its devnet's: the two wings' files, read as one. All faults of both come at once.

import type { BotConfig } from "./bot/config/config.ts";
import { readBotConfig, readWithoutMarkets, type WithoutMarkets } from "./bot/config/load.ts";
import type { Setting } from "./bot/config/setting.ts";
import type { DevnetConfig } from "./devnet/config/config.ts";
import { loadDevnetConfig } from "./devnet/config/load.ts";
import type { Fault } from "./kernel/yaml/fault.ts";
import type { Files } from "./kernel/yaml/files.ts";

export type Configuration = {
  readonly bot: BotConfig;
  /** Null: the exchange runs elsewhere. */
  readonly devnet: DevnetConfig | null;
};

/**
 * Reads and checks one bot's file and what it names; `settings` stand for what the file says at their paths. Throws ConfigError with
 * every fault, and SettingError for a path that names nothing. `loading` as `readBotConfig` has it.
 */
export async function loadConfiguration(
  file: string,
  files: Files,
  settings: readonly Setting[] = [],
  loading?: (strategy: Fault) => void,
): Promise<Configuration> {
  let devnet: DevnetConfig | null = null;
  const readEmbedded = (embedded: string): DevnetConfig => {
    devnet = loadDevnetConfig(embedded, files);
    return devnet;
  };
  const bot = await readBotConfig(file, files, readEmbedded, settings, loading);
  return { bot, devnet };
}

/** The same for a process that trades nothing: no strategy is loaded. Throws ConfigError. */
export const loadWithoutMarkets = (file: string, files: Files): WithoutMarkets =>
  readWithoutMarkets(file, files, (embedded) => loadDevnetConfig(embedded, files));
