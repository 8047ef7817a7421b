// A recording as what happened at the exchange: the bot's orders apart from the market, over gaps of the stream and over lives of the daemon.

import { expect, test } from "vitest";
import { recordingOf } from "../../../../src/backtest/recorded/recording.ts";
import { type Happened, readSession, replaySession } from "../../../../src/backtest/recorded/session.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import type { Order } from "../../../../src/domain/order.ts";
import { accountId, orderId } from "../../../../src/domain/units.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { recorderInto } from "../../../support/recorder-into.ts";
import { scratchFolder } from "../../../support/scratch.ts";
import { at, contracts, emptyAccount, level, MARKET, ours, START_MS, Tape } from "./tape.ts";

async function happenings(tape: Tape): Promise<readonly Happened[]> {
  const all: Happened[] = [];
  for (const each of replaySession(tape.recording, readSession(tape.recording))) all.push(each);
  return all;
}

const books = (all: readonly Happened[]) =>
  all.flatMap((each) => (each.kind === "published" && each.published.kind === "book" ? [each.published.book] : []));
const orders = (all: readonly Happened[]) =>
  all.flatMap((each) =>
    each.kind === "placed" || each.kind === "modified" || each.kind === "gone"
      ? [`${each.kind} ${each.order.orderId}`]
      : [],
  );

test("the book is without our orders, wherever they stand and whatever of them is filled", async () => {
  const tape = new Tape();
  tape.place(1, "buy", 19_990, 2);
  tape.book([level(19_990, 7, 3)], [level(20_010, 10)]);
  tape.fill(1, "maker", "sell", 19_990, 0.5);
  tape.book([level(19_990, 6.5, 3)], [level(20_010, 10)]);
  tape.modify(1, "buy", 19_995, 2);
  tape.book([level(19_995, 1.5), level(19_990, 5, 2)], [level(20_010, 10)]);
  tape.cancel(1);
  tape.book([level(19_990, 5, 2)], [level(20_010, 10)]);
  const all = await happenings(tape);
  expect(books(all).map(({ bids }) => bids)).toEqual(Array(4).fill([level(19_990, 5, 2)]));
  expect(orders(all)).toEqual(["placed 1", "modified 1", "gone 1"]);
  expect(all.flatMap((each) => (each.kind === "trade" ? [each.own] : []))).toEqual(["maker"]);
});

const order = (id: number, ticks: number): Order => ({
  orderId: orderId(BigInt(id)),
  accountId: ours,
  marketId: MARKET,
  side: "buy",
  orderType: "Limit",
  price: at(ticks),
  size: contracts(1),
  filledSize: contracts(0),
  remainingSize: contracts(1),
  triggerPrice: null,
  reduceOnly: false,
  postOnly: true,
  timeInForce: "GTC",
  status: "Open",
  takeProfit: null,
  stopLoss: null,
  createdAtMs: 0,
  updatedAtMs: 0,
});

test("what the stream lost, the account's list tells: an order that ended, and one that was placed", async () => {
  const tape = new Tape({ ...emptyAccount, openOrders: [order(1, 19_990)] });
  tape.place(2, "buy", 19_980, 1);
  tape.reconnect();
  tape.read({ ...emptyAccount, openOrders: [order(2, 19_980), order(3, 19_970)] }, 40);
  tape.place(3, "buy", 19_970, 1);
  expect(orders(await happenings(tape))).toEqual(["placed 1", "placed 2", "gone 1", "placed 3"]);
});

test("a list that was asked for before the stream told of an order does not end it", async () => {
  const tape = new Tape();
  tape.reconnect();
  tape.place(1, "buy", 19_990, 1);
  tape.read(emptyAccount, 1500);
  expect(orders(await happenings(tape))).toEqual(["placed 1"]);
  tape.read(emptyAccount, 40);
  expect(orders(await happenings(tape))).toEqual(["placed 1", "gone 1"]);
});

const start = {
  version: "0.1.0",
  chainId: "c",
  readLagMaxMs: 0,
  landingBoundMs: 0,
  watchdogSilenceMs: 0,
  seed: 0n,
  accounts: [],
  publicKeys: [],
  earlierHolders: [],
  ledgerLost: null,
  halt: null,
  readings: {
    journal: "healthy",
    ...{ isReserveUsed: false, takesMore: true, isElsewhere: false, nonceRefusals: [], keysElsewhere: [] },
  },
  kept: [],
} as const;

test("lives of a daemon are one session: the monotonic clock goes on, and accounts on paper are left out", async () => {
  const folder = scratchFolder("lives");
  const paper = accountId(99n);
  const write = async (wallMs: number, monotonicMs: number, events: readonly VenueEvent[]): Promise<void> => {
    const recorder = recorderInto(folder, createVirtualClock({ startMs: 0 }));
    const instant = { wallMs, monotonicMs };
    const accounts = [{ accountId: paper, paper: {} }] as never;
    recorder.start({ ...start, instant, accounts });
    for (const event of events) recorder.push({ kind: "event", event, instant }, []);
    await recorder.close();
  };
  const placed = (account: bigint, receivedMs: number): VenueEvent => ({
    kind: "orderPlaced",
    accountId: accountId(account),
    marketId: MARKET,
    orderId: orderId(account),
    side: "buy",
    price: at(19_990),
    size: contracts(1),
    receivedMs,
  });
  const pong: VenueEvent = { kind: "pong", height: 1, blockTimeMs: START_MS, sentMs: 40, receivedMs: 50 };
  await write(START_MS, 7000, [placed(12n, 7000), placed(99n, 7000)]);
  await write(START_MS + 60_000, 50, [placed(99n, 50), pong]);
  const events: unknown[] = [];
  for (const { instant, event } of recordingOf(folder)()) events.push([instant.monotonicMs, event.kind, event]);
  expect(events).toEqual([
    [7000, "orderPlaced", placed(12n, 7000)],
    [67_000, "pong", { ...pong, sentMs: 66_990, receivedMs: 67_000 }],
  ]);
});
