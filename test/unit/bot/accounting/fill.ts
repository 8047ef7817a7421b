// Fills as tests need them: a whole record from the few figures that matter.

import type { Fill } from "../../../../src/domain/fill.ts";
import { accountId, orderId, price, type Side, size, usdc } from "../../../../src/domain/units.ts";

export type FillFigures = {
  readonly key: string;
  readonly side: Side;
  /** Price scale. */
  readonly price: bigint;
  /** Size scale. */
  readonly size: bigint;
  readonly fee?: bigint | null;
  readonly realizedPnl?: bigint | null;
};

/** The fee is 0 unless told. */
export const fillOf = ({ key, side, price: at, size: contracts, fee = 0n, realizedPnl = null }: FillFigures): Fill => ({
  accountId: accountId(12n),
  marketId: 1,
  orderId: orderId(7n),
  side,
  liquidity: "maker",
  price: price(at),
  size: size(contracts),
  fee: fee === null ? null : usdc(fee),
  realizedPnl: realizedPnl === null ? null : usdc(realizedPnl),
  txHash: `hash-${key}`,
  timestampMs: null,
  key,
});
