// Which fills only a read of the account can show to a daemon whose ledger was set back, as the law on positions sees it.

import { expect, test } from "vitest";
import type { EventBatch } from "../../src/devnet/chain/block-maker.ts";
import { accountId, orderId, price, size, usdc } from "../../src/domain/units.ts";
import { ForgottenFills } from "../../src/sim/invariants/forgotten-fills.ts";

const ACCOUNT = accountId(12n);
const OTHER = accountId(20n);
const [LOST, KEPT] = [1n, 2n];

const fillOf = (makerOrderId: bigint, makerAccountId = ACCOUNT): EventBatch => ({
  height: 1,
  timeMs: 0,
  txHash: "own",
  isOwn: true,
  eventIndex: 0,
  events: [
    {
      type: "Fill",
      execution: {
        marketId: 1,
        price: price(20_000_000_000n),
        size: size(1n),
        takerSide: "buy",
        takerOrderId: orderId(9n),
        makerOrderId: orderId(makerOrderId),
        txHash: "",
        timestampMs: 0,
        takerAccountId: OTHER,
        makerAccountId,
        takerFee: usdc(0n),
        makerFee: usdc(0n),
        takerRealizedPnl: usdc(0n),
        makerRealizedPnl: usdc(0n),
      },
    },
  ],
});

/** The ledger was set back when the account had traded 100; a fill brings it to 150. */
function afterSetBack(fill: EventBatch, isHeard: boolean): ForgottenFills {
  let traded = 100n;
  const forgotten = new ForgottenFills({
    account: ACCOUNT,
    lifetimeVolume: () => traded,
    isLost: (order) => order === LOST,
    isHeard: () => isHeard,
  });
  forgotten.setBack();
  traded = 150n;
  forgotten.observe(fill);
  return forgotten;
}

test("a fill of a forgotten order that no process heard of is known by a read that has its volume", () => {
  const forgotten = afterSetBack(fillOf(LOST), false);
  expect([100n, 149n, 150n].map((volume) => forgotten.areIn(volume))).toEqual([false, false, true]);
});

test.each([
  ["whose order the ledger has", fillOf(KEPT), false],
  ["that a stream brings", fillOf(LOST), true],
  ["of another account", fillOf(LOST, OTHER), false],
])("one %s is known without: a read that has what was forgotten is enough", (_, fill, isHeard) => {
  const forgotten = afterSetBack(fill, isHeard);
  expect([99n, 100n].map((volume) => forgotten.areIn(volume))).toEqual([false, true]);
});
