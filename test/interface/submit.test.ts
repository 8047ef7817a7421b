// Rows 45 to 52: how a transaction is handed in, signed and answered (S4.5).

import { describe, expect } from "vitest";
import { nonce } from "../../src/domain/units.ts";
import { bytesOfHex } from "../../src/kernel/hex.ts";
import { sealEnvelope } from "../../src/wire/envelope.ts";
import type { Signer } from "../../src/wire/signing.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import {
  ALICE,
  agent,
  aliceKey,
  aliceSession,
  CHAIN_ID,
  contracts,
  order,
  START_MS,
  START_SEC,
  signerOf,
  usd,
} from "./actors.ts";
import { it, openWorld, type Raw, type World } from "./world.ts";

const text = encodeTransaction(order());
const openOrders = async (world: World) => (await world.client.accounts.openOrders(ALICE)).length;

async function postHosted(world: World, body: string, headers: Record<string, string>): Promise<Raw> {
  const sent = fetch(`${world.devnet.restUrl}/tx/sign-and-submit`, { method: "POST", body, headers });
  const answer = await world.answered(sent);
  const answerText = await answer.text();
  const { status } = answer;
  return { status, text: answerText, headers: answer.headers, json: JSON.parse(answerText) as never };
}

describe("the hosted path", () => {
  const body = `{"transaction":${text},"nonce":${START_MS},"timestamp":${START_SEC}}`;

  it.each([{ "x-api-key": aliceKey.key }, { authorization: `Bearer ${aliceSession.token}` }])(
    "signs and forwards transaction, nonce and timestamp: %j [45]",
    async (headers) => {
      await using world = await openWorld();
      const answer = await postHosted(world, body, { "content-type": "application/json", ...headers });
      expect(answer).toMatchObject({ status: 200, json: { status: "success", hash: expect.any(String) } });
      expect(await openOrders(world)).toBe(1);
    },
  );

  it("has no version in its path [45]", async ({ world }) => {
    const answer = await fetch(`${world.devnet.restUrl}/v1/tx/sign-and-submit`, { method: "POST", body });
    expect(answer.status).toBe(404);
  });

  it("refuses whoever shows no credential or a wrong one [45]", async ({ world }) => {
    const beside = { "x-api-key": "wrong", authorization: `Bearer ${aliceSession.token}` };
    for (const headers of [{}, { "x-api-key": "wrong" }, { authorization: "Bearer wrong" }, beside]) {
      expect((await postHosted(world, body, headers)).status).toBe(401);
    }
    expect(await openOrders(world)).toBe(0);
  });

  it("answers a body it cannot read with 400 [45]", async ({ world }) => {
    const headers = { "x-api-key": aliceKey.key };
    expect((await postHosted(world, `{"transaction":${text}}`, headers)).status).toBe(400);
    const both = `{"transaction":${text},"nonce":1,"timestamp":1,"signer":[]}`;
    expect((await postHosted(world, both, headers)).status).toBe(400);
  });

  it("is spoken by the client with either credential [45]", async ({ world }) => {
    for (const credential of [aliceKey, aliceSession]) {
      const { submitHosted } = world.clientWith({ credential });
      expect(await world.answered(submitHosted(order()))).toMatchObject({ kind: "executed" });
      await world.advance(1);
    }
    expect(await openOrders(world)).toBe(2);
    expect(await world.answered(world.client.submitHosted(order()))).toMatchObject({
      kind: "rejected",
      httpStatus: 401,
    });
  });
});

describe("the envelope", () => {
  const whole = { transaction: order(), signer: agent };
  const sealed = (of: { signer?: Signer; chainId?: string; transactionText?: string } = {}) =>
    sealEnvelope({
      chainId: CHAIN_ID,
      transactionText: encodeTransaction(whole.transaction),
      nonce: nonce(BigInt(START_MS)),
      timestampSec: START_SEC,
      signer: agent,
      ...of,
    });

  it("needs no header, only transaction, chain_id, signer, signature, nonce and timestamp [46]", async ({ world }) => {
    expect(Object.keys(JSON.parse(sealed()) as object)).toEqual([
      "transaction",
      "chain_id",
      "signer",
      "signature",
      "nonce",
      "timestamp",
    ]);
    expect(await world.post(sealed())).toMatchObject({ status: 200, json: { status: "success" } });
  });

  it.each(["transaction", "chain_id", "signer", "signature", "nonce", "timestamp"])(
    "without %s is 400 [46]",
    async (key) => {
      await using world = await openWorld();
      const body = JSON.parse(sealed()) as Record<string, unknown>;
      delete body[key];
      expect((await world.post(JSON.stringify(body))).status).toBe(400);
      expect(await openOrders(world)).toBe(0);
    },
  );

  it("signer has 32 bytes, signature 64 [46]", async ({ world }) => {
    for (const key of ["signer", "signature"] as const) {
      const body = JSON.parse(sealed()) as Record<typeof key, number[]>;
      body[key] = body[key].slice(1);
      expect(await world.post(JSON.stringify(body))).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
    }
  });

  it("the signed message is the JSON array of chain id, transaction, nonce and timestamp [47]", async ({ world }) => {
    const message = Buffer.from(`["${CHAIN_ID}",${text},${START_MS},${START_SEC}]`);
    const body = {
      transaction: JSON.parse(text) as unknown,
      chain_id: CHAIN_ID,
      signer: [...bytesOfHex(agent.publicKey)],
      signature: [...agent.sign(message)],
      nonce: START_MS,
      timestamp: START_SEC,
    };
    expect((await world.post(JSON.stringify(body))).json).toMatchObject({ status: "success" });
  });

  it.each([
    ["another value", (body: string) => body.replace(`"size":1000000`, `"size":1000001`)],
    ["a blank", (body: string) => body.replace(`{"PlaceOrder":`, `{"PlaceOrder": `)],
    [
      "another order of fields",
      (body: string) => body.replace(`"account_id":12,"market_id":1`, `"market_id":1,"account_id":12`),
    ],
    ["another nonce", (body: string) => body.replace(`"nonce":${START_MS}`, `"nonce":${START_MS + 1}`)],
    ["another timestamp", (body: string) => body.replace(`"timestamp":${START_SEC}`, `"timestamp":${START_SEC + 1}`)],
  ])("%s after signing breaks the signature [48]", async (_, change) => {
    await using world = await openWorld();
    const changed = change(sealed());
    expect(changed).not.toBe(sealed());
    expect(await world.post(changed)).toMatchObject({ status: 400, json: { code: "SIGNATURE" } });
    expect(await openOrders(world)).toBe(0);
  });

  it("the exact text counts: what was signed with blanks is sent with them [48]", async ({ world }) => {
    const spaced = text.replaceAll(",", " , ");
    expect((await world.post(sealed({ transactionText: spaced }))).json).toMatchObject({ status: "success" });
  });

  it("another key's signature is refused [47]", async ({ world }) => {
    const body = JSON.parse(sealed({ signer: signerOf(9) })) as Record<string, unknown>;
    body.signer = [...bytesOfHex(agent.publicKey)];
    expect(await world.post(JSON.stringify(body))).toMatchObject({ status: 400, json: { code: "SIGNATURE" } });
  });

  it("is parsed before its signature is looked at [49]", async ({ world }) => {
    const malformed = sealed({ signer: signerOf(9) }).replace(`"Limit"`, `"limit"`);
    expect(await world.post(malformed)).toMatchObject({ status: 400, json: { code: "MALFORMED" } });
  });
});

describe("the answer", () => {
  it("of what executed: success, hash and events [50a]", async ({ world }) => {
    const { json } = await world.postText(text);
    expect(json).toEqual({
      status: "success",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      events: expect.any(Array),
    });
  });

  it("of what was refused: failed, hash, no events and a sentence, with HTTP 200 [50b, 107]", async ({ world }) => {
    const answer = await world.postText(encodeTransaction(order({ size: contracts(100_000) })));
    expect(answer).toMatchObject({
      status: 200,
      json: { status: "failed", hash: expect.stringMatching(/^[0-9a-f]{64}$/), events: [], error: expect.any(String) },
    });
    expect(await world.submit(order({ size: contracts(100_000) }))).toMatchObject({
      kind: "refused",
      error: expect.stringMatching(/margin|collateral/i),
    });
  });

  it("events are always there, empty where nothing changed hands [50a]", async ({ world }) => {
    const { json } = await world.postText(`{"CancelAllOrders":{"market_id":null}}`);
    expect(json).toMatchObject({ status: "success", events: [] });
  });

  it("of the same transaction sent twice differs: the second is rejected [50a]", async ({ world }) => {
    const stamp = { nonce: nonce(BigInt(START_MS)) };
    expect((await world.postText(text, stamp)).json).toMatchObject({ status: "success" });
    expect((await world.postText(text, stamp)).status).toBe(400);
  });
});

describe("the chain", () => {
  it("a missing or another chain id is 400 [51a]", async ({ world }) => {
    const other = await world.postText(text, { chainId: "venue-v4:mainnet:chain-1" });
    expect(other).toMatchObject({ status: 400, json: { code: "WRONG_CHAIN" } });
  });

  it("a client pinned to another chain signs and sends nothing [51b]", async ({ world }) => {
    const pinned = world.clientWith({ chainId: "venue-v4:mainnet:chain-1", credential: aliceKey });
    for (const sent of [pinned.submit(order(), agent), pinned.submitHosted(order())]) {
      expect(await world.answered(sent)).toMatchObject({ kind: "notSent", why: expect.stringContaining("pinned") });
    }
    expect(await openOrders(world)).toBe(0);
  });

  it("a client that cannot read the node's chain signs and sends nothing [51b]", async ({ world }) => {
    const lost = world.clientWith({ validatorUrl: "http://127.0.0.1:9" });
    expect(await lost.submit(order(), agent)).toMatchObject({ kind: "notSent" });
  });
});

describe("the timestamp", () => {
  it.each([-60, 60])("%i seconds off chain time is the limit [52]", async (offSec) => {
    await using world = await openWorld();
    const beyond = await world.postText(text, { timestampSec: START_SEC + offSec + Math.sign(offSec) });
    expect(beyond).toMatchObject({ status: 400, json: { code: "TIMESTAMP" } });
    expect((await world.postText(text, { timestampSec: START_SEC + offSec })).status).toBe(200);
  });

  it("is in seconds: milliseconds are far off [52]", async ({ world }) => {
    expect((await world.postText(text, { timestampSec: START_MS })).status).toBe(400);
  });

  it("the client's is of the moment it leaves, by chain time [52]", async ({ world }) => {
    await world.advance(100_000);
    expect(await world.submit(order({ price: usd(198) }))).toMatchObject({ kind: "executed" });
  });
});
