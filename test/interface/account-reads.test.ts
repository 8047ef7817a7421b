// Rows 24 to 33: what the validator tells of accounts and owners, and of transfers to whoever is authenticated (S4.2).

import { describe, expect } from "vitest";
import { bytesOfHex, hexOf } from "../../src/kernel/hex.ts";
import {
  ALICE,
  ALICE_SUB,
  agent,
  alice,
  aliceKey,
  aliceSession,
  BOB,
  bob,
  bobSession,
  bobs,
  carol,
  contracts,
  dollars,
  order,
  START_MS,
  START_SEC,
  usd,
} from "./actors.ts";
import { it, openWorld, placedId, trade, type World } from "./world.ts";

const DIGITS = /^\d+$/;

describe("accounts", () => {
  it("an account has the fields of S2.6 with their types [24a]", async ({ world }) => {
    await world.run(order());
    expect((await world.get(`/v1/accounts/${ALICE}`)).json).toEqual({
      accountId: 12,
      owner: alice.publicKey,
      mode: "Cross",
      collateral: "100000000000",
      availableCollateral: expect.stringMatching(DIGITS),
      nativeBalance: "5000000",
      positions: [],
      openOrders: [expect.objectContaining({ side: "Long" })],
      createdAt: START_MS,
      volume30d: 0,
      feeTierVolume30d: 0,
      lifetimeVolume: 0,
      pendingActivation: false,
      agents: [{ pubkey: `0x${agent.publicKey}`, name: "bot", expiresAt: START_SEC + 86_400 }],
    });
    expect(await world.client.accounts.byId(ALICE)).toMatchObject({ accountId: ALICE, pendingActivation: false });
  });

  it("available collateral is what positions and open orders leave [24b]", async ({ world }) => {
    await world.run(order({ price: usd(200), size: contracts(10) }));
    const { collateral, availableCollateral } = await world.client.accounts.byId(ALICE);
    expect(collateral - availableCollateral!).toBe(dollars(100)); // 2,000 USDC of notional at 20x
  });

  it("agents are left out where there are none [24a]", async ({ world }) => {
    expect((await world.get(`/v1/accounts/${BOB}`)).json).not.toHaveProperty("agents");
    expect((await world.client.accounts.byId(BOB)).agents).toEqual([]);
  });

  it("volumes count what was traded; the fee tier's is the family's [24c]", async ({ world }) => {
    await world.run(bobs({ price: usd(200), size: contracts(5) }), bob);
    await world.run(order({ accountId: ALICE_SUB, price: usd(200), size: contracts(5) }));
    const { accounts: reads } = world.client;
    expect(await reads.byId(ALICE_SUB)).toMatchObject({
      volume30d: dollars(1000),
      feeTierVolume30d: dollars(1000),
      lifetimeVolume: dollars(1000),
    });
    expect(await reads.byId(ALICE)).toMatchObject({ volume30d: 0n, feeTierVolume30d: dollars(1000) });
  });

  it("an account that is not there is 404, what is no account id 400 [24a]", async ({ world }) => {
    await expect(world.client.accounts.byId(order({}).accountId)).resolves.toBeDefined();
    expect((await world.get("/v1/accounts/999")).status).toBe(404);
    expect((await world.get("/v1/accounts/-1")).status).toBe(400);
  });

  it("positions have the fields of S2.6, unrealized profit at the oracle price [28]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(199), size: contracts(2) });
    expect((await world.get(`/v1/accounts/${ALICE}/positions`)).json).toEqual([
      {
        marketId: 1,
        side: "Long",
        size: "2000000",
        entryPrice: "19900000000",
        unrealizedPnl: "2000000",
        cumulativeFunding: expect.stringMatching(/^-?\d+$/),
        lastOraclePrice: "20000000000",
        openedAt: START_MS,
        margin_mode: "Cross",
        leverage: 20,
        isolated_margin: "0",
        tierGrandfathered: false,
      },
    ]);
    expect(await world.client.accounts.positions(BOB)).toMatchObject([{ side: "sell", unrealizedPnl: dollars(-2) }]);
  });

  it("the validator's orders are the open ones, with filled and remaining size [29]", async ({ world }) => {
    await world.run(order({ price: usd(200), size: contracts(3) }));
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect((await world.get(`/v1/accounts/${ALICE}/orders`)).json).toEqual([
      {
        orderId: expect.any(Number),
        accountId: 12,
        marketId: 1,
        side: "Long",
        orderType: "Limit",
        price: "20000000000",
        size: "3000000",
        filledSize: "1000000",
        remainingSize: "2000000",
        triggerPrice: null,
        reduceOnly: false,
        postOnly: false,
        timeInForce: "GTC",
        status: "PartiallyFilled",
        takeProfit: null,
        stopLoss: null,
        createdAt: START_MS,
        updatedAt: START_MS,
      },
    ]);
    expect(await world.client.accounts.openOrders(BOB)).toEqual([]);
  });

  it("the rate limit tells used, cap and remaining [30]", async () => {
    await using world = await openWorld({ throttle: { requestsPerSecond: 0, actionBudget: 50 } });
    const before = await world.client.accounts.rateLimit(ALICE);
    await world.run(order());
    const after = await world.client.accounts.rateLimit(ALICE);
    expect(before.requestsCap).not.toBeNull();
    expect(after.requestsUsed).toBe((before.requestsUsed ?? 0n) + 1n);
    expect(after.requestsRemaining).toBe((before.requestsRemaining ?? 0n) - 1n);
  });

  it.each([
    [{ requestsPerSecond: 0, actionBudget: 0 }, null],
    [{ requestsPerSecond: 500, actionBudget: 0 }, 500],
    [{ requestsPerSecond: 0, actionBudget: 50 }, 50],
    [{ requestsPerSecond: 500, actionBudget: 50 }, 50],
  ])("the congestion quota is what a throttle of %j lets through in a second [30]", async (throttle, quota) => {
    await using world = await openWorld({ throttle });
    expect((await world.get(`/v1/accounts/${ALICE}/rate-limit`)).json).toMatchObject({ congestionQuota: quota });
  });

  it("a used-up budget is 429, and cancels go on [30]", async () => {
    await using world = await openWorld({ throttle: { requestsPerSecond: 0, actionBudget: 2 } });
    const placed = placedId(await world.run(order()));
    await world.run(order());
    expect(await world.submit(order())).toMatchObject({ kind: "rateLimited" });
    await world.run({ type: "CancelOrder", orderId: placed });
    await world.run({ type: "CancelAllOrders", marketId: null });
    expect(await world.submit({ type: "CancelAllOrders", marketId: null })).toMatchObject({ kind: "rateLimited" });
  });

  it("too many requests are 429 with the time to wait [30]", async () => {
    await using world = await openWorld({ throttle: { requestsPerSecond: 1, actionBudget: 0 } });
    const answers = await Promise.all(Array.from({ length: 3 }, () => world.get("/v1/markets")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  it("invites have the fields of S2.11; the next unlock is always null [31]", async ({ world }) => {
    expect((await world.get(`/v1/accounts/${ALICE}/invites`)).json).toEqual({
      accountId: 12,
      eligible: true,
      allowance: 10,
      consumed: 0,
      remaining: 10,
      lifetimeVolume: 0,
      inviteOverride: null,
      nextUnlockVolume: null,
    });
    expect(await world.client.accounts.invites(ALICE_SUB)).toMatchObject({ eligible: false, remaining: 0 });
  });
});

describe("owners", () => {
  it("a key's personal account has the shape of the account [25]", async ({ world }) => {
    expect(await world.client.accounts.byOwner(alice.publicKey)).toEqual(await world.client.accounts.byId(ALICE));
    await expect(world.client.accounts.byOwner(carol.publicKey)).rejects.toMatchObject({ httpStatus: 404 });
  });

  it("the list says of each account whether it is a vault [26]", async ({ world }) => {
    expect(await world.client.accounts.ownedBy(alice.publicKey)).toMatchObject([
      { accountId: ALICE, masterAccountId: null, isVault: false, pendingActivation: false },
      { accountId: ALICE_SUB, masterAccountId: ALICE, isVault: false },
    ]);
    expect(await world.client.accounts.ownedBy(carol.publicKey)).toEqual([]);
  });

  it("no key lists the backstop account: nobody owns it [27]", async ({ world }) => {
    const { backstopAccountId } = await world.client.exchange.market(1);
    const { owner } = await world.client.accounts.byId(backstopAccountId!);
    expect(await world.client.accounts.ownedBy(owner!)).toEqual([]);
    expect((await world.client.accounts.assets(owner!)).accounts).toEqual([]);
  });

  it("the asset summary has every account's balances by token [27]", async ({ world }) => {
    await world.run(order({ price: usd(200), size: contracts(10) }));
    expect((await world.get(`/v1/accounts/by-owner/${alice.publicKey}/assets`)).json).toEqual({
      accounts: [
        {
          accountId: 12,
          masterAccountId: null,
          isVault: false,
          collateral: "100000000000",
          availableCollateral: "99900000000",
          nativeBalance: "5000000",
          positionCount: 0,
          openOrderCount: 1,
          balances: [
            {
              tokenId: 0,
              symbol: "USDC",
              decimals: 6,
              total: "100000000000",
              available: "99900000000",
              collateralEligible: true,
            },
            {
              tokenId: 1,
              symbol: "NATIVE",
              decimals: 6,
              total: "5000000",
              available: "5000000",
              collateralEligible: false,
            },
          ],
        },
        expect.objectContaining({ accountId: 13, masterAccountId: 12 }),
      ],
      unallocated: expect.any(Array),
      unallocatedNative: "0",
      stakedNative: "0",
      unbondingNative: "0",
    });
    expect((await world.client.accounts.assets(alice.publicKey)).accounts).toHaveLength(2);
  });

  it("of a key without accounts the summary is empty, a wrong key is 400 [27]", async ({ world }) => {
    expect((await world.client.accounts.assets(carol.publicKey)).accounts).toEqual([]);
    await expect(world.client.accounts.assets("nonsense")).rejects.toMatchObject({ httpStatus: 400 });
  });
});

describe("transfer recipients", () => {
  it.each([
    ["username", "bob"],
    ["wallet", bob.publicKey],
    ["account", `${BOB}`],
  ] as const)("are found by %s [32]", async (kind, value) => {
    await using world = await openWorld();
    const { transfers } = world.clientWith({ credential: aliceKey });
    expect(await transfers.recipient(kind, value)).toEqual({
      accountId: BOB,
      masterAccountId: null,
      owner: bob.publicKey,
      isMaster: true,
    });
  });

  it("a wallet may be base58 of the external chain [32]", async ({ world }) => {
    const { transfers } = world.clientWith({ credential: aliceSession });
    expect(await transfers.recipient("wallet", base58(bytesOfHex(bob.publicKey)))).toMatchObject({
      accountId: BOB,
    });
  });

  it("an account may be a subaccount, which names its master [32]", async ({ world }) => {
    const { transfers } = world.clientWith({ credential: bobSession });
    expect(await transfers.recipient("account", `${ALICE_SUB}`)).toEqual({
      accountId: ALICE_SUB,
      masterAccountId: ALICE,
      owner: alice.publicKey,
      isMaster: false,
    });
    expect(await transfers.recipient("wallet", alice.publicKey)).toMatchObject({ accountId: ALICE, isMaster: true });
  });

  it("what is no personal account is ineligible: 404 [105]", async ({ world }) => {
    await world.run({ type: "CreateVault", accountId: ALICE, name: "fund", amount: 1_000_000n }, alice);
    const vault = (await world.client.accounts.ownedBy(alice.publicKey)).find(({ isVault }) => isVault);
    const { backstopAccountId } = await world.client.exchange.market(1);
    const { transfers } = world.clientWith({ credential: bobSession });
    for (const id of [vault?.accountId, backstopAccountId]) {
      await expect(transfers.recipient("account", `${id}`)).rejects.toMatchObject({ httpStatus: 404 });
    }
  });

  it("ids are decimal text [32]", async ({ world }) => {
    const headers = { "x-api-key": aliceKey.key };
    expect((await world.get("/v1/transfers/recipient?kind=username&value=bob", { headers })).json).toEqual({
      accountId: "20",
      masterAccountId: null,
      owner: bob.publicKey,
      isMaster: true,
    });
  });

  it.each([
    ["username", "nobody"],
    ["wallet", carol.publicKey],
    ["account", "999"],
  ] as const)("one that is missing is 404: %s %s [32, 105]", async (kind, value) => {
    await using world = await openWorld();
    const { transfers } = world.clientWith({ credential: aliceKey });
    await expect(transfers.recipient(kind, value)).rejects.toMatchObject({ httpStatus: 404 });
  });

  it.each(["kind=email&value=x", "kind=account&value=x", "kind=wallet&value=0", "kind=username", "value=bob"])(
    "invalid input is 400: %s [32]",
    async (query) => {
      await using world = await openWorld();
      const headers = { "x-api-key": aliceKey.key };
      expect((await world.get(`/v1/transfers/recipient?${query}`, { headers })).status).toBe(400);
    },
  );
});

describe("transfer history", () => {
  const transfer = (world: World, amount: bigint) =>
    world.run({ type: "Transfer", fromAccountId: ALICE, toAccountId: BOB, tokenId: 0, amount }, alice);

  it("an item has the fields of S2.9, seen from each end [33]", async ({ world }) => {
    await transfer(world, 7n);
    const headers = { authorization: `Bearer ${aliceSession.token}` };
    const { json } = await world.get("/v1/transfers/history", { headers });
    expect(json).toEqual({
      items: [
        {
          blockHeight: expect.any(Number),
          eventIndex: expect.any(Number),
          timestamp: START_MS,
          txHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          fromAccountId: "12",
          toAccountId: "20",
          fromOwner: alice.publicKey,
          toOwner: bob.publicKey,
          tokenId: 0,
          amount: "7",
          reason: "Transfer",
          direction: "outgoing",
        },
      ],
      nextCursor: null,
    });
    const { transfers } = world.clientWith({ credential: bobSession });
    expect((await transfers.history(null)).items).toMatchObject([{ direction: "incoming", amount: 7n }]);
  });

  it("between own accounts an item appears once [33]", async ({ world }) => {
    await world.run({ type: "Transfer", fromAccountId: ALICE, toAccountId: ALICE_SUB, tokenId: 1, amount: 3n }, alice);
    const { transfers } = world.clientWith({ credential: aliceKey });
    expect((await transfers.history(null)).items).toMatchObject([{ direction: "own", tokenId: 1, amount: 3n }]);
  });

  it("pages hold 50 items, and the cursor leads through all of them once [33, 117]", async ({ world }) => {
    for (let amount = 1n; amount <= 120n; amount += 1n) await transfer(world, amount);
    const { transfers } = world.clientWith({ credential: aliceKey });
    const pages = [await transfers.history(null)];
    for (let next = pages[0]?.nextCursor; next; next = pages.at(-1)?.nextCursor)
      pages.push(await transfers.history(next));
    expect(pages.map(({ items }) => items.length)).toEqual([50, 50, 20]);
    const amounts = pages.flatMap(({ items }) => items.map(({ amount }) => amount));
    expect(new Set(amounts).size).toBe(120);
  });

  it("a cursor that no page gave is 400 [33]", async ({ world }) => {
    const { transfers } = world.clientWith({ credential: aliceKey });
    for (let amount = 1n; amount <= 51n; amount += 1n) await transfer(world, amount);
    const first = await transfers.history(null);
    const { blockHeight, eventIndex } = first.items[0] ?? { blockHeight: 0, eventIndex: 0 };
    const likely = [`${blockHeight}-${eventIndex}`, `${blockHeight + 1}-0`, "1-0", "0-0"];
    for (const cursor of ["nonsense", "", ...likely])
      await expect(transfers.history(cursor)).rejects.toMatchObject({ httpStatus: 400 });
    await transfer(world, 52n);
    expect((await transfers.history(first.nextCursor)).items).toHaveLength(1);
  });
});

it("transfer reads need a credential: an API key or an owner session [32]", async ({ world }) => {
  const strangers = world.clientWith({ credential: { kind: "apiKey", key: "wrong" } });
  for (const { transfers } of [world.client, strangers]) {
    await expect(transfers.history(null)).rejects.toMatchObject({ httpStatus: 401 });
    await expect(transfers.recipient("username", "bob")).rejects.toMatchObject({ httpStatus: 401 });
  }
  for (const credential of [aliceKey, aliceSession]) {
    expect((await world.clientWith({ credential }).transfers.history(null)).items).toEqual([]);
  }
});

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function base58(bytes: Uint8Array): string {
  let rest = BigInt(`0x${hexOf(bytes)}`);
  let text = "";
  for (; rest > 0n; rest /= 58n) text = (ALPHABET[Number(rest % 58n)] ?? "") + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}
