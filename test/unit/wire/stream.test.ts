// The WebSocket's messages (S6.2), letter by letter, and what is made of those that are not as documented.

import { describe, expect, test } from "vitest";
import { accountId, orderId, price, size, usdc } from "../../../src/domain/units.ts";
import { bookFrameText, readBookFrame } from "../../../src/wire/stream/book-frame.ts";
import { CHANNELS_PER_MESSAGE_MAX, decodeClientMessage } from "../../../src/wire/stream/client.ts";
import * as messages from "../../../src/wire/stream/messages.ts";
import { decodeServerMessage } from "../../../src/wire/stream/server-decode.ts";
import { faultOf } from "./fault-of.ts";

const decode = (frame: string) => decodeServerMessage(frame, 0);

const execution = {
  marketId: 1,
  price: price(21_694_000_000n),
  size: size(500_000n),
  takerSide: "buy" as const,
  takerOrderId: orderId(2n ** 64n - 1n),
  makerOrderId: orderId(8n),
  txHash: "ab",
  timestampMs: 5,
  takerAccountId: accountId(12n),
  makerAccountId: accountId(13n),
  takerFee: usdc(54_235n),
  makerFee: usdc(-10_847n),
  takerRealizedPnl: usdc(-5n),
  makerRealizedPnl: usdc(0n),
};

describe("text of each message", () => {
  const ref = { orderId: orderId(2n ** 64n - 1n), accountId: accountId(12n), marketId: 1 };
  const shared =
    '{"type":"fill","market_id":1,"price":"21694000000","size":"500000","taker_order_id":18446744073709551615' +
    ',"maker_order_id":8,"taker_account_id":12,"maker_account_id":13,"taker_side":"Long","taker_fee":"54235"' +
    ',"maker_fee":"-10847","tx_hash":"ab"';

  test.each([
    [
      "orderbook",
      bookFrameText({
        marketId: 1,
        bids: [
          { price: price(5n), size: size(6n), orderCount: 2 },
          { price: price(4n), size: size(2n ** 64n - 1n), orderCount: 1 },
        ],
        asks: [],
      }),
      '{"type":"orderbookSnapshot","market_id":1,"bids":[{"price":"5","size":"6","orderCount":2}' +
        ',{"price":"4","size":"18446744073709551615","orderCount":1}],"asks":[]}',
    ],
    ["trades: no realized PnL, no time", messages.trade.text(execution), `${shared}}`],
    [
      "fills: with time of emission",
      messages.fill.text({ ...execution, timestampMs: 1_790_000_000_123 }),
      `${shared},"taker_realized_pnl":"-5","maker_realized_pnl":"0","timestamp":1790000000123}`,
    ],
    [
      "orders: placed",
      messages.orderPlaced.text({ ...ref, side: "sell", price: price(1n), size: size(2n) }),
      '{"type":"orderPlaced","order_id":18446744073709551615,"account_id":12,"market_id":1,"side":"Short","price":"1","size":"2"}',
    ],
    [
      "orders: canceled",
      messages.orderCanceled.text({ ...ref, reason: "UserCanceled" }),
      '{"type":"orderCanceled","order_id":18446744073709551615,"account_id":12,"market_id":1,"reason":"UserCanceled"}',
    ],
    [
      "orders: modified, ours",
      messages.orderModified.text({ ...ref, side: "buy", price: price(1n), size: size(2n) }),
      '{"type":"orderModified","order_id":18446744073709551615,"account_id":12,"market_id":1,"side":"Long","price":"1","size":"2"}',
    ],
    [
      "orders: triggered, ours",
      messages.orderTriggered.text(ref),
      '{"type":"orderTriggered","order_id":18446744073709551615,"account_id":12,"market_id":1}',
    ],
    [
      "liquidations: the fee is always 0",
      messages.liquidation.text({ accountId: ref.accountId, positionsClosed: 1, positionsRemaining: 0 }),
      '{"type":"liquidation","account_id":12,"positions_closed":1,"liquidation_fee":"0","positions_remaining":0}',
    ],
    [
      "funding",
      messages.funding.text({ marketId: 1, fundingRate: -15_800n, lastFundingTimestampSec: 1_790_000_000 }),
      '{"type":"fundingUpdate","market_id":1,"funding_rate":"-15800","last_funding_timestamp":1790000000}',
    ],
    [
      "oracleUpdates",
      messages.oracle.text({
        marketId: 1,
        price: price(2n),
        previousPrice: price(1n),
        positionsUpdated: 3,
        validUntilSec: 1_790_000_000,
      }),
      '{"type":"oraclePriceUpdate","market_id":1,"price":"2","previous_price":"1","positions_updated":3,"valid_until":1790000000}',
    ],
    [
      "pong, in camelCase",
      messages.pong.text({ height: 7, blockTimeMs: 1_790_000_000_123 }),
      '{"type":"pong","blockHeight":7,"blockTimeMs":1790000000123}',
    ],
    [
      "error, ours",
      messages.error.text({ code: "CODE", message: 'a "reason"' }),
      '{"type":"error","code":"CODE","message":"a \\"reason\\""}',
    ],
  ])("%s", (_name, text, wanted) => {
    expect(text).toBe(wanted);
  });

  test("explorer: the first transaction of a block alone", () => {
    const transaction = (index: number) => ({
      hash: `t${index}`,
      index,
      transactionType: "PlaceOrder",
      sender: "0f".repeat(32),
      status: "success",
      timestampMs: 5,
    });
    const block = {
      height: 9,
      hash: "h",
      parentHash: "p",
      stateRoot: "s",
      proposer: "v",
      timestampMs: 5,
      transactionCount: 2,
      transactions: [transaction(0), transaction(1)],
    };
    const text = messages.blockFinalized.text(block);
    expect(text).toBe(
      '{"type":"blockFinalized","height":9,"hash":"h","parent_hash":"p","state_root":"s","proposer":"v","timestamp":5' +
        `,"tx_count":2,"transactions":[{"hash":"t0","tx_index":0,"tx_type":"PlaceOrder","sender":"${"0f".repeat(32)}"` +
        ',"status":"success","timestamp":5}]}',
    );
    expect(messages.blockFinalized.text({ ...block, transactions: [] })).toContain('"transactions":[]');
  });
});

describe("the two fills are told apart by what they carry", () => {
  const trade = JSON.parse(messages.trade.text({ ...execution, takerOrderId: orderId(7n) }));

  test("with a time or a realized PnL it is an execution, and then it must be whole", () => {
    expect(faultOf(() => decode(JSON.stringify({ ...trade, timestamp: 5 })))).toBe(
      "field_missing fill.taker_realized_pnl",
    );
    const pnl = { taker_realized_pnl: "0", maker_realized_pnl: "0" };
    expect(decode(JSON.stringify({ ...trade, ...pnl }))).toMatchObject({
      kind: "execution",
      execution: { timestampMs: null },
    });
  });

  test("without, it is a trade", () => {
    expect(decode(JSON.stringify(trade))).toMatchObject({ kind: "trade", trade: { timestampMs: null } });
  });
});

describe("what is not in the interface", () => {
  test.each([
    ['{"type":"subscribed","channels":[]}', { kind: "ignored", type: "subscribed" }],
    ['{"type":"toString"}', { kind: "ignored", type: "toString" }],
    ['{"type":"ping"}', { kind: "serverPing" }],
    ['{"type":"error","message":"no such market"}', { kind: "error", message: "no such market" }],
    ['{"type":"error"}', { kind: "error", message: "" }],
  ])("%s is a value", (frame, message) => {
    expect(decode(frame)).toEqual(message);
  });

  test.each([
    ["", "json_malformed"],
    ["pong", "json_malformed"],
    ["[]", "field_type"],
    ["{}", "field_missing type"],
    ['{"type":null}', "field_missing type"],
    ['{"type":{}}', "field_type type"],
    ['{"type":"pong","blockHeight":1}', "field_missing pong.blockTimeMs"],
    ['{"type":"pong","blockHeight":"x","blockTimeMs":1}', "field_type pong.blockHeight"],
    ['{"type":"orderbookSnapshot","market_id":1,"bids":[]}', "field_missing orderbookSnapshot.asks"],
    [
      '{"type":"orderbookSnapshot","market_id":1,"bids":[{"price":"1","size":"-1","orderCount":1}],"asks":[]}',
      "field_range orderbookSnapshot.bids.0.size",
    ],
    ['{"type":"orderbookSnapshot","market_id":1,"bids":{},"asks":[]}', "field_type orderbookSnapshot.bids"],
    [
      '{"type":"orderCanceled","order_id":1.5,"account_id":1,"market_id":1,"reason":"x"}',
      "field_type orderCanceled.order_id",
    ],
    [
      '{"type":"orderPlaced","order_id":18446744073709551616,"account_id":1,"market_id":1,"side":"Long","price":"1","size":"1"}',
      "field_range orderPlaced.order_id",
    ],
    [
      '{"type":"orderPlaced","order_id":1,"account_id":1,"market_id":1,"side":"up","price":"1","size":"1"}',
      "field_type orderPlaced.side",
    ],
    ['{"type":"ping","type":"pong"}', "json_duplicate_key"],
  ])("%s is a fault with its place", (frame, fault) => {
    expect(faultOf(() => decode(frame))).toBe(fault);
  });
});

describe("the fast reader of books", () => {
  const usual = '{"type":"orderbookSnapshot","market_id":1,"bids":[{"price":"5","size":"6","orderCount":2}],"asks":[]}';
  const book = { marketId: 1, bids: [{ price: 5n, size: 6n, orderCount: 2 }], asks: [] };

  test("reads the usual spelling", () => {
    expect(readBookFrame(usual)).toEqual(book);
  });

  test.each([
    ["blanks", usual.replace(/,/g, ", ")],
    [
      "another order of fields",
      '{"market_id":1,"type":"orderbookSnapshot","asks":[],"bids":[{"orderCount":2,"size":"6","price":"5"}]}',
    ],
    ["numbers for text", usual.replace('"5"', "5").replace('"6"', "6")],
    ["camelCase", usual.replace("market_id", "marketId")],
    ["an extra field", usual.replace(',"asks"', ',"sequence":9,"asks"')],
    ["text for the count", usual.replace(":2}", ':"2"}')],
    ["a blank at the end", `${usual}\n`],
    ["an empty level", usual.replace('"asks":[]', '"asks":[{"price":"9","size":"0","orderCount":0}]')],
  ])("leaves %s to the general one, which finds the same book", (_name, frame) => {
    expect(readBookFrame(frame)).toBeUndefined();
    expect(decode(frame)).toEqual({ kind: "book", book, receivedMs: 0 });
  });

  test.each([
    ["digits beyond a double", usual.replace('"5"', '"12345678901234567"'), 12_345_678_901_234_567n],
    ["leading zeros", usual.replace('"5"', '"0005"'), 5n],
  ])("leaves %s to it as well", (_name, frame, best) => {
    expect(readBookFrame(frame)).toBeUndefined();
    expect(decode(frame)).toMatchObject({ book: { bids: [{ price: best }] } });
  });

  test("levels that do not come best first are put in order", () => {
    const level = (at: string) => `{"price":"${at}","size":"1","orderCount":1}`;
    const frame = `{"type":"orderbookSnapshot","market_id":1,"bids":[${level("4")},${level("5")}],"asks":[${level("9")},${level("8")}]}`;
    expect(readBookFrame(frame)).toBeUndefined();
    expect(decode(frame)).toMatchObject({
      book: { bids: [{ price: 5n }, { price: 4n }], asks: [{ price: 8n }, { price: 9n }] },
    });
  });

  test("does not take malformed text for a book", () => {
    for (let cut = 0; cut < usual.length; cut += 1) expect(readBookFrame(usual.slice(0, cut))).toBeUndefined();
    expect(readBookFrame(`${usual}}`)).toBeUndefined();
    expect(readBookFrame(usual.replace('"market_id":1', '"market_id":01'))).toBeUndefined();
    expect(faultOf(() => decode(usual.replace('"market_id":1', '"market_id":01')))).toBe("json_malformed");
  });
});

describe("client messages", () => {
  test.each([
    ['{"type":"ping"}', { type: "ping" }],
    ['{"type":"ping","id":"mine"}', { type: "ping" }],
    ['{"type":"subscribe","channels":[]}', { type: "subscribe", channels: [], faults: [] }],
    [
      '{"type":"unsubscribe","channels":[{"channel":"orderbook","market_id":0},{"channel":"fills","account_id":18446744073709551615},{"channel":"explorer"}]}',
      {
        type: "unsubscribe",
        channels: [
          { channel: "orderbook", marketId: 0 },
          { channel: "fills", accountId: 2n ** 64n - 1n },
          { channel: "explorer" },
        ],
        faults: [],
      },
    ],
  ])("%s", (text, message) => {
    expect(decodeClientMessage(text)).toEqual(message);
  });

  test.each([
    ["hello", "json_malformed"],
    ["[]", "field_type"],
    ["{}", "field_missing type"],
    ['{"type":"order"}', "field_type type"],
    ['{"type":"subscribe"}', "field_missing channels"],
    ['{"type":"subscribe","channels":{}}', "field_type channels"],
    ['{"type":"subscribe","channels":[[[[[]]]]]}', "json_too_deep"],
  ])("%s is refused", (text, fault) => {
    expect(faultOf(() => decodeClientMessage(text))).toBe(fault);
  });

  test.each([
    ['"orderbook"', "field_type channels.1"],
    ['{"channel":"orderbook"}', "field_missing channels.1.market_id"],
    ['{"channel":"fills","market_id":1}', "field_missing channels.1.account_id"],
    ['{"channel":"candles","market_id":1}', "field_type channels.1.channel"],
    ['{"channel":"trades","market_id":"1"}', "field_type channels.1.market_id"],
    ['{"channel":"trades","market_id":1.0}', "field_type channels.1.market_id"],
    ['{"channel":"trades","market_id":1e0}', "field_type channels.1.market_id"],
  ])("%s is no channel, and leaves the others as they are", (channel, fault) => {
    const text = `{"type":"subscribe","channels":[{"channel":"explorer"},${channel},{"channel":"trades","market_id":1}]}`;
    const heard = decodeClientMessage(text);
    expect(heard).toMatchObject({ channels: [{ channel: "explorer" }, { channel: "trades", marketId: 1 }] });
    expect("faults" in heard && heard.faults.map(({ code, path }) => `${code} ${path}`)).toEqual([fault]);
  });

  test("more channels than a connection may have are refused at once", () => {
    const many = Array.from({ length: CHANNELS_PER_MESSAGE_MAX + 1 }, () => ({ channel: "explorer" }));
    expect(faultOf(() => decodeClientMessage(JSON.stringify({ type: "subscribe", channels: many })))).toBe(
      "field_range channels",
    );
  });
});
