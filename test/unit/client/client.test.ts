// The client at servers that lie, stall and remember what they were sent.

import { afterEach, describe, expect, it } from "vitest";
import { type Client, type ClientOptions, createClient } from "../../../src/client/client.ts";
import { accountId, orderId, price, size } from "../../../src/domain/units.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { createSigner } from "../../../src/wire/signing.ts";
import type { PlaceOrder } from "../../../src/wire/transaction/trading.ts";
import type { Transaction } from "../../../src/wire/transaction.ts";
import { deadUrl, type Received, serveHttp } from "../bot/venue/loopback.ts";

const CHAIN = "venue-v4:devnet:chain-2";
const signer = createSigner(new Uint8Array(32).fill(1));
const open: { close: () => Promise<void> | void }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

type Answers = (request: Received, headers: Readonly<Record<string, unknown>>) => readonly [number, string];

/** Both hosts are one server; what it was sent comes with it. */
async function clientOf(answers: Answers, options: Partial<ClientOptions> = {}) {
  const headers: Record<string, unknown>[] = [];
  const server = await serveHttp((request, response) => {
    headers.push(response.req.headers);
    const [status, body] = answers(request, response.req.headers);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  const client = createClient(
    {
      chainId: CHAIN,
      validatorUrl: server.url,
      restUrl: server.url,
      credential: { kind: "apiKey", key: "secret" },
      unshownPayloads: "refused",
      readTimeoutMs: 2000,
      submitTimeoutMs: 2000,
      ...options,
    },
    { clock: systemClock, prng: createPrng(1n), report: () => undefined },
  );
  open.push(client, server);
  return { client, received: server.received, headers };
}

const node = `{"protocol_version":1,"binary_version":1,"build_sha":"x","block_height":1,"block_timestamp":1,"state_root":"r","chain_id":"${CHAIN}"}`;
const success = `{"status":"success","hash":"h","events":[]}`;
const treasury = `{"account_activation_fee_usdc":"6000000"}`;

const order: PlaceOrder = {
  type: "PlaceOrder",
  accountId: accountId(1n),
  marketId: 1,
  side: "buy",
  orderType: "Limit",
  price: price(1n),
  size: size(1n),
  triggerPrice: null,
  reduceOnly: true,
  postOnly: false,
  timeInForce: "GTC",
  takeProfit: null,
  stopLoss: null,
  maxSlippageBps: null,
  marginMode: null,
  leverage: null,
};

describe("credentials", () => {
  it("go with authenticated reads and hosted transactions, and with nothing else", async () => {
    const { client, received, headers } = await clientOf(({ path, method }) => {
      if (path.startsWith("/v1/transfers")) return [200, `{"items":[],"nextCursor":null}`];
      return path === "/v1/node/info" ? [200, node] : [200, method === "POST" ? success : "[]"];
    });
    await client.transfers.history(null);
    await client.history.fills(accountId(1n));
    await client.submitHosted(order);
    await client.submit(order, signer);
    await client.exchange.marketIds();
    const sent = received.map(({ path }, at) => [path.split("?")[0], headers[at]?.["x-api-key"]]);
    expect(sent).toEqual([
      ["/v1/transfers/history", "secret"],
      ["/v1/accounts/1/trades", "secret"],
      ["/v1/node/info", undefined],
      ["/tx/sign-and-submit", "secret"],
      ["/v1/tx", undefined],
      ["/v1/markets", undefined],
    ]);
  });

  it("of a session are a bearer token", async () => {
    const { client, headers } = await clientOf(() => [200, "[]"], { credential: { kind: "session", token: "t" } });
    await client.history.fills(accountId(1n));
    expect(headers[0]).toMatchObject({ authorization: "Bearer t" });
  });
});

describe("paths and queries", () => {
  it("a base path stands before every path of both hosts", async () => {
    const server = await serveHttp((_, response) => response.writeHead(200).end("[]"));
    open.push(server);
    const { client } = await clientOf(() => [200, "[]"], {
      validatorUrl: `${server.url}/exchange/`,
      restUrl: `${server.url}/hosted`,
    });
    await client.exchange.marketIds();
    await client.history.orders(accountId(7n));
    expect(server.received.map(({ path }) => path)).toEqual(["/exchange/v1/markets", "/hosted/v1/accounts/7/orders"]);
  });

  it("filters are named as the interface names them, and left out where they are not set", async () => {
    const { client, received } = await clientOf(() => [200, "[]"]);
    const id = accountId(18_446_744_073_709_551_615n);
    await client.history.fills(id, { limit: 5, offset: 10, startTimeMs: 1, endTimeMs: 2, marketId: 3 });
    await client.history.funding(id, {});
    expect(received.map(({ path }) => path)).toEqual([
      `/v1/accounts/${id}/trades?limit=5&offset=10&startTime=1&endTime=2&marketId=3`,
      `/v1/accounts/${id}/funding`,
    ]);
  });

  it("values that come from outside are escaped", async () => {
    const { client, received } = await clientOf(() => [404, `{"error":"none","code":"UNKNOWN_RECIPIENT"}`]);
    await expect(client.transfers.recipient("username", "a&kind=account#/..")).rejects.toMatchObject({
      httpStatus: 404,
      reason: "UNKNOWN_RECIPIENT",
      message: expect.stringContaining("none"),
    });
    await expect(client.accounts.byOwner("../../x?y")).rejects.toMatchObject({ httpStatus: 404 });
    expect(received.map(({ path }) => path)).toEqual([
      "/v1/transfers/recipient?kind=username&value=a%26kind%3Daccount%23%2F..",
      "/v1/accounts/by-owner/..%2F..%2Fx%3Fy",
    ]);
  });
});

describe("what is better not sent", () => {
  const paths = (received: readonly Received[]) => received.map(({ path }) => path);

  it.each<[string, Transaction]>([
    ["an order that adds exposure", { ...order, reduceOnly: false }],
    [
      "a transfer",
      { type: "Transfer", fromAccountId: accountId(1n), toAccountId: accountId(2n), tokenId: 0, amount: 1n },
    ],
    ["a closing subaccount", { type: "CloseSubaccount", accountId: accountId(1n) }],
  ])("%s is not, where what it depends on cannot be read", async (_, transaction) => {
    const { client, received } = await clientOf(({ path }) => (path === "/v1/node/info" ? [200, node] : [500, ""]));
    expect(await client.submit(transaction, signer)).toMatchObject({ kind: "notSent" });
    expect(paths(received)).not.toContain("/v1/tx");
  });

  it.each(["genericTransfers", "atomicSubaccountClosure"])("nor where the registry does not offer %s", async (name) => {
    const { client, received } = await clientOf(({ path }) => {
      if (path === "/v1/node/info") return [200, node];
      return [200, path === "/v1/tokens" ? `{"tokens":[],"capabilities":{"${name}":false}}` : success];
    });
    const transfer = {
      type: "Transfer",
      fromAccountId: accountId(1n),
      toAccountId: accountId(2n),
      tokenId: 0,
    } as const;
    expect(await client.submit({ ...transfer, amount: 1n }, signer)).toMatchObject({ kind: "notSent" });
    expect(await client.submit({ type: "CloseSubaccount", accountId: accountId(1n) }, signer)).toMatchObject({
      kind: "notSent",
    });
    expect(paths(received)).not.toContain("/v1/tx");
  });

  it("a cancel goes whatever cannot be read", async () => {
    const { client, received } = await clientOf(({ method }) => (method === "POST" ? [200, success] : [500, ""]));
    expect(await client.submit({ type: "CancelOrder", orderId: orderId(1n) }, signer)).toMatchObject({
      kind: "executed",
    });
    expect(await client.submit({ type: "CancelAllOrders", marketId: null }, signer)).toMatchObject({
      kind: "executed",
    });
    expect(paths(received)).toEqual(["/v1/tx", "/v1/tx"]);
  });

  it("the chain is compared until it once was right, then no more", async () => {
    let chain = "another";
    const { client, received } = await clientOf(({ path }) =>
      path === "/v1/node/info" ? [200, node.replace(CHAIN, chain)] : [200, success],
    );
    expect(await client.submit(order, signer)).toMatchObject({ kind: "notSent" });
    chain = CHAIN;
    expect(await client.submit(order, signer)).toMatchObject({ kind: "executed" });
    expect(await client.submit(order, signer)).toMatchObject({ kind: "executed" });
    expect(paths(received)).toEqual(["/v1/node/info", "/v1/node/info", "/v1/tx", "/v1/tx"]);
  });

  it("an exchange that is not there is told of, not thrown", async () => {
    const gone = await deadUrl();
    const { client } = await clientOf(() => [200, "[]"], { validatorUrl: gone, restUrl: gone });
    expect(await client.submit(order, signer)).toMatchObject({ kind: "notSent" });
    expect(await client.submitSealed("{}")).toMatchObject({ kind: "notSent" });
  });
});

describe("opening a funded account", () => {
  const list = (id: number | null) =>
    `{"accounts":${id === null ? "[]" : `[{"accountId":${id},"masterAccountId":null,"isVault":false}]`}}`;
  const account = (pending: boolean) =>
    `{"accountId":7,"owner":"${signer.publicKey}","mode":"Cross","collateral":"0","availableCollateral":"0","nativeBalance":"0","positions":[],"openOrders":[],"createdAt":1,"volume30d":0,"feeTierVolume30d":0,"lifetimeVolume":0,"pendingActivation":${pending}}`;
  const bridge = (amount: string) => `{"owner":"${signer.publicKey}","unclaimed_usdc":"${amount}"}`;
  const once = { referredBy: null, pollMs: 1, timeoutMs: 0 };
  const run = (client: Client, how = once) => client.openFundedAccount(signer, how);

  /** A node that has the account from a transaction on, whatever it answered to that; or from the start. */
  function exchange(submitted: readonly [number, string], unclaimed: string, from: "start" | "submit"): Answers {
    let made = from === "start";
    return ({ path, method }) => {
      if (method === "POST") {
        made = true;
        return submitted;
      }
      if (path === "/v1/node/info") return [200, node];
      if (path === "/v1/treasury-config") return [200, treasury];
      if (path.startsWith("/v1/bridge")) return [200, bridge(unclaimed)];
      return path.endsWith("/list") ? [200, list(made ? 7 : null)] : [200, account(false)];
    };
  }

  it("needs the larger of the least deposit and the fee", async () => {
    const { client, received } = await clientOf(exchange([200, success], "5999999", "submit"));
    expect(await run(client)).toEqual({ kind: "unfunded", unclaimed: 5_999_999n, needed: 6_000_000n });
    expect(received.some(({ method }) => method === "POST")).toBe(false);
  });

  it("is done when the account is there, although the answer was lost", async () => {
    const { client } = await clientOf(exchange([502, "gone"], "6000000", "submit"));
    expect(await run(client)).toEqual({ kind: "open", accountId: 7n });
  });

  it("sends nothing where the account is there already", async () => {
    const { client, received } = await clientOf(exchange([200, success], "6000000", "start"));
    expect(await run(client)).toEqual({ kind: "open", accountId: 7n });
    expect(received.some(({ method }) => method === "POST")).toBe(false);
  });

  it("tells how the transaction ended where there is no account", async () => {
    const failed = `{"status":"failed","hash":"h","events":[],"error":"no"}`;
    const { client } = await clientOf(({ path, method }) => {
      if (method === "POST") return [200, failed];
      if (path === "/v1/node/info") return [200, node];
      if (path === "/v1/treasury-config") return [200, treasury];
      return path.startsWith("/v1/bridge") ? [200, bridge("9000000")] : [200, list(null)];
    });
    expect(await run(client)).toMatchObject({ kind: "failed", outcome: { kind: "refused", error: "no" } });
  });

  it("asks the bridge again as long as its patience lasts", async () => {
    let asked = 0;
    const paying = exchange([200, success], "6000000", "submit");
    const { client } = await clientOf((request, headers) => {
      if (request.path.startsWith("/v1/bridge")) {
        asked += 1;
        return [200, bridge(asked < 3 ? "0" : "6000000")];
      }
      return paying(request, headers);
    });
    expect(await run(client, { ...once, timeoutMs: 5000 })).toEqual({ kind: "open", accountId: 7n });
    expect(asked).toBe(3);
  });
});

describe("an exchange that words things otherwise", () => {
  it("is read as the bot reads it: lists apart from the account, envelopes, a refusal's message", async () => {
    const { client } = await clientOf(({ path, method }) => {
      if (method === "POST") return [400, `{"message":"bad nonce"}`];
      if (path === "/v1/accounts/12") return [200, `{"id":"12","collateral":"5","openOrders":["7"]}`];
      if (path === "/v1/accounts/12/orders?limit=5")
        return [203, `{"orders":[{"id":7,"market_id":1,"side":"Buy","price":"5","qty":"9","filled":"4"}]}`];
      if (path === "/v1/accounts/12/orders")
        return [200, `{"orders":[{"id":7,"market_id":1,"side":"Buy","price":"5","qty":"9"}]}`];
      if (path === "/v1/accounts/12/positions") return [200, `{"data":[]}`];
      return [200, node];
    });
    const account = await client.accounts.byId(accountId(12n));
    expect(account).toMatchObject({ owner: null, openOrders: [{ orderId: 7n, unclearSize: "alone" }], positions: [] });
    expect(await client.accounts.openOrders(accountId(12n))).toMatchObject([{ orderId: 7n }]);
    const [row] = await client.history.orders(accountId(12n), { limit: 5 });
    expect(row?.order).toMatchObject({ size: 9n, filledSize: 4n, remainingSize: 5n });
    expect(await client.submit(order, signer)).toEqual({
      kind: "unknown",
      why: "the exchange answered HTTP 400: bad nonce",
    });
  });
});
