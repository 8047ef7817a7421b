// Opening and closing accounts, and the double entry behind every movement of USDC.

import { describe, expect } from "vitest";
import { createEngine } from "../../../../../src/devnet/engine/engine.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { ALICE, BACKSTOP, BOB, contracts, dollars, it, makeWorld, marketSpec, usd } from "../set-up.ts";

const SUB = accountId(31n);

describe("an account", () => {
  it("is opened once, under a master that is one", () => {
    const { engine, ctx } = makeWorld();
    const open = (id: bigint, master: bigint | null) =>
      engine.openAccount(
        { accountId: accountId(id), masterAccountId: master === null ? null : accountId(master) },
        ctx(),
      );
    expect(open(1n, null)).toMatchObject({ code: "AccountExists" });
    expect(open(31n, 404n)).toMatchObject({ code: "UnknownMaster" });
    expect(open(31n, 1n)).toBeNull();
    expect(open(32n, 31n)).toMatchObject({ code: "UnknownMaster" });
    expect(open(2n ** 64n - 1n, null)).toBeNull();
    expect(engine.account(accountId(2n ** 64n - 1n))).toMatchObject({ collateral: 0n, openOrders: [] });
  });

  it("is closed only when nothing is left in it", ({ world }) => {
    const { engine } = world;
    engine.openAccount({ accountId: SUB, masterAccountId: ALICE }, world.ctx());
    engine.post({ from: ALICE, to: SUB, amount: dollars(100) }, world.ctx());
    const close = () => engine.closeAccount(SUB, world.ctx());
    expect(close()).toMatchObject({ code: "AccountNotEmpty" });
    world.place({ accountId: SUB, price: usd(190) });
    expect(close()).toMatchObject({ error: expect.stringContaining("orders") });
    engine.cancelAll(SUB, null, world.ctx());
    world.place({ accountId: BOB, side: "sell", price: usd(200) });
    world.place({ accountId: SUB, price: usd(200) });
    expect(close()).toMatchObject({ error: expect.stringContaining("positions") });
    world.place({ accountId: BOB, price: usd(200) });
    world.place({ accountId: SUB, side: "sell", price: usd(200), reduceOnly: true });
    engine.post({ from: SUB, to: ALICE, amount: engine.account(SUB)!.collateral }, world.ctx());
    expect(close()).toBeNull();
    expect(engine.account(SUB)).toBeUndefined();
    expect(close()).toMatchObject({ code: "UnknownAccount" });
    expect(engine.account(ALICE)?.feeTierVolume30d).toBe(dollars(400));
    world.print(201);
    engine.auditBalances();
  });

  it("of last resort stays open", ({ world }) => {
    expect(world.engine.closeAccount(BACKSTOP, world.ctx())).toMatchObject({ code: "BackstopAccount" });
  });
});

describe("the books", () => {
  it("show a deposit as the bridge's debt and nothing out of nowhere", () => {
    const { engine } = makeWorld();
    expect(engine.systemBalance("custody")).toBe(-dollars(300_000));
    engine.auditBalances();
  });

  it("publish of every change once, in canonical bytes", () => {
    const [one, two] = [makeWorld(), makeWorld()];
    for (const world of [one, two]) {
      world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
      world.place({ price: usd(200) });
    }
    expect(Buffer.concat(one.changes).toString("hex")).toBe(Buffer.concat(two.changes).toString("hex"));
    const told = one.changes.length;
    one.place({ price: usd(199.99) });
    expect(one.changes.length).toBe(told + 1);
  });
});

describe("the options", () => {
  it("must agree with each other", () => {
    const base = { markets: [marketSpec], openOrderCap: 1, record: () => {} };
    expect(() => createEngine({ ...base, feeTiers: [] })).toThrow("the fee schedule has a row for RealEstate");
    const feeTiers = [{ assetClass: "RealEstate", minVolume30d: dollars(0), makerFeeBps: 0, takerFeeBps: 0 }];
    const snapshot = createEngine({ ...base, feeTiers }).snapshot();
    expect(() => createEngine({ ...base, feeTiers, resumeFrom: { ...snapshot, version: 99 } })).toThrow("version");
    expect(() => createEngine({ ...base, feeTiers, markets: [], resumeFrom: snapshot })).toThrow("market 1");
  });
});
