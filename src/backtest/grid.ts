// The grid that `--set` spans: each option is an axis with the values that one key of the configuration takes in turn, and each cell
// is one value of every axis.

import type { Setting } from "../bot/config/setting.ts";
import { SettingError } from "../bot/config/setting.ts";
import { CodedError } from "../kernel/errors.ts";
import { ConfigError } from "../kernel/yaml/fault.ts";
import type { Files } from "../kernel/yaml/files.ts";
import { readYaml } from "../kernel/yaml/yaml.ts";
import { type Configuration, loadConfiguration } from "../sim/configuration.ts";

export type Axis = { readonly path: string; readonly values: readonly unknown[] };

/** What cannot be run: a sentence for each `--set` that is refused, or one for the file. */
export class GridError extends CodedError<"grid_written" | "grid_refused"> {
  readonly faults: readonly string[];
  constructor(code: GridError["code"], faults: readonly string[]) {
    super(code, faults.join("\n"));
    this.faults = faults;
  }
}

/** More cells than anybody reads. */
const CELLS_MAX = 10_000;

/** `PATH=V1,V2,…`; each value as YAML reads it. Throws GridError. */
export function parseAxis(written: string): Axis {
  const at = written.indexOf("=");
  const path = written.slice(0, Math.max(0, at));
  const texts = written.slice(at + 1).split(",");
  if (path === "" || texts.some((text) => text.trim() === ""))
    throw new GridError("grid_written", [`--set ${written}: write it as PATH=V1,V2,…`]);
  return { path, values: texts.map((text) => yamlValue(text, written)) };
}

function yamlValue(text: string, written: string): unknown {
  const { value, errors } = readYaml(text);
  const [fault] = errors;
  if (fault !== undefined) throw new GridError("grid_written", [`--set ${written}: ${text}: ${fault.message}`]);
  return value;
}

/** All cells, the last axis fastest; one empty cell where there is no axis. Throws GridError. */
export function cellsOf(axes: readonly Axis[]): readonly (readonly Setting[])[] {
  const paths = axes.map(({ path }) => path);
  const repeated = paths.find((path, nth) => paths.indexOf(path) < nth);
  if (repeated !== undefined)
    throw new GridError("grid_written", [`--set ${repeated} appears twice; name its values once`]);
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > CELLS_MAX) throw new GridError("grid_written", [`--set spans ${count} cells, at most ${CELLS_MAX}`]);
  return axes.reduce<readonly (readonly Setting[])[]>(
    (cells, { path, values }) => cells.flatMap((cell) => values.map((value) => [...cell, { path, value }])),
    [[]],
  );
}

/**
 * Loads the file as it is, which it returns, then with each value of each axis, then each cell. Throws ConfigError for the file itself, GridError with
 * every setting that it refuses.
 */
export async function checkGrid(
  file: string,
  axes: readonly Axis[],
  cells: readonly (readonly Setting[])[],
  files: Files,
): Promise<Configuration> {
  const configuration = await loadConfiguration(file, files);
  if (configuration.devnet === null)
    throw new GridError("grid_refused", [`${file}: venue.embedded is missing; a backtest needs a devnet's file there`]);
  const single = axes.flatMap(({ path, values }) => values.map((value) => [{ path, value }]));
  const faults = await faultsOf(single);
  if (faults.length === 0 && axes.length > 1) faults.push(...(await faultsOf(cells)));
  if (faults.length > 0) throw new GridError("grid_refused", faults);
  return configuration;

  async function faultsOf(sets: readonly (readonly Setting[])[]): Promise<string[]> {
    const found: string[] = [];
    for (const set of sets) {
      const name = set.map(({ path, value }) => `--set ${path}=${String(value)}`).join(" ");
      try {
        await loadConfiguration(file, files, set);
      } catch (error) {
        if (error instanceof SettingError) found.push(`${name}: ${error.message}`);
        else if (error instanceof ConfigError) found.push(...error.faults.map(({ message }) => `${name}: ${message}`));
        else throw error;
      }
    }
    return found;
  }
}
