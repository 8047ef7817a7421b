// Which fills each queue model predicts for a session's own orders, placed, moved and ended at their recorded instants.

import { reconcile } from "../../src/backtest/recorded/reconcile.ts";
import type { Recording, Session } from "../../src/backtest/recorded/session.ts";
import { orderId, PRICE_SCALE, price, SIZE_SCALE, size } from "../../src/domain/units.ts";
import { shown } from "../measure.ts";
import { type Installed, PeerError, peers, run } from "./install.ts";
import { type PredictedFill, type Score, scoreOf } from "./score.ts";
import { happeningAt } from "./stream.ts";
import { tableOf } from "./table.ts";

/** Each model of a peer, as its script takes it and as the table names it. */
const models = [
  [peers.hftbacktest, "risk-adverse/partial", "partial, risk-adverse"],
  [peers.hftbacktest, "log/partial", "partial, log"],
  [peers.hftbacktest, "power2/partial", "partial, power 2"],
  [peers.hftbacktest, "power2-2/partial", "partial, power 2, second form"],
  [peers.hftbacktest, "power2-2/no-partial", "no-partial, power 2, second form"],
  [peers.nautilus, "book", "book, trades with their side"],
  [peers.nautilus, "quotes", "best prices, trades without side"],
] as const;

const HEADINGS = ["Model", "Fills", "USDC", "P", "R", "F1", "P instant", "R instant", "F1 instant", "PnL"];

/** `folder`: the stream that was written from the recording. Throws PeerError, and what the recording throws. */
export async function fillTable(
  recording: Recording,
  session: Session,
  folder: string,
  { python, installed }: Installed,
): Promise<string> {
  const lines = await reconcile(recording);
  const [real] = lines;
  if (real === undefined || real.realFills === 0) throw new PeerError("no order of the session was filled");
  const volume = Number(real.volumeReal);
  const scores = new Map<string, Score>();
  for (const { model, predictedFills: fills, volumePredicted, pnlPredicted, ...shares } of lines)
    scores.set(`Quoin ${model}`, { ...shares, fills, volume: Number(volumePredicted), pnl: Number(pnlPredicted) });
  for (const [peer, model, name] of models) {
    if (!installed.has(peer)) continue;
    const printed = run(python, peer, [folder, "fills", model]) as readonly PrintedFill[];
    scores.set(`${peer.name}: ${name}`, scoreOf(recording, session, printed.map(exact)));
  }
  const truth = [`${real.realFills}`, shown(volume), "", "", "", "", "", "", Number(real.pnlReal).toFixed(2)];
  const predicted = [...scores].map(([name, score]) => [name, ...cellsOf(score, volume)]);
  return tableOf(HEADINGS, [["**what happened**", ...truth], ...predicted]);
}

type PrintedFill = {
  readonly atNs: number;
  readonly orderId: string;
  readonly price: number;
  readonly size: number;
};

/** A peer computes in doubles: rounded to the exchange's decimals its fills are exact again. */
const exact = (fill: PrintedFill): PredictedFill => ({
  happening: happeningAt(fill.atNs),
  orderId: orderId(BigInt(fill.orderId)),
  price: price(BigInt(Math.round(fill.price * 10 ** PRICE_SCALE))),
  size: size(BigInt(Math.round(fill.size * 10 ** SIZE_SCALE))),
});

/** `realVolume`: the volume that was traded, USDC. */
function cellsOf(score: Score, realVolume: number): readonly string[] {
  const { precision, recall, precisionInstant, recallInstant } = score;
  const percent = 100 * (score.volume / realVolume - 1);
  return [
    `${score.fills}`,
    `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`,
    ...[precision, recall, f1(precision, recall)].map(shareText),
    ...[precisionInstant, recallInstant, f1(precisionInstant, recallInstant)].map(shareText),
    score.pnl.toFixed(2),
  ];
}

const shareText = (share: number | null): string => share?.toFixed(3) ?? "-";
const f1 = (precision: number | null, recall: number | null): number | null =>
  precision === null || recall === null || precision + recall === 0
    ? null
    : (2 * precision * recall) / (precision + recall);
