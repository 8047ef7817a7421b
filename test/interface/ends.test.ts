// Rows 67, 88, 96, 97 and 123: a position ends by fills alone, the backstop account's and those of settlement too, on every channel and in
// history; so every position is the sum of its account's fills.

import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { type AccountId, price } from "../../src/domain/units.ts";
import { createPrng } from "../../src/kernel/prng.ts";
import {
  ALICE,
  ALICE_SUB,
  accounts,
  alice,
  aliceKey,
  BOB,
  bob,
  bobSession,
  bobs,
  CHAIN_ID,
  contracts,
  dollars,
  order,
  usd,
} from "./actors.ts";
import { it, openWorld, trade, type World } from "./world.ts";

const HASH = /^[0-9a-f]{64}$/;
const poor = (collateral: number) =>
  accounts.map((account) => (account.accountId === ALICE ? { ...account, collateral: dollars(collateral) } : account));
const collateralOf = async (world: World, id: AccountId) => (await world.client.accounts.byId(id)).collateral;
const settle = (world: World) => world.control("PATCH", "/markets/1", { status: "Settled" });

/** The hash of the transaction that a block is itself. */
const ownHash = (height: number): string => createHash("sha256").update(`block ${CHAIN_ID} ${height}`).digest("hex");

async function print(world: World, at: number): Promise<void> {
  await world.control("PATCH", "/oracle/1", { price: String(at) });
  await world.advance(200);
}

const historyOf = (world: World, id: AccountId) =>
  world.clientWith({ credential: id === BOB ? bobSession : aliceKey }).history.fills(id);

/** What an account's fills add up to, from its history over REST. */
async function summed(world: World, id: AccountId): Promise<{ units: bigint; realized: bigint; fees: bigint }> {
  let [units, realized, fees] = [0n, 0n, 0n];
  for (const { liquidity, execution } of await historyOf(world, id)) {
    const bought = (execution.takerSide === "buy") === (liquidity === "taker");
    units += bought ? execution.size : -execution.size;
    realized += liquidity === "taker" ? execution.takerRealizedPnl : execution.makerRealizedPnl;
    fees += liquidity === "taker" ? execution.takerFee : execution.makerFee;
  }
  return { units, realized, fees };
}

async function heldBy(world: World, id: AccountId): Promise<bigint> {
  const [position] = await world.client.accounts.positions(id);
  if (position === undefined) return 0n;
  return position.side === "buy" ? position.size : -position.size;
}

describe("a backstop takeover", () => {
  it("is a fill of both accounts, a trade and a filled order, whose price and fee tell the whole loss [123b]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    const { backstopAccountId } = await world.client.exchange.market(1);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    const before = await collateralOf(world, ALICE);
    const { of, settled } = await world.follow([
      { channel: "fills", accountId: ALICE },
      { channel: "fills", accountId: backstopAccountId! },
      { channel: "trades", marketId: 1 },
      { channel: "liquidations", accountId: ALICE },
    ]);
    await print(world, 193);
    await settled();
    expect(of("execution")).toHaveLength(2);
    const execution = of("execution")[0]?.execution;
    if (execution === undefined) throw new Error("no fill came");
    expect(execution).toMatchObject({
      takerAccountId: ALICE,
      makerAccountId: backstopAccountId,
      takerSide: "sell",
      size: contracts(90),
      makerFee: 0n,
      makerRealizedPnl: 0n,
      txHash: expect.stringMatching(HASH),
    });
    const value = (execution.price * execution.size) / 100_000_000n;
    expect(execution.takerFee).toBe((value * 5n + 9999n) / 10_000n);
    expect(before + execution.takerRealizedPnl - execution.takerFee).toBe(await collateralOf(world, ALICE));
    expect(of("trade")).toMatchObject([{ trade: { price: execution.price, txHash: execution.txHash } }]);
    expect(of("liquidation")).toHaveLength(1);
    expect(await heldBy(world, ALICE)).toBe(0n);
    expect((await summed(world, ALICE)).units).toBe(0n);
    const [newest] = await world.clientWith({ credential: aliceKey }).history.orders(ALICE);
    expect(newest).toMatchObject({ order: { orderId: execution.takerOrderId, status: "Filled", reduceOnly: true } });
    expect(await world.client.exchange.trades(1)).toMatchObject([{ txHash: execution.txHash }, {}]);
  });
});

describe("settlement", () => {
  it("is fills at the settlement price without fees, against the backstop account, which ends flat [88]", async ({
    world,
  }) => {
    const { backstopAccountId } = await world.client.exchange.market(1);
    await trade(world, { side: "buy", price: usd(199), size: contracts(10) });
    const { of, settled } = await world.follow([
      { channel: "fills", accountId: ALICE },
      { channel: "fills", accountId: BOB },
      { channel: "trades", marketId: 1 },
    ]);
    await settle(world);
    await settled();
    const settling = {
      price: usd(200),
      size: contracts(10),
      makerAccountId: backstopAccountId,
      takerFee: 0n,
      makerFee: 0n,
    };
    const fills: readonly { execution: object }[] = of("execution");
    expect(fills).toHaveLength(2);
    expect(fills).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          execution: expect.objectContaining({ ...settling, takerAccountId: ALICE, takerRealizedPnl: dollars(10) }),
        }),
        expect.objectContaining({
          execution: expect.objectContaining({ ...settling, takerAccountId: BOB, takerRealizedPnl: dollars(-10) }),
        }),
      ]),
    );
    expect(of("trade")).toHaveLength(2);
    for (const id of [ALICE, BOB]) expect((await summed(world, id)).units).toBe(0n);
    expect(await world.client.accounts.byId(backstopAccountId!)).toMatchObject({ positions: [], collateral: 0n });
  });
});

describe("any sequence", () => {
  it.each([1n, 2n, 3n])(
    "of orders, cross and isolated, prints and settlement leaves positions that are the sums of fills (%d) [123b]",
    async (seed) => {
      const prng = createPrng(seed);
      await using world = await openWorld({ accounts: poor(2500) });
      const ids = [ALICE, ALICE_SUB, BOB];
      const collateral = new Map<AccountId, bigint>();
      for (const id of ids) collateral.set(id, await collateralOf(world, id));
      let at = 200;
      for (let act = 0; act < 40; act += 1) {
        if (prng.chance(0.2)) {
          at = Math.min(260, Math.max(150, at + Math.round((prng.float() - 0.5) * 24)));
          await print(world, at);
        } else {
          const accountId = prng.pick(ids);
          const side = prng.chance(0.5) ? "buy" : "sell";
          const isMarket = prng.chance(0.4);
          await world.submit(
            order({
              accountId,
              side,
              orderType: isMarket ? "Market" : "Limit",
              timeInForce: isMarket ? "IOC" : "GTC",
              price: isMarket ? price(0n) : usd(at + Math.round((prng.float() - 0.5) * 8)),
              size: contracts(1 + Math.floor(prng.float() * 60)),
              marginMode: prng.chance(0.5) ? "Isolated" : "Cross",
            }),
            accountId === BOB ? bob : alice,
          );
        }
        for (const id of ids) expect((await summed(world, id)).units).toBe(await heldBy(world, id));
      }
      await settle(world);
      for (const id of ids) {
        const { units, realized, fees } = await summed(world, id);
        expect(units).toBe(0n);
        expect(await heldBy(world, id)).toBe(0n);
        for (const { execution } of await historyOf(world, id)) expect(execution.txHash).toMatch(HASH);
        // What realized profit and fees do not explain is debt that the insurance fund paid.
        const covered = (await collateralOf(world, id)) - ((collateral.get(id) ?? 0n) + realized - fees);
        expect(covered).toBeGreaterThanOrEqual(0n);
      }
    },
  );
});

describe("a fill that no transaction asked for", () => {
  it("has its block's own hash on every channel, in reads, history and CSV: of a stop, a liquidation, a takeover, settlement [96a]", async () => {
    await using world = await openWorld({ accounts: poor(200) });
    const ear = await world.hear([
      { channel: "trades", market_id: 1 },
      { channel: "fills", account_id: Number(ALICE) },
    ]);
    const heights: number[] = [];
    const happens = async (act: () => Promise<void>) => {
      await act();
      heights.push((await world.client.exchange.node()).blockHeight);
    };
    await trade(world, { side: "buy", price: usd(200), size: contracts(9) });
    const stop = {
      orderType: "StopMarket",
      price: usd(0),
      side: "sell",
      triggerPrice: usd(199),
      reduceOnly: true,
    } as const;
    await world.run(order({ ...stop, size: contracts(1) }));
    await world.run(bobs({ side: "buy", price: usd(198), size: contracts(1) }), bob);
    await happens(() => print(world, 199));
    await world.run(bobs({ side: "buy", price: usd(178), size: contracts(1) }), bob);
    await happens(() => print(world, 179));
    await happens(() => world.advance(60_000));
    await settle(world);
    await world.advance(200);
    await ear.settled();
    const told = ear.of("fill").map(({ tx_hash }) => String(tx_hash));
    const history = await world.clientWith({ credential: aliceKey }).history.fills(ALICE);
    const csv = await world.clientWith({ credential: aliceKey }).history.fillsCsv(ALICE);
    const trades = await world.client.exchange.trades(1);
    const all = [
      ...told,
      ...trades.map(({ txHash }) => txHash),
      ...[...history, ...csv].map(({ execution }) => execution.txHash),
    ];
    for (const hash of all) expect(hash).toMatch(HASH);
    expect(trades.map(({ txHash }) => txHash)).toContain(ownHash(heights[0] ?? 0));
    expect(history.map(({ execution }) => execution.txHash)).toContain(ownHash(heights[1] ?? 0));
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
  });
});
