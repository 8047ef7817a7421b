// `quoin report`: reports a live period from the ledger, as a page like a backtest's, as JSON, or as a summary on the terminal.

import { basename } from "node:path";
import { isDevnet } from "../bot/config/cross-field.ts";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { daysOf, hourText, notRecorded, sources } from "../bot/report/figures.ts";
import { type FoundPeriod, findPeriod } from "../bot/report/find-period.ts";
import { periodJson } from "../bot/report/json.ts";
import { type AboutPeriod, periodHtml, sentences } from "../bot/report/page.ts";
import type { Hours, Period } from "../bot/report/period.ts";
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

async function readPeriod(
  options: LiveReportOptions,
  config: EmergencyConfig,
  nowMs: number,
  host: Host,
): Promise<FoundPeriod | ExitCode> {
  const names = new Map<number, string>();
  const found = findPeriod(options, nowMs);
  const code = await readLedgers(config, options, host, (read) => {
    found.add(read);
    for (const [marketId, name] of marketsIn(read)) names.set(marketId, name);
  });
  if (code !== EXIT_DONE) return code;
  const unknown = marketFault(options.market, config, names);
  if (unknown !== undefined) return endWith(EXIT_USAGE, unknown, host);
  return found.result();
}

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
