// A bot's configuration together with the devnet's that it may embed. Faults of both files are reported at once.

import type { BotConfig } from "./bot/config/config.ts";
import { readBotConfig, readWithoutMarkets, type WithoutMarkets } from "./bot/config/load.ts";
import type { Setting } from "./bot/config/setting.ts";
import type { DevnetConfig } from "./devnet/config/config.ts";
import { loadDevnetConfig } from "./devnet/config/load.ts";
import type { Fault } from "./kernel/yaml/fault.ts";
import type { Files } from "./kernel/yaml/files.ts";

export type Configuration = {
  readonly bot: BotConfig;
  /** Null: the exchange is not embedded. */
  readonly devnet: DevnetConfig | null;
};

/**
 * Reads and checks a bot's file and the files that it names. `settings` replace the file's values at their paths. `loading` is called as in
 * `readBotConfig`. Throws ConfigError with every fault, and SettingError for a path that names nothing.
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

/** Loads no strategy: for a process that does not trade. Throws ConfigError. */
export const loadWithoutMarkets = (file: string, files: Files): WithoutMarkets =>
  readWithoutMarkets(file, files, (embedded) => loadDevnetConfig(embedded, files));
