// Row 61: isolated margin and AdjustIsolatedMargin (S4.6).

import { describe, expect } from "vitest";
import type { Usdc } from "../../src/domain/units.ts";
import { ALICE, accounts, bob, bobs, contracts, dollars, HOUR_MS, order, usd } from "./actors.ts";
import { it, openWorld, type World } from "./world.ts";

/** Alice's agent buys 10 contracts at 200 USD, isolated, at 10x: 200 USDC of margin. */
async function isolated(world: World): Promise<void> {
  await world.run(bobs({ price: usd(200), size: contracts(10) }), bob);
  await world.run(order({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 10 }));
}

const adjust = (delta: Usdc) => ({ type: "AdjustIsolatedMargin", accountId: ALICE, marketId: 1, delta }) as const;
const bucketOf = async (world: World) => (await world.client.accounts.positions(ALICE))[0]?.isolatedMargin;

describe("an isolated position", () => {
  it("has a bucket of its own, taken from the cross collateral [61a]", async ({ world }) => {
    const before = (await world.client.accounts.byId(ALICE)).collateral;
    await isolated(world);
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([
      { marginMode: "Isolated", leverage: 10, isolatedMargin: dollars(200) },
    ]);
    const after = (await world.client.accounts.byId(ALICE)).collateral;
    expect(before - after).toBe(dollars(201)); // the bucket and a taker fee of 5 bps on 2,000 USDC
  });

  it("gives its bucket back as it closes [61a]", async ({ world }) => {
    await isolated(world);
    await world.run(bobs({ side: "buy", price: usd(200), size: contracts(10) }), bob);
    await world.run(order({ side: "sell", price: usd(200), size: contracts(10), reduceOnly: true }));
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
    expect((await world.client.accounts.byId(ALICE)).collateral).toBe(dollars(100_000 - 2));
  });

  it("keeps its mode: an order of the other mode is refused while it is open [61a]", async ({ world }) => {
    await isolated(world);
    expect(await world.submit(order())).toMatchObject({ kind: "refused" });
    await world.run(order({ marginMode: "Isolated", leverage: 10 }));
  });
});

describe("funding of an isolated position", () => {
  /** Alice long 10 at 200, twenty times, with `collateral` in all; the oracle at 220, so that she gains, and the mark at 242: she pays. */
  async function paying(collateral: number, bid: number): Promise<World> {
    const all = accounts.map((account) =>
      account.accountId === ALICE ? { ...account, collateral: dollars(collateral) } : account,
    );
    const world = await openWorld({ accounts: all });
    await world.run(bobs({ price: usd(200), size: contracts(10) }), bob);
    await world.run(order({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 20 }));
    await world.control("PATCH", "/oracle/1", { price: "220" });
    await world.run(bobs({ side: "buy", price: usd(bid), size: contracts(20) }), bob);
    await world.run(bobs({ price: usd(484 - bid), size: contracts(20) }), bob);
    return world;
  }
  const until = async (world: World, isOver: (bucket: Usdc | undefined) => boolean) => {
    for (let hours = 0; hours < 8 && !isOver(await bucketOf(world)); hours += 1) await world.advance(HOUR_MS);
  };

  it("comes from its bucket first, then from the free collateral [61a]", async () => {
    await using world = await paying(1101, 241);
    const before = (await world.client.accounts.byId(ALICE)).collateral;
    expect(before).toBe(dollars(1000));
    await world.advance(HOUR_MS);
    expect((await world.client.accounts.byId(ALICE)).collateral).toBe(before);
    await until(world, (bucket) => bucket === 0n);
    expect(await bucketOf(world)).toBe(0n);
    expect((await world.client.accounts.byId(ALICE)).collateral).toBeLessThan(before);
  });

  it("that neither can pay closes the position on the book before a bucket below zero shows [61a]", async () => {
    await using world = await paying(101, 241);
    const { of, settled } = await world.follow([{ channel: "liquidations", accountId: ALICE }]);
    await until(world, (bucket) => bucket === undefined || bucket < 0n);
    await settled();
    expect(await bucketOf(world)).toBeUndefined();
    expect(of("liquidation")).toMatchObject([{ positionsClosed: 1 }]);
    expect((await world.client.accounts.byId(ALICE)).collateral).toBeGreaterThan(dollars(250));
  });
});

describe("an order that says no margin mode", () => {
  const sell = (of: object) => order({ side: "sell", price: usd(200), marginMode: null, ...of });
  const bid = (size: number) => bobs({ side: "buy", price: usd(200), size: contracts(size) });

  it.each([
    ["at once", {}],
    ["as a market order", { orderType: "Market", price: usd(0), timeInForce: "IOC" }],
    ["reduce only", { reduceOnly: true }],
  ])("closes an isolated position as its own: %s [61a]", async (_, of) => {
    await using world = await openWorld();
    await isolated(world);
    await world.run(bid(10), bob);
    await world.run(sell({ size: contracts(4), ...of }));
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([
      { marginMode: "Isolated", size: contracts(6), isolatedMargin: dollars(120) },
    ]);
  });

  it("rests to close it, and closes it as a stop that was there before [61a]", async ({ world }) => {
    const stop = { orderType: "StopMarket", price: usd(0), triggerPrice: usd(195), timeInForce: "IOC" } as const;
    await world.run(sell({ ...stop, size: contracts(6) }));
    await isolated(world);
    await world.run(sell({ price: usd(201), size: contracts(4) }));
    await world.run(bobs({ side: "buy", price: usd(201), size: contracts(4) }), bob);
    await world.run(bid(6), bob);
    await world.control("PATCH", "/oracle/1", { price: "195" });
    await world.advance(200);
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
  });

  it("is a Cross order where it is larger than the position, or on its side [61a]", async ({ world }) => {
    await isolated(world);
    await world.run(bid(20), bob);
    expect(await world.submit(sell({ size: contracts(10.000_001) }))).toMatchObject({ kind: "refused" });
    expect(await world.submit(order({ marginMode: null }))).toMatchObject({ kind: "refused" });
    expect(await world.submit(sell({ marginMode: "Cross" }))).toMatchObject({ kind: "refused" });
  });
});

describe("AdjustIsolatedMargin", () => {
  it("moves cross collateral into the bucket, and back [61b]", async ({ world }) => {
    await isolated(world);
    const before = (await world.client.accounts.byId(ALICE)).collateral;
    await world.run(adjust(dollars(50)));
    expect(await bucketOf(world)).toBe(dollars(250));
    expect(before - (await world.client.accounts.byId(ALICE)).collateral).toBe(dollars(50));
    await world.run(adjust(dollars(-50)));
    expect(await bucketOf(world)).toBe(dollars(200));
    expect((await world.client.accounts.byId(ALICE)).collateral).toBe(before);
  });

  it("is refused without an isolated position [61b]", async ({ world }) => {
    expect(await world.submit(adjust(dollars(1)))).toMatchObject({ kind: "refused" });
    await world.run(bobs({ price: usd(200) }), bob);
    await world.run(order({ price: usd(200) }));
    expect(await world.submit(adjust(dollars(1)))).toMatchObject({ kind: "refused" });
  });

  it("is refused beyond the free cross collateral [61b]", async ({ world }) => {
    await isolated(world);
    const { availableCollateral } = await world.client.accounts.byId(ALICE);
    const beyond = (availableCollateral! + 1n) as Usdc;
    expect(await world.submit(adjust(beyond))).toMatchObject({ kind: "refused" });
    await world.run(adjust(availableCollateral!));
  });

  it("is refused where the bucket would fall below the initial margin at its leverage [61b]", async ({ world }) => {
    await isolated(world);
    expect(await world.submit(adjust(-1n as Usdc))).toMatchObject({ kind: "refused" });
    await world.run(adjust(dollars(1)));
    await world.run(adjust(dollars(-1)));
    expect(await bucketOf(world)).toBe(dollars(200));
  });

  it("takes a signed 128-bit delta as bare digits, and nothing larger [61b]", async ({ world }) => {
    await isolated(world);
    const text = (delta: string) => `{"AdjustIsolatedMargin":{"account_id":12,"market_id":1,"delta":${delta}}}`;
    expect((await world.postText(text(`${2n ** 127n - 1n}`))).json).toMatchObject({ status: "failed" });
    expect((await world.postText(text(`${2n ** 127n}`))).status).toBe(400);
    expect((await world.postText(text(`"5"`))).status).toBe(400);
    expect((await world.postText(text("5"))).json).toMatchObject({ status: "success" });
  });
});
