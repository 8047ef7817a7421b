// `quoin calibrate`: runs the daemon's estimators on a file. For a recording it prints parameters of strategies, for the history of an
// index how well the model predicts the next print.

import { type Calibration, calibrateRecording, type Fitted, fitted } from "../backtest/recorded/calibrate.ts";
import { fragmentOf, queueModelYaml } from "../backtest/recorded/fragment.ts";
import type { SignalRow } from "../bot/config/config.ts";
import { publishedRows } from "../bot/config/signals.ts";
import {
  type NowcastScore,
  SCORED_MIN,
  type SignalScore,
  walkForward,
  walkForwardSignal,
} from "../bot/strategy/walk-forward.ts";
import { gapsText } from "../domain/index-series.ts";
import { usdOf } from "../domain/rounding.ts";
import { SIZE_SCALE } from "../domain/units.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { IndexFileError } from "../index-files/fault.ts";
import { type IndexFile, readIndexFile } from "../index-files/read.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { countText } from "../kernel/text.ts";
import { unreadable } from "../kernel/yaml/files.ts";
import { withRecording } from "./recorded.ts";

export type CalibrateOptions = {
  readonly prints?: string;
  readonly series?: string;
  /** An index file whose values are scored as an outside fact. */
  readonly signal?: string;
  readonly signalSeries?: string;
  readonly publishedAfterDays?: number;
  readonly from: number;
  readonly json: boolean;
};

type PrintsOptions = Pick<CalibrateOptions, "signal" | "signalSeries" | "publishedAfterDays"> & {
  readonly prints: string;
  /** Undefined: the only one in the file. */
  readonly series: string | undefined;
  /** The first print to score, counted from 0. */
  readonly from: number;
  readonly json: boolean;
};

type CalibrateHost = Pick<Host, "stdout" | "stderr"> & { readonly files: Pick<Host["files"], "pieces"> };

/** Exit 2 when the file is neither of the two, or cannot be used. */
export async function calibrate(
  recording: string | undefined,
  options: CalibrateOptions,
  host: CalibrateHost,
): Promise<ExitCode> {
  const { prints, series, json } = options;
  if (recording === undefined && prints !== undefined) return calibratePrints({ ...options, prints, series }, host);
  if (recording === undefined || prints !== undefined || series !== undefined || options.signal !== undefined)
    return endWith(
      EXIT_USAGE,
      "what works is calibrate RECORDING, and calibrate --prints FILE [--series ID] [--signal FILE]",
      host,
    );
  return await withRecording(recording, host, async (read) => {
    const markets = calibrateRecording(read);
    for (const market of markets) {
      const yaml = fragmentOf(market);
      const { orderSize, estimates, ...rest } = market;
      const line = {
        kind: "calibration",
        ...rest,
        orderSize: formatDecimal(orderSize, SIZE_SCALE),
        ...estimates,
        yaml,
      };
      host.stdout(json ? `${JSON.stringify(line)}\n` : `${fittedText(market)}\n${yaml}\n`);
    }
    const queueFit = markets[0]?.queueFit ?? null;
    if (!json && queueFit !== null)
      host.stdout(`# how others leave a queue, at the top of a configuration\n${queueModelYaml(queueFit)}`);
    return EXIT_DONE;
  });
}

const units: Readonly<Record<Fitted, string>> = {
  volatilityBps: "bps per square root second",
  intensityA: "takers a second and side that would reach the mid; those who know more are left out",
  intensityK: "1 / USD, how fast takers become fewer with distance",
  depthBps: "bps, in which fills become e times fewer (1 / k)",
  kappaPerHour: "of the premium, paid as funding in an hour",
  printSurpriseBps: "bps, prints from what was predicted",
  printMoveBps: "bps, by which the mid moves over a print",
  informedShare:
    "of takers, at least: right about the mid 300 s later, less wrong; from half an hour and 50 of them on",
};

/** Estimates of the fill model. */
const fillModel: ReadonlySet<Fitted> = new Set(["intensityA", "intensityK", "depthBps"]);

function fittedText({ marketId, market, hours, takers, prints, settlements, ...rest }: Calibration): string {
  const { estimates, unidentified } = rest;
  const head = `market ${marketId}, ${market}: ${hours} h, ${takers} takers, ${prints} prints, ${settlements} settlements; 95 % intervals\n`;
  const rows = fitted.map((name) => {
    const found = estimates[name];
    const interval =
      found === null || found.low === null || found.high === null ? "" : `${shown(found.low)} to ${shown(found.high)}`;
    if (found === null && fillModel.has(name)) return `${name.padEnd(18)}not identified\n`;
    return `${name.padEnd(18)}${(found === null ? "-" : shown(found.value)).padEnd(10)}${interval.padEnd(20)}${units[name]}\n`;
  });
  const why = unidentified === null ? "" : `fill model: not identified, ${unidentified}\n`;
  return head + rows.join("") + why;
}

const shown = (value: number): string => `${Number(value.toPrecision(4))}`;

/** Exit 2 when the file or the series cannot be read, 1 when there is nothing to score. */
function calibratePrints(options: PrintsOptions, host: CalibrateHost): ExitCode {
  const { prints: file, series: asked, from, json, signal, signalSeries, publishedAfterDays } = options;
  if (signal === undefined && (signalSeries !== undefined || publishedAfterDays !== undefined))
    return endWith(EXIT_USAGE, "--signal-series and --published-after-days go with --signal FILE", host);
  const history = readOrSay(file, asked, host);
  if (history === undefined) return EXIT_USAGE;
  const { prints, gaps, period } = history.series;
  const series = asked ?? history.name;
  if (history.choice !== null) host.stderr(`quoin: ${file}: ${history.choice}\n`);
  if (period !== "day")
    host.stderr(`quoin: ${file}: has one value a ${period}; each counts as one print, whenever it was published\n`);
  const stepped = prints.map(({ price, step }) => ({ usd: usdOf(price), step }));
  const score = walkForward(stepped, from);
  if (score === null)
    return endWith(
      EXIT_FAILED,
      `${file}: series ${series} has ${countText(prints.length, "print")} and none from number ${from} on that moved`,
      host,
    );
  const found = {
    ...{ kind: "prints", series, prints: prints.length, from, ...score, gaps: gaps.length },
    ...tooFewOf(score),
  };
  host.stdout(json ? `${JSON.stringify(found)}\n` : tableOf(found, gapsText(gaps)));
  if (signal === undefined) return EXIT_DONE;
  const values = signalValues(history, { signal, signalSeries, publishedAfterDays }, host);
  if (values === undefined) return EXIT_USAGE;
  const added = walkForwardSignal(stepped, values, from);
  if (added === null)
    return endWith(EXIT_FAILED, `${signal}: no value is known before a print from number ${from} on`, host);
  host.stdout(
    json
      ? `${JSON.stringify({ kind: "signal", signal, from, ...added, ...tooFewOf(added) })}\n`
      : signalTable(signal, added),
  );
  return EXIT_DONE;
}

/** Undefined: the file cannot be used, and its faults are printed. */
function readOrSay(file: string, series: string | undefined, host: CalibrateHost): IndexFile | undefined {
  try {
    return readIndexFile(host.files.pieces(file), series ?? null);
  } catch (cause) {
    sayFaults(file, cause, host);
    return undefined;
  }
}

function sayFaults(file: string, cause: unknown, host: CalibrateHost): void {
  const faults = cause instanceof IndexFileError ? cause.faults : [unreadable(cause)];
  for (const fault of faults) host.stderr(`quoin: ${file}: ${fault}\n`);
}

type SignalOptions = { readonly signal: string } & {
  readonly [K in "signalSeries" | "publishedAfterDays"]: CalibrateOptions[K] | undefined;
};

/** For each print the newest value that was known when its day began; null: none was. Undefined: the file cannot be used. */
function signalValues(
  { series: { prints } }: IndexFile,
  { signal, signalSeries, publishedAfterDays }: SignalOptions,
  host: CalibrateHost,
): readonly (number | null)[] | undefined {
  const file = readOrSay(signal, signalSeries, host);
  if (file === undefined) return undefined;
  if (file.choice !== null) host.stderr(`quoin: ${signal}: ${file.choice}\n`);
  let rows: readonly SignalRow[];
  try {
    rows = publishedRows(file.series, publishedAfterDays);
  } catch (cause) {
    sayFaults(signal, cause, host);
    return undefined;
  }
  let [next, value]: [number, number | null] = [0, null];
  return prints.map(({ date }) => {
    const dayMs = Date.parse(`${date}T00:00:00Z`);
    for (let row = rows[next]; row !== undefined && row.publishedMs <= dayMs; row = rows[next]) {
      value = row.value;
      next += 1;
    }
    return value;
  });
}

/** The sentence beside figures that are null for want of scored prints. */
const tooFewOf = (score: Pick<NowcastScore, "scored">): { readonly tooFew?: string } =>
  score.scored < SCORED_MIN ? { tooFew: tooFewText(score) } : {};

const tooFewText = ({ scored }: Pick<NowcastScore, "scored">): string =>
  `${countText(scored, "print")} scored, and a figure takes ${SCORED_MIN}`;

type Scored = NowcastScore & { readonly series: string; readonly prints: number; readonly from: number };

function tableOf(found: Scored, gaps: string | null): string {
  return rowsText([
    ["series", found.series],
    ["prints", `${found.prints}, ${found.scored} of them scored, from number ${found.from} on`],
    ["gaps", gaps === null ? "none" : `${gaps}; no step is scored or learned across one`],
    ...figuresOf(found),
  ]);
}

type Row = readonly [name: string, says: string];

const rowsText = (rows: readonly Row[]): string => rows.map(([name, says]) => `${name.padEnd(10)}${says}\n`).join("");

function figuresOf(found: Scored): readonly Row[] {
  const { rmseRatio, coverage95, surpriseBps } = found;
  if (rmseRatio === null || coverage95 === null || surpriseBps === null)
    return [["error", `unknown: ${tooFewText(found)}`]];
  return [
    ["error", `${rmseRatio.toFixed(3)} of that of "no change" (one step ahead, RMSE in log price)`],
    ["ahead", `${aheadText(5, found)}; ${aheadText(20, found)}`],
    ["band", `${(100 * coverage95).toFixed(1)} % of the prints lie in the band that should hold 95 %`],
    ["surprise", `${surpriseBps.toFixed(2)} bps (RMSE)`],
  ];
}

function signalTable(signal: string, score: SignalScore): string {
  const { scored, rmseRatio, withoutRatio, squaresRatio, weight, weightMean, usdcPerContract, usdcCi95 } = score;
  const known: Row = ["signal", `${signal}, known before ${countText(scored, "print")} of those scored`];
  if (rmseRatio === null || withoutRatio === null || squaresRatio === null || usdcPerContract === null)
    return rowsText([known, ["error", `unknown: ${tooFewText(score)}`]]);
  const interval = usdcCi95 === null ? "" : ` (95 %: ${usdcCi95.map(shown).join(" to ")})`;
  return rowsText([
    known,
    ["error", `${rmseRatio.toFixed(3)} of that of "no change" with it, ${withoutRatio.toFixed(3)} without`],
    ["squares", `${squaresRatio.toFixed(3)} of the squared error without it`],
    ["weight", `${weight.toFixed(2)} in fair value at the end, ${weightMean.toFixed(2)} on average`],
    ["worth", `${shown(usdcPerContract)} USDC per contract and print${interval}, from quotes that go without it`],
  ]);
}

function aheadText(prints: 5 | 20, { ahead }: Scored): string {
  const ratio = ahead[prints];
  return ratio === null ? `${prints} prints ahead: too few to score` : `${prints} prints ahead ${ratio.toFixed(3)}`;
}
