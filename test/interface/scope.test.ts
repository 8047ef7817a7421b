// Rows 71 to 77: who may do what (S5).

import { describe, expect } from "vitest";
import { orderId, type Usdc } from "../../src/domain/units.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import {
  ALICE,
  ALICE_SUB,
  accounts,
  agent,
  alice,
  aliceKey,
  aliceSession,
  BOB,
  bob,
  bobs,
  dollars,
  foreignKey,
  order,
  START_SEC,
  signerOf,
  usd,
} from "./actors.ts";
import { it, openWorld, placedId, type World } from "./world.ts";

/** Alice's family may have subaccounts. */
const people = accounts.map((each) => (each.accountId === ALICE ? { ...each, volume30d: dollars(100_000) } : each));

const trading: readonly Transaction[] = [
  order(),
  { type: "CancelOrder", orderId: orderId(1n) },
  { type: "CancelAllOrders", marketId: null },
  { type: "ModifyOrder", orderId: orderId(1n), newPrice: usd(198), newSize: null },
  { type: "AdjustIsolatedMargin", accountId: ALICE, marketId: 1, delta: 1n as Usdc },
];
const transfer: Transaction = { type: "Transfer", fromAccountId: ALICE, toAccountId: BOB, tokenId: 0, amount: 1n };
const withdrawal: Transaction = {
  type: "RequestWithdrawal",
  accountId: ALICE,
  tokenId: 0,
  amount: 1n,
  destination: "there",
};
const agentKeys: readonly Transaction[] = [
  { type: "ApproveAgent", accountId: ALICE, agent: signerOf(50).publicKey, name: null, expiresAtSec: null },
  { type: "RevokeAgent", accountId: ALICE, agent: agent.publicKey },
];
const subaccounts: readonly Transaction[] = [
  { type: "CreateSubaccount", masterAccountId: ALICE },
  { type: "CloseSubaccount", accountId: ALICE_SUB },
];
const vaults = (vault: typeof ALICE): readonly Transaction[] => [
  { type: "DepositToVault", accountId: ALICE, vaultAccountId: vault, amount: 1_000_000n },
  { type: "WithdrawFromVault", accountId: ALICE, vaultAccountId: vault, shares: 1_000n },
];

const hosted = (world: World, credential: typeof aliceKey | typeof aliceSession, transaction: Transaction) =>
  world.answered(world.clientWith({ credential }).submitHosted(transaction));

/** Within its scope: executed, or executed and refused for a reason of its own. */
const within = expect.stringMatching(/^(executed|refused)$/);

describe("an API key", () => {
  it.each(trading.map((transaction) => [transaction.type, transaction] as const))(
    "may have %s signed [71]",
    async (_, transaction) => {
      await using world = await openWorld();
      expect(await hosted(world, aliceKey, transaction)).toMatchObject({ kind: within });
    },
  );

  it("may have Transfer signed [71]", async ({ world }) => {
    expect(await hosted(world, aliceKey, transfer)).toMatchObject({ kind: "executed" });
  });

  it("may deposit into vaults and ask for its shares back [71]", async ({ world }) => {
    await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: 1_000_000n }, alice);
    const vault = (await world.client.accounts.ownedBy(alice.publicKey)).find(({ isVault }) => isVault);
    for (const transaction of vaults(vault?.accountId ?? ALICE)) {
      await world.advance(1);
      expect(await hosted(world, aliceKey, transaction)).toMatchObject({ kind: "executed" });
    }
    expect(await world.client.devnet.vault(vault?.accountId ?? ALICE)).toMatchObject({ name: "fund" });
  });

  it.each([withdrawal, ...agentKeys, ...subaccounts].map((transaction) => [transaction.type, transaction] as const))(
    "may not have %s signed: 403 [72]",
    async (_, transaction) => {
      await using world = await openWorld({ accounts: people });
      const before = await world.client.accounts.ownedBy(alice.publicKey);
      expect(await hosted(world, aliceKey, transaction)).toMatchObject({ kind: "rejected", httpStatus: 403 });
      expect(await world.client.accounts.ownedBy(alice.publicKey)).toEqual(before);
    },
  );

  it("reaches its owner's accounts alone [71]", async ({ world }) => {
    expect(await hosted(world, aliceKey, bobs())).toMatchObject({ kind: "rejected" });
  });
});

describe("an owner", () => {
  it.each(
    [transfer, withdrawal, ...agentKeys, ...subaccounts].map((transaction) => [transaction.type, transaction] as const),
  )("may have %s signed in a session, and sign it alone [72]", async (_, transaction) => {
    for (const path of ["session", "key"]) {
      await using world = await openWorld({ accounts: people });
      const outcome =
        path === "session" ? await hosted(world, aliceSession, transaction) : await world.submit(transaction, alice);
      expect(outcome).toMatchObject({ kind: "executed" });
    }
  });

  it("of another account may do nothing [72]", async () => {
    await using world = await openWorld({ accounts: people });
    for (const transaction of [order(), transfer, withdrawal, ...agentKeys, ...subaccounts]) {
      expect(await world.submit(transaction, bob)).toMatchObject({ kind: "rejected" });
    }
  });
});

describe("an agent key", () => {
  it.each(trading.map((transaction) => [transaction.type, transaction] as const))(
    "may sign %s [73]",
    async (_, transaction) => {
      await using world = await openWorld();
      expect(await world.submit(transaction)).toMatchObject({ kind: within });
    },
  );

  it.each(
    [transfer, withdrawal, ...agentKeys, ...subaccounts].map((transaction) => [transaction.type, transaction] as const),
  )("may not sign %s [73, 108]", async (_, transaction) => {
    await using world = await openWorld({ accounts: people });
    expect(await world.submit(transaction)).toMatchObject({ kind: "rejected", httpStatus: 400 });
    expect(await world.client.accounts.byId(ALICE)).toMatchObject({ collateral: dollars(100_000) });
  });

  it("on a master trades the whole family [74]", async ({ world }) => {
    await world.run(order());
    await world.run(order({ accountId: ALICE_SUB }));
  });

  it("on a subaccount trades that one alone [74]", async ({ world }) => {
    const key = signerOf(51);
    const approve = { type: "ApproveAgent", accountId: ALICE_SUB, agent: key.publicKey, name: null } as const;
    await world.run({ ...approve, expiresAtSec: START_SEC + 100 }, alice);
    const placed = placedId(await world.run(order({ accountId: ALICE_SUB }), key));
    expect(await world.submit(order(), key)).toMatchObject({ kind: "rejected" });
    const masters = placedId(await world.run(order()));
    expect(await world.submit({ type: "CancelOrder", orderId: masters }, key)).toMatchObject({ kind: "rejected" });
    await world.run({ type: "CancelOrder", orderId: placed }, key);
  });

  it("that nobody approved may do nothing [73]", async ({ world }) => {
    expect(await world.submit(order(), foreignKey)).toMatchObject({ kind: "rejected" });
  });
});

describe("reads", () => {
  it.each([
    "/v1/markets",
    "/v1/markets/1/orderbook",
    "/v1/oracle/1",
    "/v1/fee-tiers",
    "/v1/node/info",
    "/v1/tokens",
    "/v1/bridge/state",
    `/v1/accounts/${ALICE}`,
    `/v1/accounts/by-owner/${alice.publicKey}`,
    `/v1/accounts/by-owner/${alice.publicKey}/assets`,
  ])("%s needs no credential [76]", async (path) => {
    await using world = await openWorld();
    expect((await world.get(path)).status).toBe(200);
  });

  it.each([
    ["/v1/transfers/recipient?kind=account&value=20", false],
    ["/v1/transfers/history", false],
    [`/v1/accounts/${ALICE}/trades`, true],
    [`/v1/accounts/${ALICE}/trades/csv`, true],
    ["/v1/stats", true],
  ])("%s needs a session or an API key [38, 76]", async (path, rest) => {
    await using world = await openWorld();
    const ask = (headers: Record<string, string>) => world.get(path, rest ? { rest: true, headers } : { headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ "x-api-key": aliceKey.key })).status).toBe(200);
    expect((await ask({ authorization: `Bearer ${aliceSession.token}` })).status).toBe(200);
  });
});

describe("the hosted key", () => {
  it("is made inside, signs for its owner, and is in no answer [77]", async ({ world }) => {
    const seeds = [101, 102, 103].map((byte) => signerOf(byte));
    expect(await hosted(world, aliceKey, order())).toMatchObject({ kind: "executed" });
    const [block] = (await world.client.devnet.blocks()).filter(({ transactionCount }) => transactionCount === 1);
    const sender = block?.transactions[0]?.sender;
    expect(sender).toBe(alice.publicKey);
    const headers = { "x-api-key": aliceKey.key };
    const paths = [`/v1/accounts/${ALICE}`, `/v1/accounts/by-owner/${alice.publicKey}/list`];
    const texts = await Promise.all(paths.map(async (path) => (await world.get(path, { headers })).text));
    for (const { publicKey } of seeds) expect(texts.join()).not.toContain(publicKey);
    expect(texts.join()).not.toContain(Buffer.alloc(32, 101).toString("hex"));
  });

  it("can be exported by no route and no transaction [77]", async ({ world }) => {
    const headers = { "x-api-key": aliceKey.key };
    for (const path of ["/v1/keys/export", "/keys/export", "/v1/export"]) {
      expect((await world.get(path, { rest: true, headers })).status).toBe(404);
    }
    expect((await world.postText(`{"ExportKey":{}}`, { signer: alice })).status).toBe(400);
  });
});
