// One picture of a daemon's status for a terminal. Lines fit its width, and words carry the meaning before color does.

import type {
  EstimateLine,
  MarketStatus,
  OrderLine,
  PremiumLine,
  ShadowLine,
  SignalLine,
  Status,
} from "../../bot/dashboard/status.ts";
import { lackLines, pnlText, premiumText } from "../../bot/dashboard/summary.ts";
import { printable } from "../../kernel/printable.ts";
import { countText, durationText } from "../../kernel/text.ts";
import { commandText } from "../../kernel/typed-command.ts";

/** `config`: the configuration for the commands that the picture names. */
export type FrameOptions = { readonly columns: number; readonly color: boolean; readonly config: string };

type Tone = "good" | "bad" | "dim" | "bold";
const CODES: Readonly<Record<Tone, string>> = { good: "32", bad: "31", dim: "2", bold: "1" };
type Line = { readonly text: string; readonly tone?: Tone };

/** `status` undefined: no daemon answers at `url`. */
export function frameOf(
  status: Status | undefined,
  url: string,
  { columns, color, config }: FrameOptions,
): readonly string[] {
  const lines =
    status === undefined
      ? [{ text: `no daemon answers at ${url}`, tone: "bad" as const }]
      : [...linesOf(status, config)];
  return lines.flatMap((line) => wrapped(printable(line.text), columns).map((text) => toned(text, line, color)));
}

function* linesOf(status: Status, config: string): Generator<Line> {
  const { version, chainId, height, phase, startedAtMs, nowMs, accounts } = status;
  const lacks = lackLines(status);
  const up = `${phase}, up ${durationText(nowMs - startedAtMs)}`;
  yield status.reasons.length === 0
    ? { text: `${up}: quoting as configured`, tone: "good" }
    : { text: `${up}; not quoting as configured: ${status.reasons[0]}`, tone: "bad" };
  yield { text: `quoin ${version}  ${chainId}  height ${height ?? "unknown"}`, tone: "dim" };
  for (const difference of status.fileDifferences)
    yield { text: `the saved file differs from what runs: ${difference}` };
  for (const account of accounts) {
    const { accountId, isPaper, equityUsdc, equityAtMidUsdc, marginRatio, agentKeyExpiresAtSec, latches, markets } =
      account;
    yield { text: "" };
    const key =
      agentKeyExpiresAtSec === null ? "" : `, key ends in ${durationText(agentKeyExpiresAtSec * 1000 - nowMs)}`;
    const margin = marginRatio === null ? "" : `, margin ${marginRatio.toFixed(1)} x maintenance`;
    yield {
      text: `account ${accountId}${isPaper ? " PAPER" : ""}: equity ${usd(equityUsdc)} USDC print, ${usd(equityAtMidUsdc)} mid${margin}${key}`,
      tone: "bold",
    };
    const resume = commandText("resume --reason TEXT", config);
    for (const latch of latches) yield { text: `  held by ${latch}; ${resume} lifts it`, tone: "bad" };
    for (const market of markets) yield* marketLines(market, nowMs);
  }
  if (lacks.length > 0) yield { text: "" };
  for (const lack of lacks) yield { text: lack, tone: "bad" };
}

function* marketLines(market: MarketStatus, nowMs: number): Generator<Line> {
  const { name, strategy, state, position, fillCount, oraclePrice, oracleValidUntilSec, fairValue } = market;
  const held = position === 0 ? "flat" : `${position > 0 ? "long" : "short"} ${Math.abs(position)}`;
  yield { text: "" };
  yield {
    text: `${name.padEnd(14)} ${strategy.padEnd(18)} ${state.padEnd(9)} ${held.padEnd(12)} ${countText(fillCount, "fill")}`,
    ...(state !== "active" && { tone: "bad" as const }),
  };
  yield { text: `  PnL ${pnlText(market)}, USDC` };
  if (market.premium !== null) yield premiumLine(market.premium);
  if (market.shadow !== null) yield shadowLine(market.shadow);
  if (market.trial !== null)
    yield { text: `  on trial in place of ${market.trial.from}: ${countText(market.trial.fills, "fill")} measured` };
  const left = oracleValidUntilSec === null ? "" : ` (${validity(oracleValidUntilSec * 1000 - nowMs)})`;
  const book = `${usd(market.bestBid)} / ${usd(market.bestAsk)}`;
  yield { text: `  oracle ${usd(oraclePrice)}${left}, fair value ${usd(fairValue)}, book ${book}` };
  yield { text: `  bids ${orders(market.bids)}` };
  yield { text: `  asks ${orders(market.asks)}` };
  for (const signal of market.signals) yield signalLine(signal);
  const known = market.estimates.filter(({ value }) => value !== null);
  if (known.length > 0) yield { text: `  estimates (observed) ${known.map(estimateText).join(", ")}`, tone: "dim" };
  for (const { gate, reason } of market.gates.filter(({ open }) => !open))
    yield { text: `  closed: ${gate}${reason === null ? "" : `, ${reason}`}`, tone: "bad" };
}

function premiumLine(premium: PremiumLine): Line {
  const { spreadPnl, reason, isStopped } = premium;
  const text = `  ${premiumText(premium)}; all else ${spreadPnl.toFixed(2)}, USDC at mid${reason === null ? "" : `: ${reason}`}`;
  return isStopped ? { text, tone: "bad" } : { text };
}

function shadowLine(shadow: ShadowLine): Line {
  const { strategy, state, reason, fillCount } = shadow;
  const text = `  shadow ${strategy} ${state}: ${countText(fillCount, "fill")}, PnL ${pnlText(shadow)}, USDC on paper`;
  return reason === null ? { text } : { text: `${text}: ${reason}`, tone: "bad" };
}

function signalLine({ name, value, ageMs, weight }: SignalLine): Line {
  if (value === null || ageMs === null)
    return { text: `  signal ${name}: absent, fair value goes without it`, tone: "bad" };
  return { text: `  signal ${name}: ${value}, ${durationText(ageMs)} old, weight ${weight.toFixed(2)} in fair value` };
}

const estimateText = ({ name, value, dataShare }: EstimateLine): string =>
  `${name} ${value?.toPrecision(3)} (${Math.round(100 * dataShare)} %)`;

const validity = (leftMs: number): string =>
  leftMs > 0 ? `${durationText(leftMs)} left` : `expired ${durationText(leftMs)} ago`;
const usd = (value: number | null): string => value?.toFixed(2) ?? "—";
const orders = (of: readonly OrderLine[]): string =>
  of.length === 0
    ? "none"
    : of.map((order) => `${order.size} at ${usd(order.price)}${place(order)}${mark(order.state)}`).join(", ");
/** Contracts ahead in the queue of its price. */
const place = ({ queueAhead }: OrderLine): string =>
  queueAhead === null ? "" : queueAhead === 0 ? " (first in the queue)" : ` (${queueAhead} ahead)`;
const mark = (state: string): string => (state === "working" ? "" : ` (${state})`);

/** Breaks a line at blanks if there are any. Later lines are indented if the width allows. */
export function wrapped(text: string, columns: number): readonly string[] {
  const wanted = `${/^ */.exec(text)?.[0] ?? ""}  `;
  const indent = wanted.length < columns / 2 ? wanted : "";
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(" ", columns);
    const end = blank > indent.length ? blank : columns;
    lines.push(rest.slice(0, end));
    rest = `${indent}${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

const toned = (text: string, { tone }: Line, color: boolean): string =>
  color && tone !== undefined && text !== "" ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text;
