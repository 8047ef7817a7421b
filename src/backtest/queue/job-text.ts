// A run on its way to another machine and its end on the way back, as text: what a database makes of JSON (another order of keys) must not
// reach the result.

import type { Setting } from "../../bot/config/setting.ts";
import { type Json, parseJson, stringifyJson } from "../../kernel/json.ts";
import type { Files } from "../../kernel/yaml/files.ts";
import type { BacktestJob, Outcome } from "../outcome.ts";

/** `error`: what the run was refused or broken by, the same wherever it runs. */
export type RunEnd = { readonly outcome: Outcome } | { readonly error: string };

type Written = {
  readonly file: string;
  readonly texts: readonly (readonly [string, string])[];
  /** Lossless JSON: a value may be a long integer. */
  readonly settings: string;
  readonly seed: string;
  readonly days: number;
};

/** Paths become absolute: the other machine has another folder at hand. */
export function jobText(
  { file, texts, settings, seed, days }: BacktestJob,
  { resolve }: Pick<Files, "resolve">,
): string {
  const absolute = (path: string): string => resolve("", path);
  const written: Written = {
    file: absolute(file),
    texts: [...texts].map(([path, text]) => [absolute(path), text]),
    settings: stringifyJson(settings as readonly Json[]),
    seed: `${seed}`,
    days,
  };
  return JSON.stringify(written);
}

/** What `jobText` wrote. */
export function readJob(text: string): BacktestJob {
  const { file, texts, settings, seed, days } = JSON.parse(text) as Written;
  return { file, texts: new Map(texts), settings: parseJson(settings) as readonly Setting[], seed: BigInt(seed), days };
}

export const endText = (end: RunEnd): string => JSON.stringify(end);
/** What `endText` wrote. */
export const readEnd = (text: string): RunEnd => JSON.parse(text) as RunEnd;
