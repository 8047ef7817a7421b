// The crowd on a real chain: alive, solvent, and the same under any clock.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import type { Crowd } from "../../../../src/devnet/chain/sources.ts";
import { type DevnetConfig, defaultFlow } from "../../../../src/devnet/config/config.ts";
import { createCrowd } from "../../../../src/devnet/crowd/crowd.ts";
import { createPrintSource, indexPathsOf } from "../../../../src/devnet/crowd/prints.ts";
import { inventoryOf } from "../../../../src/domain/account.ts";
import type { Execution } from "../../../../src/domain/fill.ts";
import { type AccountId, accountId, price, size } from "../../../../src/domain/units.ts";
import { seriesOf } from "../../../support/index-series.ts";
import { ALICE, inOneBlock, openChain, order, config as quiet, seal } from "../chain/set-up.ts";

const busy: DevnetConfig = {
  ...quiet,
  markets: quiet.markets.map((market) => ({
    ...market,
    oracle: {
      source: "synthetic",
      price: price(20_000_000_000n),
      printEverySecs: 60,
      validForSecs: 90,
      driftPercent: 0.027,
      volatilityPercent: 0.056,
      autocorrelation: 0.76,
    },
  })),
  flow: { ...defaultFlow, enabled: true },
};

function crowdedChain(config: DevnetConfig) {
  const paths = indexPathsOf(config);
  const crowd = createCrowd(config, paths);
  if (crowd === undefined) throw new Error("flow is on");
  const prints = createPrintSource(paths, config.blockTimeMs);
  return { chain: openChain({ config }, { prints, crowd }), crowd, paths };
}

function recorded(chain: Chain): Execution[] {
  const executions: Execution[] = [];
  chain.onEvents(({ events }) => {
    for (const event of events) if (event.type === "Fill") executions.push(event.execution);
  });
  return executions;
}

function accountsNamed({ accounts }: Crowd, names: readonly string[]): ReadonlySet<AccountId> {
  const owners = new Set(names.map((name) => createHash("sha256").update(`crowd:${name}`).digest("hex")));
  return new Set(accounts.filter(({ owner }) => owners.has(owner)).map((account) => account.accountId));
}

const traded = (executions: readonly Execution[]) =>
  executions.map((execution) => [execution.price, execution.size, execution.takerSide]);

async function blocks(chain: Chain, count: number, advanceMs: (height: number) => number): Promise<void> {
  for (let height = 1; height <= count; height += 1) await chain.advance(advanceMs(height));
}

const MINUTE = 300;

describe("the crowd", () => {
  it("trades on both sides, several times a minute, around a book with a spread of a few bps", async () => {
    const { chain } = crowdedChain(busy);
    const executions = recorded(chain);
    await blocks(chain, 10 * MINUTE, () => 200);
    const buys = executions.filter(({ takerSide }) => takerSide === "buy").length;
    expect(buys).toBeGreaterThan(30);
    expect(executions.length - buys).toBeGreaterThan(30);
    const book = chain.reads.book(1);
    const [bid, ask] = [Number(book?.bids[0]?.price), Number(book?.asks[0]?.price)];
    expect(ask / bid - 1).toBeGreaterThan(0.0002);
    expect(ask / bid - 1).toBeLessThan(0.003);
  });

  it.each<[string, (height: number) => number]>([
    ["stands", () => 0],
    ["jitters", (height) => (height * 7919) % 400],
    ["runs so fast that prints expire and funding is due at every other block", () => 1_800_000],
  ])("trades the same sequence when the clock %s", async (_, advanceMs) => {
    const even = crowdedChain(busy);
    const odd = crowdedChain(busy);
    const [first, second] = [recorded(even.chain), recorded(odd.chain)];
    await blocks(even.chain, 3 * MINUTE, () => 200);
    await blocks(odd.chain, 3 * MINUTE, advanceMs);
    expect(first.length).toBeGreaterThan(20);
    expect(traded(second)).toEqual(traded(first));
  });

  it("reaches equal state roots where the times of every block are equal", async () => {
    const roots = await Promise.all(
      [crowdedChain(busy), crowdedChain(busy)].map(async ({ chain }) => {
        await blocks(chain, MINUTE, () => 200);
        return chain.head().stateRoot;
      }),
    );
    expect(roots[1]).toBe(roots[0]);
  });

  it("trades another sequence under another seed", async () => {
    const [first, second] = await Promise.all(
      [7n, 8n].map(async (seed) => {
        const { chain } = crowdedChain({ ...busy, seed });
        const executions = recorded(chain);
        await blocks(chain, MINUTE, () => 200);
        return traded(executions);
      }),
    );
    expect(second).not.toEqual(first);
  });

  it("resumes: rebuilt from what it saved, it does what the old one would have done", async () => {
    const { chain, crowd, paths } = crowdedChain(busy);
    for (let height = 1; height <= MINUTE; height += 1) {
      await chain.advance(200);
      if (height % 50 !== 0) continue;
      const resumed = createCrowd(busy, paths);
      resumed?.memory?.load(crowd.memory?.save() ?? "");
      for (let later = 1; later < 20; later += 1) {
        const next = [height + later, (height + later) * 200, chain.reads] as const;
        expect(resumed?.act(...next)).toEqual(crowd.act(...next));
      }
    }
  });

  it("stays near flat and rich over an hour, in which every kind of participant trades within the price band", async () => {
    // Orders move the price by as much as basis traders need, to pay for the fee of trading it back.
    const flow = { ...defaultFlow, enabled: true, manipulatedShare: 1, impactBps: 4 } as const;
    const { chain, crowd } = crowdedChain({ ...busy, flow });
    const executions = recorded(chain);
    let [oracle, furthest] = [Number(chain.reads.market(1)?.oraclePrice), 0];
    chain.onEvents(({ events }) => {
      for (const event of events) {
        if (event.type === "OracleUpdated") oracle = Number(event.price);
        if (event.type === "Fill") furthest = Math.max(furthest, Math.abs(Number(event.execution.price) / oracle - 1));
      }
    });
    await blocks(chain, 60 * MINUTE, () => 200);
    for (const { accountId: id, collateral } of crowd.accounts) {
      const account = chain.reads.account(id);
      const held = inventoryOf(account?.positions[0]);
      expect(Math.abs(Number(held)) / 500_000).toBeLessThan(2500);
      expect(Number(account?.collateral) / Number(collateral)).toBeGreaterThan(0.999);
    }
    const traders = new Set(executions.flatMap((execution) => [execution.takerAccountId, execution.makerAccountId]));
    expect(crowd.accounts.filter((account) => !traders.has(account.accountId))).toEqual([]);
    expect(furthest).toBeLessThan((busy.markets[0]?.priceBandBps ?? 0) / 10_000);
  });

  it("trades in a market where no order moves what it takes for fair", async () => {
    const { chain } = crowdedChain({ ...busy, flow: { ...defaultFlow, enabled: true, impactBps: 0 } });
    const executions = recorded(chain);
    await blocks(chain, MINUTE, () => 200);
    expect(executions.length).toBeGreaterThan(0);
  });

  it("fills no more than takers ordered", async () => {
    const { chain } = crowdedChain(busy);
    const ordered = new Map<bigint, bigint>();
    const filled = new Map<bigint, bigint>();
    chain.onEvents(({ events }) => {
      for (const event of events) {
        if (event.type === "OrderPlaced") ordered.set(event.order.orderId, event.order.size);
        if (event.type !== "Fill") continue;
        const { takerOrderId, size: units } = event.execution;
        filled.set(takerOrderId, (filled.get(takerOrderId) ?? 0n) + units);
      }
    });
    await blocks(chain, 5 * MINUTE, () => 200);
    expect(filled.size).toBeGreaterThan(50);
    expect([...filled].filter(([order, units]) => units > (ordered.get(order) ?? 0n))).toEqual([]);
  });

  it("leaves a paused market alone", async () => {
    const { chain } = crowdedChain(busy);
    await blocks(chain, MINUTE, () => 200);
    chain.control.setMarketStatus(1, "Paused");
    const executions = recorded(chain);
    await blocks(chain, MINUTE, () => 200);
    expect(executions).toEqual([]);
  });

  it("uses no account number of the configuration", () => {
    const accounts = busy.accounts.map((account, at) => ({ ...account, accountId: accountId(BigInt(900_001 + at)) }));
    const crowd = createCrowd({ ...busy, accounts }, indexPathsOf(busy));
    const taken = new Set(accounts.map((account) => account.accountId));
    expect(crowd?.accounts.filter((account) => taken.has(account.accountId))).toEqual([]);
  });

  it("is not there where flow is off", () => {
    expect(createCrowd(quiet, indexPathsOf(quiet))).toBeUndefined();
  });
});

describe("a bot beside the crowd", () => {
  it("that quotes 10 bps either side of the mid is filled on both sides within a few minutes", async () => {
    const { chain } = crowdedChain(busy);
    const mine = { buy: 0, sell: 0 };
    chain.onEvents(({ events }) => {
      for (const event of events) {
        if (event.type !== "Fill" || event.execution.makerAccountId !== ALICE) continue;
        mine[event.execution.takerSide === "buy" ? "sell" : "buy"] += 1;
      }
    });
    await blocks(chain, 10, () => 200);
    for (let second = 0; second < 240; second += 1) {
      const market = chain.reads.market(1);
      const middle = ((market?.bestBid ?? 0n) + (market?.bestAsk ?? 0n)) / 2n;
      const at = (bps: bigint) => price(((middle * (10_000n + bps)) / 10_000n / 1_000_000n) * 1_000_000n);
      const timestampSec = Math.floor(chain.timeMs() / 1000);
      const quote = { size: size(1_000_000n), postOnly: true };
      if (second % 5 === 0) {
        const transactions = [
          { type: "CancelAllOrders" as const, marketId: 1 },
          order({ ...quote, side: "buy", price: at(-10n) }),
          order({ ...quote, side: "sell", price: at(10n) }),
        ];
        await inOneBlock(
          chain,
          transactions.map((transaction) => seal(transaction, { timestampSec })),
        );
      } else await chain.advance(200);
      await blocks(chain, 4, () => 200);
    }
    expect(mine.buy).toBeGreaterThan(2);
    expect(mine.sell).toBeGreaterThan(2);
  });
});

describe("informed takers", () => {
  const jumpy: DevnetConfig = {
    ...busy,
    markets: busy.markets.map((market) => ({
      ...market,
      oracle: {
        source: "csv",
        series: seriesOf([20_000n, 20_600n, 20_600n].map((ticks) => ticks * 1_000_000n)),
        choice: null,
        printEverySecs: 120,
        validForSecs: 130,
      },
    })),
    flow: { ...defaultFlow, enabled: true, informedShare: 1 },
  };

  it("hold a long position as a print that is far above comes", async () => {
    const { chain, crowd } = crowdedChain(jumpy);
    const executions = recorded(chain);
    await blocks(chain, 2 * MINUTE - 2, () => 200);
    const informed = accountsNamed(crowd, ["informed", "sniper"]);
    const theirs = executions.filter(({ takerAccountId }) => informed.has(takerAccountId));
    const held = theirs.reduce((sum, { takerSide, size }) => sum + (takerSide === "buy" ? 1 : -1) * Number(size), 0);
    expect(held / 500_000).toBeGreaterThan(5);
  });
});

describe("while the index rises for twelve prints", () => {
  /** As many noise orders from print to print as a thin market has in a day. */
  const BLOCKS = 3900;
  const rising: DevnetConfig = {
    ...busy,
    markets: busy.markets.map((market) => ({
      ...market,
      oracle: {
        source: "csv",
        series: seriesOf([...Array(13).keys()].map((k) => BigInt(Math.round(20_000 * 1.0015 ** k)) * 1_000_000n)),
        choice: null,
        printEverySecs: (BLOCKS * quiet.blockTimeMs) / 1000,
        validForSecs: BLOCKS,
      },
    })),
    seed: 4n,
    flow: { ...defaultFlow, enabled: true, noiseTakersPerSec: 2, manipulatedShare: 0 },
  };

  it("the price goes with it: no further than 50 bps from the print in the mean", async () => {
    const { chain } = crowdedChain(rising);
    let away = 0;
    for (let height = 1; height <= 12 * BLOCKS; height += 1) {
      await chain.advance(quiet.blockTimeMs);
      const { bestBid, bestAsk, oraclePrice } = chain.reads.market(1) ?? {};
      const middle = Number((bestBid ?? 0n) + (bestAsk ?? 0n)) / 2;
      if (height > 4 * BLOCKS) away += Math.log(middle / Number(oraclePrice)) / (8 * BLOCKS);
    }
    expect(Math.abs(away)).toBeLessThan(0.005);
  });
});
