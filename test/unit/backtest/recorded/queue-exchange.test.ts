// A recorded market once more, and orders in it that were not there: what happened goes in, fills come out at once.

import { beforeEach, describe, expect, test } from "vitest";
import { QueueExchange } from "../../../../src/backtest/recorded/queue-exchange.ts";
import { readSession, replaySession } from "../../../../src/backtest/recorded/session.ts";
import type { QueueModel } from "../../../../src/domain/queue.ts";
import { accountId, type OrderId, type Side, size, usdc } from "../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { plainTerms } from "../../../../src/wire/transaction/trading.ts";
import { at, contracts, level, MARKET, START_MS, Tape } from "./tape.ts";

/** Trades on the recorded market, and was not in its session. */
const guest = accountId(77n);

let tape: Tape;
beforeEach(() => {
  tape = new Tape();
});

/** Plays the tape; `acts` are done after as many happenings. Fills of the guest: after how many happenings, ticks and contracts. */
function played(
  acts: Readonly<Record<number, (exchange: QueueExchange) => void>>,
  model: QueueModel = "riskAverse",
): { readonly fills: readonly (readonly [number, bigint, bigint])[]; readonly exchange: QueueExchange } {
  const session = readSession(tape.recording);
  const clock = createVirtualClock({ startMs: START_MS });
  const accounts = [{ accountId: guest, collateral: usdc(1_000_000_000_000n) }];
  const exchange = new QueueExchange(session, { chainId: "recorded", model, accounts }, clock);
  const fills: (readonly [number, bigint, bigint])[] = [];
  let count = 0;
  exchange.mirrored.exchange.chain.onEvents(({ events }) => {
    for (const event of events) {
      if (event.type !== "Fill") continue;
      const { makerAccountId, takerAccountId, price, size: filled } = event.execution;
      if (makerAccountId === guest || takerAccountId === guest) fills.push([count, price / 1_000_000n, filled]);
    }
  });
  for (const happened of replaySession(tape.recording, session)) {
    if (happened.kind === "published" && happened.published.kind !== "book") {
      exchange.happen(happened);
      continue;
    }
    if (happened.kind !== "published" && happened.kind !== "trade") continue;
    clock.advanceSync(1000);
    count += 1;
    exchange.happen(happened);
    acts[count]?.(exchange);
  }
  return { fills, exchange };
}

const place =
  (side: Side, ticks: number, count: number) =>
  (exchange: QueueExchange): OrderId | undefined => {
    const terms = { orderType: "Limit", reduceOnly: false, postOnly: false, timeInForce: "GTC" } as const;
    const order = { accountId: guest, marketId: MARKET, side, price: at(ticks), size: contracts(count) };
    const receipt = exchange.act(guest, { type: "PlaceOrder", ...plainTerms, ...terms, ...order });
    expect(receipt.status).toBe("success");
    return exchange.mirrored.exchange.chain.reads.account(guest)?.openOrders[0]?.orderId;
  };

const book = () => tape.book([level(21_690, 5), level(21_680, 8)], [level(21_710, 5), level(21_720, 8)]);

describe("an order that was not there", () => {
  test("waits for what stood before it at its price", () => {
    book();
    tape.trade("sell", 21_690, 5);
    tape.trade("sell", 21_690, 2);
    expect(played({ 1: place("buy", 21_690, 1) }).fills).toEqual([[3, 21_690n, 1_000_000n]]);
  });

  test("is filled by a trade beyond its price", () => {
    book();
    tape.trade("sell", 21_680, 2);
    expect(played({ 1: place("buy", 21_700, 1) }).fills).toEqual([[2, 21_700n, 1_000_000n]]);
  });

  test("takes what is shown, once: it is not shown to it again by the same book", () => {
    book();
    book();
    const act = place("buy", 21_710, 4);
    expect(played({ 1: act, 2: act }).fills).toEqual([
      [1, 21_710n, 4_000_000n],
      [2, 21_710n, 1_000_000n],
    ]);
  });

  test.each([
    ["optimistic", [[4, 21_690n, 1_000_000n]]],
    ["riskAverse", []],
  ] as const)("%s: of those who leave without a trade the model says who stood before it", (model, fills) => {
    book();
    tape.book([level(21_690, 7)], [level(21_710, 5)]);
    tape.book([level(21_690, 2)], [level(21_710, 5)]);
    tape.trade("sell", 21_690, 1);
    expect(played({ 1: place("buy", 21_690, 1) }, model).fills).toEqual(fills);
  });

  test("is gone once canceled, and a refusal is an answer", () => {
    book();
    tape.trade("sell", 21_690, 9);
    let orderId: OrderId | undefined;
    const { fills, exchange } = played({
      1: (on) => {
        orderId = place("buy", 21_690, 1)(on);
        const cancel = { type: "CancelOrder", orderId: orderId as OrderId } as const;
        expect(on.act(guest, cancel).status).toBe("success");
        expect(on.act(guest, cancel).status).toBe("failed");
      },
    });
    expect(fills).toEqual([]);
    expect(exchange.mirrored.exchange.chain.reads.account(guest)?.openOrders).toEqual([]);
  });
});

test("it shows what the session's exchange showed last", () => {
  book();
  tape.trade("sell", 21_690, 1);
  tape.book([level(21_680, 8)], [level(21_710, 5)]);
  const { exchange } = played({});
  expect(exchange.shown(MARKET)).toMatchObject({
    book: { bids: [{ price: at(21_680), size: size(8_000_000n) }] },
    trades: [{ price: at(21_690), size: contracts(1) }],
  });
  expect(exchange.shown(99)).toBeUndefined();
});

test("the same happenings and acts come to the same state", () => {
  book();
  tape.trade("sell", 21_690, 6);
  book();
  const root = () => played({ 1: place("buy", 21_690, 2) }).exchange.mirrored.exchange.chain.head().stateRoot;
  expect(root()).toBe(root());
});
