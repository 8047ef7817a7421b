// A run on its way to another machine and its end on the way back, as text: what a database makes of JSON (another order of keys) must not
// reach the result.

import type { Setting } from "../../bot/config/setting.ts";
import { type Json, parseJson, stringifyJson } from "../../kernel/json.ts";
import type { Files } from "../../kernel/yaml/files.ts";
import type { BacktestJob, Outcome, Source } from "../outcome.ts";

/** `error`: what the run was refused or broken by, the same wherever it runs. */
export type RunEnd = { readonly outcome: Outcome } | { readonly error: string };

/** A job without the texts that it reads. */
export type WrittenJob = {
  readonly file: string;
  readonly sources: readonly Omit<Source, "text">[];
  /** Lossless JSON: a value may be a long integer. */
  readonly settings: string;
  readonly seed: string;
  readonly days: number;
};

/** Paths become absolute: the other machine has another folder at hand. */
export function jobText(
  { file, sources, settings, seed, days }: BacktestJob,
  { resolve }: Pick<Files, "resolve">,
): string {
  const absolute = (path: string): string => resolve("", path);
  const written: WrittenJob = {
    file: absolute(file),
    sources: sources.map(({ path, hash }) => ({ path: absolute(path), hash })),
    settings: stringifyJson(settings as readonly Json[]),
    seed: `${seed}`,
    days,
  };
  return JSON.stringify(written);
}

/** What `jobText` wrote. */
export const readJobText = (text: string): WrittenJob => JSON.parse(text) as WrittenJob;

/** `texts` by hash. Throws RangeError where one is missing. */
export function jobOf(
  { sources, settings, seed, ...job }: WrittenJob,
  texts: ReadonlyMap<string, string>,
): BacktestJob {
  return {
    ...job,
    sources: sources.map(({ path, hash }) => {
      const text = texts.get(hash);
      if (text === undefined) throw new RangeError(`the queue has lost the text of ${path}`);
      return { path, hash, text };
    }),
    settings: parseJson(settings) as readonly Setting[],
    seed: BigInt(seed),
  };
}

export const endText = (end: RunEnd): string => JSON.stringify(end);
/** What `endText` wrote. */
export const readEnd = (text: string): RunEnd => JSON.parse(text) as RunEnd;
