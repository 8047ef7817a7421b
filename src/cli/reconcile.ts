// `quoin reconcile`: judges each queue model on a recorded session: matches its orders again and compares with the real fills.

import { queueModelYaml } from "../backtest/recorded/fragment.ts";
import { BIAS_FROM, type ReconcileLine, reconcile as reconcileRecording } from "../backtest/recorded/reconcile.ts";
import { pnlComponents } from "../bot/accounting/market-book.ts";
import { FITTED_FILLS_MIN, isFitted } from "../domain/queue.ts";
import { EXIT_DONE, EXIT_FAILED, type ExitCode, endWith, type Host } from "../host/host.ts";
import { withRecording } from "./recorded.ts";

export type ReconcileOptions = { readonly json: boolean };

/** Exit 2 when the recording cannot be used, 1 when it has no fill. */
export const reconcile = (path: string, { json }: ReconcileOptions, host: Host): Promise<ExitCode> =>
  withRecording(path, host, async (recording) => {
    const lines = await reconcileRecording(recording);
    if (json) for (const line of lines) host.stdout(`${JSON.stringify(line)}\n`);
    if (lines.some(({ realFills }) => realFills > 0)) {
      if (!json) host.stdout(tableOf(lines));
      return EXIT_DONE;
    }
    return endWith(
      EXIT_FAILED,
      `${path}: no order of an account on the exchange was filled in it: there is nothing to compare`,
      host,
    );
  });

const names = { riskAverse: "risk-averse", optimistic: "optimistic", fitted: "fitted" } as const;
const WIDTH = 20;

function tableOf(lines: readonly ReconcileLine[]): string {
  const [first] = lines;
  if (first === undefined) return "";
  const row = (name: string, real: string, of: (line: ReconcileLine) => string): string =>
    `${[name, real, ...lines.map(of)]
      .map((cell) => cell.padEnd(WIDTH))
      .join("")
      .trimEnd()}\n`;
  return [
    row("", "real", ({ model }) => names[model]),
    row("fills", `${first.realFills}`, ({ predictedFills }) => `${predictedFills}`),
    row("volume, USDC", first.volumeReal, ({ volumePredicted }) => volumePredicted),
    row("bias", "", ({ bias, biasPercent }) =>
      biasPercent === null ? bias : `${bias} (${signed(oneDigit(biasPercent))} %)`,
    ),
    row("precision", "", ({ precision }) => `${precision ?? "-"}`),
    row("  by instant", "", ({ precisionInstant }) => `${precisionInstant ?? "-"}`),
    row("recall", "", ({ recall }) => `${recall ?? "-"}`),
    row("  by instant", "", ({ recallInstant }) => `${recallInstant ?? "-"}`),
    row("later by, ms", "", ({ meanDelayMs }) => `${meanDelayMs ?? "-"}`),
    row("PnL, USDC", first.pnlReal, ({ pnlPredicted }) => pnlPredicted),
    row("  more than real", "", ({ pnlDifference }) => pnlDifference.total),
    ...pnlComponents
      .filter((source) => source !== "total")
      .map((source) => row(`    by ${source}`, "", ({ pnlDifference }) => pnlDifference[source])),
    fitText(lines),
    `no bias: predicted volume within ${100 * BIAS_FROM} % of the real one\n`,
    `latency: each order stands from when the exchange took it, none is added; from send to answer ${latencyText(first)}\n`,
  ].join("");
}

/** The fitted model in each part of the session, and the YAML of the fit to all of it. */
function fitText(lines: readonly ReconcileLine[]): string {
  const fit = lines.find((line) => line.fit !== undefined)?.fit;
  if (fit === undefined) return "";
  const judged =
    "fitted: each tenth of the session is predicted by the fit of the others; by instant: the same order in the same millisecond\n";
  if (!isFitted(fit))
    return `${judged}${fit.fills} fills of yours as a maker are too few for a fit, which takes ${FITTED_FILLS_MIN}: fitted is the prior, who leaves stood anywhere\n`;
  return `${judged}${queueModelYaml(fit)}`;
}

const latencyText = ({ latencyMs: { median, p99 } }: ReconcileLine): string =>
  median === null || p99 === null ? "nothing was seen" : `${oneDigit(median)} ms (median), ${oneDigit(p99)} ms (99 %)`;
const oneDigit = (value: number): number => Math.round(10 * value) / 10;
const signed = (value: number): string => (value > 0 ? `+${value}` : `${value}`);
