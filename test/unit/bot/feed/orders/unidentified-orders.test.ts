// An order that landed unanswered and was filled before anybody told its id: its fills are found in the public trades by what the
// order was and by what moved our position, and nothing is taken that may be another's.

import { describe, expect, test } from "vitest";
import { createReadLog, dueReads, readAsked, readEnded } from "../../../../../src/bot/feed/schedule.ts";
import type { Execution } from "../../../../../src/domain/fill.ts";
import { nonce, price, size } from "../../../../../src/domain/units.ts";
import { bookOf, positionRead } from "../../accounting/books.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  lost,
  ME,
  placedEvent,
  position,
  publicTrade,
  type Scene,
  USD,
} from "../scene.ts";

const SENT_MS = CHAIN_OFFSET_MS;

/** A buy of two contracts at 199 landed; its answer was lost, and then it was not listed. Meanwhile the position moved unseen. */
function haunted(movedContracts = 2n): Scene {
  const scene = createScene({ book: bookOf(positionRead({ inventory: -movedContracts * CONTRACT })) });
  const sent = BigInt(SENT_MS);
  const command = scene.place(sent, { size: size(2n * CONTRACT) });
  scene.answer(sent, command, lost);
  scene.tell({ kind: "resolved", nonce: nonce(sent), command, verdict: "landed" });
  scene.advance(10_000);
  return scene;
}

/** A stranger's, from before the order was sent: the list reaches back that far. */
const EARLIER = execution({ mine: 2000n, other: 2001n, hash: "h0", timestampMs: SENT_MS - 5000 });
const traded = (of: Parameters<typeof execution>[0]): Execution => execution({ timestampMs: SENT_MS + 500, ...of });
const read = (scene: Scene, ...executions: readonly Execution[]) =>
  scene.tell({ kind: "tradesRead", marketId: 1, trades: [EARLIER, ...executions].map(publicTrade) });
const booked = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "fill" ? [[effect.fill.orderId, effect.fill.size]] : []));

describe("the fills of an order that nobody named", () => {
  test("are booked from the trades: whole, in as many pieces as it took", () => {
    const scene = haunted();
    read(scene, traded({ mine: 7n, hash: "h1" }), traded({ mine: 7n, hash: "h2", other: 1001n }));
    expect(booked(scene)).toEqual([
      [7n, CONTRACT],
      [7n, CONTRACT],
    ]);
    expect(scene.kinds()).not.toContain("foreign");
  });

  test("are booked once, and one order has one id", () => {
    const scene = haunted();
    read(scene, traded({ mine: 7n, contracts: 2n }));
    read(scene, traded({ mine: 7n, contracts: 2n }), traded({ mine: 8n, contracts: 2n, hash: "h2" }));
    expect(booked(scene)).toEqual([[7n, 2n * CONTRACT]]);
  });

  test("are booked by the life after the one that found it to be over", () => {
    const scene = createScene({ book: bookOf(positionRead({ inventory: -2n * CONTRACT })) });
    const sent = BigInt(SENT_MS);
    const command = scene.place(sent, { size: size(2n * CONTRACT) });
    scene.answer(sent, command, lost);
    scene.tell({ kind: "resolved", nonce: nonce(sent), command, verdict: "landed", receivedMs: -400 });
    read(scene, traded({ mine: 7n, contracts: 2n }));
    expect(booked(scene)).toEqual([[7n, 2n * CONTRACT]]);
  });

  test("are booked where only a part of it traded, and the position moved by that part", () => {
    const scene = haunted(1n);
    read(scene, traded({ mine: 7n }));
    expect(booked(scene)).toEqual([[7n, CONTRACT]]);
  });

  test("are booked in the middle of a life, where the position differs by them", () => {
    const scene = haunted(0n);
    scene.tell({ kind: "accountRead", account: account({ positions: [position(2n, 199n)] }) });
    read(scene, traded({ mine: 7n, contracts: 2n }));
    expect(booked(scene)).toEqual([[7n, 2n * CONTRACT]]);
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("explain the movement: a second order of the same shape is another's", () => {
    const scene = haunted(1n);
    read(scene, traded({ mine: 7n }));
    read(scene, traded({ mine: 7n }), traded({ mine: 8n, hash: "h2" }));
    expect(booked(scene)).toEqual([[7n, CONTRACT]]);
    expect(scene.inventory()).toBe(0n);
  });

  test("of two orders are booked together, when together they are the movement", () => {
    const scene = createScene({ book: bookOf(positionRead({ inventory: -1n * CONTRACT })) });
    const two = [
      { sent: BigInt(SENT_MS), of: { size: size(2n * CONTRACT) } },
      { sent: BigInt(SENT_MS + 1), of: { side: "sell", price: price(201n * USD) } },
    ] as const;
    const commands = two.map(({ sent, of }) => ({ sent, command: scene.place(sent, of) }));
    for (const { sent, command } of commands) scene.answer(sent, command, lost);
    scene.advance(10_000);
    const told = [
      traded({ mine: 7n, contracts: 2n }),
      traded({ mine: 8n, side: "sell", usd: 201n, hash: "h2" }),
      traded({ mine: 9n, contracts: 2n, usd: 198n, hash: "h3" }),
    ];
    for (const [at, { sent, command }] of commands.entries()) {
      expect(booked(scene), `with ${at} of them over`).toEqual([]);
      scene.tell({ kind: "resolved", nonce: nonce(sent), command, verdict: "landed" });
      read(scene, ...told);
    }
    expect(booked(scene)).toEqual([
      [7n, 2n * CONTRACT],
      [8n, CONTRACT],
    ]);
  });

  test("are no longer looked for once no order without a name is left: the movement is accepted", () => {
    const scene = haunted(3n);
    read(scene);
    expect(scene.kinds()).not.toContain("movementAccepted");
    scene.advance(scene.state.ages.landingBoundMs);
    read(scene);
    read(scene);
    expect(scene.effects.filter(({ kind }) => kind === "movementAccepted")).toEqual([
      { kind: "movementAccepted", accountId: ME, accepted: { kind: "accepted", marketId: 1, number: 2 } },
    ]);
  });

  test("are asked for at once, and once", () => {
    const scene = haunted();
    const log = createReadLog();
    const trades = { kind: "trades", marketId: 1 } as const;
    readAsked(log, trades, scene.nowMs());
    readEnded(log, trades, "folded");
    scene.advance(300);
    expect(dueReads(scene.state, log, scene.nowMs())).toContainEqual(trades);
    read(scene);
    expect(dueReads(scene.state, log, scene.nowMs())).not.toContainEqual(trades);
  });
});

describe("what may be another's is left alone", () => {
  test.each([
    ["another size", [traded({ mine: 7n, contracts: 3n })]],
    ["a part of it", [traded({ mine: 7n, contracts: 1n })]],
    ["another price", [traded({ mine: 7n, contracts: 2n, usd: 198n })]],
    ["the other side", [traded({ mine: 7n, contracts: 2n, side: "sell" })]],
    ["a trade from before it was sent", [traded({ mine: 7n, contracts: 2n, timestampMs: SENT_MS - 2001 })]],
    ["a trade from after it was over", [traded({ mine: 7n, contracts: 2n, timestampMs: SENT_MS + 9000 })]],
    ["two that would fit", [traded({ mine: 7n, contracts: 2n }), traded({ mine: 8n, contracts: 2n, hash: "h2" })]],
  ])("%s", (_, executions) => {
    const scene = haunted();
    read(scene, ...executions);
    expect(booked(scene)).toEqual([]);
  });

  test("an order of exactly its shape, where our position did not move", () => {
    const scene = haunted(0n);
    read(scene, traded({ mine: 7n, contracts: 2n }));
    expect(booked(scene)).toEqual([]);
  });

  test("a list of trades that does not reach back to its sending", () => {
    const scene = haunted();
    scene.tell({ kind: "tradesRead", marketId: 1, trades: [publicTrade(traded({ mine: 7n, contracts: 2n }))] });
    expect(booked(scene)).toEqual([]);
  });

  test("as long as the account was not read", () => {
    const scene = createScene({ book: bookOf(positionRead({ inventory: -2n * CONTRACT })) }, "blank");
    const sent = BigInt(SENT_MS);
    const command = scene.place(sent, { size: size(2n * CONTRACT) });
    scene.answer(sent, command, lost);
    scene.tell({ kind: "resolved", nonce: nonce(sent), command, verdict: "landed" });
    read(scene, traded({ mine: 7n, contracts: 2n }));
    expect(booked(scene)).toEqual([]);
  });
});

const CANCEL_ALL = { kind: "cancelAll", accountId: ME, marketId: null, fences: null } as const;

function placed(scene: Scene, id: bigint): void {
  const { type: _type, ...frame } = placedEvent(id);
  scene.tell({ kind: "orderPlaced", ...frame });
}

describe("an id of the account that nobody has claimed", () => {
  test("is told while an order without a name may have it, so that a later life finds its fills", () => {
    const scene = createScene();
    scene.answer(5n, scene.place(5n), lost);
    const effects = scene.answer(6n, CANCEL_ALL, executedWith(canceledEvent(7n)));
    expect(effects).toContainEqual({ kind: "heard", accountId: ME, orderId: 7n, marketId: 1, side: "buy" });
  });

  test("is not told where no order of ours may have it", () => {
    const scene = createScene();
    placed(scene, 7n);
    scene.answer(5n, scene.place(5n, { side: "sell" }), lost);
    placed(scene, 8n);
    scene.answer(6n, scene.place(6n, { price: price(1n) }), lost);
    placed(scene, 9n);
    expect(scene.kinds()).not.toContain("heard");
  });

  test("has its fills booked from the public trades: they move our money, whosever it is", () => {
    const scene = createScene();
    scene.answer(5n, scene.place(5n), lost);
    scene.answer(6n, CANCEL_ALL, executedWith(canceledEvent(7n)));
    scene.advance(10_000);
    read(scene, traded({ mine: 7n }), traded({ mine: 8n, hash: "h2" }));
    expect(booked(scene)).toEqual([[7n, CONTRACT]]);
  });
});
