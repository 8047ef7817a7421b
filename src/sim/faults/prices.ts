// Wrong prints, and a manipulator who moves a book's mid with orders of a thousandth of a contract.

import type { Book } from "../../domain/book.ts";
import { BPS, type MarketId, nonce, type Price, price, type Side, size } from "../../domain/units.ts";
import { sealEnvelope } from "../../wire/envelope.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import type { World } from "../world.ts";
import { MANIPULATOR_ACCOUNT, printEveryMs } from "../world-config.ts";
import type { Fault } from "./fault.ts";

const AGAIN_MS = 1000;
const LOOKS_EVERY_MS = 700;
const DUST = size(1000n);
const BOOK_LEVELS = 20;
/** Almost as far from the oracle price as the band allows. */
const FAR_BPS = 900n;

/**
 * The index jumps by `amount` bps. `wrong`: the next print is right again. `wrongTwice`: repeated a second later, too soon to confirm it.
 * `confirmed`: it stays there for `forMs`, print after print, and then returns.
 */
export function wrongPrint({ how, amount, forMs }: Fault, { exchange, markets, clock, worldConfig }: World): void {
  for (const marketId of markets) {
    const from = exchange.chain.reads.oracle(marketId)?.price;
    if (from === undefined) continue;
    const leapt = moved(from, BigInt(Math.round(amount)));
    const publish = (nth: number): void =>
      void exchange.chain.control.publishPrint(marketId, moved(leapt, BigInt(nth % 3)));
    if (how === "confirmed") exchange.act({ kind: "oracleLate", marketId, lateMs: 2 * forMs });
    publish(0);
    if (how === "wrongTwice") clock.after(AGAIN_MS, () => publish(1));
    const everyMs = printEveryMs(worldConfig, marketId);
    for (let nth = 1; how === "confirmed" && nth * everyMs < forMs; nth += 1)
      clock.after(nth * everyMs, () => publish(nth));
  }
}

/** Tiny orders at the best price of one side and at the edge of the band, so that the mid moves away from the oracle price. */
export function walkBook({ amount, forMs }: Fault, world: World): void {
  const { clock, markets } = world;
  const away: Side = amount > 0 ? "buy" : "sell";
  const walking = clock.every(LOOKS_EVERY_MS, () => {
    void act(
      world,
      markets.flatMap((marketId) => steps(world, marketId, away)),
    );
  });
  clock.after(forMs, () => {
    walking.cancel();
    // The last step may still be in flight and use the nonce: the cancel is repeated until nothing rests.
    const leaving = clock.every(LOOKS_EVERY_MS, () => {
      const { openOrders = [] } = world.exchange.chain.reads.account(MANIPULATOR_ACCOUNT) ?? {};
      if (openOrders.length === 0) leaving.cancel();
      else void act(world, [{ type: "CancelAllOrders", marketId: null }]);
    });
  });
}

function steps({ exchange }: World, marketId: MarketId, away: Side): readonly Transaction[] {
  const { reads } = exchange.chain;
  const market = reads.market(marketId);
  const book = reads.book(marketId, BOOK_LEVELS);
  if (market === undefined || book === undefined) return [];
  const { oraclePrice, tickSize } = market;
  const onTick = (at: bigint): Price => price((at / tickSize) * tickSize);
  const isUp = away === "buy";
  const far = onTick((oraclePrice * (isUp ? BPS + FAR_BPS : BPS - FAR_BPS)) / BPS);
  const edge = edgeOf(book, isUp);
  const near = edge === undefined ? onTick(oraclePrice) : price(isUp ? edge - tickSize : edge + tickSize);
  return [
    { type: "CancelAllOrders", marketId },
    dust(marketId, away, near),
    dust(marketId, isUp ? "sell" : "buy", far),
  ];
}

/** The best price of the side that its tiny orders must not reach. */
const edgeOf = ({ bids, asks }: Book, isUp: boolean): Price | undefined => (isUp ? asks[0] : bids[0])?.price;

const dust = (marketId: MarketId, side: Side, at: Price): Transaction => ({
  type: "PlaceOrder",
  ...plainTerms,
  accountId: MANIPULATOR_ACCOUNT,
  marketId,
  side,
  orderType: "Limit",
  price: at,
  size: DUST,
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC",
});

/** One after the other, each with its own nonce within the block. */
async function act({ exchange, worldConfig }: World, transactions: readonly Transaction[]): Promise<void> {
  const nowMs = exchange.chain.timeMs();
  for (const [nth, transaction] of transactions.entries()) {
    const body = sealEnvelope({
      chainId: worldConfig.devnet.chainId,
      transactionText: encodeTransaction(transaction),
      nonce: nonce(BigInt(nowMs + nth)),
      timestampSec: Math.floor(nowMs / 1000),
      signer: worldConfig.keys.manipulator,
    });
    await exchange.request({ method: "POST", path: "/v1/tx", body }, "manipulator");
  }
}

const moved = (from: Price, bps: bigint): Price => price((from * (BPS + bps)) / BPS);
