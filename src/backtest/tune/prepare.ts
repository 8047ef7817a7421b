// What a search needs of the configuration: the present cell, and the values that its strategies accept.

import { type Setting, SettingError } from "../../bot/config/setting.ts";
import { loadConfiguration } from "../../configuration.ts";
import { ConfigError } from "../../kernel/yaml/fault.ts";
import { type Files, filesOf } from "../../kernel/yaml/files.ts";
import { type Cell, GridError, readCells } from "../grid.ts";
import { checkSpace, endsOf, type Param, settingsIn } from "./space.ts";

export type Prepared = {
  readonly present: Cell;
  /** Resolves with up to `count` different settings that the configuration accepts. Rejects with GridError where there are none. */
  readonly others: (count: number) => Promise<readonly (readonly Setting[])[]>;
};

/** Rejects with ConfigError for the file itself, GridError with every refused parameter. */
export async function prepareTune(file: string, params: readonly Param[], files: Files): Promise<Prepared> {
  checkSpace(params);
  const [present] = await readCells(file, [], files);
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
  const refused: string[] = [];
  const wholes = new Set<string>();
  for (const param of params) {
    const { path } = param;
    for (const value of endsOf(param))
      refused.push(...(await faultsOf([{ path, value }])).map((fault) => `--param ${path}=${String(value)}: ${fault}`));
    if ("values" in param || !Number.isInteger(param.low) || !Number.isInteger(param.high)) continue;
    // A parameter that accepts both ends but no fraction between takes only whole numbers.
    if ((await faultsOf([{ path, value: param.low + 0.5 }])).length > 0) wholes.add(path);
  }
  if (refused.length > 0) throw new GridError("grid_refused", refused);
  return {
    present,
    async others(count) {
      const found = await settingsIn(params, wholes, count, async (set) => (await faultsOf(set)).length === 0);
      if (found.length === 0)
        throw new GridError("grid_refused", ["the configuration refuses every combination of the parameters"]);
      return found;
    },
  };
}
