// Fills that a peer predicts, judged as `quoin reconcile` judges the models of Quoin: by the same sums.

import { Mids } from "../../src/backtest/recorded/mids.ts";
import type { ReconcileLine } from "../../src/backtest/recorded/reconcile.ts";
import { type OwnOrder, type Recording, replaySession, type Session } from "../../src/backtest/recorded/session.ts";
import { Tally } from "../../src/backtest/recorded/tally.ts";
import { Traded } from "../../src/backtest/recorded/traded.ts";
import { feeOn, feeTierFor } from "../../src/domain/fees.ts";
import { notional } from "../../src/domain/rounding.ts";
import { AMOUNT_SCALE, type OrderId, type Price, type Size, usdc } from "../../src/domain/units.ts";

/** `happening`: where in the session, counted from 0. */
export type PredictedFill = {
  readonly happening: number;
  readonly orderId: OrderId;
  readonly price: Price;
  readonly size: Size;
};

/** Shares of traded value, by order and by instant, as `ReconcileLine` has them. PnL and volume in USDC. */
export type Score = Pick<ReconcileLine, "precision" | "recall" | "precisionInstant" | "recallInstant"> & {
  readonly fills: number;
  readonly volume: number;
  readonly pnl: number;
};

/** Every fill is a maker's. Throws what the recording throws. */
export function scoreOf(recording: Recording, session: Session, predictedFills: readonly PredictedFill[]): Score {
  const fills = predictedFills.toSorted((a, b) => a.happening - b.happening);
  const market = new Mids(session);
  const tally = new Tally(session.fromMs);
  const [real, predicted] = [new Traded(), new Traded()];
  const orders = new Map<OrderId, OwnOrder>();
  let [atMs, happening, next] = [session.fromMs, 0, 0];
  for (const happened of replaySession(recording, session)) {
    atMs = Math.max(atMs, happened.wallMs);
    if (happened.kind === "placed") orders.set(happened.order.orderId, happened.order);
    if (happened.kind === "fill") real.note(happened.fill.orderId, happened.fill, atMs - session.fromMs);
    for (let fill = fills[next]; fill !== undefined && fill.happening <= happening; fill = fills[next]) {
      const order = orders.get(fill.orderId);
      if (order === undefined) throw new RangeError(`order ${fill.orderId} is filled before it is placed`);
      tally.fill(asFill(fill, order, session), market.mid(order.marketId), atMs);
      predicted.note(fill.orderId, fill, atMs - session.fromMs);
      next += 1;
    }
    market.tell(tally, happened, atMs);
    market.take(happened);
    happening += 1;
  }
  const { matched, matchedInstant, ofThis, ofOther } = real.against(predicted);
  const { volume, pnl } = tally.end(market.mids, atMs);
  return {
    fills: fills.length,
    volume: Number(volume) / 10 ** AMOUNT_SCALE,
    precision: share(matched, ofOther),
    recall: share(matched, ofThis),
    precisionInstant: share(matchedInstant, ofOther),
    recallInstant: share(matchedInstant, ofThis),
    pnl: Number(pnl.total) / 10 ** AMOUNT_SCALE,
  };
}

function asFill({ price, size, happening, orderId }: PredictedFill, order: OwnOrder, { markets, feeTiers }: Session) {
  const { accountId, marketId, side } = order;
  const assetClass = markets.find(({ market }) => market.marketId === marketId)?.market.assetClass ?? "";
  const { makerFeeBps = 0 } = feeTierFor(feeTiers, assetClass, usdc(0n)) ?? {};
  const fee = feeOn(notional(price, size), makerFeeBps);
  const key = `${happening}:${orderId}`;
  const who = { accountId, marketId, orderId, side, liquidity: "maker" as const };
  return { ...who, price, size, fee, realizedPnl: null, txHash: key, timestampMs: null, key };
}

const share = (part: bigint, whole: bigint): number | null => (whole === 0n ? null : Number(part) / Number(whole));
