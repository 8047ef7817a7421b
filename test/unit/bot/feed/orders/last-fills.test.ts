// A canceled order waits for its last fills until something proves that none is missing; nothing short of proof ends it.

import { describe, expect, test } from "vitest";
import { nonce, orderId, size } from "../../../../../src/domain/units.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  listed,
  ME,
  placeCommand,
  publicTrade,
  refused,
  type Scene,
} from "../scene.ts";

/** When the order is sent, and when its cancel is answered; every fill of it is between them. Monotonic ms. */
const SENT_MS = 30_000;
const CANCELED_MS = 31_000;
/** Chain time is known no better than to within this, ms. */
const CLOCK_MS = 5000;
const EARLIER_MS = SENT_MS - CLOCK_MS - 1;
const LATER_MS = CANCELED_MS + CLOCK_MS + 1;

/** An order of one contract whose cancel was answered with `outcome`, ten seconds ago. */
function canceledScene(outcome = executedWith()): Scene {
  const scene = createScene();
  scene.advance(SENT_MS - scene.nowMs());
  scene.rest(1n, 7n);
  scene.advance(CANCELED_MS - SENT_MS);
  const cancel = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) } as const;
  scene.tell({ kind: "sent", nonce: nonce(2n), command: cancel });
  scene.answer(2n, cancel, outcome);
  scene.advance(10_000);
  return scene;
}

/** A trade of others, or of our order, at a monotonic time. */
const tradeAt = (atMs: number, of: Parameters<typeof execution>[0] = { mine: 500n }) =>
  publicTrade(execution({ hash: `h${atMs}`, ...of, timestampMs: atMs + CHAIN_OFFSET_MS }));
const readTrades = (scene: Scene, ...trades: ReturnType<typeof tradeAt>[]) =>
  scene.tell({ kind: "tradesRead", marketId: 1, trades });
const range = (scene: Scene) => scene.view().position;
const open = { value: { low: 0n, high: CONTRACT } };
const flat = { value: { low: 0n, high: 0n } };

describe("public trades from before its placement until after its cancel", () => {
  test("prove that it was not filled, though nothing of ours rests that would prove a read of the account newer", () => {
    const scene = canceledScene();
    for (let round = 0; round < 5; round += 1) {
      scene.advance(1000);
      scene.tell({ kind: "accountRead", account: account() });
    }
    expect(range(scene)).toMatchObject(open);
    readTrades(scene, tradeAt(LATER_MS), tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(flat);
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "orderEnded", why: "canceled" }));
  });

  test("prove it too where an answer did not name it and its placed frame did", () => {
    const scene = createScene();
    scene.advance(SENT_MS - scene.nowMs());
    const command = scene.place(1n);
    const { marketId, side, price, size: whole } = placeCommand();
    const id = orderId(7n);
    scene.tell({ kind: "orderPlaced", accountId: ME, marketId, orderId: id, side, price, size: whole });
    scene.answer(1n, command, executedWith());
    scene.advance(CANCELED_MS - SENT_MS);
    const cancel = { kind: "cancel", accountId: ME, marketId, orderId: id } as const;
    scene.tell({ kind: "sent", nonce: nonce(2n), command: cancel });
    scene.answer(2n, cancel, executedWith(canceledEvent(7n)));
    scene.advance(10_000);
    expect(range(scene)).toMatchObject(open);
    readTrades(scene, tradeAt(LATER_MS), tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(flat);
  });

  test("bring its last fill, and end it", () => {
    const scene = canceledScene();
    const filled = tradeAt(SENT_MS + 500, { mine: 7n });
    readTrades(scene, tradeAt(LATER_MS), { ...filled, size: size(CONTRACT / 4n) }, tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject({ value: { low: CONTRACT / 4n, high: CONTRACT / 4n } });
  });

  test("leave it open while the frame of one of its trades is awaited", () => {
    const scene = canceledScene();
    const justNow = { ...tradeAt(scene.nowMs() - 100, { mine: 7n }), size: size(CONTRACT / 4n) };
    readTrades(scene, justNow, tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(open);
    scene.advance(2000);
    readTrades(scene, justNow, tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject({ value: { low: CONTRACT / 4n, high: CONTRACT / 4n } });
  });
});

describe("trades prove nothing", () => {
  test.each([
    ["that there are none of", []],
    ["that do not reach back to its placement", [LATER_MS, EARLIER_MS + 1]],
    ["that end before its cancel, as far as the clock can tell", [LATER_MS - 1, EARLIER_MS]],
    ["of which one is of the future", [CANCELED_MS + 10_000 + CLOCK_MS + 1, LATER_MS, EARLIER_MS]],
  ])("%s", (_, times) => {
    const scene = canceledScene();
    readTrades(scene, ...times.map((atMs) => tradeAt(atMs)));
    expect(range(scene)).toMatchObject(open);
  });

  test("of another market", () => {
    const scene = canceledScene();
    const trades = [LATER_MS, EARLIER_MS].map((atMs) => ({ ...tradeAt(atMs), marketId: 2 }));
    scene.tell({ kind: "tradesRead", marketId: 2, trades });
    expect(range(scene)).toMatchObject(open);
  });

  test("of an order from before the machine slept: chain time then is not known any more", () => {
    const scene = canceledScene();
    scene.tell({ kind: "slept" });
    readTrades(scene, tradeAt(LATER_MS), tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(open);
  });

  test("of an order whose cancel was refused: it may rest", () => {
    const scene = canceledScene(refused);
    readTrades(scene, tradeAt(LATER_MS), tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(open);
  });
});

test("where nobody trades, a read asked for a landing bound after the cancel ends it, and none before", () => {
  const scene = canceledScene();
  const { landingBoundMs } = scene.state.ages;
  const readAt = (atMs: number) => {
    scene.advance(atMs - scene.nowMs());
    scene.tell({ kind: "accountRead", account: account(), askedMs: atMs });
  };
  readAt(CANCELED_MS + landingBoundMs);
  expect(range(scene)).toMatchObject(open);
  readAt(CANCELED_MS + landingBoundMs + 1);
  expect(range(scene)).toMatchObject(flat);
});

describe("a frame of a cancel", () => {
  /** An order of one contract; `lostAgoMs` before its cancel's frame, a fill of another order was found whose frames were lost. */
  const canceledAfterLoss = (lostAgoMs: number): Scene => {
    const scene = createScene();
    scene.advance(SENT_MS - scene.nowMs());
    scene.rest(2n, 8n, { size: size(2n * CONTRACT) });
    scene.advance(10_000);
    readTrades(scene, tradeAt(scene.nowMs() - 8000, { mine: 8n }));
    scene.rest(3n, 9n);
    scene.advance(lostAgoMs);
    scene.tell({ kind: "orderCanceled", accountId: ME, marketId: 1, orderId: orderId(9n), reason: "UserCanceled" });
    return scene;
  };

  test("does not end its order while the stream loses frames: a fill of it may be lost too", () => {
    expect(range(canceledAfterLoss(1000))).toMatchObject({ value: { low: CONTRACT, high: 2n * CONTRACT } });
  });

  /** Canceled by a frame of a stream that was opened when the order rested already. */
  const canceledOverReconnect = (scene: Scene): Scene => {
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" });
    scene.advance(2000);
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.advance(1000);
    scene.tell({ kind: "orderCanceled", accountId: ME, marketId: 1, orderId: orderId(7n), reason: "UserCanceled" });
    return scene;
  };

  test("does not end an order that rested before the stream was opened: of what it filled meanwhile no frame tells", () => {
    const scene = createScene();
    scene.advance(SENT_MS - scene.nowMs());
    scene.rest(1n, 7n);
    expect(range(canceledOverReconnect(scene))).toMatchObject(open);
    scene.advance(10_000);
    scene.tell({ kind: "accountRead", account: account() });
    readTrades(scene, tradeAt(SENT_MS + 3000 + CLOCK_MS + 1), tradeAt(EARLIER_MS));
    expect(range(scene)).toMatchObject(flat);
  });

  test("does not end an order of an earlier life", () => {
    const scene = createScene({ knownOrders: [{ orderId: orderId(7n), marketId: 1, side: "buy" }] });
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }) });
    expect(range(canceledOverReconnect(scene))).toMatchObject(open);
  });

  test("ends it once the stream has lost nothing for a minute", () => {
    expect(range(canceledAfterLoss(61_000))).toMatchObject({ value: { low: CONTRACT, high: CONTRACT } });
  });
});

describe("an order of the last life that the first list lacks", () => {
  /** After a start whose first read of the trades shows so many fills of it. */
  const recalled = (fillCount = 0): Scene => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const scene = createScene({ knownOrders: [known] }, "blank");
    const { orders } = scene.state.accounts.get(ME)!;
    const { price } = placeCommand();
    orders.recallOrders([{ ...known, price, size: size(3n * CONTRACT), filled: size(CONTRACT) }], scene.nowMs());
    const cancel = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) } as const;
    scene.tell({ kind: "sent", nonce: nonce(2n), command: cancel });
    scene.answer(2n, cancel, refused);
    scene.tell({ kind: "streamOpened", epoch: 1 });
    readTrades(scene, ...Array.from({ length: fillCount }, (_, nth) => publicTrade(execution({ hash: `h${nth}` }))));
    scene.tell({ kind: "accountRead", account: account() });
    return scene;
  };

  test("may have been filled where its cancel is refused: the list may be as old as its position", () => {
    expect(range(recalled())).toMatchObject({ value: { low: 0n, high: 2n * CONTRACT } });
  });

  test("counts for less with each fill that trades show, and no more once all of it was filled", () => {
    expect(range(recalled(1))).toMatchObject({ value: { low: 0n, high: CONTRACT } });
    expect(range(recalled(2))).toMatchObject(flat);
    expect(recalled(2).effects).toContainEqual(expect.objectContaining({ kind: "orderEnded", why: "filled" }));
  });
});
