// What is read when: on intervals, at once where something is doubtful, never twice at a time, and not in a storm.

import { describe, expect, test } from "vitest";
import {
  createReadLog,
  type ReadLog,
  type ReadRequest,
  readAsked,
  readEnded,
} from "../../../../src/bot/market/schedule.ts";
import { readTiming } from "../../../../src/bot/timing.ts";
import { nonce, orderId, price, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  book,
  canceledEvent,
  createScene,
  dueIn as due,
  executedWith,
  funding,
  ME,
  market,
  oracle,
  pong,
  position,
  type Scene,
  USD,
} from "../scene.ts";

const names = (due: readonly ReadRequest[]): readonly string[] => due.map(({ kind }) => kind);

/** Reads everything that is due, each answered 5 ms later with what agrees. */
function readAll(scene: Scene, log: ReadLog): readonly string[] {
  const requests = due(scene, log);
  const askedMs = scene.nowMs();
  for (const request of requests) readAsked(log, request, askedMs);
  scene.advance(5);
  for (const request of requests) {
    readEnded(log, request, "folded");
    if (request.kind === "market") scene.tell({ kind: "marketRead", market: market(), askedMs });
    if (request.kind === "oracle") scene.tell({ kind: "oracleRead", oracle: oracle(), askedMs });
    if (request.kind === "book") scene.tell({ kind: "bookRead", book: book(), askedMs });
    if (request.kind === "funding") scene.tell({ kind: "fundingRead", funding: funding(), askedMs });
    if (request.kind === "trades") scene.tell({ kind: "tradesRead", marketId: 1, trades: [], askedMs });
    if (request.kind === "account") scene.tell({ kind: "accountRead", account: account(), askedMs });
  }
  return names(requests);
}

/** A connected scene that has read everything once. */
function settled(): { readonly scene: Scene; readonly log: ReadLog } {
  const scene = createScene({}, "blank");
  const log = createReadLog();
  scene.tell({ kind: "streamOpened", epoch: 1 });
  scene.tell(pong(scene));
  scene.tell({ kind: "book", book: book() });
  scene.adopt(account());
  scene.advance(10);
  readAll(scene, log);
  readAll(scene, log);
  return { scene, log };
}

describe("the start", () => {
  test("reads everything at once, the account first", () => {
    const scene = createScene({}, "blank");
    const log = createReadLog();
    scene.tell({ kind: "streamOpened", epoch: 1 });
    const first = readAll(scene, log);
    expect(first[0]).toBe("account");
    expect([...first].sort((a, b) => a.localeCompare(b))).toEqual(
      ["account", "book", "feeTiers", "funding", "market", "openOrderCap", "oracle", "rateLimit", "trades"].sort(
        (a, b) => a.localeCompare(b),
      ),
    );
    expect(readAll(scene, log)).toEqual(["oracleHistory"]);
  });

  test("asks for the past prints of a market once, after the one of now", () => {
    const { scene, log } = settled();
    const history = { kind: "oracleHistory", marketId: 1 } as const;
    readEnded(log, history, "failed");
    expect(names(due(scene, log))).not.toContain("oracleHistory");
    scene.advance(500);
    expect(names(due(scene, log))).toContain("oracleHistory");
    scene.tell({ kind: "oracleHistoryRead", askedMs: scene.nowMs(), history: { marketId: 1, prices: [] } });
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.advance(3_600_000);
    expect(names(due(scene, log))).not.toContain("oracleHistory");
  });
});

test("what was read is not due before its interval, and then it is", () => {
  const { scene, log } = settled();
  expect(due(scene, log)).toEqual([]);
  scene.advance(readTiming.everyMs.book - 20);
  expect(names(due(scene, log))).not.toContain("book");
  scene.advance(30);
  expect(names(due(scene, log))).toEqual(["oracle", "market", "book"]);
});

test("the oracle's status, of which no event tells, is asked often enough to be known within a second", () => {
  expect(readTiming.everyMs.oracle).toBeLessThanOrEqual(500);
  const { scene, log } = settled();
  scene.advance(readTiming.everyMs.oracle - 20);
  expect(due(scene, log)).toEqual([]);
  scene.advance(30);
  expect(names(due(scene, log))).toEqual(["oracle"]);
});

test("so is the market's status", () => {
  expect(readTiming.everyMs.market).toBeLessThanOrEqual(800);
  const { scene, log } = settled();
  scene.advance(readTiming.everyMs.market - 20);
  expect(names(due(scene, log))).toEqual(["oracle"]);
  scene.advance(30);
  expect(names(due(scene, log))).toEqual(["oracle", "market"]);
});

test("the account is read within 10 s, a slow answer included", () => {
  expect(readTiming.everyMs.account).toBeLessThanOrEqual(8000);
  const { scene, log } = settled();
  scene.advance(readTiming.everyMs.account);
  expect(names(due(scene, log))).toContain("account");
});

test("what is on its way is not asked again", () => {
  const { scene, log } = settled();
  scene.advance(60_000);
  for (const request of due(scene, log)) readAsked(log, request, scene.nowMs());
  scene.advance(60_000);
  expect(due(scene, log)).toEqual([]);
});

test("failures wait 0.5 s, 1 s, 2 s and so on, at most an interval", () => {
  const { scene, log } = settled();
  const request = { kind: "book", marketId: 1 } as const;
  scene.advance(60_000);
  for (const waitMs of [500, 1000, 2000, 4000, 5000, 5000]) {
    readAsked(log, request, scene.nowMs());
    readEnded(log, request, "failed");
    scene.advance(waitMs - 1);
    expect(names(due(scene, log)), `${waitMs}`).not.toContain("book");
    scene.advance(1);
    expect(names(due(scene, log)), `${waitMs}`).toContain("book");
  }
});

test("what a doubt waits for is tried again within 2 s, however often it failed", () => {
  const { scene, log } = settled();
  scene.tell({ kind: "accountRead", account: account({ positions: [position(1n)] }) });
  const request = { kind: "trades", marketId: 1 } as const;
  for (const waitMs of [500, 1000, 2000, 2000, 2000]) {
    readAsked(log, request, scene.nowMs());
    readEnded(log, request, "failed");
    scene.advance(waitMs - 1);
    expect(names(due(scene, log)), `${waitMs}`).not.toContain("trades");
    scene.advance(1);
    expect(names(due(scene, log)), `${waitMs}`).toContain("trades");
  }
});

test("money that nothing explains: trades and funding of every market, at once", () => {
  const { scene, log } = settled();
  scene.advance(300);
  scene.tell({ kind: "accountRead", account: account({ collateral: usdc(1n) }) });
  const wanted = ["trades", "funding"];
  expect(names(due(scene, log)).filter((name) => wanted.includes(name))).toEqual(wanted);
});

test("a new connection makes everything due again", () => {
  const { scene, log } = settled();
  scene.advance(300);
  scene.tell({ kind: "streamOpened", epoch: 2 });
  const first = readAll(scene, log);
  expect(first).toContain("book");
  expect(first.indexOf("account"), "the account first: trades count once it has shown that the chain is the same").toBe(
    0,
  );
});

describe("what is doubtful is read at once, but not in a storm", () => {
  test("a suspicion: the account, at least 250 ms after the last read", () => {
    const { scene, log } = settled();
    scene.tell({ kind: "orderTriggered", accountId: ME, marketId: 1, orderId: orderId(66n) });
    expect(due(scene, log)).toEqual([]);
    scene.advance(readTiming.hurriedMs);
    expect(names(due(scene, log))).toEqual(["account"]);
    readAll(scene, log);
    scene.advance(1000);
    expect(names(due(scene, log)), "once").not.toContain("account");
  });

  test("a difference: trades of its market, and the account again", () => {
    const { scene, log } = settled();
    scene.advance(300);
    scene.tell({ kind: "accountRead", account: account({ positions: [position(1n)] }) });
    scene.advance(100);
    expect(names(due(scene, log))).toEqual(["account", "trades"]);
  });

  test("an order whose last fills may be on their way: the trades, once a read of them is of after its end", () => {
    const { scene, log } = settled();
    scene.rest(1n, 7n);
    const cancel = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) } as const;
    scene.tell({ kind: "sent", nonce: nonce(2n), command: cancel });
    scene.answer(2n, cancel, executedWith(canceledEvent(7n)));
    scene.advance(scene.state.readLagMaxMs);
    expect(readAll(scene, log)).not.toContain("trades");
    scene.advance(1);
    expect(readAll(scene, log)).toContain("trades");
    scene.advance(2000);
    expect(readAll(scene, log)).not.toContain("trades");
  });

  test("a print: oracle and market within a second; at once when it may reopen the market", () => {
    const { scene, log } = settled();
    const print = { price: price(201n * USD), previousPrice: price(200n * USD), validUntilSec: oracle().validUntilSec };
    scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    scene.advance(300);
    expect(due(scene, log)).toEqual([]);
    scene.advance(700);
    expect(names(due(scene, log))).toEqual(["oracle", "market"]);

    const closed = settled();
    closed.scene.tell({ kind: "oracleRead", oracle: oracle({ status: "Stale" }) });
    closed.scene.advance(10);
    closed.scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    closed.scene.advance(250);
    expect(names(due(closed.scene, closed.log))).toContain("oracle");
  });

  test("a settlement: the funding state", () => {
    const { scene, log } = settled();
    scene.tell({ kind: "marketRead", market: market({ lastFundingTimestampSec: 7200 }) });
    scene.advance(1000);
    expect(names(due(scene, log))).toContain("funding");
  });

  test("a book that no stream tells of: nothing, there is nothing that it could prove", () => {
    const { scene, log } = settled();
    scene.advance(readTiming.everyMs.book);
    expect(names(due(scene, log))).toContain("book");
    scene.state.streamed = new Set([2]);
    expect(names(due(scene, log))).not.toContain("book");
  });

  test("a book that a read contradicts: the book again after a second", () => {
    const { scene, log } = settled();
    scene.tell({ kind: "bookRead", book: book(198n) });
    scene.advance(1000);
    expect(names(due(scene, log))).toContain("book");
  });
});
