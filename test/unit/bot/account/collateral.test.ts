// Money as read against money as the book expects it: a lower amount counts at once, and what two reads a second apart agree on is booked as
// what explains it.

import { describe, expect } from "vitest";
import { pnlOf } from "../../../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../../../src/bot/accounting/totals.ts";
import type { Account } from "../../../../src/domain/account.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  execution,
  funding,
  ME,
  market,
  pong,
  position,
  type Scene,
  test,
  USD,
} from "../scene.ts";
import { afterLag, mismatches, read, readTrades } from "./orders.ts";

const START = account().collateral;
const changes = (scene: Scene) =>
  scene.effects.flatMap((effect) =>
    effect.kind === "collateralChange"
      ? [effect.postings.map((posting) => [posting.kind === "funding" ? posting.kind : posting.reason, posting.amount])]
      : [],
  );
const books = (scene: Scene) => collateralOf(scene.state.accounts.get(ME)!.book);
const settled = (scene: Scene, lastFundingTimestampSec = 7200) =>
  scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec });
const readFunding = (scene: Scene) =>
  scene.tell({ kind: "fundingRead", funding: scene.state.markets.get(1)?.funding?.value ?? funding() });
/** Three reads, more than a second apart, show that collateral has changed by `delta`; trades and settlements are read between them. */
const paid = (scene: Scene, delta: bigint, of: Partial<Account> = {}) => {
  for (let round = 0; round < 3; round += 1) {
    read(scene, { collateral: usdc(START + delta), ...of }, 1100);
    readTrades(scene);
    readFunding(scene);
  }
};
const holding = (contracts: bigint): Scene => {
  const scene = createScene({}, "blank");
  scene.tell({ kind: "streamOpened", epoch: 1 });
  scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 3600 }) });
  scene.adopt(account({ positions: [position(contracts)] }));
  afterLag(scene);
  return scene;
};
/** The mark price was so far from the oracle price: funding pays no more than that, and interest. */
const withPremium = (contracts: bigint, premiumBps: bigint, interestRateMicroBps = 0): Scene => {
  const scene = holding(contracts);
  const { oraclePrice } = market();
  const markPrice = price((oraclePrice * (10_000n + premiumBps)) / 10_000n);
  scene.tell({ kind: "marketRead", market: market({ markPrice, interestRateMicroBps }) });
  return scene;
};

test("as the fills say: nothing to book", ({ scene }) => {
  scene.rest(1n, 7n);
  scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n) }) });
  paid(scene, 3n, { positions: [position(1n, 199n)] });
  expect([changes(scene), mismatches(scene)]).toEqual([[], []]);
});

describe("a difference", () => {
  test("counts at once where it is lower, and starts no resync", ({ scene }) => {
    read(scene, { collateral: usdc(START - 5n) });
    expect(scene.view().funds).toMatchObject({ value: { collateral: START - 5n } });
    read(scene, { collateral: usdc(START + 5n) });
    expect(scene.view().funds).toMatchObject({ value: { collateral: START } });
    expect([scene.resync(), changes(scene)]).toEqual([null, []]);
  });

  test("is booked once two reads a second apart agree, not before", ({ scene }) => {
    const collateral = usdc(START + 5_000_000n);
    const shown = (afterMs: number) => {
      read(scene, { collateral }, afterMs);
      scene.tell({ kind: "tradesRead", marketId: 1, trades: [], askedMs: scene.nowMs() });
      scene.tell({ kind: "fundingRead", funding: funding(), askedMs: scene.nowMs() });
    };
    shown(afterLag(scene) ?? 1);
    scene.advance(1);
    scene.tell({ kind: "tradesRead", marketId: 1, trades: [], askedMs: scene.nowMs() });
    scene.tell({ kind: "fundingRead", funding: funding(), askedMs: scene.nowMs() });
    shown(998);
    expect(changes(scene)).toEqual([]);
    shown(10);
    expect(changes(scene)).toEqual([[["transfer", 5_000_000n]]]);
  });

  test("that another read shows otherwise begins again: an outlier is booked never", ({ scene }) => {
    for (const delta of [500n, 700n, 500n, 700n]) read(scene, { collateral: usdc(START + delta) }, 2000);
    expect([changes(scene), books(scene)]).toEqual([[], START]);
  });

  test("is not looked for while a fill may be missing in the read, in either", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    for (const hash of ["a", "b"]) {
      scene.advance(2500);
      scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n), hash }) });
      const collateral = usdc(START + (hash === "a" ? 0n : 3n));
      read(scene, { collateral, positions: [position(hash === "a" ? 1n : 2n, 199n)] });
    }
    expect([changes(scene), scene.state.accounts.get(ME)!.collateral.unexplained]).toEqual([[], null]);
  });

  test("of reads ahead of their frames is none, however often it is the same", ({ scene }) => {
    const pair = (number: bigint) => {
      const [buy, sell] = [2n * number, 2n * number + 1n];
      scene.rest(buy, buy);
      scene.rest(sell, sell, { side: "sell" });
      read(scene, { collateral: usdc(START + 1000n * number) }, 50);
      readTrades(scene);
      readFunding(scene);
      scene.advance(50);
      const fill = (mine: bigint, of: Parameters<typeof execution>[0]) =>
        scene.tell({ kind: "execution", execution: execution({ mine, hash: `h${mine}`, makerFee: usdc(0n), ...of }) });
      fill(buy, {});
      fill(sell, { side: "sell", makerRealizedPnl: usdc(1000n) });
      scene.advance(1200);
    };
    for (let number = 1n; number <= 6n; number += 1n) pair(number);
    expect([changes(scene), books(scene)]).toEqual([[], START + 6000n]);
  });

  test("as it was before a posting of the time that a read may lag says nothing", () => {
    const scene = holding(10n);
    const positions = [position(10n)];
    settled(scene);
    paid(scene, -100n, { positions });
    for (let round = 0; round < 2; round += 1) read(scene, { positions }, 1100);
    expect(changes(scene)).toEqual([[["funding", -100n]]]);
    afterLag(scene);
    paid(scene, 0n, { positions });
    expect(changes(scene)).toEqual([[["funding", -100n]], [["transfer", 100n]]]);
  });

  test("while a market resynchronizes is left alone, and judged by reads once it is live", ({ scene }) => {
    for (let round = 0; round < 2; round += 1) read(scene, { positions: [position(1n)] });
    paid(scene, 500n);
    expect(changes(scene)).toEqual([]);
    scene.adopt(account({ collateral: usdc(START + 500n), positions: [position(1n)] }), 1);
    expect(changes(scene)).toEqual([]);
    afterLag(scene);
    paid(scene, 500n, { positions: [position(1n)] });
    expect([changes(scene), books(scene)]).toEqual([[[["transfer", 500n]]], START + 500n]);
  });
});

describe("funding", () => {
  test("within its cap after a settlement is funding", () => {
    const scene = withPremium(10n, 10n);
    settled(scene);
    paid(scene, -1_234_567n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["funding", -1_234_567n]]]);
    expect(scene.effects.find(({ kind }) => kind === "collateralChange")).toMatchObject({
      postings: [{ marketId: 1 }],
    });
    expect(books(scene)).toBe(START - 1_234_567n);
  });

  test("within the market's own interest is funding, however high that is", () => {
    const scene = withPremium(1n, 10n, 10_000_000);
    settled(scene);
    paid(scene, 250_000n, { positions: [position(1n)] });
    expect(changes(scene)).toEqual([[["funding", 250_000n]]]);
  });

  test.each([
    ["the cap of the exchange", 1000n, -20_000_000n],
    ["the premium of the interval and interest", 10n, 250_000n],
  ])("beyond %s is a transfer", (_, premiumBps, tooMuch) => {
    const scene = withPremium(1n, premiumBps);
    settled(scene);
    paid(scene, tooMuch, { positions: [position(1n)] });
    expect([changes(scene), mismatches(scene)]).toEqual([[[["transfer", tooMuch]]], []]);
  });

  test.each([
    ["as much as the index moved", -100_000n, "funding"],
    ["more than it", 2_500_000n, "transfer"],
  ] as const)("after the index was read, %s", (_, paidOut, what) => {
    const scene = withPremium(10n, 100n);
    const positions = [position(10n)];
    paid(scene, 0n, { positions });
    settled(scene);
    scene.advance(5);
    // A cent a contract.
    const cumulativeFunding = funding().cumulativeFunding! + 1_000_000n;
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 7200, cumulativeFunding }) });
    paid(scene, paidOut, { positions });
    expect(changes(scene)).toEqual([[[what, paidOut]]]);
  });

  test("without any settlement is a transfer", () => {
    const scene = holding(10n);
    paid(scene, -100n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["transfer", -100n]]]);
  });

  test("whose settlement is told after its money is explained by it", () => {
    const scene = holding(10n);
    read(scene, { collateral: usdc(START - 100n), positions: [position(10n)] });
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 7200 }) });
    paid(scene, -100n, { positions: [position(10n)] });
    expect([changes(scene), mismatches(scene)]).toEqual([[[["funding", -100n]]], []]);
  });

  test("of a settlement that came while a read was on its way is not taken for money that the read had", () => {
    const scene = holding(10n);
    scene.tell(pong(scene));
    scene.advance(1000);
    const askedMs = scene.nowMs();
    scene.advance(1000);
    settled(scene, CHAIN_OFFSET_MS / 1000 + Math.ceil(askedMs / 1000));
    scene.tell({ kind: "accountRead", account: account({ positions: [position(10n)] }), askedMs });
    paid(scene, -100n, { positions: [position(10n)] });
    expect([changes(scene), mismatches(scene)]).toEqual([[[["funding", -100n]]], []]);
  });
});

describe("a transfer", () => {
  test.each([500_000_000n, -500_000_000n])("is what nothing explains, and no mismatch: %d", (moved) => {
    const scene = createScene();
    paid(scene, moved);
    expect([changes(scene), mismatches(scene), scene.resync()]).toEqual([[[["transfer", moved]]], [], null]);
  });

  test("that is taken back is another one", ({ scene }) => {
    for (const moved of [500_000_000n, 0n]) {
      paid(scene, moved);
      afterLag(scene);
    }
    paid(scene, 0n);
    expect(changes(scene)).toEqual([[["transfer", 500_000_000n]], [["transfer", -500_000_000n]]]);
  });

  test.each([
    ["trades", (scene: Scene) => readFunding(scene)],
    ["settlements", (scene: Scene) => readTrades(scene)],
  ])("is not told while %s cannot be read, for half a minute", (_, readTheOther) => {
    const scene = holding(10n);
    const unsearched = () => {
      readTheOther(scene);
      read(scene, { collateral: usdc(START - 100n), positions: [position(10n)] }, 2000);
    };
    for (let round = 0; round < 15; round += 1) unsearched();
    expect(changes(scene)).toEqual([]);
    unsearched();
    expect(changes(scene)).toEqual([[["transfer", -100n]]]);
  });
});

describe("fills", () => {
  const filled = (of: Parameters<typeof execution>[0] = {}): Scene => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution(of) });
    afterLag(scene);
    return scene;
  };
  const positions = [position(1n, 199n)];

  test("are rounded by the exchange: a unit each", () => {
    const scene = filled({ makerFee: usdc(0n) });
    paid(scene, -1n, { positions });
    expect(changes(scene)).toEqual([[["rounding", -1n]]]);
  });

  test("without a fee are priced by what the collateral did", ({ scene }) => {
    scene.rest(1n, 7n);
    const found = execution();
    readTrades(scene, found);
    afterLag(scene);
    // The rebate of one basis point.
    for (let round = 0; round < 3; round += 1) {
      read(scene, { collateral: usdc(START + 19_900n), positions }, 1100);
      readTrades(scene, found);
      readFunding(scene);
    }
    expect(changes(scene)).toEqual([[["fills", 19_900n]]]);
    expect(scene.effects.find(({ kind }) => kind === "collateralChange")).toMatchObject({
      postings: [{ fillKeys: ["1:h1:1000:7:maker"] }],
    });
    scene.tell({ kind: "execution", execution: found });
    expect(books(scene), "a fee that comes later is in it").toBe(START + 19_900n);
  });

  test("without a fee do not hide an outflow", ({ scene }) => {
    scene.rest(1n, 7n);
    const found = execution();
    readTrades(scene, found);
    afterLag(scene);
    for (let round = 0; round < 3; round += 1) {
      read(scene, { collateral: usdc(START - 90_000_000n), positions }, 1100);
      readTrades(scene, found);
      readFunding(scene);
    }
    const [postings = []] = changes(scene);
    expect(postings.map(([what]) => what)).toEqual(["fills", "transfer"]);
    expect(Number(postings[1]?.[1])).toBeLessThan(-89_000_000);
    expect(books(scene)).toBe(START - 90_000_000n);
  });
});

test("a position that nobody can explain is no profit, and the money that moved meanwhile is none of its", ({
  scene,
}) => {
  scene.adopt(account({ collateral: usdc(START + 498_610_000n), positions: [position(3n, 100n)] }));
  expect(changes(scene)).toEqual([[["transfer", 498_610_000n]]]);
  const { book } = scene.state.accounts.get(ME)!;
  expect(pnlOf(book.markets.get(1)!, price(200n * USD)).total).toBe(0n);
});
