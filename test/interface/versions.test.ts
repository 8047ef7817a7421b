// Rows 104 to 108 and 127 to 130: errors of reads and requests, versions, environments (S7, S9).

import { describe, expect } from "vitest";
import { node } from "../../src/wire/rest/exchange.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { ALICE, aliceKey, CHAIN_ID, order } from "./actors.ts";
import { it, openWorld } from "./world.ts";

const headers = { "x-api-key": aliceKey.key };

describe("an error", () => {
  it.each([
    ["/v1/markets/9", 404],
    ["/v1/markets/x", 400],
    ["/v1/accounts/999", 404],
    ["/v1/accounts/by-owner/xyz", 400],
    ["/v1/accounts/by-owner/xyz/assets", 400],
    ["/v1/bridge/state?owner=xyz", 400],
    ["/v1/transfers/history?cursor=xyz", 400],
    ["/v1/transfers/recipient?kind=x&value=y", 400],
    ["/v1/transfers/recipient?kind=username&value=nobody", 404],
    ["/v2/markets", 404],
  ])("of %s is %i with one sentence and a code [104]", async (path, status) => {
    await using world = await openWorld();
    const answer = await world.get(path, { headers });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: expect.any(String), code: expect.stringMatching(/^[A-Z_]+$/) });
  });

  it("keeps its sentence: the same mistake gives the same answer [104]", async ({ world }) => {
    const [first, second] = [await world.get("/v1/markets/x"), await world.get("/v1/markets/x")];
    expect(second.text).toBe(first.text);
  });

  it.each([
    ["parse", { text: `{"CancelOrder":{}}` }],
    ["chain", { chainId: "another" }],
    ["timestamp", { timestampSec: 1 }],
  ])("before execution is 400 and leaves the state as it was: %s [106]", async (_, of) => {
    await using world = await openWorld();
    const text = "text" in of ? of.text : encodeTransaction(order());
    const answer = await world.postText(text, "text" in of ? {} : of);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: expect.any(String), code: expect.any(String) });
    expect((await world.client.accounts.byId(ALICE)).openOrders).toEqual([]);
  });

  it("comes to the client with status and code, never as a value [104]", async ({ world }) => {
    await expect(world.client.exchange.market(9)).rejects.toMatchObject({
      name: "ReadError",
      code: "httpStatus",
      httpStatus: 404,
      reason: "UNKNOWN_MARKET",
    });
  });
});

describe("a wrong method or path", () => {
  it("is 405 or 404, not a crash [104]", async ({ world }) => {
    const base = world.devnet.validatorUrl;
    expect((await fetch(`${base}/v1/markets`, { method: "DELETE" })).status).toBe(405);
    expect((await fetch(`${base}/markets`)).status).toBe(404);
    expect((await fetch(`${base}/v1/tx`)).status).toBe(405);
  });
});

describe("versions", () => {
  it("every path of both hosts starts with /v1, but for the signing path [127]", async ({ world }) => {
    for (const path of ["/markets", "/oracle/1", "/tx", "/accounts/12"])
      expect((await world.get(path)).status).toBe(404);
    const signing = await fetch(`${world.devnet.restUrl}/tx/sign-and-submit`, { method: "POST", body: "{}" });
    expect(signing.status).toBe(401);
  });

  it("are whole numbers of node info [128]", async ({ world }) => {
    const { protocolVersion, binaryVersion } = await world.client.exchange.node();
    expect([Number.isInteger(protocolVersion), Number.isInteger(binaryVersion)]).toEqual([true, true]);
  });

  it("the client understands a node that tells build_tag, and fields it does not know [128]", async ({ world }) => {
    const { json } = await world.get("/v1/node/info");
    const { build_sha, ...rest } = json as Record<string, unknown>;
    const earlier = { ...rest, build_tag: "v1", fork: { name: "next" } };
    expect(node.read(earlier)).toMatchObject({ buildSha: "v1", chainId: CHAIN_ID });
    expect(build_sha).toBeDefined();
  });
});

describe("chain ids", () => {
  it("of devnet is the one that its node tells and that signatures are made for [129]", async ({ world }) => {
    expect((await world.client.exchange.node()).chainId).toBe("venue-v4:devnet:chain-2");
    expect(await world.submit(order())).toMatchObject({ kind: "executed" });
  });

  it("of mainnet is another: what is signed for the one is nothing to the other [129]", async () => {
    await using mainnet = await openWorld({ chainId: "venue-v4:mainnet:chain-1" });
    expect(await mainnet.submit(order())).toMatchObject({ kind: "executed" });
    const answer = await mainnet.postText(encodeTransaction(order()), { chainId: CHAIN_ID });
    expect(answer).toMatchObject({ status: 400, json: { code: "WRONG_CHAIN" } });
  });
});

it("a client is one environment: hosts of two chains do not mix [130]", async () => {
  await using mainnet = await openWorld({ chainId: "venue-v4:mainnet:chain-1" });
  await using devnet = await openWorld();
  const mixed = devnet.clientWith({ validatorUrl: mainnet.devnet.validatorUrl, credential: aliceKey });
  expect(await mixed.submitHosted(order())).toMatchObject({ kind: "notSent", why: expect.stringContaining("pinned") });
  expect((await devnet.client.accounts.byId(ALICE)).openOrders).toEqual([]);
});
