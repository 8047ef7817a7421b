// What a search needs of the configuration: the present cell, and the values that its strategies accept.

import type { BotConfig } from "../../bot/config/config.ts";
import { type Setting, SettingError } from "../../bot/config/setting.ts";
import { loadConfiguration } from "../../configuration.ts";
import { ConfigError } from "../../kernel/yaml/fault.ts";
import { type Files, filesOf } from "../../kernel/yaml/files.ts";
import { type Cell, GridError, type RunsIn, readCells } from "../grid.ts";
import { sobolPoints } from "./sobol.ts";
import {
  checkSpace,
  endsOf,
  neighborsIn,
  type Param,
  placeOf,
  pointOf,
  rangeOf,
  settingsAt,
  type Unbounded,
  wrong,
} from "./space.ts";
import { promising } from "./surrogate.ts";

export type Prepared = {
  readonly present: Cell;
  readonly bot: BotConfig;
  /** Each with its range or values. */
  readonly params: readonly Param[];
  /** Resolves with up to `count` different settings that the configuration accepts, evenly spread. Rejects with GridError where there are none. */
  readonly others: (count: number) => Promise<readonly (readonly Setting[])[]>;
  /** Resolves with up to `count` further ones that look best by the scores of those tried, most promising first. */
  readonly further: (tried: readonly Tried[], count: number) => Promise<readonly (readonly Setting[])[]>;
  /** The setting with each ranged parameter 20 % lower and higher, where the configuration accepts it. */
  readonly neighborsOf: (settings: readonly Setting[]) => Promise<readonly (readonly Setting[])[]>;
};

export type Tried = { readonly settings: readonly Setting[]; readonly score: number };

/** Points for each wanted setting, since values are rounded and some combinations are not allowed. */
const TRIES = 50;
/** Points among which the most promising are found. */
const POOL = 512;

/** Rejects with ConfigError for the file itself, GridError with every refused parameter. */
export async function prepareTune(
  file: string,
  written: readonly (Param | Unbounded)[],
  files: Files,
  runsIn: RunsIn = "devnet",
): Promise<Prepared> {
  checkSpace(written);
  const [present] = await readCells(file, [], files, { market: runsIn });
  if (present === undefined) throw new RangeError(`${file} has no cell`);
  const kept = filesOf(new Map(present.sources.map(({ path, text }) => [path, text])), files);
  const faultsOf = async (settings: readonly Setting[]): Promise<readonly string[]> => {
    try {
      await loadConfiguration(file, kept, settings);
      return [];
    } catch (error) {
      if (error instanceof SettingError) return [error.message];
      if (error instanceof ConfigError) return error.faults.map(({ message }) => message);
      throw error;
    }
  };
  const { bot } = await loadConfiguration(file, kept);
  const params: Param[] = [];
  for (const param of written) params.push(await bounded(param, bot, faultsOf));
  const refused: string[] = [];
  const wholes = new Set<string>();
  for (const param of params) {
    const { path } = param;
    const first = new Map<string, unknown>();
    for (const value of endsOf(param))
      for (const fault of await faultsOf([{ path, value }])) if (!first.has(fault)) first.set(fault, value);
    for (const [fault, value] of first) refused.push(`--param ${path}=${String(value)}: ${fault}`);
    if ("values" in param || !Number.isInteger(param.low) || !Number.isInteger(param.high)) continue;
    // A parameter that accepts both ends but no fraction between takes only whole numbers.
    if ((await faultsOf([{ path, value: param.low + 0.5 }])).length > 0) wholes.add(path);
  }
  if (refused.length > 0) throw new GridError("grid_refused", refused);
  const space = { params, wholes, isAllowed: async (set: readonly Setting[]) => (await faultsOf(set)).length === 0 };
  return {
    present,
    bot,
    params,
    async neighborsOf(settings) {
      const found: (readonly Setting[])[] = [];
      for (const set of neighborsIn(params, wholes, settings)) if (await space.isAllowed(set)) found.push(set);
      return found;
    },
    async others(count) {
      const found = await settingsAt(space, sobolPoints(params.length).take(TRIES * count), { count });
      if (found.length === 0)
        throw new GridError("grid_refused", ["the configuration refuses every combination of the parameters"]);
      return found;
    },
    async further(tried, count) {
      if (tried.length < 2 || count <= 0) return [];
      const pool = [...sobolPoints(params.length).take(POOL)];
      const scored = tried.map(({ settings, score }) => ({ point: pointOf(space, settings), score }));
      const points = promising(scored, pool).map((at) => pool[at] ?? []);
      return await settingsAt(space, points, { count, known: tried.map(({ settings }) => settings) });
    },
  };
}

/** A parameter without a range has that of its strategy's schema. Rejects with GridError where this has none. */
async function bounded(
  param: Param | Unbounded,
  { accounts }: BotConfig,
  faultsOf: (settings: readonly Setting[]) => Promise<readonly string[]>,
): Promise<Param> {
  if ("low" in param || "values" in param) return param;
  const { path } = param;
  const { account, market } = placeOf(path);
  const markets = accounts.find(({ accountId }) => `${accountId}` === account)?.markets ?? [];
  const { strategy } = markets.find(({ marketId }) => `${marketId}` === market) ?? {};
  const [, key = ""] = path.split(".params.");
  const range = strategy?.rangeOf(key) ?? null;
  if (range !== null) return rangeOf(path, range.low, range.high);
  const [fault] = await faultsOf([{ path, value: 1 }]);
  throw wrong(path, fault ?? `${strategy?.name} does not bound it on both sides; write --param ${path}=LOW..HIGH`);
}
