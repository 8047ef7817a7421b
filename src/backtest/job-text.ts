// A backtest run as a job of the queue: text for another machine, separate from the texts of its files.

import type { Setting } from "../bot/config/setting.ts";
import type { JobKind } from "../jobs/written-job.ts";
import { type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import type { Files } from "../kernel/yaml/files.ts";
import type { BacktestJob, Outcome, Source } from "./outcome.ts";

export const BACKTEST = "backtest";

/** `files` resolves its paths. */
export const backtestJobs = (files: Pick<Files, "resolve">): JobKind<BacktestJob, Outcome> => ({
  name: BACKTEST,
  write: (job) => ({ text: jobText(job, files), reads: job.sources }),
  readEnd: (text) => JSON.parse(text) as Outcome,
});

/** A job without the texts that it reads. */
type WrittenRun = {
  readonly file: string;
  readonly name: string | null;
  readonly namedWorld?: string;
  readonly sources: readonly Omit<Source, "text">[];
  /** Lossless JSON, because a value may be a long integer. */
  readonly settings: string;
  readonly seed: string;
  readonly days: number;
  readonly warmUpDays: number;
  readonly world: BacktestJob["world"];
  readonly shortcuts: boolean;
  readonly keepsFills: boolean;
};

/** Paths become absolute, because the other machine has another working directory. */
function jobText({ file, sources, settings, seed, ...rest }: BacktestJob, { resolve }: Pick<Files, "resolve">): string {
  const absolute = (path: string): string => resolve("", path);
  const written: WrittenRun = {
    file: absolute(file),
    sources: sources.map(({ path, hash }) => ({ path: absolute(path), hash })),
    settings: stringifyJson(settings as readonly Json[]),
    seed: `${seed}`,
    ...rest,
  };
  return JSON.stringify(written);
}

/** Reads what `jobText` wrote; `texts` by hash. Throws RangeError if one is missing. */
export function readBacktestJob(written: string, texts: ReadonlyMap<string, string>): BacktestJob {
  const { sources, settings, seed, ...job } = JSON.parse(written) as WrittenRun;
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
