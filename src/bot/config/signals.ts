// Outside facts in a bot's configuration: the schema of a signal, its cross-field rules, and the results: a source that the daemon
// receives, and the parts by which a market uses it.

import { z } from "zod";
import type { IndexSeries } from "../../domain/index-series.ts";
import type { QuotedSignal, SignalPart } from "../../domain/outside.ts";
import { usdOf } from "../../domain/rounding.ts";
import * as s from "../../domain/scalars.ts";
import { readDate } from "../../index-files/dates.ts";
import { IndexFileError } from "../../index-files/fault.ts";
import { readIndexFile } from "../../index-files/read.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { withAllowed } from "../../kernel/nearest.ts";
import type { Fault } from "../../kernel/yaml/fault.ts";
import { CONFIG_BYTES_MAX, type Files, UnreadableFile, unreadable } from "../../kernel/yaml/files.ts";
import { listAt, type Mapping, mappingOf, readAs } from "../../kernel/yaml/partial-parse.ts";
import type { SignalRow, SignalSource } from "./config.ts";

export const signalName = s.text(
  "a signal's name: a letter, then at most 63 letters, digits, _, - and .",
  /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
);

const share = z
  .number({ error: "must be a number above 0" })
  .positive({ error: "must be a number above 0" })
  .max(1e6, { error: "must be at most 1000000" });

export const signalSchema = s.strict({
  name: signalName,
  file: s
    .path("a path, relative to this file")
    .optional()
    .describe(
      "an index file of at most 1 MiB, in any layout that `calibrate --prints` reads; read again when it changes",
    ),
  series: s
    .text("a code, a region or a column")
    .optional()
    .describe("which series of the file, as CODE or CODE:COLUMN; default: the only one"),
  publishedAfterDays: s
    .fraction(0, 3650, "days")
    .optional()
    .describe(
      "with file: days from a row's date, 00:00 UTC, until its value is known; default 1; required where a row is a week or longer",
    ),
  push: s.flag.optional().describe("true: values come by POST /signals/NAME"),
  market: s.marketNumber.optional().describe("another market of the exchange: its last print"),
  composite: z
    .record(signalName, share, { error: "must be a mapping of signals to their weights" })
    .optional()
    .describe("other signals with their weights, counted relative to the sum: their geometric mean"),
  maxAgeSecs: s
    .fraction(0.001, 1e9, "seconds")
    .optional()
    .describe("a value that was published longer ago is absent; required but for a composite"),
});

const kinds = ["file", "push", "market", "composite"] as const;

type At = (path: readonly PropertyKey[], message: string) => Fault;
type Written = z.output<typeof signalSchema>;

/** Yields what the schema alone does not find. `value`: the whole configuration, valid or not. */
export function* signalFaults(value: unknown, at: At): Generator<Fault> {
  const signals = listAt(value, "signals").map(mappingOf);
  const names = signals.map(({ name }) => readAs(signalName, name));
  for (const [index, signal] of signals.entries()) {
    const here = (key: string, message: string) => at(["signals", index, key], message);
    const first = names.indexOf(names[index]);
    if (names[index] !== undefined && first < index)
      yield here("name", `${names[index]} appears twice; name each signal once`);
    yield* kindFaults(signal, mappingOf(value).fleet !== undefined, here);
    if (signal.composite !== undefined && Object.keys(mappingOf(signal.composite)).length === 0)
      yield here("composite", "names no signal; give each with its weight");
    for (const part of Object.keys(mappingOf(signal.composite))) {
      const named = signals.find(({ name }) => name === part);
      if (named?.composite !== undefined)
        yield at(["signals", index, "composite", part], "is a composite itself; name its parts instead");
      else if (named === undefined) yield at(["signals", index, "composite", part], unknown(part, signals));
    }
  }
  for (const [account, of] of listAt(value, "accounts").entries())
    for (const [position, market] of listAt(of, "markets").entries())
      yield* useFaults(mappingOf(market), signals, (key, message) =>
        at(["accounts", account, "markets", position, "signals", key], message),
      );
}

function* kindFaults(signal: Mapping, isFleet: boolean, at: (key: string, message: string) => Fault): Generator<Fault> {
  const written = kinds.filter((kind) => signal[kind] !== undefined);
  const [kind] = written;
  if (kind === undefined) yield at("name", `has no source; give one of ${kinds.join(", ")}`);
  for (const other of written.slice(1)) yield at(other, `is not allowed with ${kind}; a signal has one source`);
  for (const key of ["series", "publishedAfterDays"])
    if (signal[key] !== undefined && signal.file === undefined) yield at(key, "is allowed with file alone");
  if (signal.push === false) yield at("push", "must be true; remove it where nothing is pushed");
  if (signal.push !== undefined && isFleet)
    yield at("push", "is not allowed with fleet; run what is pushed in a daemon of its own");
  if (signal.maxAgeSecs === undefined && kind !== undefined && signal.composite === undefined)
    yield at("maxAgeSecs", "missing; give the seconds after which a value is too old to be used");
}

/** `at`: of one of the market's signals, by its place. */
function* useFaults(
  market: Mapping,
  signals: readonly Mapping[],
  at: (key: number, message: string) => Fault,
): Generator<Fault> {
  const used = listAt(market, "signals");
  for (const [index, name] of used.entries()) {
    const signal = signals.find((each) => each.name === name);
    if (signal === undefined) yield at(index, unknown(name, signals));
    else if (used.indexOf(name) < index) yield at(index, `${name} appears twice; name each signal once per market`);
    else if (partsOf(signal, signals).some((part) => part.market !== undefined && part.market === market.marketId))
      yield at(index, `${name} is the market's own print, which the fair value knows already`);
  }
}

const partsOf = (signal: Mapping, signals: readonly Mapping[]): readonly Mapping[] =>
  signal.composite === undefined
    ? [signal]
    : signals.filter(({ name }) => Object.hasOwn(mappingOf(signal.composite), `${name}`));

const unknown = (name: unknown, signals: readonly Mapping[]): string =>
  withAllowed(
    "unknown signal",
    [String(name)],
    signals.map((signal) => String(signal.name)),
  );

/** Returns the sources that the process receives. Files are read now; faults go to `faults`. */
export function signalSources(
  signals: readonly Written[],
  { resolve, files, at, faults }: { resolve: (file: string) => string; files: Files; at: At; faults: Fault[] },
): readonly SignalSource[] {
  return signals.flatMap((signal, index): SignalSource[] => {
    const { name, file, maxAgeSecs = 0 } = signal;
    const source = { name, maxAgeMs: Math.round(maxAgeSecs * 1000) };
    if (signal.push) return [{ ...source, kind: "push" }];
    if (file === undefined) return [];
    try {
      return [{ ...source, kind: "file", file: resolve(file), rows: readRows(resolve(file), signal, files) }];
    } catch (cause) {
      const found = cause instanceof IndexFileError ? cause.faults : [unreadable(cause)];
      faults.push(...found.map((fault) => at(["signals", index, "file"], `${file}: ${fault}`)));
      return [];
    }
  });
}

const DAYS_UNTIL_KNOWN = 1;

/** Throws IndexFileError and what reading throws. */
function readRows(path: string, { series: asked, publishedAfterDays }: Written, files: Files): readonly SignalRow[] {
  const { series } = readIndexFile(bounded(files.pieces(path, CONFIG_BYTES_MAX)), asked ?? null);
  return publishedRows(series, publishedAfterDays);
}

/** Each value with the time from which on it is known. Throws IndexFileError where only the publisher knows that. */
export function publishedRows(series: IndexSeries, publishedAfterDays?: number): readonly SignalRow[] {
  if (series.period !== "day" && publishedAfterDays === undefined)
    throw new IndexFileError([
      `has one value a ${series.period} and says nothing of when each was published; say the days from a row's date until then: publishedAfterDays, or --published-after-days`,
    ]);
  const days = publishedAfterDays ?? DAYS_UNTIL_KNOWN;
  return series.prints.map(({ date, price }) => ({
    publishedMs: (dayOf(date) + days) * DAY_MS,
    value: usdOf(price),
  }));
}

const dayOf = (date: string): number => readDate(date, "yearFirst")?.day ?? Number.NaN;

/** A packed file must not become larger than a plain one may be. */
function* bounded(pieces: Iterable<string>): Generator<string> {
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > CONFIG_BYTES_MAX)
      throw new UnreadableFile("is larger than 1 MiB unpacked, which is the most that is read");
    yield piece;
  }
}

/** The signals that a market names, as it uses them. Unknown names have been reported as faults. */
export const quotedSignals = (names: readonly string[], signals: readonly Written[]): readonly QuotedSignal[] =>
  names.flatMap((name) => {
    const signal = signals.find((each) => each.name === name);
    return signal === undefined ? [] : [{ name, parts: quotedParts(signal, signals) }];
  });

function quotedParts(signal: Written, signals: readonly Written[]): readonly SignalPart[] {
  const written = Object.entries(signal.composite ?? { [signal.name]: 1 });
  const sum = written.reduce((total, [, weight]) => total + weight, 0);
  return written.flatMap(([name, weight]) => {
    const part = signals.find((each) => each.name === name);
    if (part === undefined) return [];
    const maxAgeSecs = Math.min(...[part.maxAgeSecs, signal.maxAgeSecs].filter((secs) => secs !== undefined));
    return [{ name, share: weight / sum, maxAgeMs: Math.round(maxAgeSecs * 1000), marketId: part.market ?? null }];
  });
}
