// The files that a backtest writes: its report, and a journal with one line per finished run, so that a long sweep can be stopped and
// continued later. A run is identified by everything that determines its result.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { sha256Hex } from "../kernel/hash.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import type { BacktestJob, Outcome } from "./outcome.ts";

export type Journal = {
  readonly finished: (job: BacktestJob) => Outcome | undefined;
  readonly add: (job: BacktestJob, outcome: Outcome) => void;
};

/** Keeps nothing. */
export const noJournal: Journal = { finished: () => undefined, add: () => {} };

/** `program`: hash of its source. Throws what the file system throws, and SyntaxError if a line other than the last is not a journal's. */
export function openJournal(path: string, program: string): Journal {
  const rows = new Map<string, Outcome>();
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // A last line without its end was cut off when the process died.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) writeFileSync(path, whole);
  for (const line of whole.split("\n").slice(0, -1)) {
    const { key, ...outcome } = JSON.parse(line) as Outcome & { readonly key: string };
    rows.set(key, outcome);
  }
  // The order of the sources tells which is which, so the folder that they lie in may move.
  const keyOf = (job: BacktestJob): string => {
    const { name, namedWorld = null, seed, days, warmUpDays, world, keepsFills } = job;
    const isApproximate = job.approximate !== undefined;
    const hashes = job.sources.map(({ hash }) => hash);
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
    finished: (job) => rows.get(keyOf(job)),
    add: (job, outcome) => appendFileSync(path, `${JSON.stringify({ key: keyOf(job), ...outcome })}\n`),
  };
}

/** Replaces an existing file. Throws what the file system throws. */
export const writeReport = (path: string, html: string): void => writeFileSync(path, html);
