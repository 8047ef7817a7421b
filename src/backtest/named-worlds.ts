// Named worlds of `backtest --world`: each changes the devnet that a configuration embeds. Values that a world does not name come from the
// devnet's own file.

import { withSettings } from "../bot/config/setting.ts";
import { loadConfiguration } from "../configuration.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { devnetSchema } from "../devnet/config/schema.ts";
import { clockChangeMs } from "../devnet/crowd/index-path.ts";
import { DAY_MS } from "../kernel/clock.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import { withAllowed } from "../kernel/nearest.ts";
import { ConfigError, type Fault, faultAt, formatFault, syntaxFaults } from "../kernel/yaml/fault.ts";
import { type Files, filesOf, unreadable } from "../kernel/yaml/files.ts";
import { type Mapping, mappingOf } from "../kernel/yaml/partial-parse.ts";
import { readYaml, type YamlDocument } from "../kernel/yaml/yaml.ts";
import { type Cell, GridError } from "./grid.ts";
import type { BacktestJob } from "./outcome.ts";

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

type Span = Pick<BacktestJob, "days" | "warmUpDays">;

/** `inert`: a sentence for each world whose clock change moves no print of the runs. */
export type InWorlds = { readonly cells: readonly Cell[]; readonly inert: readonly string[] };

/**
 * Returns the cell once for each world of the file `path`, in order, with the devnet's text changed. `span`: how long the runs are. Throws
 * ConfigError with every fault of that file, and GridError where the cell has no devnet.
 */
export async function cellsInWorlds(cell: Cell, path: string, span: Span, files: Files): Promise<InWorlds> {
  const document = readWorlds(path, files);
  const devnet = devnetOf(cell, files);
  const faults: Fault[] = [];
  const cells: Cell[] = [];
  const inert: string[] = [];
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
    const changed = stringifyJson(changedBy(devnet, changes ?? {}, { span, refuse }) as Json);
    if (faults.length > known) continue;
    const sources = cell.sources.map((source) =>
      source.path === devnet.file ? { path: source.path, text: changed, hash: sha256Hex(changed) } : source,
    );
    const loaded = await loadedOf({ ...cell, sources }, files);
    for (const fault of loaded.faults) {
      if (fault.file === devnet.file) refuse(placeOf(fault), fault.message);
      else faults.push(fault);
    }
    const sentence = inertText(loaded.devnet, span);
    if (sentence !== null) inert.push(`world ${name}: ${sentence}`);
    cells.push({ ...cell, sources, namedWorld: name });
  }
  if (faults.length > 0) throw new ConfigError(once(faults));
  return { cells, inert };
}

type Loaded = { readonly devnet: DevnetConfig | null; readonly faults: readonly Fault[] };

async function loadedOf({ file, settings, sources }: Cell, files: Files): Promise<Loaded> {
  try {
    const texts = filesOf(new Map(sources.map(({ path, text }) => [path, text])), files);
    const { devnet } = await loadConfiguration(file, texts, settings);
    return { devnet, faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { devnet: null, faults: error.faults };
  }
}

/** Why a clock change moves no print of the runs; null: it moves one, or there is none. */
function inertText(devnet: DevnetConfig | null, { days, warmUpDays }: Span): string | null {
  const oracles = (devnet?.markets ?? []).flatMap(({ oracle }) =>
    oracle.source === "fixed" || oracle.clockChange === undefined ? [] : [oracle],
  );
  if (oracles.length === 0) return null;
  const movedMs = oracles.flatMap((oracle) => clockChangeMs(oracle) ?? []);
  if (movedMs.length === 0) return "its clock change moves no print, since it is by whole steps between prints";
  const firstDays = Math.min(...movedMs) / DAY_MS;
  if (firstDays <= warmUpDays + days) return null;
  return `its clock change moves no print, since the first one after it would come with --days ${Math.ceil((firstDays - warmUpDays) * 1000) / 1000}`;
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

/**
 * The devnet's written file with the changes: mappings are joined, `{ times: N }` multiplies, `{ ofRun: N }` is in seconds after the start
 * when that share of the counted days is over, all else replaces.
 */
function changedBy(
  { written, complete }: Devnet,
  changes: unknown,
  { span: { days, warmUpDays }, refuse }: { readonly span: Span; readonly refuse: Refuse },
): unknown {
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
    const { times, ofRun } = change as Mapping;
    const isAlone = Object.keys(change as Mapping).length === 1;
    if (times !== undefined && isAlone) return multiplied(value ?? whole, times, where);
    if (ofRun !== undefined && isAlone) return secondsOf(ofRun, where);
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

  function secondsOf(share: unknown, where: readonly string[]): unknown {
    if (typeof share === "number" && share >= 0 && share <= 1)
      return Number(((warmUpDays + days * share) * DAY_SECS).toPrecision(DIGITS));
    refuse([...where, "ofRun"], "must be from 0 to 1, a share of the counted days");
    return undefined;
  }
}

const DAY_SECS = DAY_MS / 1000;
/** Hides the rounding of doubles in a product of decimals. */
const DIGITS = 12;
