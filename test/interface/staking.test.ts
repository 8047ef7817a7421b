// Rows 41 to 44 and 91: NATIVE, liquid, unallocated, staked and unbonding (S2.7, S4.4).

import { describe, expect } from "vitest";
import { ALICE, alice, carol, DAY_MS, START_MS } from "./actors.ts";
import { it, type World } from "./world.ts";

const delegate = (world: World, type: "DelegateStake" | "UndelegateStake", amount: bigint) =>
  world.run({ type, accountId: ALICE, validator: "validator-1", amount }, alice);

describe("reads", () => {
  it("validators have stake, commission, uptime and status [41]", async ({ world }) => {
    await delegate(world, "DelegateStake", 2_000_000n);
    const { json } = await world.get("/v1/staking/validators");
    expect(json).toContainEqual({
      name: "validator-1",
      stake: "2000000",
      commissionBps: expect.any(Number),
      uptimeBps: expect.any(Number),
      status: "Active",
    });
    expect((await world.client.staking.validators())[0]).toMatchObject({ name: "validator-1", stake: 2_000_000n });
  });

  it("staking info has total staked, active validators, epoch and yield [42]", async ({ world }) => {
    await delegate(world, "DelegateStake", 2_000_000n);
    expect((await world.get("/v1/staking/info")).json).toMatchObject({
      totalStaked: "2000000",
      activeValidators: 3,
      epoch: expect.any(Number),
      epochEndsAt: expect.any(Number),
      apyBps: expect.any(Number),
    });
    expect(await world.client.staking.state()).toMatchObject({ totalStaked: 2_000_000n, activeValidators: 3 });
  });

  it("a key's balance tells what its master has available, or what awaits one [43]", async ({ world }) => {
    await delegate(world, "DelegateStake", 2_000_000n);
    const { staking } = world.client;
    expect(await staking.balance(alice.publicKey)).toMatchObject({
      pubkey: alice.publicKey,
      available: 3_000_000n,
      availableFrom: "master",
      staked: 2_000_000n,
      unbonding: [],
    });
    expect(await staking.balance(`0x${carol.publicKey}`)).toMatchObject({
      available: 0n,
      availableFrom: "unallocated",
    });
    await expect(staking.balance("nonsense")).rejects.toMatchObject({ httpStatus: 400 });
  });

  it("delegations are all of a key's [44a]", async ({ world }) => {
    await delegate(world, "DelegateStake", 2_000_000n);
    const stake = { type: "DelegateStake", accountId: ALICE, validator: "validator-2", amount: 1n } as const;
    await world.run(stake, alice);
    expect(await world.client.staking.delegations(alice.publicKey)).toEqual([
      { validator: "validator-1", amount: 2_000_000n },
      { validator: "validator-2", amount: 1n },
    ]);
    expect(await world.client.staking.delegations(carol.publicKey)).toEqual([]);
  });
});

describe("NATIVE", () => {
  it("moves from liquid to staked to unbonding and back to liquid [91]", async ({ world }) => {
    const where = async () => {
      const { accounts, stakedNative, unbondingNative } = await world.client.accounts.assets(alice.publicKey);
      return [accounts[0]?.nativeBalance, stakedNative, unbondingNative];
    };
    expect(await where()).toEqual([5_000_000n, 0n, 0n]);
    await delegate(world, "DelegateStake", 2_000_000n);
    expect(await where()).toEqual([3_000_000n, 2_000_000n, 0n]);
    await delegate(world, "UndelegateStake", 500_000n);
    expect(await where()).toEqual([3_000_000n, 1_500_000n, 500_000n]);
    const [part] = (await world.client.staking.balance(alice.publicKey)).unbonding;
    expect(part).toMatchObject({ amount: 500_000n });
    await world.advance((part?.releasedAtMs ?? 0) - START_MS - 1);
    expect(await where()).toEqual([3_000_000n, 1_500_000n, 500_000n]);
    await world.advance(1);
    expect(await where()).toEqual([3_500_000n, 1_500_000n, 0n]);
    expect(part?.releasedAtMs).toBe(START_MS + 7 * DAY_MS);
  });

  it("that arrives before there is a master is unallocated, and goes to it [27, 91]", async ({ world }) => {
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, native: "0.000007" });
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "10" });
    const { accounts, exchange, staking } = world.client;
    expect(await accounts.assets(carol.publicKey)).toMatchObject({ accounts: [], unallocatedNative: 7n });
    expect((await accounts.assets(carol.publicKey)).unallocated).toContainEqual({ tokenId: 0, amount: 10_000_000n });
    expect(await staking.balance(carol.publicKey)).toMatchObject({ available: 7n, availableFrom: "unallocated" });
    await world.run({ type: "CreateFundedAccount", mode: "Cross", referredBy: null }, carol);
    expect((await accounts.byOwner(carol.publicKey)).nativeBalance).toBe(7n);
    expect(await accounts.assets(carol.publicKey)).toMatchObject({ unallocatedNative: 0n });
    expect((await exchange.unclaimed(carol.publicKey)).unclaimedUsdc).toBe(0n);
  });

  it("what was staked cannot be staked, sent or withdrawn again [91]", async ({ world }) => {
    await delegate(world, "DelegateStake", 5_000_000n);
    const amount = 1n;
    const again = { type: "DelegateStake", accountId: ALICE, validator: "validator-1", amount } as const;
    expect(await world.submit(again, alice)).toMatchObject({ kind: "refused" });
    const withdrawal = { type: "RequestWithdrawal", accountId: ALICE, tokenId: 1, amount, destination: "x" } as const;
    expect(await world.submit(withdrawal, alice)).toMatchObject({ kind: "refused" });
  });
});
