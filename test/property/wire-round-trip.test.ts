// What one wing writes the other reads back as it was: every transaction, read and message, over the whole range of every field.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountId } from "../../src/domain/units.ts";
import type { Json } from "../../src/kernel/json.ts";
import { parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { encodeRequest, openEnvelope, openRequest, sealEnvelope, signedMessage } from "../../src/wire/envelope.ts";
import { fillsCsv, readFillsCsv } from "../../src/wire/rest/history.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../src/wire/signing-simulated.ts";
import { bookFrameText, readBookFrame } from "../../src/wire/stream/book-frame.ts";
import { type ClientMessage, decodeClientMessage, encodeClientMessage } from "../../src/wire/stream/client.ts";
import * as messages from "../../src/wire/stream/messages.ts";
import { decodeServerMessage } from "../../src/wire/stream/server-decode.ts";
import { decodeTransaction, encodeTransaction } from "../../src/wire/transaction.ts";
import * as arbitrary from "../unit/wire/arbitraries.ts";
import { shapes } from "../unit/wire/shapes.ts";

/** Over the wire as text. */
const carried = (json: Json): unknown => parseJson(stringifyJson(json));

describe("transactions", () => {
  test("decode(encode(t)) = t", () => {
    fc.assert(
      fc.property(arbitrary.transactions, (transaction) => {
        expect(decodeTransaction(parseJson(encodeTransaction(transaction)))).toEqual(transaction);
      }),
    );
  });

  test("their text is compact and what JSON itself would write", () => {
    fc.assert(
      fc.property(arbitrary.transactions, (transaction) => {
        const text = encodeTransaction(transaction);
        expect(stringifyJson(parseJson(text) as Json)).toBe(text);
      }),
    );
  });
});

describe("envelopes", () => {
  const signer = keyedHashSigner(new Uint8Array(32).fill(1));
  const chainIds = fc
    .string({ minLength: 1, maxLength: 30, unit: "grapheme" })
    .filter((id) => Buffer.byteLength(id) < 128);
  const unsigned = fc.record({
    chainId: chainIds,
    transactionText: arbitrary.transactions.map(encodeTransaction),
    nonce: arbitrary.nonces,
    timestampSec: fc.nat(),
  });

  test("an opened one is the sealed one, and its signature covers it", () => {
    fc.assert(
      fc.property(unsigned, (sealed) => {
        const opened = openEnvelope(Buffer.from(sealEnvelope({ ...sealed, signer })));
        expect(opened).toMatchObject({ ...sealed, signer: signer.publicKey });
        expect(opened.transaction).toEqual(decodeTransaction(parseJson(sealed.transactionText)));
        expect(keyedHashVerifier.verify(opened.signer, signedMessage(opened), opened.signature)).toBe(true);
      }),
    );
  });

  test("the signed message is the JSON array of S4.5 for whoever parses it", () => {
    fc.assert(
      fc.property(unsigned, (sealed) => {
        const { chainId, transactionText, nonce, timestampSec } = sealed;
        const message = parseJson(Buffer.from(signedMessage(sealed)).toString());
        expect(message).toEqual(carried([chainId, parseJson(transactionText) as Json, nonce, timestampSec]));
      }),
    );
  });

  test("blanks that a client puts around members do not change what was signed", () => {
    const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
    fc.assert(
      fc.property(unsigned, blanks, (sealed, blank) => {
        const body = sealEnvelope({ ...sealed, signer })
          .replace('{"transaction":', `{${blank}"transaction"${blank}:${blank}`)
          .replace(',"chain_id":', `${blank},${blank}"chain_id":${blank}`);
        const opened = openEnvelope(Buffer.from(body));
        expect(opened.transactionText).toBe(sealed.transactionText);
        expect(keyedHashVerifier.verify(opened.signer, signedMessage(opened), opened.signature)).toBe(true);
      }),
    );
  });

  test("a hosted request comes back", () => {
    fc.assert(
      fc.property(unsigned, ({ chainId: _unused, ...request }) => {
        expect(openRequest(Buffer.from(encodeRequest(request)))).toMatchObject(request);
      }),
    );
  });
});

describe.each(shapes)("$name", ({ samples, decode }) => {
  test("decode(encode(v)) = v", () => {
    fc.assert(
      fc.property(samples, ({ value, json }) => {
        expect(decode(json)).toEqual(value);
      }),
    );
  });
});

test("history of fills comes back through CSV as well", () => {
  fc.assert(
    fc.property(fc.array(arbitrary.fillRows), (rows) => {
      expect(readFillsCsv(fillsCsv(rows), accountId(0n))).toEqual(rows);
    }),
  );
});

describe("messages", () => {
  const receivedMs = 12.5;
  const arrives = (frame: string) => decodeServerMessage(frame, receivedMs);

  test("client", () => {
    const channel = fc.oneof(
      fc.record({
        channel: fc.constantFrom("orderbook" as const, "trades" as const, "funding" as const, "oracleUpdates" as const),
        marketId: arbitrary.u16,
      }),
      fc.record({
        channel: fc.constantFrom("fills" as const, "orders" as const, "liquidations" as const, "positions" as const),
        accountId: arbitrary.accountIds,
      }),
      fc.constant({ channel: "explorer" as const }),
    );
    const said: fc.Arbitrary<ClientMessage> = fc.oneof(
      fc.record({
        type: fc.constantFrom("subscribe" as const, "unsubscribe" as const),
        channels: fc.array(channel),
      }),
      fc.constant({ type: "ping" as const }),
    );
    fc.assert(
      fc.property(said, (message) => {
        const heard = message.type === "ping" ? message : { ...message, faults: [] };
        expect(decodeClientMessage(encodeClientMessage(message))).toEqual(heard);
      }),
    );
  });

  test("orderbookSnapshot", () => {
    fc.assert(
      fc.property(arbitrary.books, (book) => {
        expect(arrives(bookFrameText(book))).toEqual({ kind: "book", book, receivedMs });
      }),
    );
  });

  test("the book by hand is what its description writes and reads", () => {
    fc.assert(
      fc.property(arbitrary.books, (book) => {
        const text = messages.orderbook.text(book);
        expect(bookFrameText(book)).toBe(text);
        const usual = readBookFrame(text);
        if (usual !== undefined) expect(usual).toEqual(messages.orderbook.read(parseJson(text)));
      }),
    );
  });

  test("fill on fills carries everything, on trades the public part without time", () => {
    fc.assert(
      fc.property(arbitrary.executions, (execution) => {
        const { timestampMs } = execution;
        expect(arrives(messages.fill.text({ ...execution, timestampMs: timestampMs }))).toEqual({
          kind: "execution",
          execution,
          receivedMs,
        });
        const { marketId, price, size, takerSide, takerOrderId, makerOrderId, txHash } = execution;
        const trade = { marketId, price, size, takerSide, takerOrderId, makerOrderId, txHash, timestampMs: null };
        expect(arrives(messages.trade.text(execution))).toEqual({ kind: "trade", trade, receivedMs });
      }),
    );
  });

  test("orderPlaced and orderCanceled", () => {
    fc.assert(
      fc.property(arbitrary.orders, fc.string({ unit: "grapheme" }), (order, reason) => {
        const { orderId, accountId, marketId, side, price, size } = order;
        const placed = { orderId, accountId, marketId, side, price, size };
        expect(arrives(messages.orderPlaced.text(placed))).toEqual({
          kind: "orderPlaced",
          ...placed,
          receivedMs,
        });
        const canceled = { orderId, accountId, marketId, reason };
        expect(arrives(messages.orderCanceled.text(canceled))).toEqual({
          kind: "orderCanceled",
          ...canceled,
          receivedMs,
        });
      }),
    );
  });

  test("liquidation, fundingUpdate, oraclePriceUpdate, pong", () => {
    fc.assert(
      fc.property(
        arbitrary.accountIds,
        arbitrary.oracles,
        arbitrary.fundings,
        fc.nat(),
        (accountId, oracle, funding, count) => {
          const liquidation = { accountId, positionsClosed: count, positionsRemaining: count + 1 };
          expect(arrives(messages.liquidation.text(liquidation))).toEqual({
            kind: "liquidation",
            ...liquidation,
            receivedMs,
          });
          const { marketId, fundingRate, lastFundingTimestampSec } = funding;
          const update = { marketId, fundingRate, lastFundingTimestampSec };
          expect(arrives(messages.funding.text(update))).toEqual({
            kind: "fundingUpdate",
            ...update,
            receivedMs,
          });
          const print = {
            marketId,
            price: oracle.price,
            previousPrice: oracle.price,
            validUntilSec: oracle.validUntilSec,
          };
          expect(arrives(messages.oracle.text({ ...print, positionsUpdated: count }))).toEqual({
            kind: "oracleUpdate",
            ...print,
            receivedMs,
          });
          expect(arrives(messages.pong.text({ height: count, blockTimeMs: count }))).toEqual({
            kind: "pongMessage",
            height: count,
            blockTimeMs: count,
            receivedMs,
          });
        },
      ),
    );
  });

  test("blockFinalized", () => {
    fc.assert(
      fc.property(arbitrary.blocks, (block) => {
        expect(arrives(messages.blockFinalized.text(block))).toEqual({ kind: "blockFinalized", block });
      }),
    );
  });
});
