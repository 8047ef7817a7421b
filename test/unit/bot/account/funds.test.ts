// Equity and margin at the oracle price, and what is not known is not guessed.

import { describe, expect } from "vitest";
import { grossNotionalElsewhere } from "../../../../src/bot/account/funds.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  CONTRACT,
  canceledEvent,
  createScene,
  execution,
  listed,
  ME,
  market,
  oracle,
  position,
  refused,
  type Scene,
  test,
  USD,
} from "../scene.ts";
import { read } from "./orders.ts";

const USDC = 1_000_000n;
const funds = (scene: Scene, marketId = 1) => scene.view(marketId).funds;
const holding = (positions: Parameters<typeof account>[0]) => {
  const scene = createScene({}, "blank");
  scene.tell({ kind: "streamOpened", epoch: 1 });
  scene.tell({ kind: "marketRead", market: market() });
  scene.tell({ kind: "oracleRead", oracle: oracle({ price: price(210n * USD) }) });
  scene.advance(10);
  scene.adopt(account(positions));
  return scene;
};

test("equity is collateral plus unrealized PnL at the oracle price, long and short", () => {
  expect(funds(holding({ positions: [position(3n)] }))).toMatchObject({ value: { equity: 100_030n * USDC } });
  expect(funds(holding({ positions: [position(-3n)] }))).toMatchObject({ value: { equity: 99_970n * USDC } });
});

test("maintenance margin is of the notional at the oracle price", () => {
  // 3 x 210 x 2.5 %
  expect(funds(holding({ positions: [position(3n)] }))).toMatchObject({ value: { maintenanceMargin: 15_750_000n } });
});

test("fills move equity before the next read: what they cost counts at once, what they earned once it is read", () => {
  const paid = createScene();
  paid.rest(1n, 7n);
  paid.tell({ kind: "execution", execution: execution({ makerFee: usdc(2n) }) });
  // Bought at 199, oracle 200: one USDC of unrealized PnL and the fee.
  expect(funds(paid)).toMatchObject({ value: { equity: 100_001n * USDC - 2n, collateral: 100_000n * USDC - 2n } });
  const earned = createScene();
  earned.rest(1n, 7n);
  earned.tell({ kind: "execution", execution: execution({ makerFee: usdc(-2n) }) });
  expect(funds(earned)).toMatchObject({ value: { equity: 100_001n * USDC, collateral: 100_000n * USDC } });
});

test("collateral that a read no longer shows does not count, explained or not", ({ scene }) => {
  scene.tell({ kind: "accountRead", account: account({ collateral: usdc(40_000n * USDC) }) });
  expect(funds(scene)).toMatchObject({ value: { collateral: 40_000n * USDC, equity: 40_000n * USDC } });
});

describe("initial margin elsewhere", () => {
  const elsewhere = (openOrders: ReturnType<typeof listed>[], contracts = 2n) => {
    const scene = holding({ positions: [position(contracts, 200n, { marketId: 2 })], openOrders });
    scene.tell({ kind: "marketRead", market: market({ marketId: 2, oraclePrice: price(100n * USD) }) });
    return scene;
  };

  test("is of the worse side of each other market: position and what rests there", () => {
    const bid = listed(7n, { marketId: 2, size: size(3n * CONTRACT) });
    const ask = listed(8n, { marketId: 2, side: "sell", size: size(9n * CONTRACT) });
    // Long 2 + 3 = 5, short 9 - 2 = 7: seven contracts at 100 USD and leverage 20.
    expect(funds(elsewhere([bid, ask]))).toMatchObject({ value: { initialMarginElsewhere: 35n * USDC } });
    expect(funds(elsewhere([bid]))).toMatchObject({ value: { initialMarginElsewhere: 25n * USDC } });
  });

  test("leaves out the market that is asked about, and what may only reduce", () => {
    expect(funds(elsewhere([]), 2)).toMatchObject({ value: { initialMarginElsewhere: 0n } });
    const reducing = listed(8n, { marketId: 2, side: "sell", size: size(90n * CONTRACT), reduceOnly: true });
    expect(funds(elsewhere([reducing]))).toMatchObject({ value: { initialMarginElsewhere: 10n * USDC } });
    // It may fill first: then nothing of the position stands against the other asks.
    const ask = listed(7n, { marketId: 2, side: "sell", size: size(9n * CONTRACT) });
    expect(funds(elsewhere([reducing, ask]))).toMatchObject({ value: { initialMarginElsewhere: 45n * USDC } });
  });

  test("of a market whose margin schedule nobody has read is not known, so neither are the funds", () => {
    const scene = holding({ positions: [position(2n, 200n, { marketId: 2 })] });
    expect(funds(scene).state).toBe("absent");
  });
});

describe("what the account may come to hold elsewhere", () => {
  /** Two contracts of market 2, whose oracle says 100 USD. */
  const elsewhere = (openOrders: ReturnType<typeof listed>[], markUsd = 100n) => {
    const scene = holding({ positions: [position(2n, 200n, { marketId: 2 })], openOrders });
    const read = { marketId: 2, oraclePrice: price(100n * USD), markPrice: price(markUsd * USD) };
    scene.tell({ kind: "marketRead", market: market(read) });
    return scene;
  };
  const notional = ({ state }: Scene, marketId = 1) => grossNotionalElsewhere(state, state.accounts.get(ME)!, marketId);
  const bid = listed(7n, { marketId: 2, size: size(3n * CONTRACT) });

  test("is the worse side of each other market, at the larger of oracle and mark price", () => {
    const ask = listed(8n, { marketId: 2, side: "sell", size: size(9n * CONTRACT) });
    expect(notional(elsewhere([bid]))).toMatchObject({ value: 500n * USDC });
    expect(notional(elsewhere([bid, ask]))).toMatchObject({ value: 700n * USDC });
    expect(notional(elsewhere([bid], 110n))).toMatchObject({ value: 550n * USDC });
    expect(notional(elsewhere([bid], 90n))).toMatchObject({ value: 500n * USDC });
    expect(notional(elsewhere([bid]), 2)).toMatchObject({ value: 0n });
  });

  test("has what was just sent, what a canceled order may have filled, and what an unconfirmed read shows", () => {
    const scene = elsewhere([bid]);
    const command = scene.place(1n, { marketId: 2, size: size(CONTRACT) });
    expect(notional(scene)).toMatchObject({ value: 600n * USDC });
    scene.answer(1n, command, refused);
    expect(notional(scene)).toMatchObject({ value: 500n * USDC });
    const { type: _type, ...canceled } = canceledEvent(7n);
    scene.tell({ kind: "orderCanceled", ...canceled, marketId: 2 });
    expect(notional(scene), "it may have been filled before").toMatchObject({ value: 500n * USDC });
    read(scene, { positions: [position(-8n, 200n, { marketId: 2 })] }, 5000);
    expect(notional(scene)).toMatchObject({ value: 800n * USDC });
  });

  test("is not known while the price of a market that it holds something in is not", () => {
    expect(notional(holding({ positions: [position(2n, 200n, { marketId: 2 })] })).state).toBe("absent");
  });
});
