// What the thread of thread.ts does: reads a configuration from the disk, or from texts in its place, tries its strategies, and posts the
// result as plain data.

import { parentPort } from "node:worker_threads";
import { describesDevnet } from "../../bot/config/load.ts";
import { type Setting, SettingError } from "../../bot/config/setting.ts";
import { forbidAmbient, type TakeAmbientUse } from "../../bot/strategy/ambient.ts";
import type { LoadedStrategy } from "../../bot/strategy/loader.ts";
import "../../bot/strategy/public.ts"; // Loaded before ambient access is forbidden, since strategies import it.
import type { DevnetConfig } from "../../devnet/config/config.ts";
import { loadDevnetConfig } from "../../devnet/config/load.ts";
import { messageOf } from "../../kernel/errors.ts";
import { ConfigError, type Fault } from "../../kernel/yaml/fault.ts";
import { type Files, filesOf, systemFiles } from "../../kernel/yaml/files.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";
import { type Judged, type Trial, validate } from "./validate.ts";

/** Texts of the configuration's file, of its strategies and signals as they were read, by path. Null: not readable. */
export type ReadTexts = Map<string, string | null>;

export type Reading = {
  readonly file: string;
  /** Replace the file's values at their paths. */
  readonly settings?: readonly Setting[];
  /** Texts that replace files on the disk, by path. */
  readonly instead?: ReadonlyMap<string, string>;
  /** Receives what was read, also when the reading fails. */
  readonly texts?: ReadTexts;
};

/** `orDevnet`: the file may be a devnet's. */
export type Asked = Reading & { readonly orDevnet?: boolean };

export type WorkerData = { readonly reads: Required<Omit<Asked, "texts">> };

/** From where the strategies of a market are loaded again. */
type Strategies = {
  readonly strategy: Pick<LoadedStrategy, "name" | "origin">;
  readonly shadow: Pick<LoadedStrategy, "name" | "origin"> | null;
};

/** What was read, as plain data: functions cannot be posted. */
export type ReadResult =
  | {
      readonly kind: "bot";
      readonly judged: Judged;
      readonly strategies: readonly (readonly Strategies[])[];
    }
  | { readonly kind: "devnet"; readonly devnet: DevnetConfig };

/** `right`, `wrong` or `failed` is the last message. */
export type Message =
  | { readonly kind: "loading"; readonly at: Fault }
  | {
      readonly kind: "trying";
      readonly at: Fault;
      readonly trial: Trial;
      readonly found: readonly Fault[];
      readonly cpuMs: number;
    }
  | { readonly kind: "texts"; readonly texts: ReadTexts }
  | { readonly kind: "right"; readonly result: ReadResult }
  | { readonly kind: "wrong"; readonly faults: readonly Fault[] }
  | { readonly kind: "failed"; readonly isSetting: boolean; readonly message: string };

// Taken before `process` is forbidden.
const { threadCpuUsage } = process;

/**
 * Posts its progress, then the texts, then the result. `takeAmbientUse` is for a thread in which ambient access is already forbidden. Never
 * rejects.
 */
export async function serve(
  { file, settings, instead, orDevnet }: WorkerData["reads"],
  takeAmbientUse: TakeAmbientUse = forbidAmbient(),
): Promise<void> {
  const post = (message: Message): void => parentPort?.postMessage(message);
  const texts: ReadTexts = new Map();
  const files = noting(filesOf(instead), file, texts);
  const read = async (): Promise<ReadResult> => {
    if (orDevnet && isDevnet(file, files)) return { kind: "devnet", devnet: loadDevnetConfig(file, files) };
    const judged = await validate(file, files, settings, {
      takeAmbientUse,
      loading: (at) => post({ kind: "loading", at }),
      trying(at, trial, found) {
        const { user, system } = threadCpuUsage();
        post({ kind: "trying", at, trial, found, cpuMs: (user + system) / 1000 });
      },
    });
    for (const source of judged.configuration.bot.signals) if (source.kind === "file") noteText(source.file, texts);
    return resultOf(judged);
  };
  const end = await read().then(
    (result): Message => ({ kind: "right", result }),
    (error: unknown): Message =>
      error instanceof ConfigError
        ? { kind: "wrong", faults: error.faults }
        : { kind: "failed", isSetting: error instanceof SettingError, message: messageOf(error) },
  );
  post({ kind: "texts", texts });
  post(end);
}

/** Skips an embedded devnet's files: a change of those needs a restart. */
const noting = (files: Files, file: string, texts: ReadTexts): Files => ({
  ...files,
  read(path, bytesMax) {
    const isNoted = path === file || /\.(?:m?[jt]s|json)$/.test(path);
    if (isNoted) texts.set(path, null);
    const text = files.read(path, bytesMax);
    if (isNoted) texts.set(path, text);
    return text;
  },
});

/** A signal's file is watched too. */
function noteText(path: string, texts: ReadTexts): void {
  try {
    texts.set(path, systemFiles.read(path));
  } catch {
    texts.set(path, null);
  }
}

function isDevnet(file: string, files: Files): boolean {
  try {
    return describesDevnet(readYaml(files.read(file)).value);
  } catch {
    return false; // The bot's reader reports what is wrong with the file.
  }
}

/** Stands in for a loaded strategy, whose functions cannot be posted. */
const NOT_HERE = null as unknown as LoadedStrategy;

function resultOf(judged: Judged): ReadResult {
  const { configuration } = judged;
  const { bot } = configuration;
  const accounts = bot.accounts.map((account) => ({
    ...account,
    markets: account.markets.map((market) => ({
      ...market,
      strategy: NOT_HERE,
      shadow: market.shadow === null ? null : { ...market.shadow, strategy: NOT_HERE },
    })),
  }));
  const sourceOf = ({ name, origin }: LoadedStrategy) => ({ name, origin });
  const strategies = bot.accounts.map(({ markets }) =>
    markets.map(({ strategy, shadow }) => ({
      strategy: sourceOf(strategy),
      shadow: shadow === null ? null : sourceOf(shadow.strategy),
    })),
  );
  return {
    kind: "bot",
    judged: { ...judged, configuration: { ...configuration, bot: { ...bot, accounts } } },
    strategies,
  };
}
