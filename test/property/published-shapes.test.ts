// What the devnet's reference publishes is what the wire writes and reads: every read, every transaction, every message.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReportedEvent } from "../../src/domain/reported-event.ts";
import { usdc } from "../../src/domain/units.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { encodeFailure, encodeSuccess } from "../../src/wire/answer.ts";
import { WireError } from "../../src/wire/errors.ts";
import { answer } from "../../src/wire/shapes/answers.ts";
import { clientMessages, serverMessage } from "../../src/wire/shapes/stream.ts";
import { transaction } from "../../src/wire/shapes/transactions.ts";
import { decodeClientMessage } from "../../src/wire/stream/client.ts";
import * as server from "../../src/wire/stream/server-encode.ts";
import { decodeTransaction, encodeTransaction } from "../../src/wire/transaction.ts";
import * as arbitrary from "../unit/wire/arbitraries.ts";
import { expectOfSchema } from "../unit/wire/json-schema.ts";
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

function isRead(json: unknown): boolean {
  try {
    decodeTransaction(json);
    return true;
  } catch (thrown) {
    if (thrown instanceof WireError) return false;
    throw thrown;
  }
}

test("the published transaction and its reader refuse the same, field by field", () => {
  fc.assert(
    fc.property(arbitrary.transactions, mutations, (value, mutation) => {
      const json = mutated(parseJson(encodeTransaction(value)), mutation);
      expect(transaction.safeParse(json).success).toBe(isRead(json));
    }),
  );
});

describe("the stream", () => {
  const isPublished = (text: string) =>
    expect(serverMessage.safeParse(parseJson(text)).error?.issues, text).toBeUndefined();

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
          isPublished(server.encodeBookMessage(book));
          isPublished(server.encodeTradeMessage(execution));
          isPublished(server.encodeFillMessage(execution, 1_790_000_000_000));
          isPublished(server.encodeOrderPlacedMessage(order));
          isPublished(server.encodeOrderModifiedMessage(order));
          isPublished(server.encodeOrderCanceledMessage({ ...order, reason: "user" }));
          isPublished(server.encodeOrderTriggeredMessage(order));
          isPublished(server.encodeLiquidationMessage({ accountId, positionsClosed: 1, positionsRemaining: 0 }));
          isPublished(server.encodeFundingMessage(funding));
          isPublished(server.encodeBlockMessage(block));
          isPublished(server.encodePong(block.height, block.timestampMs));
          isPublished(server.encodeErrorMessage("MALFORMED", "must be text"));
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
      expect(clientMessages[type].safeParse({ type, ...content }).success).toBe(true);
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

test("an answer is of the published shape, executed or refused", () => {
  fc.assert(
    fc.property(everyEvent, fc.string({ minLength: 1 }), (events, hash) => {
      expect(answer.safeParse(parseJson(encodeSuccess(hash, events))).error?.issues).toBeUndefined();
      expect(answer.safeParse(parseJson(encodeFailure(hash, "no", "NO"))).success).toBe(true);
    }),
  );
});
