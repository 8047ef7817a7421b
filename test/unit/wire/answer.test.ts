// Design 4 and NS-25: which of the five ends an answer means. Status in the body decides, never the HTTP code.

import { describe, expect, test } from "vitest";
import type { ReportedEvent } from "../../../src/domain/reported-event.ts";
import { accountId, orderId, price, size, usdc } from "../../../src/domain/units.ts";
import { decodeAnswer, encodeError, encodeFailure, encodeSuccess } from "../../../src/wire/answer.ts";

const answered = (httpStatus: number, body: string, retryAfter: string | null = null) =>
  decodeAnswer({ httpStatus, body, retryAfter });

const execution = {
  marketId: 1,
  price: price(21_694_000_000n),
  size: size(500_000n),
  takerSide: "buy" as const,
  takerOrderId: orderId(2n ** 64n - 1n),
  makerOrderId: orderId(8n),
  txHash: "ab".repeat(32),
  timestampMs: 1_790_000_000_123,
  takerAccountId: accountId(12n),
  makerAccountId: accountId(13n),
  takerFee: usdc(54_235n),
  makerFee: usdc(-10_847n),
  takerRealizedPnl: usdc(-5n),
  makerRealizedPnl: usdc(0n),
};
const hash = "ab".repeat(32);
const ref = { orderId: orderId(9n), accountId: accountId(12n), marketId: 1 };
const order = {
  ...ref,
  side: "sell" as const,
  orderType: "Limit" as const,
  price: price(5n),
  size: size(10n),
  filledSize: size(4n),
  remainingSize: size(6n),
  triggerPrice: null,
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC" as const,
  status: "Open",
  takeProfit: null,
  stopLoss: null,
  createdAtMs: 1,
  updatedAtMs: 1,
};

describe("executed", () => {
  test("what the devnet reports of trading, the bot understands", () => {
    const events: ReportedEvent[] = [
      { type: "Fill", execution },
      { type: "OrderPlaced", order },
      { type: "OrderModified", order },
      { type: "OrderCanceled", ...ref, reason: "UserCanceled" },
    ];
    expect(answered(200, encodeSuccess(hash, events))).toEqual({
      kind: "executed",
      hash,
      events: [
        { type: "fill", execution },
        { type: "orderPlaced", ...ref, side: "sell", price: 5n, size: 10n },
        { type: "orderModified", ...ref, price: 5n, size: 10n, remainingSize: 6n },
        { type: "orderCanceled", ...ref, reason: "UserCanceled" },
      ],
    });
  });

  test("everything else it reports is kept by name", () => {
    const market = { marketId: 1 };
    const account = { accountId: accountId(12n), marketId: 1 };
    const events: ReportedEvent[] = [
      {
        type: "OracleUpdated",
        ...market,
        price: price(2n),
        previousPrice: price(1n),
        positionsUpdated: 3,
        validUntilSec: 4,
      },
      { type: "FundingUpdated", ...market, fundingRate: -5n, timestampSec: 6 },
      { type: "FundingPaid", ...account, inventory: size(-1n), amount: usdc(2n), fundingRate: 3n, timestampSec: 4 },
      { type: "Liquidation", ...account, positionsClosed: 1, positionsRemaining: 0 },
      { type: "BackstopTransfer", ...account, side: "buy", size: size(1n), price: price(2n) },
      { type: "MarginAdjusted", ...account, delta: usdc(-7n) },
      { type: "MarketStatusChanged", ...market, status: "Paused" },
      { type: "AccountChanged", name: "AgentApproved", accountId: accountId(12n), facts: { agent: "ff" } },
      { type: "AccountChanged", name: "AccountCreated", accountId: null, facts: {} },
    ];
    const outcome = answered(200, encodeSuccess(hash, events));
    const names = events.map((event) => (event.type === "AccountChanged" ? event.name : event.type));
    expect(outcome).toEqual({ kind: "executed", hash, events: names.map((name) => ({ type: "other", name })) });
  });

  test("in the casing of the WebSocket, without the hash that the answer has anyway, with numbers for text", () => {
    const body = `{"status":"success","hash":"h1","events":[{"type":"fill","marketId":1,"price":5,"size":6,"takerOrderId":"7",
      "makerOrderId":8,"takerAccountId":1,"makerAccountId":2,"takerSide":"Short","takerFee":1,"makerFee":-1,
      "takerRealizedPnl":0,"makerRealizedPnl":0}]}`;
    expect(answered(200, body)).toMatchObject({
      kind: "executed",
      events: [{ type: "fill", execution: { takerSide: "sell", takerOrderId: 7n, txHash: "h1", timestampMs: null } }],
    });
  });

  test("events that are not understood do not undo the execution", () => {
    const events = '[{"type":"Fill","price":"x"},{"type":"NewThing"},7,null,{"no":"type"}]';
    expect(answered(200, `{"status":"success","hash":"h1","events":${events}}`)).toEqual({
      kind: "executed",
      hash: "h1",
      events: ["Fill", "NewThing", "number", "object", "untyped"].map((name) => ({ type: "other", name })),
    });
    expect(answered(200, '{"status":"success","hash":"h1"}')).toEqual({ kind: "executed", hash: "h1", events: [] });
  });
});

describe("refused", () => {
  const body = encodeFailure(hash, "insufficient margin", "INSUFFICIENT_MARGIN");

  test.each([200, 400, 409, 422])("status failed with a hash is refused, whatever the HTTP code: %d", (httpStatus) => {
    expect(answered(httpStatus, body)).toEqual({ kind: "refused", hash, error: "insufficient margin" });
  });

  test("has empty events and a code beside the sentence", () => {
    expect(JSON.parse(body)).toEqual({
      status: "failed",
      hash,
      events: [],
      error: "insufficient margin",
      code: "INSUFFICIENT_MARGIN",
    });
  });
});

describe("rejected before execution", () => {
  test.each([400, 401, 403, 404, 413])("%d without a hash", (httpStatus) => {
    expect(answered(httpStatus, encodeError("nonce was used before", "NONCE_REUSED"))).toEqual({
      kind: "rejected",
      httpStatus,
      error: "nonce was used before",
    });
  });

  test.each([
    ["2", 2000],
    ["0.25", 250],
    ["0", 0],
    ["999999", 600_000],
    ["Wed, 21 Oct 2026 07:28:00 GMT", null],
    ["-1", null],
    ["", null],
    [null, null],
  ])("429 with Retry-After %j waits %s ms", (retryAfter, retryAfterMs) => {
    expect(answered(429, '{"error":"slow down"}', retryAfter)).toMatchObject({ kind: "rateLimited", retryAfterMs });
  });

  test("a long foreign text is cut before anybody logs it", () => {
    const outcome = answered(400, JSON.stringify({ error: "x".repeat(10_000) }));
    expect(outcome.kind === "rejected" && outcome.error.length).toBe(500);
  });
});

describe("unknown: neither success nor failure", () => {
  test.each([
    ["a 5xx", 500, '{"error":"internal"}'],
    ["a gateway that gave up", 504, "<html>"],
    ["a server that waited for the request", 408, '{"error":"timeout"}'],
    ["a 5xx that claims success without a hash", 502, '{"status":"success","events":[]}'],
    ["a 200 that is cut off", 200, '{"status":"success","hash":"ab'],
    ["a 200 of something else", 200, "<html>welcome</html>"],
    ["an empty 200", 200, ""],
    ["a 200 without hash", 200, '{"status":"success","events":[]}'],
    ["a hash that is no text", 200, '{"status":"success","hash":7,"events":[]}'],
    ["another status", 200, '{"status":"pending","hash":"ab","events":[]}'],
    ["status twice", 200, '{"status":"failed","status":"success","hash":"ab"}'],
    ["a 4xx that has a hash but no status", 400, '{"hash":"ab"}'],
    ["a redirect", 302, ""],
    ["a request that another is in the way of", 409, '{"error":"duplicate"}'],
    ["a server that does not take requests this early", 425, '{"error":"too early"}'],
    ["somebody who may not let it through", 451, '{"error":"unavailable for legal reasons"}'],
    ["a firewall's page", 403, "<html>forbidden</html>"],
    ["a gateway's own JSON", 403, '{"message":"Forbidden"}'],
    ["a bare 400", 400, ""],
    ["an error that is no sentence", 400, '{"error":{"code":1}}'],
  ])("%s", (_name, httpStatus, body) => {
    expect(answered(httpStatus, body).kind).toBe("unknown");
  });

  test.each([
    [
      403,
      "<!DOCTYPE html><title>Attention!</title>",
      'something between us and the exchange answered HTTP 403 with a web page ("Attention!")',
    ],
    [200, " <html>", "something between us and the exchange answered HTTP 200 with a web page"],
    [502, "", "something between us and the exchange answered HTTP 502 with an empty body"],
    [
      503,
      "try later\n",
      'something between us and the exchange answered HTTP 503 with other text ("try later\\u000a")',
    ],
    [400, '{"message":"bad nonce"}', "the exchange answered HTTP 400: bad nonce"],
    [400, '{"error":{"code":7,"message":"bad nonce"}}', "the exchange answered HTTP 400: bad nonce"],
    [422, "nonce too low\n", "the exchange answered HTTP 422: nonce too low"],
    [409, '{"error":"duplicate"}', "the exchange answered HTTP 409: duplicate"],
    [
      403,
      '{"ok":false}',
      "something between us and the exchange answered HTTP 403 with JSON that is not the exchange's",
    ],
    [
      502,
      '{"message":"no"}',
      "something between us and the exchange answered HTTP 502 with JSON that is not the exchange's",
    ],
    [500, '{"error":"internal"}', "the exchange answered HTTP 500: internal"],
  ])("HTTP %d %j is named", (httpStatus, body, why) => {
    expect(answered(httpStatus, body)).toEqual({ kind: "unknown", why });
  });

  test("a body with status and hash is an answer even behind a 5xx", () => {
    expect(answered(500, encodeSuccess(hash, []))).toEqual({ kind: "executed", hash, events: [] });
  });
});
