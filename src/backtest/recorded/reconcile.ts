// How realistic a queue model is: the orders of a recorded session are placed, moved and canceled when the exchange took them, in a devnet
// that repeats the session's market, and its fills are compared with the real ones. The fitted model is judged out of sample: in each block
// of the session it is the fit of the other blocks.

import { type Pnl, pnlComponents } from "../../bot/accounting/market-book.ts";
import { inventoryOf } from "../../domain/account.ts";
import { type QueueFit, type QueueModel, type QueueModelName, queueModels } from "../../domain/queue.ts";
import { AMOUNT_SCALE, type Usdc, usdc } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { quantile } from "../../kernel/quantile.ts";
import { Mids } from "./mids.ts";
import { Prediction } from "./prediction.ts";
import { QueueWatch } from "./queue-fit.ts";
import { type Recording, readSession, replaySession, type Session } from "./session.ts";
import { Tally } from "./tally.ts";
import { Traded } from "./traded.ts";

/** Predicted volume within this share of the real one has no bias. */
export const BIAS_FROM = 0.05;

export type ReconcileLine = {
  readonly kind: "reconcile";
  readonly model: QueueModelName;
  readonly realFills: number;
  readonly predictedFills: number;
  /** Share of the predicted volume that the same order really traded; null where nothing was predicted. */
  readonly precision: number | null;
  /** Share of the real volume that was predicted for the same order; null where nothing was traded. */
  readonly recall: number | null;
  /** The same, counting only trades of an order in the same millisecond. */
  readonly precisionInstant: number | null;
  readonly recallInstant: number | null;
  readonly volumeReal: string;
  readonly volumePredicted: string;
  readonly pnlReal: string;
  readonly pnlPredicted: string;
  /** Predicted minus real, by source. */
  readonly pnlDifference: Readonly<Record<keyof Pnl, string>>;
  /** Mean delay of the matched volume in the model, ms; null where none is matched. */
  readonly meanDelayMs: number | null;
  readonly bias: "under" | "over" | "none";
  /** Predicted volume over the real one, minus 1, percent; null where nothing was traded. */
  readonly biasPercent: number | null;
  /** `model`: what the model adds to the time when the exchange took each order; the others from a transaction's send to its answer. */
  readonly latencyMs: { readonly model: 0; readonly median: number | null; readonly p99: number | null };
  /** For the fitted model: the fit to the whole session. */
  readonly fit?: QueueFit;
};

/** Throws SessionError, and what the recording throws. */
export async function reconcile(recording: Recording): Promise<readonly ReconcileLine[]> {
  const session = readSession(recording);
  const market = new Mids(session);
  const real = new Tally(session.fromMs);
  const fits = fitsOf(recording, session);
  const runs = queueModels.map((name) => ({
    name,
    prediction: new Prediction(name === "fitted" ? fits.at(session.fromMs) : name, session, market),
  }));
  const traded = new Traded();
  for (const { accountId, positions } of session.accounts)
    for (const position of positions) {
      const { marketId } = position;
      for (const tally of [real, ...runs.map(({ prediction }) => prediction.tally)])
        tally.open(accountId, marketId, inventoryOf(position), market.mid(marketId));
    }
  const tallies = [real, ...runs.map(({ prediction }) => prediction.tally)];
  let atMs = session.fromMs;
  for (const happened of replaySession(recording, session)) {
    atMs = Math.max(atMs, happened.wallMs);
    if (happened.kind === "fill") {
      const { fill } = happened;
      real.fill(fill, market.mid(fill.marketId), atMs);
      traded.note(fill.orderId, fill, atMs - session.fromMs);
    }
    for (const { name, prediction } of runs) if (name === "fitted") prediction.setModel(fits.at(atMs));
    for (const { prediction } of runs) prediction.take(happened, atMs);
    for (const tally of tallies) market.tell(tally, happened, atMs);
    market.take(happened);
  }
  const ends = { real: real.end(market.mids, atMs), traded, latencies: latenciesOf(session.sendToAnswerMs) };
  const lines: ReconcileLine[] = [];
  for (const { name, prediction } of runs) {
    const line = lineOf(name, prediction.traded, await prediction.end(atMs), ends);
    lines.push(name === "fitted" ? { ...line, fit: fits.whole } : line);
  }
  return lines;
}

/** `at`: the model of that moment's block, fitted to all others; `whole`: the fit to all. */
function fitsOf(recording: Recording, session: Session) {
  const watch = new QueueWatch(session);
  for (const happened of replaySession(recording, session)) watch.take(happened);
  const whole = watch.fit();
  const models = watch.fitsOfOthers().map((fitted): QueueModel => ({ fitted }));
  return { at: (wallMs: number): QueueModel => models[watch.blockAt(wallMs)] ?? { fitted: whole }, whole };
}

type Ends = {
  readonly real: ReturnType<Tally["end"]>;
  readonly traded: Traded;
  readonly latencies: ReconcileLine["latencyMs"];
};

function lineOf(
  model: QueueModelName,
  predictedTrades: Traded,
  predicted: ReturnType<Tally["end"]>,
  { real, traded, latencies }: Ends,
): ReconcileLine {
  const { matched, matchedInstant, ofThis: of, ofOther: ofPredicted, delay } = traded.against(predictedTrades);
  const bias = of === 0n ? null : Number(ofPredicted) / Number(of) - 1;
  return {
    kind: "reconcile",
    model,
    realFills: real.fills,
    predictedFills: predicted.fills,
    precision: share(matched, ofPredicted),
    recall: share(matched, of),
    precisionInstant: share(matchedInstant, ofPredicted),
    recallInstant: share(matchedInstant, of),
    volumeReal: amount(real.volume),
    volumePredicted: amount(predicted.volume),
    pnlReal: amount(real.pnl.total),
    pnlPredicted: amount(predicted.pnl.total),
    pnlDifference: bySource((source) => usdc(predicted.pnl[source] - real.pnl[source])),
    meanDelayMs: matched === 0n ? null : Math.round(delay / Number(matched)),
    bias: biasOf(bias ?? (ofPredicted === 0n ? 0 : 1)),
    biasPercent: bias === null ? null : rounded(100 * bias),
    latencyMs: latencies,
  };
}

const biasOf = (bias: number): ReconcileLine["bias"] =>
  Math.abs(bias) <= BIAS_FROM ? "none" : bias < 0 ? "under" : "over";

const bySource = (of: (source: keyof Pnl) => Usdc): Readonly<Record<keyof Pnl, string>> =>
  Object.fromEntries(pnlComponents.map((source) => [source, amount(of(source))])) as Record<keyof Pnl, string>;

function latenciesOf(sendToAnswerMs: readonly number[]): ReconcileLine["latencyMs"] {
  const at = (part: number): number | null => {
    const value = quantile(sendToAnswerMs, part);
    return value === undefined ? null : rounded(value);
  };
  return { model: 0, median: at(0.5), p99: at(0.99) };
}

const share = (part: bigint, whole: bigint): number | null =>
  whole === 0n ? null : rounded(Number(part) / Number(whole));
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
const amount = (value: Usdc): string => formatDecimal(value, AMOUNT_SCALE);
