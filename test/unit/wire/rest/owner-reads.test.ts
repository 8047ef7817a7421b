// The reads around owners, history and the bridge (S2.7 to S2.9, S2.11, S4.1 to S4.4): documented names and types, letter by letter.

import { describe, expect, test } from "vitest";
import { accountId, orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import { parseJson } from "../../../../src/kernel/json.ts";
import { WireError } from "../../../../src/wire/errors.ts";
import * as exchange from "../../../../src/wire/rest/exchange.ts";
import { bridgeOwner, bridgeState, stats } from "../../../../src/wire/rest/exchange.ts";
import {
  type FillRow,
  fillRows,
  fillsCsv,
  readFillRows,
  readFillsCsv,
  readFundingRows,
  readOrderRows,
} from "../../../../src/wire/rest/history.ts";
import * as owners from "../../../../src/wire/rest/owners.ts";
import { fill } from "../../../../src/wire/stream/messages.ts";

const owner = "0f".repeat(32);

describe("bridge state", () => {
  const state = {
    depositsEnabled: true,
    withdrawalsEnabled: false,
    withdrawalWindowSecs: 86_400,
    tokens: [
      {
        tokenId: 0,
        depositLimit: 9n,
        depositUsed: 8n,
        withdrawalLimit: 7n,
        withdrawalUsed: 6n,
        pendingDeposits: 5n,
        pendingWithdrawals: 2n ** 70n,
      },
    ],
    owner: null,
    unclaimedUsdc: null,
  };

  test("without an owner names none", () => {
    expect(bridgeState.text(state)).toBe(
      '{"deposits_enabled":true,"withdrawals_enabled":false,"withdrawal_window_secs":86400,"tokens":[{"token_id":0' +
        ',"deposit_limit":"9","deposit_used":"8","withdrawal_limit":"7","withdrawal_used":"6","pending_deposits":"5"' +
        ',"pending_withdrawals":"1180591620717411303424"}]}',
    );
  });

  test("with one, the owner and what awaits account creation stand beside", () => {
    const written = parseJson(bridgeState.text({ ...state, owner, unclaimedUsdc: usdc(0n) }));
    expect(written).toMatchObject({ owner, unclaimed_usdc: "0" });
    expect(bridgeOwner.read(written)).toEqual({ owner, unclaimedUsdc: 0n });
  });

  test("of an exchange that tells less, the rest is unavailable", () => {
    expect(bridgeState.read({})).toEqual({
      depositsEnabled: false,
      withdrawalsEnabled: false,
      withdrawalWindowSecs: 86_400,
      tokens: [],
      owner: null,
      unclaimedUsdc: null,
    });
    expect(() => bridgeOwner.read({ owner })).toThrow(WireError);
  });
});

test("a vault says that it is one", () => {
  const vault = { vaultAccountId: accountId(5n), name: "v", leaderAccountId: accountId(1n), totalShares: 9n };
  expect(parseJson(owners.vault.text(vault))).toEqual({
    shape: "devnet",
    vault: { accountId: 5, isVault: true, vaultName: "v", leaderAccountId: 1, totalShares: "9" },
  });
});

test("statistics of another exchange are what can be found of them", () => {
  expect(stats.read({ totalTrades: 5, users: 7 })).toMatchObject({
    totalTrades: 5n,
    totalVolume: null,
    markets: null,
  });
});

describe("history of fills (S4.3)", () => {
  const row = {
    height: 9,
    eventIndex: 1,
    timeMs: 1_790_000_000_123,
    accountId: accountId(13n),
    liquidity: "maker" as const,
    execution: {
      marketId: 1,
      price: price(5n),
      size: size(6n),
      takerSide: "buy" as const,
      takerOrderId: orderId(2n ** 64n - 1n),
      makerOrderId: orderId(8n),
      txHash: "ab",
      timestampMs: 1_790_000_000_123,
      takerAccountId: accountId(12n),
      makerAccountId: accountId(13n),
      takerFee: usdc(2n),
      makerFee: usdc(-1n),
      takerRealizedPnl: usdc(0n),
      makerRealizedPnl: usdc(4n),
    },
  };

  const said = (one: FillRow) => (parseJson(fillRows.text([one])) as unknown[])[0];

  test("a row has every field of the WebSocket's fill under the same name with the same value", () => {
    const { type: _type, ...frame } = parseJson(fill.text(row.execution)) as Record<string, unknown>;
    expect(said(row)).toMatchObject(frame);
  });

  test("and the account's own side beside: the maker of a buy has sold", () => {
    expect(said(row)).toMatchObject({
      account_id: 13,
      side: "Short",
      fee_role: "maker",
      fee: "-1",
      realized_pnl: "4",
    });
    expect(said({ ...row, liquidity: "taker" })).toMatchObject({ side: "Long", fee: "2", realized_pnl: "0" });
  });

  test("the WebSocket's fill alone is a row: which side is the account's, its id tells", () => {
    const frame = parseJson(fill.text(row.execution));
    const place = { height: 0, eventIndex: 0 };
    expect(readFillRows({ fills: [frame] }, accountId(13n))).toEqual([{ ...row, ...place }]);
    expect(readFillRows([frame], accountId(12n))).toMatchObject([{ accountId: 12n, liquidity: "taker" }]);
    expect(() => readFillRows([frame], accountId(14n))).toThrow("0.fee_role: is required");
  });

  test("CSV has the same values under the same names", () => {
    expect(fillsCsv([row])).toBe(
      "account_id,market_id,side,fee_role,price,size,fee,realized_pnl,taker_order_id,maker_order_id,taker_account_id," +
        "maker_account_id,taker_side,taker_fee,maker_fee,taker_realized_pnl,maker_realized_pnl,timestamp,tx_hash," +
        "block_height,event_index\r\n" +
        "13,1,Short,maker,5,6,-1,4,18446744073709551615,8,12,13,Long,2,-1,0,4,1790000000123,ab,9,1\r\n",
    );
  });

  test("CSV is read by the names of its columns, in any order and with others among them", () => {
    const [header = "", line = ""] = fillsCsv([row]).split("\r\n");
    const reversed = (text: string) => text.split(",").reverse().join(",");
    const other = `note,${reversed(header)}\r\n"a, b",${reversed(line)}\r\n`;
    expect(readFillsCsv(other, accountId(12n))).toEqual([row]);
  });

  test.each([
    ["no header", "", "csv_malformed"],
    ["an open quote", '"a', "csv_malformed"],
    ["a column missing", "account_id,fee_role\r\n1,maker\r\n", "field_missing"],
  ])("%s is a fault", (_name, text, code) => {
    expect(() => readFillsCsv(text, accountId(12n))).toThrow(expect.objectContaining({ code }));
  });
});

test("rows of history belong to the account that was asked for, in an envelope or not", () => {
  const own = accountId(12n);
  const order = {
    id: 7,
    market_id: 1,
    side: "sell",
    price: "5",
    quantity: "10",
    filled: "4",
    timestamp: 1_790_000_000,
  };
  expect(readOrderRows({ orders: [order] }, own)).toMatchObject([
    { timeMs: 1_790_000_000_000, order: { accountId: 12n, size: 10n, filledSize: 4n, remainingSize: 6n } },
  ]);
  expect(readFundingRows({ data: [{ market_id: 1, payment: "-5" }] }, own)).toEqual([
    {
      ...{ timeMs: 0, height: 0, eventIndex: 0 },
      payment: { accountId: 12n, marketId: 1, amount: -5n, inventory: null, fundingRate: null },
    },
  ]);
});

test("staking and tokens are read in other shapes; a flag that is not understood allows nothing", () => {
  expect(exchange.stakeValidators.read({ validators: [{ moniker: "one", commission: "0.05" }] })).toEqual([
    { name: "one", stake: null, commissionBps: null, uptimeBps: null, status: "Unknown" },
  ]);
  expect(exchange.stakingInfo.read({ totalStake: "5", apy: 0.07 })).toMatchObject({ totalStaked: 5n, apyBps: null });
  expect(owners.stakingBalance.read({ balance: "5" })).toMatchObject({ available: 5n, staked: null, unbonding: [] });
  expect(owners.delegations.read({ delegations: [{ validatorAddress: "one", stake: 5 }] })).toEqual([
    { validator: "one", amount: 5n },
  ]);
  const token = { id: 0, symbol: "USDC", decimals: 6 };
  const representations = [{ chain: "solana", deposit: true }, 5, { network: "base", canWithdraw: "yes" }];
  expect(exchange.tokenRegistry.read({ tokens: [{ ...token, representations }] }).tokens).toMatchObject([
    {
      representations: [
        { source: "solana", depositEnabled: true, withdrawalEnabled: false },
        { source: "base", depositEnabled: false, withdrawalEnabled: false },
      ],
    },
  ]);
});
