// The thread of config-thread.ts: reads a configuration from the disk, or from texts in place of it, tries its strategies, and posts what it
// found as plain data.

import { parentPort } from "node:worker_threads";
import { describesDevnet } from "../../bot/config/load.ts";
import { type Setting, SettingError } from "../../bot/config/setting.ts";
import { forbidAmbient, type TakeAmbientUse } from "../../bot/strategy/ambient.ts";
import type { LoadedStrategy } from "../../bot/strategy/loader.ts";
import "../../bot/strategy/public.ts"; // Before anything ambient is forbidden: strategies import it.
import type { DevnetConfig } from "../../devnet/config/config.ts";
import { loadDevnetConfig } from "../../devnet/config/load.ts";
import { messageOf } from "../../kernel/errors.ts";
import { ConfigError, type Fault } from "../../kernel/yaml/fault.ts";
import { type Files, filesOf } from "../../kernel/yaml/files.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";
import { type Judged, type Trial, validate } from "./validate.ts";

/** What a reading read of the configuration's own file and of strategies, by path; null: it could not be read. */
export type ReadTexts = Map<string, string | null>;

export type Reading = {
  readonly file: string;
  /** Stand for what the file says at their paths. */
  readonly settings?: readonly Setting[];
  /** In place of what the disk holds, by path. */
  readonly instead?: ReadonlyMap<string, string>;
  /** Filled whether or not the reading succeeds. */
  readonly texts?: ReadTexts;
};

/** `orDevnet`: the file may be a devnet's. */
export type Asked = Reading & { readonly orDevnet?: boolean };

export type WorkerData = { readonly reads: Required<Omit<Asked, "texts">> };

/** What the strategies of a market can be loaded from. */
type Strategies = {
  readonly strategy: Pick<LoadedStrategy, "name" | "origin">;
  readonly shadow: Pick<LoadedStrategy, "name" | "origin"> | null;
};

/** Plain data. */
export type Told =
  | {
      readonly kind: "bot";
      readonly judged: Judged;
      readonly strategies: readonly (readonly Strategies[])[];
    }
  | { readonly kind: "devnet"; readonly devnet: DevnetConfig };

/** `right`, `wrong` and `failed` come last. */
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
  | { readonly kind: "right"; readonly told: Told }
  | { readonly kind: "wrong"; readonly faults: readonly Fault[] }
  | { readonly kind: "failed"; readonly isSetting: boolean; readonly message: string };

/** Posts what it finds on the way, at last the texts and the result. Never rejects. */
// Taken before the process is out of reach.
const { threadCpuUsage } = process;

/** `takeAmbientUse`: of a thread in which the ambient is forbidden already. */
export async function serve(
  { file, settings, instead, orDevnet }: WorkerData["reads"],
  takeAmbientUse: TakeAmbientUse = forbidAmbient(),
): Promise<void> {
  const post = (message: Message): void => parentPort?.postMessage(message);
  const texts: ReadTexts = new Map();
  const files = noting(filesOf(instead), file, texts);
  const read = async (): Promise<Told> => {
    if (orDevnet && isDevnet(file, files)) return { kind: "devnet", devnet: loadDevnetConfig(file, files) };
    const judged = await validate(file, files, settings, {
      takeAmbientUse,
      loading: (at) => post({ kind: "loading", at }),
      trying(at, trial, found) {
        const { user, system } = threadCpuUsage();
        post({ kind: "trying", at, trial, found, cpuMs: (user + system) / 1000 });
      },
    });
    return reportOf(judged);
  };
  const end = await read().then(
    (told): Message => ({ kind: "right", told }),
    (error: unknown): Message =>
      error instanceof ConfigError
        ? { kind: "wrong", faults: error.faults }
        : { kind: "failed", isSetting: error instanceof SettingError, message: messageOf(error) },
  );
  post({ kind: "texts", texts });
  post(end);
}

/** An embedded devnet's files are not noted: a change of them needs a restart. */
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

function isDevnet(file: string, files: Files): boolean {
  try {
    return describesDevnet(readYaml(files.read(file)).value);
  } catch {
    return false; // the bot's reader says what is wrong with the file
  }
}

/** Functions stay in their thread. */
const NOT_HERE = null as unknown as LoadedStrategy;

function reportOf(judged: Judged): Told {
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
