// The grid of `--set`: each option is an axis with values for one key of the configuration, and each cell has one value of every axis.

import { basename } from "node:path";
import type { Setting } from "../bot/config/setting.ts";
import { SettingError } from "../bot/config/setting.ts";
import { loadConfiguration } from "../configuration.ts";
import { CodedError } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { stringifyJson } from "../kernel/json.ts";
import { ConfigError } from "../kernel/yaml/fault.ts";
import { type Files, filesOf, notingReads } from "../kernel/yaml/files.ts";
import { readYaml } from "../kernel/yaml/yaml.ts";
import type { BacktestJob, Source } from "./outcome.ts";

/** One value of every axis, and every file that a run with these settings reads. */
export type Cell = Pick<BacktestJob, "file" | "name" | "namedWorld" | "settings" | "sources">;

export type Axis = { readonly path: string; readonly values: readonly unknown[] };

/** What cannot be run: a sentence for each refused `--set`, or one for the file. */
export class GridError extends CodedError<"grid_written" | "grid_refused"> {
  readonly faults: readonly string[];
  constructor(code: GridError["code"], faults: readonly string[]) {
    super(code, faults.join("\n"));
    this.faults = faults;
  }
}

/** More cells than a person can read. */
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

/** The settings of each cell, the last axis fastest; without axes, one cell without settings. Throws GridError. */
export function settingsOf(axes: readonly Axis[]): readonly (readonly Setting[])[] {
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

/** The runs are in the devnet that a configuration must then embed, or in a recording. */
export type RunsIn = "devnet" | "recording";

/**
 * The cells of several configurations to compare, each with the whole grid. All must use the same exchange, because equal seeds give equal
 * worlds only then. `market`: where the runs are. Throws like `readCells`.
 */
export async function readCompared(
  written: readonly string[],
  axes: readonly Axis[],
  files: Files,
  market: RunsIn = "devnet",
): Promise<readonly Cell[]> {
  const [first, ...others] = written;
  if (first === undefined || others.length === 0) return readCells(first ?? "", axes, files, { market });
  const names = namesOf(written);
  const exchange = await exchangeOf(first, files);
  const cells: Cell[] = [];
  for (const [at, file] of written.entries()) {
    if ((await exchangeOf(file, files)) !== exchange)
      throw new GridError("grid_refused", [`${file} embeds another exchange than ${first}; compare on one`]);
    cells.push(...(await readCells(file, axes, files, { market, name: names[at] ?? null })));
  }
  return cells;
}

/** File names without folders, which differ between machines, if they are still distinct. */
function namesOf(files: readonly string[]): readonly string[] {
  const repeated = files.find((file, at) => files.indexOf(file) < at);
  if (repeated !== undefined) throw new GridError("grid_written", [`--config ${repeated} appears twice`]);
  const short = files.map((file) => basename(file));
  return new Set(short).size === files.length ? short : files;
}

async function exchangeOf(file: string, files: Files): Promise<string> {
  const { devnet } = await loadConfiguration(file, files);
  return sha256Hex(stringifyJson(devnet as never));
}

/**
 * Loads the file unchanged, with each value of each axis, and as each cell has it; returns the cells in order. Each file is read once, so
 * that all cells use the same text. Throws ConfigError for the file itself, GridError with every refused setting.
 */
export async function readCells(
  file: string,
  axes: readonly Axis[],
  files: Files,
  { market = "devnet", name = null }: { readonly market?: RunsIn; readonly name?: string | null } = {},
): Promise<readonly Cell[]> {
  const settings = settingsOf(axes);
  const all = new Map<string, string>();
  const once = notingReads(filesOf(all, files), all);
  const sources = new Map<string, Source>();
  const { devnet } = await loadConfiguration(file, once);
  if (devnet === null && market === "devnet")
    throw new GridError("grid_refused", [`${file}: venue.embedded is missing; a backtest needs a devnet's file there`]);
  // With one axis, the cells are its values.
  if (axes.length > 1) await load(axes.flatMap(({ path, values }) => values.map((value) => [{ path, value }])));
  return load(settings);

  async function load(sets: readonly (readonly Setting[])[]): Promise<readonly Cell[]> {
    const faults: string[] = [];
    const cells: Cell[] = [];
    for (const set of sets) {
      const what = set.map(({ path, value }) => `--set ${path}=${String(value)}`).join(" ");
      const texts = new Map<string, string>();
      try {
        await loadConfiguration(file, notingReads(once, texts), set);
        cells.push({ file, name, settings: set, sources: [...texts].map(([path, text]) => sourceOf(path, text)) });
      } catch (error) {
        if (error instanceof SettingError) faults.push(`${what}: ${error.message}`);
        else if (error instanceof ConfigError) faults.push(...error.faults.map(({ message }) => `${what}: ${message}`));
        else throw error;
      }
    }
    if (faults.length > 0) throw new GridError("grid_refused", faults);
    return cells;
  }

  /** The same source object for all cells. */
  function sourceOf(path: string, text: string): Source {
    const source = sources.get(path) ?? { path, text, hash: sha256Hex(text) };
    sources.set(path, source);
    return source;
  }
}
