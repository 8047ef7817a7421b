// Rows 1 to 9: scales, casing, numbers and keys on the wire, one action a transaction (S1, S2.1).

import { describe, expect } from "vitest";
import { accountId, size } from "../../src/domain/units.ts";
import { bytesOfHex } from "../../src/kernel/hex.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { plainAccount as account, plainMarket as market } from "../support/plain-exchange.ts";
import {
  ALICE,
  accounts,
  agent,
  alice,
  aliceKey,
  BOB,
  bob,
  bobs,
  carol,
  contracts,
  dollars,
  order,
  signerOf,
  usd,
} from "./actors.ts";
import { eventsOf, executed, it, openWorld, trade } from "./world.ts";

const rich = (collateral: bigint) =>
  [
    account({ accountId: ALICE, owner: alice.publicKey, collateral: dollars(0) }),
    account({ accountId: BOB, owner: bob.publicKey, collateral: dollars(0) }),
  ].map((each) => ({ ...each, collateral: collateral as typeof each.collateral }));

describe("scales", () => {
  it("prices have 8 decimals, sizes and USDC 6, on the wire and in the client [1]", async ({ world }) => {
    await world.run(order({ price: usd(199.25), size: contracts(1.5) }));
    const { json } = await world.get(`/v1/accounts/${ALICE}`);
    expect(json).toMatchObject({
      collateral: "100000000000",
      openOrders: [{ price: "19925000000", size: "1500000" }],
    });
    const [open] = await world.client.accounts.openOrders(ALICE);
    expect(open).toMatchObject({ price: 19_925_000_000n, size: 1_500_000n });
  });

  it("a notional beyond 64 bits is exact [2]", async () => {
    await using world = await openWorld({
      markets: [{ ...market, maxOpenInterest: contracts(10_000_000) }],
      accounts: rich(10n ** 15n),
    });
    // 200 USD x 1,000,000 contracts: a product of 2 x 10^22 before scaling, 200,000,000 USDC after.
    await world.run(bobs({ price: usd(200), size: contracts(1_000_000) }), bob);
    const [fill] = eventsOf(await world.run(order({ price: usd(200), size: contracts(1_000_000) }), alice), "fill");
    expect(fill?.execution).toMatchObject({ takerFee: 100_000_000_000n, makerFee: -20_000_000_000n });
    expect((await world.client.accounts.byId(ALICE)).collateral).toBe(10n ** 15n - 100_000_000_000n);
  });

  it("an amount that does not come out even is rounded against the trader [2]", async ({ world }) => {
    // 200.01 base units of notional: a charge of 0.1 is 1, a rebate of 0.02 is nothing.
    await world.run(bobs({ price: usd(200.01), size: size(1n) }), bob);
    const [fill] = eventsOf(await world.run(order({ price: usd(200.01), size: size(1n) })), "fill");
    expect(fill?.execution).toMatchObject({ takerFee: 1n, makerFee: 0n });
  });
});

/** Every key of every object in a JSON value. */
function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysIn(member)]);
}

const isCamel = (key: string) => /^[a-z][A-Za-z0-9]*$/.test(key);
const isSnake = (key: string) => /^[a-z0-9]+(_[a-z0-9]+)*$/.test(key);

describe("names", () => {
  it.each([
    "/v1/markets/1",
    "/v1/markets/1/orderbook",
    "/v1/markets/1/funding",
    "/v1/oracle/1",
    "/v1/oracle/1/history",
    "/v1/insurance-fund",
    "/v1/tokens",
    `/v1/accounts/${ALICE}`,
    `/v1/accounts/${ALICE}/orders`,
    `/v1/accounts/${ALICE}/invites`,
    `/v1/accounts/by-owner/${alice.publicKey}/assets`,
  ])("%s speaks camelCase [3a]", async (path) => {
    await using world = await openWorld();
    await world.run(order());
    const keys = keysIn((await world.get(path)).json);
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !isCamel(key))).toEqual([]);
  });

  it.each(["/v1/fee-tiers", "/v1/node/info", "/v1/markets/1/trades", "/v1/treasury-config", "/v1/bridge/state"])(
    "%s speaks snake_case [3b]",
    async (path) => {
      await using world = await openWorld();
      await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
      const keys = keysIn((await world.get(path)).json);
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.filter((key) => !isSnake(key))).toEqual([]);
    },
  );

  it("a position is camelCase but for margin_mode and isolated_margin [3c]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    const keys = keysIn((await world.get(`/v1/accounts/${ALICE}/positions`)).json);
    expect(keys.filter((key) => !isCamel(key))).toEqual(["margin_mode", "isolated_margin"]);
  });

  it("payloads and stream events are snake_case [3b]", async ({ world }) => {
    const ear = await world.hear([{ channel: "fills", account_id: Number(ALICE) }]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await ear.settled();
    expect(keysIn(ear.of("fill")).filter((key) => !isSnake(key))).toEqual([]);
    const payload = JSON.parse(encodeTransaction(order())) as { PlaceOrder: object };
    expect(Object.keys(payload.PlaceOrder).filter((key) => !isSnake(key))).toEqual([]);
    const camel = `{"CancelOrder":{"orderId":1}}`;
    expect(await world.postText(camel)).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
  });
});

describe("numbers", () => {
  const last = accountId(18_446_744_073_709_551_615n);

  it("u64 ids beyond 2^53 are exact in payloads, paths and answers [4b]", async () => {
    const huge = account({ accountId: last, owner: carol.publicKey });
    await using world = await openWorld({ accounts: [...accounts, huge] });
    await world.run(order({ accountId: last }), carol);
    const { text } = await world.get(`/v1/accounts/${last}`);
    expect(text).toContain(`"accountId":${last}`);
    expect((await world.client.accounts.byId(last)).openOrders).toMatchObject([{ accountId: last }]);
  });

  it("whole numbers of payloads are bare digits: text, fractions and overflow are refused [4c]", async ({ world }) => {
    const good = encodeTransaction(order());
    for (const wrong of [`"1000000"`, "1000000.5", "1000000.0", "1e6", "-1", "18446744073709551616"]) {
      const text = good.replace(`"size":1000000`, `"size":${wrong}`);
      expect([wrong, (await world.postText(text)).status]).toEqual([wrong, 400]);
    }
  });

  it("amounts of answers are decimal text, ids and counts are numbers [4a]", async ({ world }) => {
    const { json } = await world.get(`/v1/accounts/${ALICE}`);
    expect(json).toMatchObject({
      accountId: 12,
      collateral: expect.any(String),
      nativeBalance: expect.any(String),
      createdAt: expect.any(Number),
      volume30d: 0,
      feeTierVolume30d: 0,
      lifetimeVolume: 0,
    });
  });
});

describe("keys", () => {
  it("owner lookups take the key with and without 0x [5a]", async ({ world }) => {
    const { accounts: reads } = world.client;
    expect((await reads.byOwner(alice.publicKey)).accountId).toBe(ALICE);
    expect((await reads.byOwner(`0x${alice.publicKey}`)).accountId).toBe(ALICE);
  });

  it("an owner is bare lowercase hex, an agent's key is hex with 0x [5b]", async ({ world }) => {
    const { json } = await world.get(`/v1/accounts/${ALICE}`);
    expect(json).toMatchObject({ owner: alice.publicKey, agents: [{ pubkey: `0x${agent.publicKey}` }] });
    expect((await world.client.accounts.byId(ALICE)).agents).toMatchObject([{ pubkey: agent.publicKey }]);
  });

  it("keys of payloads are arrays of 32 numbers, nothing else [5c]", async ({ world }) => {
    const key = signerOf(9).publicKey;
    const bytes = bytesOfHex(key);
    const approve = (agentText: string) => `{"ApproveAgent":{"account_id":12,"agent":${agentText}}}`;
    for (const wrong of [`"${key}"`, `[${bytes.slice(1).join(",")}]`, `[${[...bytes.slice(1), 256].join(",")}]`]) {
      expect((await world.postText(approve(wrong), { signer: alice })).status).toBe(400);
    }
    expect((await world.postText(approve(`[${bytes.join(",")}]`), { signer: alice })).json).toMatchObject({
      status: "success",
    });
  });
});

describe("null and omission", () => {
  const placed = (extra: string) =>
    `{"PlaceOrder":{"account_id":12,"market_id":1,"side":"Long","order_type":"Limit","price":19900000000,"size":1000000,` +
    `"reduce_only":false,"post_only":false,"time_in_force":"GTC"${extra}}}`;

  it.each(["", `,"trigger_price":null,"take_profit":null,"stop_loss":null,"max_slippage_bps":null`])(
    "a nullable field may be null or omitted: %j [6a]",
    async (extra) => {
      await using world = await openWorld();
      expect((await world.postText(placed(extra))).json).toMatchObject({ status: "success" });
    },
  );

  it.each(["", `,"referred_by":null`])(
    "an optional field of an account's transaction may be null or omitted: %j [6a]",
    async (extra) => {
      await using world = await openWorld();
      await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "10" });
      const create = `{"CreateFundedAccount":{"mode":"Cross"${extra}}}`;
      expect((await world.postText(create, { signer: carol })).json).toMatchObject({ status: "success" });
      const optional = extra === "" ? "" : `,"name":null,"expires_at":null`;
      const approve = `{"ApproveAgent":{"account_id":12,"agent":[${bytesOfHex(carol.publicKey).join(",")}]${optional}}}`;
      expect((await world.postText(approve, { signer: alice })).json).toMatchObject({ status: "success" });
    },
  );

  it.each([`,"margin_mode":null`, `,"leverage":null`])(
    "a field with a default must not be null: %j [6b]",
    async (extra) => {
      await using world = await openWorld();
      expect(await world.postText(placed(extra))).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
    },
  );
});

it("NATIVE is neither collateral nor equity [7]", async () => {
  const owner = carol.publicKey;
  const only = account({ accountId: accountId(30n), owner, collateral: dollars(0), native: 10n ** 15n });
  await using world = await openWorld({ accounts: [...accounts, only] });
  const { collateral, availableCollateral, nativeBalance } = await world.client.accounts.byOwner(owner);
  expect({ collateral, availableCollateral, nativeBalance }).toEqual({
    collateral: 0n,
    availableCollateral: 0n,
    nativeBalance: 10n ** 15n,
  });
  expect(await world.submit(order({ accountId: accountId(30n) }), carol)).toMatchObject({ kind: "refused" });
});

describe("transactions", () => {
  it.each([`{"CancelOrder":{"order_id":1},"CancelAllOrders":{"market_id":null}}`, `[{"CancelOrder":{"order_id":1}}]`])(
    "one carries exactly one action: %s is refused [8a]",
    async (text) => {
      await using world = await openWorld();
      expect(await world.postText(text)).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
    },
  );

  it("those of one block are executed one after the other [8b]", async ({ world }) => {
    const sell = encodeTransaction(bobs({ price: usd(200) }));
    const buy = encodeTransaction(order({ price: usd(200) }));
    const { answers, height } = await world.together([{ text: sell, signer: bob }, { text: buy }]);
    const events = answers.flatMap(({ json }) => (json as { events: { type: string }[] }).events);
    expect(events.filter(({ type }) => type === "Fill")).toHaveLength(1);
    expect(await world.client.devnet.block(height)).toMatchObject({ transactionCount: 2 });
  });

  it("come by three paths: hosted, agent key, owner key [9]", async ({ world }) => {
    const hosted = world.clientWith({ credential: aliceKey });
    executed(await world.answered(hosted.submitHosted(order())));
    await world.run(order(), agent);
    await world.advance(1); // The enclave's nonce and the owner key's stand in one window.
    await world.run(order(), alice);
    expect(await world.client.accounts.openOrders(ALICE)).toHaveLength(3);
  });
});
