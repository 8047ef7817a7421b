// What the devnet's reference publishes is what the wire writes and reads: every read, every transaction, every message.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReportedEvent } from "../../src/domain/reported-event.ts";
import { usdc } from "../../src/domain/units.ts";
import { type Json, parseJson, stringifyJson } from "../../src/kernel/json.ts";
import { answerSchema, decodeAnswer, encodeFailure, encodeSuccess } from "../../src/wire/answer.ts";
import { type WireCode, WireError } from "../../src/wire/errors.ts";
import { bookFrameText } from "../../src/wire/stream/book-frame.ts";
import { clientMessages, decodeClientMessage } from "../../src/wire/stream/client.ts";
import * as messages from "../../src/wire/stream/messages.ts";
import { decodeTransaction, encodeTransaction, transaction } from "../../src/wire/transaction.ts";
import * as arbitrary from "../unit/wire/arbitraries.ts";
import { expectOfSchema, faultsOf } from "../unit/wire/json-schema.ts";
import { shapes } from "../unit/wire/shapes.ts";

test.each(shapes)("$name, whatever its values, is of the published shape", ({ samples, published }) => {
  fc.assert(fc.property(samples, ({ text }) => expectOfSchema(published, text)));
});

/** One field left out, renamed, or with a value that may not stand there. */
const mutations = fc.record({
  at: fc.nat(),
  to: fc.constantFrom<unknown>(
    ...["left out", "renamed"],
    ...[null, "", "7", "-7", "Long", "Limit", "StopMarket", "GTC", "Cross", true, -1, 0, 7, 65_536, 1.5],
    ...[2n ** 64n - 1n, 2n ** 64n, [], {}, [1, 2, 3], new Array(32).fill(9), new Array(32).fill(256)],
  ),
});

function mutated(json: unknown, { at, to }: { readonly at: number; readonly to: unknown }): unknown {
  const [variant = "", content = {}] = Object.entries(json as object)[0] ?? [];
  const fields = Object.entries(content);
  if (fields.length === 0) return json;
  const [name, value] = fields[at % fields.length] ?? [];
  const others = fields.filter(([key]) => key !== name);
  if (to === "left out") return { [variant]: Object.fromEntries(others) };
  const field = to === "renamed" ? [`${name}s`, value] : [name, to];
  return { [variant]: Object.fromEntries([...others, field]) };
}

function faultOf(json: unknown): WireCode | null {
  try {
    decodeTransaction(json);
    return null;
  } catch (thrown) {
    if (thrown instanceof WireError) return thrown.code;
    throw thrown;
  }
}

/** What JSON Schema cannot say: the last unit of a wide bound, bytes of UTF-8, fields that contradict each other. */
const unsaid: readonly (WireCode | null)[] = ["field_range", "field_conflict"];

test("the published transaction and its reader refuse the same, field by field", () => {
  fc.assert(
    fc.property(arbitrary.transactions, mutations, (value, mutation) => {
      const json = mutated(parseJson(encodeTransaction(value)), mutation);
      const isPublished = faultsOf(transaction.schema, stringifyJson(json as Json)) === null;
      const fault = faultOf(json);
      expect([isPublished, fault]).toSatisfy(
        () => isPublished === (fault === null) || (isPublished && unsaid.includes(fault)),
      );
    }),
  );
});

describe("the stream", () => {
  test("every frame is of the published shape", () => {
    const { books, executions, orders, accountIds, fundings, blocks } = arbitrary;
    fc.assert(
      fc.property(
        books,
        executions,
        orders,
        accountIds,
        fundings,
        blocks,
        (book, execution, order, accountId, funding, block) => {
          expectOfSchema(messages.orderbook.schema, bookFrameText(book));
          expectOfSchema(messages.trade.schema, messages.trade.text(execution));
          expectOfSchema(messages.fill.schema, messages.fill.text(execution));
          expectOfSchema(messages.orderPlaced.schema, messages.orderPlaced.text(order));
          expectOfSchema(messages.orderModified.schema, messages.orderModified.text(order));
          expectOfSchema(messages.orderCanceled.schema, messages.orderCanceled.text({ ...order, reason: "user" }));
          expectOfSchema(messages.orderTriggered.schema, messages.orderTriggered.text(order));
          expectOfSchema(
            messages.liquidation.schema,
            messages.liquidation.text({ accountId, positionsClosed: 1, positionsRemaining: 0 }),
          );
          expectOfSchema(messages.funding.schema, messages.funding.text(funding));
          expectOfSchema(messages.blockFinalized.schema, messages.blockFinalized.text(block));
          expectOfSchema(
            messages.pong.schema,
            messages.pong.text({ height: block.height, blockTimeMs: block.timestampMs }),
          );
          expectOfSchema(messages.error.schema, messages.error.text({ code: "MALFORMED", message: "must be text" }));
        },
      ),
    );
  });

  test("what a client may say is what is heard", () => {
    for (const [type, content] of [
      ["subscribe", { channels: [{ channel: "orderbook", market_id: 1 }, { channel: "explorer" }] }],
      ["unsubscribe", { channels: [{ channel: "fills", account_id: 12 }] }],
      ["ping", {}],
    ] as const) {
      expectOfSchema(clientMessages[type].schema, JSON.stringify({ type, ...content }));
      expect(decodeClientMessage(JSON.stringify({ type, ...content }))).toMatchObject({ type });
    }
  });
});

/** An event of every type. */
const everyEvent = fc
  .record({ execution: arbitrary.executions, order: arbitrary.orders, side: arbitrary.side, delta: arbitrary.i128 })
  .map(({ execution, order, side, delta }): readonly ReportedEvent[] => {
    const { marketId, accountId, price, size } = order;
    const ref = { orderId: order.orderId, accountId, marketId };
    const paid = { amount: usdc(delta), inventory: size, fundingRate: delta, timestampSec: 1_790_000_000 };
    return [
      { type: "Fill", execution },
      { type: "OrderPlaced", order },
      { type: "OrderModified", order },
      { type: "OrderCanceled", ...ref, reason: "user" },
      { type: "OrderTriggered", ...ref },
      {
        type: "OracleUpdated",
        marketId,
        price,
        previousPrice: price,
        positionsUpdated: 1,
        validUntilSec: 1_790_000_000,
      },
      { type: "FundingUpdated", marketId, fundingRate: delta, timestampSec: 1_790_000_000 },
      { type: "MarketStatusChanged", marketId, status: "Paused" },
      { type: "FundingPaid", accountId, marketId, ...paid },
      { type: "Liquidation", accountId, marketId, positionsClosed: 1, positionsRemaining: 0 },
      { type: "BackstopTransfer", accountId, marketId, side, size, price },
      { type: "MarginAdjusted", accountId, marketId, delta: usdc(delta) },
      { type: "AccountChanged", name: "AgentApproved", accountId, facts: { agent: "bot" } },
      { type: "AccountChanged", name: "BridgeDeposited", accountId: null, facts: {} },
    ];
  });

test("an answer is of the published shape, executed or refused, and read as what it is", () => {
  const answered = (body: string) => decodeAnswer({ httpStatus: 200, body, retryAfter: null });
  fc.assert(
    fc.property(everyEvent, arbitrary.publicKeys, (events, hash) => {
      const done = encodeSuccess(hash, events);
      expectOfSchema(answerSchema, done);
      const [fill, placed] = events;
      if (fill?.type !== "Fill" || placed?.type !== "OrderPlaced") throw new Error("the first two are these");
      const { orderId, accountId, marketId, side, price, size, remainingSize } = placed.order;
      const ref = { orderId, accountId, marketId };
      const outcome = answered(done);
      expect(outcome).toMatchObject({ kind: "executed", hash });
      expect(outcome.kind === "executed" && outcome.events.slice(0, 4)).toEqual([
        { type: "fill", execution: fill.execution },
        { type: "orderPlaced", ...ref, side, price, size },
        { type: "orderModified", ...ref, price, size, remainingSize },
        { type: "orderCanceled", ...ref, reason: "user" },
      ]);
      const no = encodeFailure(hash, "no", "NO");
      expectOfSchema(answerSchema, no);
      expect(answered(no)).toEqual({ kind: "refused", hash, error: "no" });
    }),
  );
});
