// `quoin calibrate`: what the estimators of the daemon find in data that lies in a file. So far the model of the next print on the
// history of an index, walked forward.

import { type NowcastScore, walkForward } from "../bot/strategy/walk-forward.ts";
import { gapsText, type IndexSeries, IndexSeriesError, readIndexSeries } from "../domain/index-series.ts";
import { usdOf } from "../domain/rounding.ts";
import { HISTORY_BYTES_MAX, unreadable } from "../kernel/yaml/files.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, type Host } from "./host.ts";

export type CalibrateOptions = {
  readonly prints?: string;
  readonly series?: string;
  readonly from: number;
  readonly json: boolean;
};

type PrintsOptions = {
  readonly prints: string;
  readonly series: string;
  /** The first print to score, counted from 0. */
  readonly from: number;
  readonly json: boolean;
};

type Told = Pick<Host, "stdout" | "stderr"> & { readonly files: Pick<Host["files"], "read"> };

/** Exit 2 for what it cannot do yet. */
export function calibrate(recording: string | undefined, options: CalibrateOptions, host: Told): ExitCode {
  const { prints, series } = options;
  if (recording === undefined && prints !== undefined && series !== undefined)
    return calibratePrints({ ...options, prints, series }, host);
  const why = recording === undefined ? "an option is missing" : "a recording cannot be calibrated from yet";
  host.stderr(`quoin: ${why}; what works is calibrate --prints FILE.csv --series ID, on the history of an index\n`);
  return EXIT_USAGE;
}

/** Exit 2 where the file or the series cannot be read, 1 where there is nothing to score. */
function calibratePrints({ prints: file, series, from, json }: PrintsOptions, host: Told): ExitCode {
  let history: IndexSeries;
  try {
    history = readIndexSeries(host.files.read(file, HISTORY_BYTES_MAX), series);
  } catch (cause) {
    const faults = cause instanceof IndexSeriesError ? cause.faults : [unreadable(cause)];
    for (const fault of faults) host.stderr(`quoin: ${file}: ${fault}\n`);
    return EXIT_USAGE;
  }
  const { prints, gaps } = history;
  const score = walkForward(
    prints.map(({ price, step }) => ({ usd: usdOf(price), step })),
    from,
  );
  if (score === null) {
    host.stderr(
      `quoin: ${file}: series ${series} has ${prints.length} prints and none from number ${from} on that moved\n`,
    );
    return EXIT_FAILED;
  }
  const found = { kind: "prints", series, prints: prints.length, from, ...score, gaps: gaps.length };
  host.stdout(json ? `${JSON.stringify(found)}\n` : tableOf(found, gapsText(gaps)));
  return EXIT_DONE;
}

type Scored = NowcastScore & { readonly series: string; readonly prints: number; readonly from: number };

function tableOf(found: Scored, gaps: string | null): string {
  const rows = [
    ["series", found.series],
    ["prints", `${found.prints}, ${found.scored} of them scored, from number ${found.from} on`],
    ["gaps", gaps === null ? "none" : `${gaps}; no step is scored or learned across one`],
    ["error", `${found.rmseRatio.toFixed(3)} of that of "no change" (one step ahead, RMSE in log price)`],
    ["band", `${(100 * found.coverage95).toFixed(1)} % of the prints lie in the band that should hold 95 %`],
    ["surprise", `${found.surpriseBps.toFixed(2)} bps (RMSE)`],
  ] as const;
  return rows.map(([name, says]) => `${name.padEnd(10)}${says}\n`).join("");
}
