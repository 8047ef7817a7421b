// `quoin report`: reports a live period from the ledger, as a page like a backtest's, as JSON, or as a summary on the terminal.

import { basename } from "node:path";
import { isDevnet } from "../bot/config/cross-field.ts";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { daysOf, hourText, momentText, notRecorded, sources } from "../bot/report/figures.ts";
import { periodJson } from "../bot/report/json.ts";
import { type AboutPeriod, periodHtml, sentences } from "../bot/report/page.ts";
import {
  bothPeriods,
  bothRecorded,
  type Hours,
  noPeriod,
  type Period,
  periodOf,
  type Recorded,
  recordedIn,
  type ShownHours,
} from "../bot/report/period.ts";
import { usdcOf } from "../domain/rounding.ts";
import { EXIT_DONE, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { HOUR_MS } from "../kernel/clock.ts";
import { printable, printableLines } from "../kernel/printable.ts";
import { countText, durationText } from "../kernel/text.ts";
import { commandText, shellWord } from "../kernel/typed-command.ts";
import { signed } from "../report/markup.ts";
import { readForEmergency } from "./read-config.ts";
import { marketFault, marketsIn, type ReportOptions, readLedgers, writeReport } from "./report.ts";

export type LiveReportOptions = Omit<ReportOptions, "format">;

/**
 * Also works beside a running daemon. Exit 2 where options, market or configuration are wrong, 1 where a ledger cannot be read or the file
 * not written. A period missing from the ledger gives a report that says so.
 */
export async function liveReport(options: LiveReportOptions, host: Host): Promise<ExitCode> {
  const nowMs = host.clock.wallMs();
  const fault = periodFault(options, nowMs);
  if (fault !== undefined) return endWith(EXIT_USAGE, fault, host);
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const found = await readPeriod(options, config, nowMs, host);
  if (typeof found === "number") return found;
  const { hours, period, about } = found;
  for (const sentence of about) host.stderr(`quoin: ${sentence}\n`);
  const page: AboutPeriod = {
    command: commandOf(options, hours),
    file: basename(options.config),
    chainId: config.venue.chainId,
    hours,
    kind: kindOf(config),
    isPaper: (id) => config.accounts.some(({ accountId, paper }) => `${accountId}` === id && paper !== null),
  };
  const text = options.json
    ? `${printableLines(JSON.stringify(periodJson(period, hours, page.isPaper)))}\n`
    : terminalText(period, page);
  const { out } = options;
  // The file is a page also with --json: the page is for people, stdout for programs.
  if (out === undefined || options.json) host.stdout(text);
  if (out === undefined) return EXIT_DONE;
  return writeReport(out, config, host, (to) => to(periodHtml(period, page)));
}

/** A sentence when the period is impossible. */
function periodFault({ from, to }: LiveReportOptions, nowMs: number): string | undefined {
  if (from !== undefined && to !== undefined && from >= to) return "--from must be before --to";
  if (from !== undefined && from > nowMs)
    return `--from ${new Date(from).toISOString()} lies in the future; it is ${new Date(nowMs).toISOString()} now`;
  return undefined;
}

/** `about`: notes on the report, a sentence each. */
type Found = { readonly hours: ShownHours; readonly period: Period; readonly about: readonly string[] };

async function readPeriod(
  options: LiveReportOptions,
  config: EmergencyConfig,
  nowMs: number,
  host: Host,
): Promise<Found | ExitCode> {
  const { from, to } = options;
  const asked: Hours = {
    from: from === undefined ? Number.NEGATIVE_INFINITY : hourOf(from),
    to: Math.ceil(Math.min(to ?? Number.POSITIVE_INFINITY, nowMs + 1) / HOUR_MS),
  };
  const names = new Map<number, string>();
  let recorded: Recorded | null = null;
  let period = noPeriod;
  const code = await readLedgers(config, options, host, (read) => {
    recorded = bothRecorded(recorded, recordedIn(read));
    period = bothPeriods(period, periodOf(read, asked, options.market));
    for (const [marketId, name] of marketsIn(read)) names.set(marketId, name);
  });
  if (code !== EXIT_DONE) return code;
  const unknown = marketFault(options.market, config, names);
  if (unknown !== undefined) return endWith(EXIT_USAGE, unknown, host);
  return { period, ...within(asked, recorded, { nowMs, hasTo: to !== undefined }) };
}

/** The hours of the report: none before the ledger begins and, without --to, none after its last row. */
function within(
  asked: Hours,
  recorded: Recorded | null,
  { nowMs, hasTo }: { readonly nowMs: number; readonly hasTo: boolean },
): Omit<Found, "period"> {
  const from = Number.isFinite(asked.from) ? asked.from : Math.min(asked.to - 1, hourOf(recorded?.fromMs ?? nowMs));
  const nothing = { hours: { from, to: asked.to, seconds: 0 } };
  if (recorded === null) return { ...nothing, about: ["the ledger is empty: nothing was traded yet"] };
  const { fromMs, toMs } = recorded;
  const holds = `the ledger holds ${momentText(fromMs)} to ${momentText(toMs)} UTC`;
  if (asked.from * HOUR_MS > toMs || asked.to * HOUR_MS <= fromMs)
    return { ...nothing, about: [`nothing is recorded of this period; ${holds}`] };
  const to = hasTo ? asked.to : Math.min(asked.to, hourOf(toMs) + 1);
  const [beginMs, endMs] = [Math.max(from * HOUR_MS, fromMs), Math.min(to * HOUR_MS, hasTo ? nowMs : toMs)];
  return {
    hours: { from: hourOf(beginMs), to, seconds: Math.max(0, endMs - beginMs) / 1000 },
    about: from < hourOf(fromMs) ? [`${holds}; the report begins there`] : [],
  };
}

const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS);

const kindOf = ({ venue, accounts }: EmergencyConfig): AboutPeriod["kind"] => {
  if (accounts.every(({ paper }) => paper !== null)) return "PAPER";
  return isDevnet(venue.chainId) ? "DEVNET" : "LIVE";
};

/** The command that makes the same page, also after the ledger has grown. */
const commandOf = ({ config, market, fleet, out }: LiveReportOptions, { from, to }: Hours): string =>
  commandText(
    [
      `report --from ${iso(from)} --to ${iso(to)}`,
      ...(market === undefined ? [] : [`--market ${market}`]),
      ...(fleet ? ["--fleet"] : []),
      `--out ${shellWord(out ?? "report.html")}`,
    ].join(" "),
    config,
  );

const iso = (hour: number): string => new Date(hour * HOUR_MS).toISOString().replace(":00.000Z", "Z");

/** The summary. */
function terminalText(period: Period, about: AboutPeriod): string {
  const { hours } = about;
  const days = daysOf(period).map(({ date, name, accountId, mid, print, fills }) => {
    const of = sources.map((source) => `${source} ${signed(usdcOf(mid[source]))}`).join(", ");
    return `${date}  ${printable(name)} of account ${accountId}: ${signed(usdcOf(mid.total))} at mid (${of}), ${signed(usdcOf(print.total))} at print, ${countText(fills, "fill")}`;
  });
  return [
    `${hourText(hours.from)} to ${hourText(hours.to)} UTC, ${durationText(1000 * hours.seconds)}`,
    ...sentences(period, hours),
    ...days,
    ...notRecorded(period, hours).map((lack) => `Not recorded: ${printable(lack)}`),
    "The whole, as a page: --out report.html; for programs: --json.",
  ]
    .map((line) => `${line}\n`)
    .join("");
}
