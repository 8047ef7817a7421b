// Named worlds of `backtest --world`: each changes the devnet that a configuration embeds. Values that a world does not name come from the
// devnet's own file.

import { withSettings } from "../bot/config/setting.ts";
import { loadConfiguration } from "../configuration.ts";
import { devnetSchema } from "../devnet/config/schema.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import { withAllowed } from "../kernel/nearest.ts";
import { ConfigError, type Fault, faultAt, formatFault, syntaxFaults } from "../kernel/yaml/fault.ts";
import { type Files, filesOf, unreadable } from "../kernel/yaml/files.ts";
import { type Mapping, mappingOf } from "../kernel/yaml/partial-parse.ts";
import { readYaml, type YamlDocument } from "../kernel/yaml/yaml.ts";
import { type Cell, GridError } from "./grid.ts";

/** What a world may change. A run sets the other keys itself, or the bot's configuration depends on them. */
const CHANGEABLE = ["blockTimeMs", "feeTiers", "flow", "markets", "openOrderCap"];
const FIXED_IN_MARKETS = ["marketId", "name"];
const NAME = /^[a-zA-Z0-9][\w-]{0,39}$/;

type Devnet = {
  readonly file: string;
  readonly written: unknown;
  /** The same with the defaults of its schema; undefined where it is wrong. */
  readonly complete: unknown;
};

/**
 * Returns the cell once for each world of the file `path`, in order, with the devnet's text changed. Throws ConfigError with every fault of
 * that file, and GridError where the cell has no devnet.
 */
export async function cellsInWorlds(cell: Cell, path: string, files: Files): Promise<readonly Cell[]> {
  const document = readWorlds(path, files);
  const devnet = devnetOf(cell, files);
  const faults: Fault[] = [];
  const cells: Cell[] = [];
  for (const [name, changes] of Object.entries(mappingOf(document.value))) {
    const refuse = (where: readonly PropertyKey[], message: string): void => {
      faults.push(faultAt(path, document, [name, ...where], message, "key"));
    };
    if (!NAME.test(name)) {
      refuse([], "the name of a world has letters, digits, - and _, at most 40 of them");
      continue;
    }
    const known = faults.length;
    refuseFixed(changes, refuse);
    const changed = stringifyJson(changedBy(devnet, changes ?? {}, refuse) as Json);
    if (faults.length > known) continue;
    const sources = cell.sources.map((source) =>
      source.path === devnet.file ? { path: source.path, text: changed, hash: sha256Hex(changed) } : source,
    );
    for (const fault of await faultsOf({ ...cell, sources }, files)) {
      if (fault.file === devnet.file) refuse(placeOf(fault), fault.message);
      else faults.push(fault);
    }
    cells.push({ ...cell, sources, namedWorld: name });
  }
  if (faults.length > 0) throw new ConfigError(once(faults));
  return cells;
}

async function faultsOf({ file, settings, sources }: Cell, files: Files): Promise<readonly Fault[]> {
  try {
    await loadConfiguration(file, filesOf(new Map(sources.map(({ path, text }) => [path, text])), files), settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

/** Where a world has what a fault of the changed devnet names: its changes are of all markets. */
const placeOf = ({ path }: Fault): readonly string[] =>
  path.replace(/^markets\[\d+\]/, "markets").match(/[^.[\]]+/g) ?? [];

/** Each fault of several markets once. */
const once = (faults: readonly Fault[]): readonly Fault[] => [
  ...new Map(faults.map((fault) => [formatFault(fault), fault])).values(),
];

/** Throws ConfigError. */
function readWorlds(path: string, files: Files): YamlDocument {
  const whole = (message: string): ConfigError =>
    new ConfigError([{ file: path, line: 1, column: 1, path: "", message }]);
  let text: string;
  try {
    text = files.read(path);
  } catch (cause) {
    throw whole(unreadable(cause));
  }
  const document = readYaml(text);
  if (document.errors.length > 0) throw new ConfigError(syntaxFaults(path, document));
  if (Object.keys(mappingOf(document.value)).length === 0)
    throw whole("must be a mapping of names to worlds, as `thin: { flow: { makers: 1 } }`");
  return document;
}

/** Throws GridError. */
function devnetOf({ file, settings, sources }: Cell, files: Files): Devnet {
  const textOf = (path: string): string | undefined => sources.find((source) => source.path === path)?.text;
  const bot = mappingOf(withSettings(readYaml(textOf(file) ?? "").value, settings));
  const embedded = mappingOf(bot.venue).embedded;
  const path = files.resolve(file, String(embedded));
  const text = textOf(path);
  if (text === undefined) throw new GridError("grid_refused", [`${file}: venue.embedded is missing`]);
  const written = readYaml(text).value;
  return { file: path, written, complete: devnetSchema.safeParse(written).data };
}

type Refuse = (where: readonly PropertyKey[], message: string) => void;

function refuseFixed(changes: unknown, refuse: Refuse): void {
  if (changes !== null && mappingOf(changes) !== changes)
    refuse([], "must be a mapping of the devnet's keys that the world changes");
  for (const key of Object.keys(mappingOf(changes)))
    if (!CHANGEABLE.includes(key)) refuse([key], withAllowed("a world cannot change this key", [key], CHANGEABLE));
  const { markets } = mappingOf(changes);
  if (markets === undefined) return;
  if (mappingOf(markets) !== markets) refuse(["markets"], "must be a mapping of keys that change in every market");
  for (const key of FIXED_IN_MARKETS)
    if (key in mappingOf(markets)) refuse(["markets", key], `a world cannot change the ${key} of markets`);
}

/** The devnet's written file with the changes: mappings are joined, `{ times: N }` multiplies, all else replaces. */
function changedBy({ written, complete }: Devnet, changes: unknown, refuse: Refuse): unknown {
  const { markets, ...others } = mappingOf(changes);
  const changed = mappingOf(joined(written, complete, others, []));
  if (mappingOf(markets) !== markets) return changed;
  const completeMarkets = mappingOf(complete).markets as readonly unknown[] | undefined;
  const each = changed.markets as readonly unknown[];
  return {
    ...changed,
    markets: each.map((market, nth) => joined(market, completeMarkets?.[nth], markets, ["markets"])),
  };

  function joined(value: unknown, whole: unknown, change: unknown, where: readonly string[]): unknown {
    if (mappingOf(change) !== change) return change;
    const { times, ...more } = change as Mapping;
    if (times !== undefined && Object.keys(more).length === 0) return multiplied(value ?? whole, times, where);
    const pairs = Object.entries(change as Mapping).map(([key, of]) => [
      key,
      joined(mappingOf(value)[key], mappingOf(whole)[key], of, [...where, key]),
    ]);
    return { ...mappingOf(value), ...Object.fromEntries(pairs) };
  }

  function multiplied(value: unknown, times: unknown, where: readonly string[]): unknown {
    if (typeof times !== "number") refuse([...where, "times"], "must be a number by which the value is multiplied");
    else if (typeof value === "number") return Number((value * times).toPrecision(DIGITS));
    else refuse([...where, "times"], "multiplies a number, and the devnet's file has none there");
    return undefined;
  }
}

/** Hides the rounding of doubles in a product of decimals. */
const DIGITS = 12;
