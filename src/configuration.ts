// A bot's configuration together with the devnet's that it may embed. Faults of both files are reported at once.

import type { BotConfig, SignalRow, SignalSource } from "./bot/config/config.ts";
import { readBotConfig, readWithoutMarkets, type WithoutMarkets } from "./bot/config/load.ts";
import type { Setting } from "./bot/config/setting.ts";
import type { DevnetConfig, OracleSource } from "./devnet/config/config.ts";
import { loadDevnetConfig } from "./devnet/config/load.ts";
import { DAY_MS } from "./kernel/clock.ts";
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

/**
 * Dates the rows of signals' files by the time of an embedded exchange that prints a history from `startMs` on, whatever its dates are: a row
 * that was known on the day of a print is known from the print before it on. Without such a history rows keep their dates.
 */
export function datedByPrints(
  sources: readonly SignalSource[],
  { bot, devnet }: Configuration,
  startMs: number,
): readonly SignalSource[] {
  return sources.map((source) => {
    if (source.kind !== "file") return source;
    const oracle = historyBeside(source.name, bot, devnet);
    return oracle === undefined
      ? source
      : { ...source, rows: source.rows.flatMap((row) => dated(row, oracle, startMs)) };
  });
}

type History = Extract<OracleSource, { readonly source: "csv" }>;

/** The history that the first market prints which uses the signal. */
function historyBeside(name: string, bot: BotConfig, devnet: DevnetConfig | null): History | undefined {
  const users = bot.accounts.flatMap(({ markets }) =>
    markets.filter(({ signals }) => signals.some(({ parts }) => parts.some((part) => part.name === name))),
  );
  for (const { marketId } of users) {
    const oracle = devnet?.markets.find((market) => market.marketId === marketId)?.oracle;
    if (oracle?.source === "csv") return oracle;
  }
  return undefined;
}

/** Rows beyond the history are not known. */
function dated(
  { publishedMs, value }: SignalRow,
  { series, printEverySecs }: History,
  startMs: number,
): readonly SignalRow[] {
  const { prints } = series;
  const at = prints.findLastIndex(({ date }) => dayMs(date) <= publishedMs);
  const [from, to] = [prints[at], prints[at + 1]];
  const everyMs = printEverySecs * 1000;
  if (from === undefined) return [{ publishedMs: startMs - everyMs, value }];
  const knownMs = startMs + (from.step - 1) * everyMs;
  if (to === undefined) return publishedMs < dayMs(from.date) + DAY_MS ? [{ publishedMs: knownMs, value }] : [];
  const share = (publishedMs - dayMs(from.date)) / (dayMs(to.date) - dayMs(from.date));
  return [{ publishedMs: knownMs + share * (to.step - from.step) * everyMs, value }];
}

const dayMs = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** Loads no strategy: for a process that does not trade. Throws ConfigError. */
export const loadWithoutMarkets = (file: string, files: Files): WithoutMarkets =>
  readWithoutMarkets(file, files, (embedded) => loadDevnetConfig(embedded, files));
