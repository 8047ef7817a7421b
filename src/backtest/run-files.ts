// The files that a backtest writes: its report, and a journal with one line per finished run, so that a long sweep can be stopped and
// continued later. A run is identified by everything that determines its result.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import { unreadable, unwritable } from "../kernel/yaml/files.ts";
import { GridError } from "./grid.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";

export type Journal = {
  /** Whether it has runs, and all are in other recordings than these, or in the devnet where these are not. */
  readonly isOfOther: (jobs: readonly BacktestJob[]) => boolean;
  readonly finished: (job: BacktestJob) => Outcome | undefined;
  readonly add: (job: BacktestJob, outcome: Outcome) => void;
};

type Row = { readonly key: string; readonly market?: string | null };

/** Hash of its recording; null: the devnet's. */
const marketOf = ({ recording }: BacktestJob): string | null => recording?.hash ?? null;

/** Returns what `run` returns. Throws GridError where it throws: `path` of `--resume` cannot be read, or written. */
export function resuming<T>(path: string, use: "read" | "written", run: (path: string) => T): T {
  try {
    return run(path);
  } catch (cause) {
    const why = use === "read" ? unreadable(cause) : unwritable(cause);
    throw new GridError("grid_refused", [`--resume ${path} cannot be ${use}: ${why}`]);
  }
}

/** `path`: null keeps runs in memory alone. `program`: hash of its source. Throws GridError for a file that cannot be read or written, and for a line that is not a journal's. */
export function openJournal(path: string | null, program: string): Journal {
  const rows = new Map<string, Outcome>();
  const markets = new Set<string | null>();
  for (const [nth, line] of (path === null ? [] : linesOf(path)).entries()) {
    const row = resuming(`${path}, line ${nth + 1},`, "read", () => JSON.parse(line) as Outcome & Row);
    const { key, market = null, ...outcome } = row;
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
      if (path !== null) appendFileSync(path, `${JSON.stringify(row)}\n`);
    },
  };
}

/** Makes the file where there is none. Throws GridError. */
function linesOf(path: string): readonly string[] {
  resuming(path, "written", () => appendFileSync(path, ""));
  const text = resuming(path, "read", () => readFileSync(path, "utf8"));
  // A last line without its end was cut off when the process died.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) writeFileSync(path, whole);
  return whole.split("\n").slice(0, -1);
}

/** Replaces an existing file. Throws what the file system throws. */
export const writeReport = (path: string, html: string): void => writeFileSync(path, html);
