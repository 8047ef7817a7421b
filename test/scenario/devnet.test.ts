// The devnet over its sockets: signed transactions, reads and the stream, and what bad input gets.

import { afterEach, describe, expect, it } from "vitest";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { price, size } from "../../src/domain/units.ts";
import { until } from "../support/until.ts";
import { ALICE, alice, BOB, bob, order, seal, signerOf } from "../unit/devnet/chain/set-up.ts";
import {
  ask,
  bobSells,
  config,
  control,
  type HttpAnswer,
  list,
  listen,
  nextNonce,
  send,
  start,
  stopAll,
} from "./devnet-set-up.ts";

afterEach(stopAll);

describe("transactions over HTTP", () => {
  it("execute on arrival and answer with hash and events", async () => {
    const devnet = await start();
    const placed = await send(devnet, order());
    expect(placed.status).toBe(200);
    expect(placed.body).toMatchObject({ status: "success", hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const filled = await send(devnet, bobSells(), { signer: bob });
    expect((filled.body.events as { type: string }[]).map(({ type }) => type)).toContain("Fill");
    const account = await ask(`${devnet.validatorUrl}/v1/accounts/${ALICE}`);
    expect(account.body.positions).toMatchObject([
      { marketId: 1, side: "Long", size: "1000000", margin_mode: "Cross" },
    ]);
  });

  it("executed and refused is 200 with status failed, hash, no events and a sentence", async () => {
    const devnet = await start();
    const refused = await send(devnet, order({ size: size(10n ** 12n) }));
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({
      status: "failed",
      hash: expect.any(String),
      events: [],
      error: expect.any(String),
    });
  });

  it.each<[string, (devnet: Devnet) => Promise<HttpAnswer>]>([
    ["no JSON", (devnet) => ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body: "{" })],
    ["nothing", (devnet) => ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body: "" })],
    [
      "invalid UTF-8",
      (devnet) => ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body: Buffer.from([0x22, 0xff, 0x22]) }),
    ],
    ["deep nesting", (devnet) => ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body: "[".repeat(5000) })],
    ["another chain", (devnet) => send(devnet, order(), { chainId: "venue-v4:mainnet:chain-1" })],
    ["an old timestamp", (devnet) => send(devnet, order(), { timestampSec: 1 })],
    ["a stranger's signature", (devnet) => send(devnet, order(), { signer: signerOf(9) })],
    ["a nonce far away", (devnet) => send(devnet, order(), { nonce: 5n })],
  ])("%s is rejected with a 4xx, one sentence and a code, and leaves the state untouched", async (_, act) => {
    const devnet = await start();
    const answer = await act(devnet);
    expect([400, 403]).toContain(answer.status);
    expect(answer.body).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/) });
    expect(devnet.chain.reads.account(ALICE)?.openOrders).toEqual([]);
  });

  it("parse comes before the signature: a bad body with a bad signature is MALFORMED", async () => {
    const devnet = await start();
    const sealed = Buffer.from(seal(order(), { signer: signerOf(9) }))
      .toString()
      .replace('"Limit"', '"limit"');
    expect((await ask(`${devnet.validatorUrl}/v1/tx`, { method: "POST", body: sealed })).body.code).toBe("MALFORMED");
  });

  it("a nonce is good once", async () => {
    const devnet = await start();
    const nonce = nextNonce();
    expect((await send(devnet, order(), { nonce })).body.status).toBe("success");
    expect((await send(devnet, order(), { nonce })).body.code).toBe("NONCE_REUSED");
  });
});

describe("reads", () => {
  it("answer on the validator with the interface's shapes", async () => {
    const devnet = await start();
    await send(devnet, order());
    await send(devnet, bobSells({ size: size(400_000n) }), { signer: bob });
    const base = devnet.validatorUrl;
    expect(await list(`${base}/v1/markets`)).toMatchObject([
      { marketId: 1, bestBid: "19900000000", bestAsk: null, tickSize: "1000000" },
    ]);
    expect((await ask(`${base}/v1/markets/1`)).body).toMatchObject({ status: "Active", oraclePrice: "20000000000" });
    expect((await ask(`${base}/v1/markets/1/orderbook`)).body).toEqual({
      marketId: 1,
      bids: [{ price: "19900000000", size: "600000", orderCount: 1 }],
      asks: [],
    });
    expect(await list(`${base}/v1/markets/1/trades`)).toMatchObject([
      { price: "19900000000", size: "400000", side: "Short" },
    ]);
    expect((await ask(`${base}/v1/oracle/1`)).body).toMatchObject({ status: "Active", price: "20000000000" });
    expect((await ask(`${base}/v1/oracle/1/history`)).body).toMatchObject({
      marketId: 1,
      prices: [{ price: "20000000000" }],
    });
    expect((await ask(`${base}/v1/markets/1/funding`)).body).toMatchObject({ fundingIntervalSecs: 3600 });
    expect((await ask(`${base}/v1/fee-tiers`)).body).toMatchObject({ tier_count: 1 });
    expect((await ask(`${base}/v1/node/info`)).body).toMatchObject({ chain_id: config.chainId });
    expect((await ask(`${base}/v1/treasury-config`)).body).toMatchObject({ open_order_cap: "200" });
    expect(await list(`${base}/v1/accounts/${ALICE}/orders`)).toMatchObject([
      { side: "Long", remainingSize: "600000" },
    ]);
    expect(await list(`${base}/v1/accounts/${BOB}/positions`)).toMatchObject([{ side: "Short", size: "400000" }]);
    expect((await ask(`${base}/v1/accounts/by-owner/0x${alice.publicKey.toUpperCase()}`)).body.accountId).toBe(12);
    expect((await ask(`${base}/v1/accounts/by-owner/${alice.publicKey}/list`)).body.accounts).toHaveLength(2);
    expect((await ask(`${base}/v1/accounts/${ALICE}/rate-limit`)).status).toBe(200);
  });

  it.each([
    ["/v1/markets/9", 404],
    ["/v1/markets/x", 400],
    ["/v1/markets/65536", 400],
    ["/v1/oracle/01", 400],
    ["/v1/accounts/999", 404],
    ["/v1/accounts/-1", 400],
    ["/v1/accounts/18446744073709551616", 400],
    ["/v1/accounts/by-owner/xyz", 400],
    ["/v1/accounts/by-owner/xyz/list", 400],
    ["/v2/markets", 404],
  ])("%s is %i with a sentence and a code", async (path, status) => {
    const devnet = await start();
    const answer = await ask(devnet.validatorUrl + path);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/) });
  });
});

describe("the stream", () => {
  it("sends a whole book on subscribe and after every change, and no acknowledgement", async () => {
    const devnet = await start();
    const { of, settled, frames } = await listen(devnet, [{ channel: "orderbook", market_id: 1 }]);
    expect(frames[0]).toEqual({ type: "orderbookSnapshot", market_id: 1, bids: [], asks: [] });
    await send(devnet, order());
    await send(devnet, order({ price: price(19_800_000_000n) }));
    await settled();
    expect(of("orderbookSnapshot").map(({ bids = [] }) => bids.length)).toEqual([0, 1, 2]);
    expect(frames.every(({ type }) => type === "orderbookSnapshot" || type === "pong")).toBe(true);
  });

  it("tells a fill to the trades channel and to both accounts, orders to their account", async () => {
    const devnet = await start();
    const seller = await listen(devnet, [
      { channel: "fills", account_id: 20 },
      { channel: "orders", account_id: 20 },
    ]);
    const buyer = await listen(devnet, [
      { channel: "fills", account_id: 12 },
      { channel: "orders", account_id: 12 },
    ]);
    const anyone = await listen(devnet, [{ channel: "trades", market_id: 1 }]);
    await send(devnet, order());
    await send(devnet, bobSells(), { signer: bob });
    await Promise.all([seller.settled(), buyer.settled(), anyone.settled()]);
    const fill = {
      market_id: 1,
      price: "19900000000",
      size: "1000000",
      taker_side: "Short",
      taker_account_id: 20,
      maker_account_id: 12,
    };
    expect(seller.of("fill")).toMatchObject([{ ...fill, taker_realized_pnl: "0", timestamp: expect.any(Number) }]);
    expect(buyer.of("fill")).toEqual(seller.of("fill"));
    expect(anyone.of("fill")).toMatchObject([fill]);
    expect(Object.keys(anyone.of("fill")[0] ?? {})).not.toContain("timestamp");
    expect(buyer.of("orderPlaced")).toMatchObject([{ account_id: 12, side: "Long", price: "19900000000" }]);
    expect(anyone.of("orderPlaced")).toEqual([]);
  });

  it("tells cancels with their reason, oracle prints, and blocks with their first transaction alone", async () => {
    const devnet = await start();
    const { of, settled } = await listen(devnet, [
      { channel: "orders", account_id: 12 },
      { channel: "oracleUpdates", market_id: 1 },
      { channel: "explorer" },
    ]);
    await send(devnet, order());
    await send(devnet, { type: "CancelAllOrders", marketId: null });
    await control(devnet, "PATCH", "/oracle/1", { price: "217.10" });
    await until("both transactions in blocks", () =>
      of("blockFinalized").some(({ tx_count: count }) => Number(count) > 0),
    );
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ account_id: 12, market_id: 1, reason: "UserCanceled" }]);
    expect(of("oraclePriceUpdate")).toMatchObject([
      { market_id: 1, price: "21710000000", previous_price: "20000000000" },
    ]);
    const block = of("blockFinalized").find(({ tx_count: count }) => Number(count) > 0);
    expect(block?.transactions).toMatchObject([{ tx_index: 0, tx_type: "PlaceOrder", status: "success" }]);
  });

  it("stops after unsubscribe, and delivers once to who subscribed twice", async () => {
    const devnet = await start();
    const channels = [{ channel: "orders", account_id: 12 }];
    const { of, say, settled } = await listen(devnet, channels);
    say({ type: "subscribe", channels });
    await settled();
    await send(devnet, order());
    await settled();
    expect(of("orderPlaced")).toHaveLength(1);
    say({ type: "unsubscribe", channels });
    await settled();
    await send(devnet, order());
    await settled();
    expect(of("orderPlaced")).toHaveLength(1);
  });

  it("lives through frames that are no messages", async () => {
    const devnet = await start();
    const { say, settled, socket, of } = await listen(devnet, []);
    for (const text of [
      "",
      "{",
      "[]",
      '{"type":"subscribe"}',
      '{"type":"subscribe","channels":[{"channel":"x"}]}',
      "\u0000",
    ])
      say(text);
    say({ type: "subscribe", channels: [{ channel: "orderbook", market_id: 9 }] });
    socket.send(Buffer.from([0xff, 0xfe]), { binary: true });
    await settled();
    expect(of("error").length).toBe(7);
  });

  it("answers a ping with height and block time", async () => {
    const devnet = await start();
    const { of } = await listen(devnet, []);
    expect(of("pong")[0]).toEqual({ type: "pong", blockHeight: expect.any(Number), blockTimeMs: expect.any(Number) });
  });
});
