// Where counting begins, within the seconds after a print too.

import { expect, test } from "vitest";
import { MarketRecord } from "../../../src/backtest/market-record.ts";
import type { Fill } from "../../../src/domain/fill.ts";
import { accountId, orderId, type Price, price, size, usdc } from "../../../src/domain/units.ts";

const usd = (value: number): Price => price(BigInt(value) * 100_000_000n);

const bought: Fill = {
  accountId: accountId(12n),
  marketId: 1,
  orderId: orderId(1n),
  side: "buy",
  liquidity: "maker",
  price: usd(200),
  size: size(1_000_000n),
  fee: usdc(0n),
  realizedPnl: usdc(0n),
  txHash: "",
  timestampMs: 0,
  key: "1",
};

test("of a print that still works when counting begins, what it moves from then on counts", () => {
  const record = new MarketRecord(1, "any", 0);
  record.fill(bought, usd(200), 500, 1);
  record.printed(60, usd(200), 1000);
  record.block(1400, () => usd(201));
  record.begin(2000, usd(202));
  record.block(2400, () => usd(205));
  expect(record.end(3000, usd(205))).toMatchObject({ kind: "print", amount: 3_000_000n });
});

test("the position goes on; fills, actions, uptime and markouts of before are gone", () => {
  const record = new MarketRecord(1, "any", 0);
  record.isQuoted = true;
  record.fill(bought, usd(200), 500, 1);
  record.actions.place = 3;
  record.begin(1000, usd(200));
  record.isQuoted = false;
  record.block(90_000, () => usd(200));
  expect([record.inventory, record.positionMax, record.fills, record.volume]).toEqual([1_000_000n, 1_000_000n, 0, 0n]);
  expect([record.actions.place, record.quoteUptime, record.positionStd, record.markouts]).toEqual([0, 0, 0, []]);
  expect(record.placeMarkouts).toEqual([]);
});

test("markouts are apart by the tenth of the queue that an order stood in; what took stood in none", () => {
  const record = new MarketRecord(1, "any", 0);
  for (const decile of [1, 1, 7, null]) record.fill(bought, usd(200), 500, decile);
  record.block(1500, () => usd(201));
  expect(record.placeMarkouts.map(({ decile, means }) => [decile, means.count])).toEqual([
    [1, 2],
    [7, 1],
  ]);
});
