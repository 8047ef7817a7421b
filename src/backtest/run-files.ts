// The files that a backtest writes: its report, and a journal with one line per finished run, so that a long sweep can be stopped and
// continued later. A run is identified by everything that determines its result.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";

export type Journal = {
  /** Whether it has runs, and all are in other recordings than these, or in the devnet where these are not. */
  readonly isOfOther: (jobs: readonly BacktestJob[]) => boolean;
  readonly finished: (job: BacktestJob) => Outcome | undefined;
  readonly add: (job: BacktestJob, outcome: Outcome) => void;
};

type Row = { readonly key: string; readonly market?: string | null };

/** Keeps nothing. */
export const noJournal: Journal = { isOfOther: () => false, finished: () => undefined, add: () => {} };

/** Hash of its recording; null: the devnet's. */
const marketOf = ({ recording }: BacktestJob): string | null => recording?.hash ?? null;

/** `program`: hash of its source. Throws what the file system throws, and SyntaxError if a line other than the last is not a journal's. */
export function openJournal(path: string, program: string): Journal {
  const rows = new Map<string, Outcome>();
  const markets = new Set<string | null>();
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // A last line without its end was cut off when the process died.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) writeFileSync(path, whole);
  for (const line of whole.split("\n").slice(0, -1)) {
    const { key, market = null, ...outcome } = JSON.parse(line) as Outcome & Row;
    rows.set(key, outcome);
    markets.add(market);
  }
  // The order of the sources identifies them, so their folder may move.
  const keyOf = (job: BacktestJob): string => {
    const { sources, name, namedWorld = null, seed, days, warmUpDays, world, keepsFills, recording } = job;
    const isApproximate = job.approximate !== undefined;
    const hashes = [...sources, ...(recording === undefined ? [] : [recording])].map(({ hash }) => hash);
    const settings = job.settings as readonly Json[];
    return sha256Hex(
      stringifyJson([
        program,
        hashes,
        name,
        namedWorld,
        settings,
        seed,
        days,
        warmUpDays,
        world,
        keepsFills,
        isApproximate,
      ]),
    );
  };
  return {
    isOfOther: (jobs) => markets.size > 0 && jobs.every((job) => !markets.has(marketOf(job))),
    finished: (job) => rows.get(keyOf(job)),
    add(job, outcome) {
      const key = keyOf(job);
      const row = { key, market: marketOf(job), ...outcome };
      rows.set(key, outcome);
      appendFileSync(path, `${JSON.stringify(row)}\n`);
    },
  };
}

/** Replaces an existing file. Throws what the file system throws. */
export const writeReport = (path: string, html: string): void => writeFileSync(path, html);
