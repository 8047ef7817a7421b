// Rows 62 to 70, 84 to 87 and 109 to 115: what owners do with their accounts, agents, subaccounts, transfers and withdrawals.

import { describe, expect } from "vitest";
import type { MarketConfig } from "../../src/devnet/config/config.ts";
import { type AccountId, accountId, usdc } from "../../src/domain/units.ts";
import { bytesOfHex } from "../../src/kernel/hex.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import { plainMarket as market } from "../support/plain-exchange.ts";
import {
  ALICE,
  ALICE_SUB,
  accounts,
  alice,
  aliceKey,
  aliceSession,
  BOB,
  bob,
  carol,
  config,
  contracts,
  DAY_MS,
  dollars,
  HOUR_MS,
  order,
  START_MS,
  START_SEC,
  signerOf,
  usd,
} from "./actors.ts";
import { it, openWorld, trade, type World } from "./world.ts";

const collateralOf = async (world: World, id: AccountId) => (await world.client.accounts.byId(id)).collateral;

/** Alice's family has traded this much, USDC. */
const withVolume = (human: number) =>
  accounts.map((each) => (each.accountId === ALICE ? { ...each, volume30d: dollars(human) } : each));

describe("CreateFundedAccount", () => {
  const create: Transaction = { type: "CreateFundedAccount", mode: "Cross", referredBy: null };
  const deposit = (world: World, amount: string) =>
    world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: amount });
  const once = { referredBy: null, pollMs: 0, timeoutMs: 0 };

  it("consumes what was unclaimed, takes the fee and credits the rest [62a]", async ({ world }) => {
    await deposit(world, "12.5");
    await world.run(create, carol);
    const made = await world.client.accounts.byOwner(carol.publicKey);
    expect(made).toMatchObject({ collateral: dollars(11.5), pendingActivation: false, mode: "Cross" });
    expect(await world.client.exchange.unclaimed(carol.publicKey)).toMatchObject({ unclaimedUsdc: 0n });
    await world.run(order({ accountId: made.accountId, size: contracts(0.1) }), carol);
  });

  it("below 5,000,000 base units it is refused, and the money stays for another try [84b, 114]", async ({ world }) => {
    await deposit(world, "4.999999");
    expect(await world.submit(create, carol)).toMatchObject({ kind: "refused" });
    expect(await world.client.exchange.unclaimed(carol.publicKey)).toMatchObject({ unclaimedUsdc: usdc(4_999_999n) });
    await deposit(world, "0.000001");
    await world.run(create, carol);
    expect((await world.client.accounts.byOwner(carol.publicKey)).collateral).toBe(dollars(4));
  });

  it("happens once an owner [62a]", async ({ world }) => {
    await world.control("POST", "/bridge/deposits", { owner: alice.publicKey, usdc: "10" });
    expect(await world.submit(create, alice)).toMatchObject({ kind: "refused" });
    expect(await collateralOf(world, ALICE)).toBe(dollars(100_010));
  });

  it("knows its referrer: an eligible personal account, or none [62b]", async ({ world }) => {
    await deposit(world, "10");
    expect(await world.submit({ ...create, referredBy: accountId(999n) }, carol)).toMatchObject({ kind: "refused" });
    expect(await world.submit({ ...create, referredBy: ALICE_SUB }, carol)).toMatchObject({ kind: "refused" });
    await world.run({ ...create, referredBy: ALICE }, carol);
    expect(await world.client.accounts.invites(ALICE)).toMatchObject({ consumed: 1, remaining: 9 });
  });

  it("takes no mode but Cross [62a]", async ({ world }) => {
    const text = `{"CreateFundedAccount":{"mode":"Isolated"}}`;
    expect((await world.postText(text, { signer: carol })).status).toBe(400);
  });

  it("the client's flow looks first, says what is missing, creates, and runs again without harm [62c]", async ({
    world,
  }) => {
    const open = () => world.answered(world.client.openFundedAccount(carol, once));
    await deposit(world, "2");
    expect(await open()).toEqual({ kind: "unfunded", unclaimed: dollars(2), needed: 5_000_000n });
    await deposit(world, "3");
    const made = await open();
    expect(made).toMatchObject({ kind: "open" });
    expect(await open()).toEqual(made);
    expect(await collateralOf(world, (made as { accountId: AccountId }).accountId)).toBe(dollars(4));
  });

  it("the client's flow waits for the bridge [62c]", async ({ world }) => {
    const opening = world.client.openFundedAccount(carol, { referredBy: null, pollMs: 5, timeoutMs: 10_000 });
    await world.get(`/v1/bridge/state?owner=${carol.publicKey}`);
    await deposit(world, "5");
    expect(await world.answered(opening)).toMatchObject({ kind: "open" });
  });
});

it("CreateReferredAccount is retired: refused by the exchange, not sent by the client [63]", async ({ world }) => {
  const answer = await world.postText(`{"CreateReferredAccount":{}}`, { signer: carol });
  expect(answer.json).toMatchObject({ status: "failed", error: expect.stringContaining("retired") });
  expect(await world.submit({ type: "CreateReferredAccount" }, carol)).toMatchObject({ kind: "notSent" });
  expect(await world.client.accounts.ownedBy(carol.publicKey)).toEqual([]);
});

const longLived: MarketConfig = {
  ...market,
  oracle: { source: "fixed", price: usd(200), validForSecs: 86_400_000 },
};

describe("agents", () => {
  const key = signerOf(40);
  const approve = (of: { name?: string | null; expiresAtSec?: number | null } = {}) =>
    ({ type: "ApproveAgent", accountId: ALICE, agent: key.publicKey, name: null, expiresAtSec: null, ...of }) as const;
  const listed = async (world: World) =>
    (await world.client.accounts.byId(ALICE)).agents.find(({ pubkey }) => pubkey === key.publicKey);

  it("approved with name and expiry, an agent may trade [64, 85]", async ({ world }) => {
    expect(await world.submit(order(), key)).toMatchObject({ kind: "rejected" });
    await world.run(approve({ name: "second", expiresAtSec: START_SEC + 100 }), alice);
    expect(await listed(world)).toEqual({ pubkey: key.publicKey, name: "second", expiresAtSec: START_SEC + 100 });
    await world.run(order(), key);
  });

  it("its name has at most 64 bytes [64]", async ({ world }) => {
    await world.run(approve({ name: "é".repeat(32) }), alice);
    expect(await listed(world)).toMatchObject({ name: "é".repeat(32) });
    expect(await world.submit(approve({ name: "é".repeat(33) }), alice)).toMatchObject({
      kind: "rejected",
      httpStatus: 400,
    });
  });

  it("without expiry it is good until revoked [64]", async () => {
    await using world = await openWorld({ markets: [longLived] });
    await world.run(approve(), alice);
    await world.advance(400 * DAY_MS);
    await world.run(order(), key);
    expect(await listed(world)).toMatchObject({ expiresAtSec: null });
  });

  it("approved again, it gets the new name and expiry in place [75]", async ({ world }) => {
    await world.run(approve({ name: "one", expiresAtSec: START_SEC + 100 }), alice);
    await world.run(approve({ name: "two", expiresAtSec: START_SEC + 200 }), alice);
    expect((await world.client.accounts.byId(ALICE)).agents).toHaveLength(2);
    expect(await listed(world)).toMatchObject({ name: "two", expiresAtSec: START_SEC + 200 });
  });

  it("it is active strictly before its expiry, and listed until revoked [75, 85]", async ({ world }) => {
    await world.run(approve({ expiresAtSec: START_SEC + 10 }), alice);
    await world.advance(9999);
    await world.run(order(), key);
    await world.advance(1);
    expect(await world.submit(order(), key)).toMatchObject({
      kind: "rejected",
      error: expect.stringContaining("expired"),
    });
    expect(await listed(world)).toBeDefined();
    await world.run(approve({ expiresAtSec: START_SEC + 20 }), alice);
    await world.run(order(), key);
  });

  it("revoked, it is gone, and its orders and positions are untouched [65, 85]", async ({ world }) => {
    await world.run(approve(), alice);
    await world.run(order(), key);
    await world.run({ type: "RevokeAgent", accountId: ALICE, agent: key.publicKey }, alice);
    expect(await listed(world)).toBeUndefined();
    expect(await world.client.accounts.openOrders(ALICE)).toHaveLength(1);
    expect(await world.submit(order(), key)).toMatchObject({ kind: "rejected" });
  });

  it("an expiry in milliseconds is refused, by the client before it is sent [64]", async ({ world }) => {
    expect(await world.submit(approve({ expiresAtSec: START_MS }), alice)).toMatchObject({ kind: "notSent" });
    const bytes = bytesOfHex(key.publicKey).join(",");
    const text = `{"ApproveAgent":{"account_id":12,"agent":[${bytes}],"expires_at":${START_MS}}}`;
    expect((await world.postText(text, { signer: alice })).status).toBe(400);
  });
});

describe("subaccounts", () => {
  const create: Transaction = { type: "CreateSubaccount", masterAccountId: ALICE };
  const close = (id: AccountId): Transaction => ({ type: "CloseSubaccount", accountId: id });
  const subs = async (world: World) =>
    (await world.client.accounts.ownedBy(alice.publicKey)).filter(({ masterAccountId }) => masterAccountId === ALICE);

  it("open below the unlocked capacity, with the master's owner [66]", async () => {
    await using world = await openWorld({ accounts: withVolume(100_000) });
    await world.run(create, alice);
    const [, second] = await subs(world);
    expect(second).toMatchObject({ masterAccountId: ALICE, isVault: false });
    expect(await world.client.accounts.byId(second?.accountId ?? ALICE)).toMatchObject({
      owner: alice.publicKey,
      collateral: 0n,
    });
  });

  it.each([
    [99_999.999_999, 0],
    [100_000, 10],
    [100_099_999.999_999, 10],
    [100_100_000, 11],
    [100_000_000_000, 50],
  ])("a family volume of %f USDC unlocks %i [111, 115]", async (volume, capacity) => {
    await using world = await openWorld({
      accounts: withVolume(volume).filter(({ accountId: id }) => id !== ALICE_SUB),
    });
    for (let opened = 0; opened < capacity; opened += 1) await world.run(create, alice);
    expect(await world.submit(create, alice)).toMatchObject({ kind: "refused" });
    expect(await subs(world)).toHaveLength(capacity);
  });

  it("close with all remaining tokens to the master in the same transaction [68]", async ({ world }) => {
    await world.run({ type: "Transfer", fromAccountId: ALICE, toAccountId: ALICE_SUB, tokenId: 1, amount: 3n }, alice);
    await world.run(close(ALICE_SUB), alice);
    expect(await world.client.accounts.byId(ALICE)).toMatchObject({
      collateral: dollars(200_000),
      nativeBalance: 5_000_000n,
    });
    await expect(world.client.accounts.byId(ALICE_SUB)).rejects.toMatchObject({ httpStatus: 404 });
    const { items } = await world.clientWith({ credential: aliceKey }).transfers.history(null);
    expect(items.filter(({ reason }) => reason === "SubaccountClose").map(({ amount }) => amount)).toEqual(
      expect.arrayContaining([dollars(100_000), 3n]),
    );
  });

  it("an id is never used again [87]", async () => {
    await using world = await openWorld({ accounts: withVolume(100_000) });
    const ids: AccountId[] = [];
    for (let round = 0; round < 3; round += 1) {
      await world.run(create, alice);
      const made = (await subs(world)).at(-1)?.accountId ?? ALICE;
      ids.push(made);
      await world.run(close(made), alice);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it.each<[string, (world: World) => Promise<unknown>]>([
    ["an open order", (world) => world.run(order({ accountId: ALICE_SUB }))],
    [
      "an open position",
      async (world) => {
        await world.run(order({ accountId: BOB, side: "sell", price: usd(200) }), bob);
        await world.run(order({ accountId: ALICE_SUB, price: usd(200) }));
      },
    ],
  ])("closing is blocked by %s [110]", async (_, block) => {
    await using world = await openWorld();
    await block(world);
    expect(await world.submit(close(ALICE_SUB), alice)).toMatchObject({ kind: "refused" });
    expect(await world.client.accounts.byId(ALICE_SUB)).toMatchObject({ accountId: ALICE_SUB });
  });

  it("a master account cannot be closed [110]", async ({ world }) => {
    expect(await world.submit(close(BOB), bob)).toMatchObject({ kind: "refused" });
  });
});

describe("Transfer", () => {
  const send = (of: Partial<Extract<Transaction, { type: "Transfer" }>> = {}): Transaction => ({
    type: "Transfer",
    fromAccountId: ALICE,
    toAccountId: BOB,
    tokenId: 0,
    amount: 1_000_000n,
    ...of,
  });

  it("moves tokens between owners at once, without fee or approval [67a]", async ({ world }) => {
    await world.run(send(), alice);
    expect(await collateralOf(world, ALICE)).toBe(dollars(99_999));
    expect(await collateralOf(world, BOB)).toBe(dollars(100_001));
    await world.run(send({ tokenId: 1, amount: 5n }), alice);
    expect((await world.client.accounts.byId(BOB)).nativeBalance).toBe(5n);
  });

  it("leaves enough collateral for positions and open orders [67a]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(10) });
    const { availableCollateral } = await world.client.accounts.byId(ALICE);
    expect(await world.submit(send({ amount: availableCollateral! + 1n }), alice)).toMatchObject({ kind: "refused" });
    await world.run(send({ amount: availableCollateral! }), alice);
  });

  it.each([
    ["a destination that is not there", { toAccountId: accountId(999n) }],
    ["another token", { tokenId: 2 }],
    ["more than there is", { amount: 10n ** 30n }],
    ["more NATIVE than there is", { tokenId: 1, amount: 5_000_001n }],
    ["the account itself", { toAccountId: ALICE }],
  ])("to or of %s is refused [67a]", async (_, of) => {
    await using world = await openWorld();
    expect(await world.submit(send(of), alice)).toMatchObject({ kind: "refused" });
    expect(await collateralOf(world, ALICE)).toBe(dollars(100_000));
  });

  it("takes ids and amount as decimal text, the amount above zero and within 128 bits [67b, 116]", async ({
    world,
  }) => {
    const text = (from: string, amount: string) =>
      `{"Transfer":{"from_account_id":${from},"to_account_id":"20","token_id":0,"amount":${amount}}}`;
    const largest = `"${2n ** 127n - 1n}"`;
    expect((await world.postText(text(`"12"`, largest), { signer: alice })).json).toMatchObject({ status: "failed" });
    for (const [from, amount] of [
      [`"12"`, `"${2n ** 127n}"`],
      [`"12"`, `"0"`],
      [`"12"`, `"-1"`],
      [`"12"`, "1"],
      ["12", `"1"`],
    ]) {
      expect((await world.postText(text(from ?? "", amount ?? ""), { signer: alice })).status).toBe(400);
    }
    expect((await world.postText(text(`"12"`, `"1"`), { signer: alice })).json).toMatchObject({ status: "success" });
  });

  it("of a vault stays in the vault's family [26, 67a]", async ({ world }) => {
    await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: 1_000_000n }, alice);
    const vault = (await world.client.accounts.ownedBy(alice.publicKey)).find(({ isVault }) => isVault);
    const out = send({ fromAccountId: vault?.accountId ?? ALICE, amount: 1n });
    expect(await world.submit(out, alice)).toMatchObject({ kind: "refused" });
  });

  it("of a vault goes to the vault's subaccounts and back, and shares keep their worth [67a]", async ({ world }) => {
    await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: dollars(50_000) }, alice);
    const owned = () => world.client.accounts.ownedBy(alice.publicKey);
    const vault = (await owned()).find(({ isVault }) => isVault)?.accountId ?? ALICE;
    // 100,000 USDC of volume unlock the first subaccounts.
    await world.run(order({ accountId: BOB, side: "sell", price: usd(200), size: contracts(500) }), bob);
    await world.run(order({ accountId: vault, price: usd(200), size: contracts(500) }), alice);
    await world.run({ type: "CreateSubaccount", masterAccountId: vault }, alice);
    const sub = (await owned()).find(({ masterAccountId }) => masterAccountId === vault);
    expect(sub).toMatchObject({ isVault: false });
    const inside = { fromAccountId: vault, toAccountId: sub?.accountId ?? ALICE, amount: dollars(20_000) };
    await world.run(send(inside), alice);
    expect(await collateralOf(world, inside.toAccountId)).toBe(dollars(20_000));
    expect(await world.submit(send({ fromAccountId: inside.toAccountId }), alice)).toMatchObject({ kind: "refused" });
    const before = await collateralOf(world, ALICE);
    await world.run({ type: "WithdrawFromVault", accountId: ALICE, vaultAccountId: vault, shares: 1000n }, alice);
    // 49,950 USDC after the fee of 50 stand behind 50,000 million shares, wherever in the family they are.
    expect((await collateralOf(world, ALICE)) - before).toBe(999n);
    await world.run(
      send({ ...inside, fromAccountId: inside.toAccountId, toAccountId: vault, amount: dollars(1) }),
      alice,
    );
    await world.run({ type: "CloseSubaccount", accountId: inside.toAccountId }, alice);
  });

  it("is what the client checks the exchange's capabilities for [67b]", async ({ world }) => {
    const blind = world.clientWith({ readTimeoutMs: 200 });
    expect(await world.answered(blind.submit(send(), alice))).toMatchObject({ kind: "executed" });
    const { genericTransfers, atomicSubaccountClosure } = (await world.client.exchange.tokens()).capabilities;
    expect([genericTransfers, atomicSubaccountClosure]).toEqual([true, true]);
  });
});

describe("withdrawals", () => {
  const withdraw = (of: Partial<Extract<Transaction, { type: "RequestWithdrawal" }>> = {}): Transaction => ({
    type: "RequestWithdrawal",
    accountId: ALICE,
    tokenId: 0,
    amount: 2_000_000n,
    destination: "an address on the external chain",
    ...of,
  });
  const cancel: Transaction = { type: "CancelWithdrawal", accountId: ALICE, withdrawalId: 1n };

  it("a client that knows no devnet refuses to make one, with the reason [69a]", async ({ world }) => {
    const usual = world.clientWith({ unshownPayloads: "refused", credential: aliceSession });
    for (const transaction of [withdraw(), cancel]) {
      const why = expect.stringContaining("the interface shows no payload");
      expect(await world.answered(usual.submit(transaction, alice))).toEqual({ kind: "notSent", why });
      expect(await world.answered(usual.submitHosted(transaction))).toEqual({ kind: "notSent", why });
    }
    expect(await world.client.devnet.withdrawals(ALICE)).toEqual([]);
  });

  it("debit at once: USDC from the free collateral, NATIVE from the balance [69b]", async ({ world }) => {
    await world.run(withdraw(), alice);
    await world.run(withdraw({ tokenId: 1, amount: 5_000_000n }), alice);
    expect(await world.client.accounts.byId(ALICE)).toMatchObject({ collateral: dollars(99_998), nativeBalance: 0n });
    expect(await world.submit(withdraw({ tokenId: 1, amount: 1n }), alice)).toMatchObject({ kind: "refused" });
    expect(await world.client.devnet.withdrawals(ALICE)).toMatchObject([
      { withdrawalId: 1n, status: "Pending", amount: 2_000_000n, readyAtMs: START_MS + DAY_MS },
      { withdrawalId: 2n, tokenId: 1 },
    ]);
  });

  it("must leave what positions and orders need [69b]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(10) });
    const { availableCollateral } = await world.client.accounts.byId(ALICE);
    expect(await world.submit(withdraw({ amount: availableCollateral! + 1n }), alice)).toMatchObject({
      kind: "refused",
    });
  });

  it("a withdrawal canceled while Pending restores the exact debit [86]", async ({ world }) => {
    await world.run(withdraw(), alice);
    await world.advance(DAY_MS - 1);
    await world.run(cancel, alice);
    expect(await collateralOf(world, ALICE)).toBe(dollars(100_000));
    expect(await world.submit(cancel, alice)).toMatchObject({ kind: "refused" });
  });

  it("canceled while Pending, its use of the bridge's window is restored too [86]", async () => {
    const { deposits, withdrawals } = config.bridge;
    const limit = { ...withdrawals.limit, usdc: dollars(150_000) };
    await using world = await openWorld({ bridge: { deposits, withdrawals: { ...withdrawals, limit } } });
    for (let cycle = 1n; cycle <= 3n; cycle += 1n) {
      await world.run(withdraw({ amount: dollars(100_000) }), alice);
      await world.advance(HOUR_MS);
      await world.run({ ...cancel, withdrawalId: cycle }, alice);
    }
    await world.run(withdraw({ amount: dollars(50_000) }), alice);
    const { json } = await world.get("/v1/bridge/state");
    expect(json).toMatchObject({ tokens: [{ withdrawal_used: "50000000000" }, { withdrawal_used: "0" }] });
  });

  it("after 24 hours one is ReadyToClaim and can no longer be canceled [86, 109, 120]", async ({ world }) => {
    await world.run(withdraw(), alice);
    await world.advance(DAY_MS);
    expect(await world.client.devnet.withdrawals(ALICE)).toMatchObject([{ status: "ReadyToClaim" }]);
    expect(await world.submit(cancel, alice)).toMatchObject({
      kind: "refused",
      error: expect.stringContaining("ready"),
    });
    expect(await collateralOf(world, ALICE)).toBe(dollars(99_998));
  });

  it("that were claimed on the external chain are gone, and nothing comes back [86]", async ({ world }) => {
    await world.run(withdraw(), alice);
    expect(await world.ask("POST", "/bridge/withdrawals/1/claim", {})).toMatchObject({
      status: 400,
      json: { code: "WithdrawalPending" },
    });
    await world.advance(DAY_MS);
    await world.control("POST", "/bridge/withdrawals/1/claim", {});
    expect(await world.client.devnet.withdrawals(ALICE)).toEqual([]);
    expect(await collateralOf(world, ALICE)).toBe(dollars(99_998));
    expect(await world.ask("POST", "/bridge/withdrawals/1/claim", {})).toMatchObject({ status: 404 });
  });

  it("of NATIVE leave like those of USDC, and come in the same way [69b]", async ({ world }) => {
    await world.run(withdraw({ tokenId: 1, amount: 3_000_000n }), alice);
    await world.control("POST", "/bridge/deposits", { owner: alice.publicKey, native: "1" });
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, native: "2" });
    const { exchange, accounts } = world.client;
    expect((await accounts.byId(ALICE)).nativeBalance).toBe(3_000_000n);
    const inAndOut = async () => (await exchange.bridge()).tokens[1];
    expect(await inAndOut()).toMatchObject({ pendingDeposits: 2_000_000n, pendingWithdrawals: 3_000_000n });
    await world.advance(DAY_MS);
    await world.control("POST", "/bridge/withdrawals/1/claim", {});
    expect(await inAndOut()).toMatchObject({ pendingDeposits: 2_000_000n, pendingWithdrawals: 0n });
    expect((await accounts.byId(ALICE)).nativeBalance).toBe(3_000_000n);
  });

  it("of another token than USDC and NATIVE are refused [112]", async ({ world }) => {
    expect(await world.submit(withdraw({ tokenId: 2 }), alice)).toMatchObject({ kind: "refused" });
  });

  it("leave from the master account, where deposits arrive [70]", async ({ world }) => {
    expect(await world.submit(withdraw({ accountId: ALICE_SUB }), alice)).toMatchObject({ kind: "refused" });
    await world.control("POST", "/bridge/deposits", { owner: alice.publicKey, usdc: "10" });
    expect(await collateralOf(world, ALICE)).toBe(dollars(100_010));
    expect(await collateralOf(world, ALICE_SUB)).toBe(dollars(100_000));
  });
});

describe("an account that awaits activation", () => {
  it("says so with the fee, and can do nothing [84a]", async ({ world }) => {
    await world.control("POST", "/accounts", { owner: carol.publicKey }); // What the trading app's signup does.
    const pending = await world.client.accounts.byOwner(carol.publicKey);
    expect(pending).toMatchObject({ pendingActivation: true, pendingActivationFeeUsdc: dollars(1), collateral: 0n });
    const { json } = await world.get(`/v1/accounts/${pending.accountId}`);
    expect(json).toMatchObject({ pendingActivation: true, pendingActivationFeeUsdc: "1000000" });
    expect(await world.submit(order({ accountId: pending.accountId }), carol)).toMatchObject({ kind: "refused" });
  });

  it("awaits the fee of the configuration [84a]", async () => {
    await using world = await openWorld({ activationFee: dollars(7) });
    await world.control("POST", "/accounts", { owner: carol.publicKey });
    expect(await world.client.exchange.activationFee()).toBe(dollars(7));
    const pending = await world.client.accounts.byOwner(carol.publicKey);
    expect(pending).toMatchObject({ pendingActivationFeeUsdc: dollars(7) });
    const create: Transaction = { type: "CreateFundedAccount", mode: "Cross", referredBy: null };
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "6" });
    expect(await world.submit(create, carol)).toMatchObject({ kind: "refused" });
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "3" });
    await world.run(create, carol);
    expect(await collateralOf(world, pending.accountId)).toBe(dollars(2));
  });

  it("becomes active under its number by CreateFundedAccount [84a]", async ({ world }) => {
    await world.control("POST", "/accounts", { owner: carol.publicKey });
    const { accountId: number } = await world.client.accounts.byOwner(carol.publicKey);
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "10" });
    const opened = world.client.openFundedAccount(carol, { referredBy: null, pollMs: 0, timeoutMs: 0 });
    expect(await world.answered(opened)).toEqual({ kind: "open", accountId: number });
    const { json } = await world.get(`/v1/accounts/${number}`);
    expect(json).toMatchObject({ pendingActivation: false, collateral: "9000000" });
    expect(json).not.toHaveProperty("pendingActivationFeeUsdc");
  });
});
