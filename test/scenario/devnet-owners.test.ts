// Reads about owners, transfers, bridge, staking and blocks, over sockets and through the project's own decoders.

import { afterEach, describe, expect, it } from "vitest";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { parseJson } from "../../src/kernel/json.ts";
import * as exchange from "../../src/wire/rest/exchange.ts";
import * as owners from "../../src/wire/rest/owners.ts";
import type { Transaction } from "../../src/wire/transaction.ts";
import { until } from "../support/until.ts";
import { ALICE, ALICE_SUB, alice, BOB, bob, order } from "../unit/devnet/chain/set-up.ts";
import { ask, control, send, start, stopAll } from "./devnet-set-up.ts";

afterEach(stopAll);

const withKey = { headers: { "x-api-key": "secret-key" } };
const read = async (devnet: Devnet, path: string, init: RequestInit = {}) =>
  parseJson((await ask(devnet.validatorUrl + path, init)).text);

describe("owners", () => {
  it("have an asset summary of all their accounts; a key without any has an empty one", async () => {
    const devnet = await start();
    const assets = owners.ownerAssets.read(await read(devnet, `/v1/accounts/by-owner/${alice.publicKey}/assets`));
    expect(assets.accounts.map((account) => [account.accountId, account.masterAccountId])).toEqual([
      [ALICE, null],
      [ALICE_SUB, ALICE],
    ]);
    const nobody = await read(devnet, `/v1/accounts/by-owner/${"ab".repeat(32)}/assets`);
    expect(owners.ownerAssets.read(nobody).accounts).toEqual([]);
    expect((await ask(`${devnet.validatorUrl}/v1/accounts/by-owner/xyz/assets`)).status).toBe(400);
  });

  it("have invites by account", async () => {
    const devnet = await start();
    expect(owners.invites.read(await read(devnet, `/v1/accounts/${ALICE}/invites`)).accountId).toBe(ALICE);
    expect((await ask(`${devnet.validatorUrl}/v1/accounts/999/invites`)).status).toBe(404);
  });

  it("see what the bridge holds for their key before they have an account", async () => {
    const devnet = await start();
    const owner = "cd".repeat(32);
    const before = exchange.bridgeState.read(await read(devnet, `/v1/bridge/state?owner=0x${owner}`));
    expect(before).toMatchObject({ owner, unclaimedUsdc: 0n });
    await control(devnet, "POST", "/bridge/deposits", { owner, usdc: "10" });
    const after = exchange.bridgeState.read(await read(devnet, `/v1/bridge/state?owner=${owner}`));
    expect(after).toMatchObject({ owner, unclaimedUsdc: 10_000_000n });
    expect(after.tokens[0]?.pendingDeposits).toBe(10_000_000n);
    expect(exchange.bridgeState.read(await read(devnet, "/v1/bridge/state")).owner).toBeNull();
    expect((await ask(`${devnet.validatorUrl}/v1/bridge/state?owner=12`)).status).toBe(400);
  });

  it("stake: validators, totals, balance and delegations", async () => {
    const devnet = await start();
    expect(exchange.stakeValidators.read(await read(devnet, "/v1/staking/validators")).length).toBeGreaterThan(0);
    expect(exchange.stakingInfo.read(await read(devnet, "/v1/staking/info")).totalStaked).toBe(0n);
    expect(owners.stakingBalance.read(await read(devnet, `/v1/staking/balance/${alice.publicKey}`))).toMatchObject({
      available: 5_000_000n,
      availableFrom: "master",
      unbonding: [],
    });
    expect(owners.delegations.read(await read(devnet, `/v1/staking/delegations/${alice.publicKey}`))).toEqual([]);
    expect((await ask(`${devnet.validatorUrl}/v1/staking/balance/xyz`)).status).toBe(400);
  });
});

describe("transfers", () => {
  it("find a recipient by name, key or account, for a caller with a credential", async () => {
    const devnet = await start();
    const find = async (query: string) =>
      owners.recipient.read(await read(devnet, `/v1/transfers/recipient?${query}`, withKey));
    expect(await find("kind=username&value=alice")).toMatchObject({ accountId: ALICE, isMaster: true });
    expect(await find(`kind=wallet&value=${bob.publicKey}`)).toMatchObject({ accountId: BOB });
    expect(await find(`kind=account&value=${BOB}`)).toMatchObject({ accountId: BOB, owner: bob.publicKey });
  });

  it("list what was paid, newest first", async () => {
    const devnet = await start();
    await send(
      devnet,
      { type: "Transfer", fromAccountId: ALICE, toAccountId: BOB, tokenId: 0, amount: 7n },
      { signer: alice },
    );
    const page = owners.transferPage.read(await read(devnet, "/v1/transfers/history", withKey));
    expect(page).toMatchObject({ items: [{ amount: 7n, direction: "outgoing", toAccountId: BOB }], nextCursor: null });
  });

  it.each([
    ["/v1/transfers/recipient?kind=username&value=alice", {}, 401],
    ["/v1/transfers/history", {}, 401],
    ["/v1/transfers/recipient?kind=username&value=nobody", withKey, 404],
    ["/v1/transfers/recipient?kind=email&value=alice", withKey, 400],
    ["/v1/transfers/recipient?kind=account", withKey, 400],
    ["/v1/transfers/recipient?kind=wallet&value=0O", withKey, 400],
    ["/v1/transfers/history?cursor=x", withKey, 400],
  ])("%s is refused with a sentence and a code", async (path, init, status) => {
    const devnet = await start();
    const answer = await ask(devnet.validatorUrl + path, init);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/) });
  });
});

describe("shapes of our own", () => {
  it("withdrawals from request on, and vaults by account", async () => {
    const devnet = await start();
    const request: Transaction = {
      type: "RequestWithdrawal",
      accountId: ALICE,
      tokenId: 0,
      amount: 5_000_000n,
      destination: "somewhere",
    };
    expect((await send(devnet, request, { signer: alice })).body.status).toBe("success");
    expect(await read(devnet, `/v1/accounts/${ALICE}/withdrawals`)).toMatchObject({
      shape: "devnet",
      withdrawals: [{ tokenId: 0, amount: "5000000", destination: "somewhere", status: "Pending" }],
    });
    expect((await ask(`${devnet.validatorUrl}/v1/accounts/999/withdrawals`)).status).toBe(404);
    expect((await ask(`${devnet.validatorUrl}/v1/vaults/${ALICE}`)).status).toBe(404);
    const created = await send(
      devnet,
      { type: "CreateVault", accountId: ALICE, name: "ours", amount: 1_000_000_000n },
      { signer: alice },
    );
    expect(created.body.status).toBe("success");
    const vault = owners.ownerAssets.read(
      await read(devnet, `/v1/accounts/by-owner/${alice.publicKey}/assets`),
    ).accounts;
    const id = vault.find(({ isVault }) => isVault)?.accountId;
    const told = (await read(devnet, `/v1/vaults/${id}`)) as { shape: string; vault: unknown };
    expect([told.shape, owners.vault.read(told).leaderAccountId]).toEqual(["devnet", ALICE]);
  });
});

describe("the exchange", () => {
  it("names its tokens and its insurance fund", async () => {
    const devnet = await start();
    const { tokens } = exchange.tokenRegistry.read(await read(devnet, "/v1/tokens"));
    expect(tokens.map(({ id, symbol, decimals }) => [id, symbol, decimals])).toEqual([
      [0, "USDC", 6],
      [1, "NATIVE", 6],
    ]);
    expect(exchange.insuranceFund.read(await read(devnet, "/v1/insurance-fund")).balance).toBe(0n);
  });

  it("remembers its blocks, in a shape that says it is the devnet's own", async () => {
    const devnet = await start();
    const { body } = await send(devnet, order());
    const height = await until("the block of the order", async () => {
      const { blocks } = (await ask(`${devnet.validatorUrl}/v1/explorer/blocks`)).body as { blocks: unknown[] };
      return blocks.map((block) => exchange.block.read(block)).find(({ transactionCount }) => transactionCount > 0)
        ?.height;
    });
    const told = await read(devnet, `/v1/explorer/blocks/${height}`);
    expect(told).toMatchObject({ shape: "devnet" });
    expect(exchange.block.read(told)).toMatchObject({
      height,
      transactionCount: 1,
      transactions: [{ hash: body.hash, transactionType: "PlaceOrder", status: "success" }],
    });
    expect((await ask(`${devnet.validatorUrl}/v1/explorer/blocks/999999`)).status).toBe(404);
    expect((await ask(`${devnet.validatorUrl}/v1/explorer/blocks/x`)).status).toBe(400);
  });
});
