// Finds a strategy by name in strategies/ or by path, checks its parameters, and binds the two.

import { basename, dirname, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import type { Quotes } from "../../domain/quotes.ts";
import type { View } from "../../domain/view.ts";
import { CodedError, messageOf, sourcePlace } from "../../kernel/errors.ts";
import { frozen } from "../../kernel/frozen.ts";
import { withAllowed } from "../../kernel/nearest.ts";
import { programExtension } from "../../kernel/program-extension.ts";
import { notNumber, refused } from "../../kernel/shown.ts";
import { offeredText, offeredTexts, offerModules } from "./module-texts.ts";
import type { Strategy } from "./strategy.ts";
import { thrownWords } from "./thrown.ts";

/** A strategy that cannot be used: its name, file or parameters are faulty. `issues`: the parameters' faults, by path. */
export class StrategyFault extends CodedError<
  "strategy_name" | "strategy_missing" | "strategy_broken" | "strategy_params"
> {
  readonly issues: readonly z.core.$ZodIssue[];
  constructor(
    code: StrategyFault["code"],
    message: string,
    options: { readonly issues?: readonly z.core.$ZodIssue[]; readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
    this.issues = options.issues ?? [];
  }
}

/** A strategy with its parameters and its own memory: what a turn calls. */
export type RunningStrategy = {
  /** Returns whatever the file returns; `checkedQuotes` checks it. */
  readonly quote: (view: View) => Quotes;
  /** See `Strategy`; undefined: not declared. */
  readonly reads?: ((view: View) => readonly unknown[]) | undefined;
  readonly drifts?: ((view: View) => readonly unknown[]) | undefined;
  /** Plain data; for the journal. */
  readonly memory: unknown;
};

/** Both ends are allowed. */
type ParamRange = { readonly low: number; readonly high: number };

export type LoadedStrategy = {
  readonly name: string;
  readonly summary: string;
  /** Hash of the texts of the file and its imports by path; null when they were not read. */
  readonly version: string | null;
  /** Those texts, by address; null when they were not read. */
  readonly texts: Readonly<Record<string, string>> | null;
  /** The parameters after the schema: exact units, defaults filled in. */
  readonly params: unknown;
  /** Where its `quote` begins, `FILE:LINE`; null where its text was not read. */
  readonly quoteAt: string | null;
  /** What its parameters mean, by the descriptions in its schema. */
  readonly meanings: Readonly<Record<string, string>>;
  /** The range of a numeric parameter, by its key, as the schema bounds it; null: it has no lowest or no highest value. */
  readonly rangeOf: (key: string) => ParamRange | null;
  /** Where it was loaded from: plain data, for another thread to load it again. */
  readonly origin: { readonly folder: string; readonly extension: string; readonly written: unknown };
  /** The memory survives a restart of the daemon. */
  readonly keepsMemory: boolean;
  /** Starts with the memory of an earlier run, if the strategy keeps one and it is valid; else with an empty one. */
  readonly start: (before?: unknown) => RunningStrategy;
  /** Continues in this run with a memory of this strategy under these parameters. Two running ones share no memory. */
  readonly resume: (memory: unknown) => RunningStrategy;
};

/** Where strategies come from. */
export type StrategySource = {
  /** URL of the folder, ending in a slash. */
  readonly folder: URL;
  /** Extension of its files: `.ts`, or `.js` where they are compiled. */
  readonly extension: string;
  readonly importModule: (specifier: string) => Promise<unknown>;
  /**
   * Returns the text of a file, by path. With it the strategy is imported from these texts, again whenever one has changed. Null: each file
   * is imported from the disk, once per process run.
   */
  readonly readText: ((path: URL) => string) | null;
};

export const builtinStrategies: StrategySource = {
  folder: new URL("../../../strategies/", import.meta.url),
  extension: programExtension,
  importModule: (specifier) => import(specifier),
  readText: null,
};

/** Returns the source that holds only the file at `path`, absolute and ending in `.ts`; `name` is what to load from it. */
export function ownStrategy(
  path: string,
  readText: StrategySource["readText"],
): { readonly name: string; readonly source: StrategySource } {
  const folder = pathToFileURL(`${dirname(path)}${sep}`);
  return { name: basename(path, ".ts"), source: { ...builtinStrategies, folder, extension: ".ts", readText } };
}

/** Returns the source whose files have these texts, by address, whatever the disk now holds. */
export function recordedStrategy(folder: string, texts: Readonly<Record<string, string>>): StrategySource {
  const readText = (path: URL): string => {
    const text = texts[path.href];
    if (text === undefined) throw Object.assign(new Error(`${path.href} is not among its texts`), { code: "ENOENT" });
    return text;
  };
  return { ...builtinStrategies, folder: new URL(folder), extension: ".ts", readText };
}

/** Lowercase words joined by dashes: no separator, dot or drive letter gets through, so no path leaves the folder. */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const NAME_LENGTH_MAX = 64;

export const isStrategyName = (name: string): boolean => name.length <= NAME_LENGTH_MAX && NAME.test(name);

/** Loads strategies/`name`.ts and checks `written` against its schema. Throws StrategyFault. */
export async function loadStrategy(
  name: string,
  written: unknown,
  source: StrategySource = builtinStrategies,
): Promise<LoadedStrategy> {
  if (!isStrategyName(name)) {
    throw new StrategyFault(
      "strategy_name",
      `"${name.slice(0, NAME_LENGTH_MAX)}" is no name of a strategy: a-z, 0-9 and dashes`,
    );
  }
  const file = new URL(`${name}${source.extension}`, source.folder);
  const version = source.readText === null ? null : offer(source.readText, file, name);
  const address = version === null ? file.href : `${file.href}?version=${version}`;
  const strategy = await importStrategy(name, address, source);
  const checked = checkParams(strategy, written);
  if (!checked.success) {
    const issues = paramIssues(strategy.params, written, checked.error.issues);
    const [first] = issues;
    const where = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
    throw new StrategyFault("strategy_params", `${name}: ${where}${first?.message ?? "wrong parameters"}`, {
      issues,
    });
  }
  const loaded: LoadedStrategy = {
    ...bind(strategy, checked.data, version),
    texts: version === null ? null : offeredTexts(version),
    quoteAt: quoteAt(file, offeredText(address), strategy),
    origin: { folder: source.folder.href, extension: source.extension, written },
  };
  try {
    loaded.start();
  } catch (cause) {
    throw new StrategyFault("strategy_broken", `strategy "${name}" does not start: ${thrownText(cause)}`, { cause });
  }
  return loaded;
}

/** Loads in this thread, from the same texts, what another thread has loaded. Throws StrategyFault. */
export const loadAgain = (
  { name, origin: { folder, extension, written } }: Pick<LoadedStrategy, "name" | "origin">,
  readText: StrategySource["readText"],
): Promise<LoadedStrategy> =>
  loadStrategy(name, written, { ...builtinStrategies, folder: new URL(folder), extension, readText });

function checkParams({ name, params }: Strategy<unknown, unknown>, written: unknown) {
  try {
    return params.safeParse(written);
  } catch (cause) {
    throw new StrategyFault("strategy_broken", `the schema of strategy "${name}" fails: ${thrownText(cause)}`, {
      cause,
    });
  }
}

/** Types are stripped in place, so the function's text is a part of the file's. */
function quoteAt(file: URL, text: string | undefined, { quote }: Strategy<unknown, unknown>): string | null {
  const [head = ""] = String(quote).split("\n", 1);
  const at = text?.indexOf(head.trimEnd()) ?? -1;
  if (text === undefined || at < 0) return text === undefined ? null : fileURLToPath(file);
  return `${fileURLToPath(file)}:${text.slice(0, at).split("\n").length}`;
}

/** Includes the line, where the stack shows it. */
function thrownText(thrown: unknown): string {
  const at = sourcePlace(thrown);
  return `${thrownWords(thrown)}${at === null ? "" : ` (${at})`}`;
}

function bind<Params, Memory>(
  strategy: Strategy<Params, Memory>,
  params: Params,
  version: string | null,
): Omit<LoadedStrategy, "texts" | "quoteAt" | "origin"> {
  // Every start gets the same object.
  frozen(params);
  const { reads, drifts } = strategy;
  const running = (memory: Memory): RunningStrategy => ({
    memory,
    quote: (view) => strategy.quote(view, params, memory),
    reads: reads && ((view) => reads(view, params)),
    drifts: drifts && ((view) => drifts(view, params)),
  });
  return {
    name: strategy.name,
    summary: strategy.summary,
    version,
    params,
    meanings: meaningsOf(strategy.params),
    rangeOf: (key) => rangeIn(strategy.params, key),
    keepsMemory: strategy.memory !== undefined,
    start: (before) => running(keptMemory(strategy, before) ?? strategy.start(params)),
    resume: (memory) => running(memory as Memory),
  };
}

function rangeIn(params: z.ZodType, key: string): ParamRange | null {
  const { properties = {} } = z.toJSONSchema(params, { io: "input", unrepresentable: "any" });
  const found = properties[key];
  if (typeof found !== "object") return null;
  const { minimum: low, maximum: high } = found;
  return low === undefined || high === undefined ? null : { low, high };
}

/** Undefined: none, or not of this strategy. A schema that throws does not prevent a start. */
function keptMemory<Memory>({ memory }: Pick<Strategy<never, Memory>, "memory">, before: unknown): Memory | undefined {
  if (before === undefined || memory === undefined) return undefined;
  try {
    return memory.safeParse(before).data;
  } catch {
    return undefined;
  }
}

function offer(read: (path: URL) => string, file: URL, name: string): string {
  try {
    return offerModules(file, read);
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code !== "ENOENT";
    if (isThere)
      throw new StrategyFault("strategy_broken", `strategy "${name}" cannot be read: ${messageOf(cause)}`, { cause });
    throw new StrategyFault("strategy_missing", `there is no strategy "${name}"`, { cause });
  }
}

async function importStrategy(
  name: string,
  specifier: string,
  source: StrategySource,
): Promise<Strategy<unknown, unknown>> {
  let module: unknown;
  try {
    module = await source.importModule(specifier);
  } catch (cause) {
    if (source.readText === null && isMissing(cause, specifier))
      throw new StrategyFault("strategy_missing", `there is no strategy "${name}"`, { cause });
    throw new StrategyFault("strategy_broken", `strategy "${name}" does not load: ${thrownText(cause)}`, { cause });
  }
  const strategy = (module as { readonly strategy?: unknown } | null)?.strategy;
  if (!isStrategy(strategy)) {
    throw new StrategyFault(
      "strategy_broken",
      `${name}${source.extension} exports no \`strategy\` made by defineStrategy`,
    );
  }
  if (strategy.name !== name) {
    throw new StrategyFault(
      "strategy_broken",
      `${name}${source.extension} exports a strategy named "${strategy.name}"`,
    );
  }
  return strategy;
}

/** Whether the import failed because the file itself is missing, rather than something that it imports. */
function isMissing(cause: unknown, specifier: string): boolean {
  const { code, url } = (cause ?? {}) as { readonly code?: unknown; readonly url?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && (url === undefined || url === specifier);
}

function isStrategy(value: unknown): value is Strategy<unknown, unknown> {
  const { name, summary, params, start, memory, quote } = (value ?? {}) as Partial<
    Record<keyof Strategy<unknown, unknown>, unknown>
  >;
  return (
    typeof name === "string" &&
    typeof summary === "string" &&
    typeof (params as { readonly safeParse?: unknown } | undefined)?.safeParse === "function" &&
    typeof start === "function" &&
    (memory === undefined || typeof (memory as { readonly safeParse?: unknown }).safeParse === "function") &&
    typeof quote === "function"
  );
}

type Issue = z.core.$ZodIssue;

/**
 * Returns what `schema` refused of `written`; its descriptions say what each parameter allows, and its cross-field rules have messages of
 * their own.
 */
function paramIssues(schema: z.ZodType, written: unknown, issues: readonly Issue[]): readonly Issue[] {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  const names = Object.keys(shape);
  return issues.flatMap((issue): readonly Issue[] => {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      const faultOf = (key: string) => withAllowed("unknown parameter", [key], names);
      return issue.keys.map((key) => ({ ...issue, keys: [key], message: faultOf(key) }));
    }
    const [name, ...deeper] = issue.path;
    const allowed = descriptionOf(shape[String(name)]);
    if (allowed === undefined || deeper.length > 0 || issue.code === "custom") return [issue];
    const value = (written as Readonly<Record<PropertyKey, unknown>> | null)?.[name ?? ""];
    const isNoNumber = issue.code === "invalid_type" && issue.expected === "number" && typeof value === "string";
    const fault = isNoNumber ? notNumber(value) : refused(value);
    return [{ ...issue, message: `${fault}${value === undefined ? "needed" : "allowed"}: ${allowed}` }];
  });
}

/** Only of parameters with a description. */
function meaningsOf(schema: z.ZodType): Readonly<Record<string, string>> {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  return Object.fromEntries(Object.entries(shape).map(([name, of]) => [name, descriptionOf(of) ?? ""]));
}

/** A description may be on the type itself, below a default or an option. */
function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  if (schema === undefined || schema.description !== undefined) return schema?.description;
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? descriptionOf(schema.unwrap() as z.ZodType) : undefined;
}
