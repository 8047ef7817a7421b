// Reads against expectation: races are waited out, steady differences are told and believed, money is booked as what it is.

import { describe, expect, test } from "vitest";
import { pnlOf } from "../../../../../src/bot/accounting/market-book.ts";
import { collateralOf } from "../../../../../src/bot/accounting/totals.ts";
import { positionRange } from "../../../../../src/bot/feed/account/position-range.ts";
import type { Account } from "../../../../../src/domain/account.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import { nonce, orderId, price, size, usdc } from "../../../../../src/domain/units.ts";
import { bookOf, filled, positionRead, transferOf } from "../../accounting/books.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  funding,
  listed,
  ME,
  makeReady,
  market,
  placedEvent,
  pong,
  position,
  publicTrade,
  type Scene,
  USD,
} from "../scene.ts";

const mismatches = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "mismatch" ? [effect.what] : []));
const read = (scene: Scene, of: Partial<Account> = {}) => {
  scene.advance(300);
  return scene.tell({ kind: "accountRead", account: account(of) });
};
/** A read that proves to be of now: it shows an order, far away, that was placed just before. */
const readNow = (scene: Scene, of: Partial<Account> = {}) => {
  scene.advance(10);
  const far = { side: "sell", price: price(900n * USD) } as const;
  const id = 5000n + BigInt(scene.nowMs());
  scene.rest(id, id, far);
  read(scene, { ...of, openOrders: [...(of.openOrders ?? []), listed(id, far)] });
  const { type: _type, ...canceled } = canceledEvent(id);
  scene.tell({ kind: "orderCanceled", ...canceled });
};
const searchTrades = (scene: Scene, ...executions: ReturnType<typeof execution>[]) => {
  scene.advance(50);
  scene.tell({ kind: "tradesRead", marketId: 1, trades: executions.map(publicTrade) });
};
/** One fill of ours, and what a read may tell: two sold before it, or three after it. */
function afterFill() {
  const scene = createScene();
  const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
  scene.rest(1n, 7n);
  scene.tell({ kind: "execution", execution: execution() });
  const told = { lifetimeVolume: usdc(before + 500_000_000n), positions: [position(-2n, 200n)] };
  return { scene, told };
}
/** The ledger has buys at 199, 200 and 201; the first read is from before them. One more at 199 follows the read that shows the first. */
function afterLateStart() {
  const bought = (usd: bigint) =>
    filled({
      key: `${usd}`,
      side: "buy",
      price: usd * USD,
      size: CONTRACT,
      timestampMs: CHAIN_OFFSET_MS + Number(usd),
    });
  const atStart = [transferOf("opening:1", 0n), positionRead({ inventory: 0n })];
  const scene = createScene({ book: bookOf(...atStart, bought(199n), bought(200n), bought(201n)) });
  const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
  const shows = (usd: bigint, contracts: bigint) => ({
    lifetimeVolume: usdc(before + usd * 1_000_000n),
    positions: [position(contracts, 199n)],
  });
  const readTwice = (told: Partial<Account>) => {
    for (let round = 0; round < 2; round += 1) {
      read(scene, told);
      searchTrades(scene);
    }
  };
  readTwice(shows(199n, 1n));
  scene.rest(1n, 7n);
  scene.tell({ kind: "execution", execution: execution({ timestampMs: CHAIN_OFFSET_MS + scene.nowMs() }) });
  return { scene, shows, readTwice };
}
const reconciled = (scene: Scene) => scene.view().reconciled.state;

describe("orders and positions", () => {
  test("an agreeing read is fresh, and counted", () => {
    const scene = createScene();
    const before = scene.view().reconciled;
    scene.rest(1n, 7n);
    read(scene, { openOrders: [listed(7n)] });
    expect(reconciled(scene)).toBe("fresh");
    expect(scene.view().reconciled).toMatchObject({ value: (before.state === "fresh" ? before.value : 0) + 1 });
    expect(mismatches(scene)).toEqual([]);
  });

  test("one difference is no mismatch, but the account is wanted again", () => {
    const scene = createScene();
    const effects = read(scene, { positions: [position(1n)] });
    expect(mismatches(scene)).toEqual([]);
    expect(effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "difference" });
    expect(scene.inventory()).toBe(0n);
  });

  test("a position that a read shows counts at once, believed or not, until a read proves to be newer", () => {
    const scene = createScene();
    const range = () => scene.view().position;
    read(scene, { positions: [position(-3n)] });
    expect(range()).toMatchObject({ value: { inventory: 0n, low: -3n * CONTRACT, high: 0n } });
    read(scene);
    expect(range(), "the second may be the older one").toMatchObject({ value: { low: -3n * CONTRACT, high: 0n } });
    readNow(scene);
    expect(range()).toMatchObject({ value: { inventory: 0n, low: 0n, high: 0n } });
  });

  test("a read that lacks the volume of our fills does not refute them", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
    scene.tell({ kind: "execution", execution: execution() });
    for (let round = 0; round < 6; round += 1) {
      searchTrades(scene);
      read(scene, { lifetimeVolume: usdc(before + 1n) });
    }
    expect(scene.inventory()).toBe(CONTRACT);
    expect(mismatches(scene)).toEqual([]);
    expect(scene.view().position).toMatchObject({ value: { low: 0n, high: CONTRACT } });
  });

  test("one that is newer than our last fill, and lacks one that trades showed later, does not refute that one", () => {
    const scene = createScene();
    const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
    const far = { side: "sell", price: price(900n * USD) } as const;
    scene.rest(1n, 7n);
    scene.rest(2n, 8n);
    scene.advance(20_000);
    scene.tell({ kind: "execution", execution: execution() });
    // A machine that slept: by its clock the other fill was before that one.
    const timestampMs = CHAIN_OFFSET_MS + scene.nowMs() - 1000;
    scene.rest(3n, 9n, far);
    scene.advance(1000);
    searchTrades(scene, execution({ hash: "h2", mine: 8n, timestampMs }));
    expect(scene.inventory()).toBe(2n * CONTRACT);
    for (let round = 0; round < 4; round += 1) {
      const openOrders = [listed(8n), listed(9n, far)];
      read(scene, { openOrders, positions: [position(1n, 199n)], lifetimeVolume: usdc(before + 199_000_000n) });
      searchTrades(scene);
    }
    expect(mismatches(scene)).toEqual(["fillMissed"]);
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("one that shows an order which was asked for at the moment of the last fill has that fill, and refutes it", () => {
    const { scene } = afterFill();
    const { read: before } = scene.state.accounts.get(ME)!.volume;
    const far = { side: "sell", price: price(900n * USD) } as const;
    scene.rest(2n, 8n, far);
    for (let round = 0; round < 3; round += 1) {
      read(scene, { lifetimeVolume: usdc((before ?? 0n) + 1n), openOrders: [listed(8n, far)] });
      searchTrades(scene);
    }
    expect(mismatches(scene)).toEqual(["position"]);
    expect(scene.inventory()).toBe(0n);
  });

  test("a settlement that a position reflects proves a read newer than what was known before it", () => {
    const scene = createScene();
    const settled = (cumulativeFunding: bigint, lastFundingTimestampSec: number) =>
      scene.tell({ kind: "fundingRead", funding: funding({ cumulativeFunding, lastFundingTimestampSec }) });
    const hourSec = CHAIN_OFFSET_MS / 1000;
    read(scene, { positions: [position(1n)] });
    searchTrades(scene);
    read(scene, { positions: [position(1n)] });
    settled(5n, hourSec);
    scene.rest(1n, 7n);
    scene.advance(3_610_000);
    settled(6n, hourSec + 3600);
    for (const cumulativeFunding of [5n, 5n, 5n]) {
      searchTrades(scene);
      read(scene, { positions: [position(1n, 200n, { cumulativeFunding })] });
    }
    expect(scene.orders().length, "of before the settlement").toBe(1);
    for (const cumulativeFunding of [6n, 6n]) {
      searchTrades(scene);
      read(scene, { positions: [position(1n, 200n, { cumulativeFunding })] });
    }
    expect(scene.orders()).toEqual([]);
  });

  test("a frame that explains the difference ends it", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    read(scene, { positions: [position(1n, 199n)] });
    scene.tell({ kind: "execution", execution: execution() });
    searchTrades(scene);
    read(scene, { positions: [position(1n, 199n)] });
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene)).toBe("fresh");
  });

  test("a swallowed fill is found in the trades before the position is taken for wrong", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10_000);
    read(scene, { positions: [position(1n, 199n)] });
    searchTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    read(scene, { positions: [position(1n, 199n)] });
    expect(mismatches(scene)).toEqual(["fillMissed"]);
    expect(scene.inventory()).toBe(CONTRACT);
    expect(scene.orders()).toEqual([]);
    expect(reconciled(scene)).toBe("fresh");
  });

  test("a difference that no trade explains is told, and the exchange is believed", () => {
    const scene = createScene();
    read(scene, { positions: [position(3n, 210n)] });
    searchTrades(scene);
    read(scene, { positions: [position(3n, 210n)] });
    expect(mismatches(scene)).toEqual(["position"]);
    expect(scene.inventory()).toBe(3n * CONTRACT);
    read(scene, { positions: [position(3n, 210n)] });
    expect(reconciled(scene)).toBe("fresh");
    expect(mismatches(scene), "told once").toEqual(["position"]);
  });

  test("without the trades having been searched the same difference is not believed yet", () => {
    const scene = createScene();
    read(scene, { positions: [position(3n)] });
    read(scene, { positions: [position(3n)] });
    expect(mismatches(scene)).toEqual([]);
  });

  test("while a trade of ours is known whose fill is not booked, that is what differs", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    for (let round = 0; round < 6; round += 1) {
      read(scene, { positions: [position(1n, 199n)] });
      searchTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 100 }));
    }
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene)).toBe("stale");
    scene.tell({ kind: "execution", execution: execution() });
    read(scene, { positions: [position(1n, 199n)] });
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene)).toBe("fresh");
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("where the trades cannot be read, it is believed after thirty seconds all the same", () => {
    const scene = createScene();
    for (let round = 0; round < 5; round += 1) read(scene, { positions: [position(3n)] });
    expect(mismatches(scene), "the trades may come back and explain it").toEqual([]);
    scene.advance(30_000);
    read(scene, { positions: [position(3n)] });
    expect(mismatches(scene)).toEqual(["position"]);
  });

  test("the ledger's position counts until a read that is newer than the start agrees with the other one", () => {
    const book = bookOf(
      transferOf("opening:1", 0n),
      positionRead({ inventory: 2n * CONTRACT, entryPrice: 199n * USD }),
    );
    const scene = createScene({ book });
    const me = scene.state.accounts.get(ME)!;
    const range = () => positionRange(me, 1);
    expect(range(), "the first read had none").toEqual({ low: 0n, high: 2n * CONTRACT });
    scene.rest(1n, 7n);
    scene.rest(2n, 8n);
    const before = me.volume.read ?? usdc(0n);
    scene.tell({ kind: "execution", execution: execution() });
    expect(range()).toEqual({ low: CONTRACT, high: 3n * CONTRACT });
    const resting = { openOrders: [listed(7n), listed(8n)] };
    read(scene, { ...resting, lifetimeVolume: before, positions: [position(2n, 199n)] });
    expect(range(), "it has our order, lacks our fill, and shows what the ledger had").toEqual({
      low: CONTRACT,
      high: 3n * CONTRACT,
    });
    readNow(scene, { openOrders: [listed(8n)], positions: [position(1n, 199n)] });
    expect(range()).toEqual({ low: CONTRACT, high: CONTRACT });
  });

  test("a read with volume that we do not know is not believed while it may lack our last fill", () => {
    const { scene, told } = afterFill();
    for (let round = 0; round < 4; round += 1) {
      read(scene, told);
      searchTrades(scene);
    }
    expect(mismatches(scene), "sold two before we bought one, or three after it").toEqual([]);
    expect(positionRange(scene.state.accounts.get(ME)!, 1)).toEqual({
      low: -2n * CONTRACT,
      high: CONTRACT,
    });
    scene.advance(scene.state.ages.landingBoundMs);
    read(scene, told);
    searchTrades(scene);
    read(scene, told);
    expect(mismatches(scene)).toEqual(["position"]);
    expect(scene.inventory()).toBe(-2n * CONTRACT);
  });

  test("nor once another position in it is believed: that does not mean that it has our last fill", () => {
    const { scene, told } = afterFill();
    const beside = { ...told, positions: [position(2n, 200n, { marketId: 5 })] };
    for (let round = 0; round < 6; round += 1) {
      read(scene, beside);
      searchTrades(scene);
      scene.tell({ kind: "tradesRead", marketId: 5, trades: [] });
    }
    expect(scene.view(5).position).toMatchObject({ value: { inventory: 2n * CONTRACT } });
    expect(scene.inventory()).toBe(CONTRACT);
    expect(mismatches(scene)).toEqual(["position"]);
  });

  test("but once it shows as much beyond our fills as a read before the last of them did: it lacks none", () => {
    const { scene, told } = afterFill();
    read(scene, told);
    scene.rest(2n, 8n);
    scene.advance(10);
    scene.tell({ kind: "execution", execution: execution({ mine: 8n, hash: "h2" }) });
    expect(scene.inventory()).toBe(2n * CONTRACT);
    for (let round = 0; round < 4; round += 1) {
      read(scene, told);
      searchTrades(scene);
    }
    expect(mismatches(scene), "these lack the second fill").toEqual([]);
    const all = { lifetimeVolume: usdc(told.lifetimeVolume + 199_000_000n), positions: [position(-1n, 200n)] };
    for (let round = 0; round < 2; round += 1) {
      read(scene, all);
      searchTrades(scene);
    }
    expect(mismatches(scene)).toEqual(["position"]);
    expect(scene.inventory()).toBe(-CONTRACT);
  });

  test("or once it shows beyond them what the ledger has and the first read lacked", () => {
    const { scene, shows, readTwice } = afterLateStart();
    expect(scene.inventory()).toBe(2n * CONTRACT);
    readTwice(shows(799n, 4n));
    expect(scene.inventory()).toBe(4n * CONTRACT);
    expect(mismatches(scene)).toEqual(["position", "position"]);
    read(scene, shows(799n, 4n));
    expect(reconciled(scene)).toBe("fresh");
  });

  test.each([
    ["another amount", 810n, 4n],
    ["a part of it: ours is later", 598n, 3n],
  ])("not where it shows %s", (_, usd, contracts) => {
    const { scene, shows, readTwice } = afterLateStart();
    readTwice(shows(usd, contracts));
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("a fill is no part of what a read showed before it, if the ledger has all of that", () => {
    const { scene, shows, readTwice } = afterLateStart();
    readTwice(shows(199n, 1n));
    expect(scene.inventory(), "these lack the fill").toBe(2n * CONTRACT);
    expect(mismatches(scene)).toEqual(["position"]);
  });

  test("what a read showed beyond our fills is less once trades show one of before it", () => {
    const { scene, told } = afterFill();
    scene.rest(2n, 8n);
    scene.rest(3n, 9n);
    const more = (fills: bigint) => ({
      lifetimeVolume: usdc(told.lifetimeVolume + fills * 199_000_000n),
      positions: [position(fills - 2n, 200n)],
    });
    read(scene, more(1n));
    searchTrades(scene, execution({ mine: 8n, hash: "h2" }));
    read(scene, more(1n));
    scene.advance(10);
    scene.tell({ kind: "execution", execution: execution({ mine: 9n, hash: "h3" }) });
    for (let round = 0; round < 2; round += 1) {
      read(scene, more(2n));
      searchTrades(scene);
    }
    expect(mismatches(scene)).toContain("position");
    expect(scene.inventory()).toBe(0n);
  });

  test("a fill that trades show after a sleep races with no read, whatever time the chain's clock of before gives it", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell({ kind: "slept" });
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "slept" });
    readNow(scene);
    searchTrades(scene, execution({ mine: 7n, timestampMs: CHAIN_OFFSET_MS + scene.nowMs() + 60_000 }));
    expect(scene.inventory()).toBe(CONTRACT);
    const before = scene.effects.length;
    read(scene, { positions: [position(1n, 199n)] });
    expect(scene.effects.slice(before)).not.toContainEqual(expect.objectContaining({ kind: "reconcileWanted" }));
  });

  test("a read that may lack our last fill is believed once the position has not changed for thirty seconds", () => {
    const { scene, told } = afterFill();
    scene.advance(30_001);
    read(scene, told);
    searchTrades(scene);
    read(scene, told);
    expect(mismatches(scene)).toEqual(["position"]);
    expect(positionRange(scene.state.accounts.get(ME)!, 1)).toEqual({ low: -2n * CONTRACT, high: CONTRACT });
  });

  test("a difference that changes from read to read is believed in the fourth round, once the trades were searched", () => {
    const scene = createScene();
    read(scene, { positions: [position(3n)] });
    searchTrades(scene);
    for (const held of [4n, 5n]) read(scene, { positions: [position(held)] });
    expect(mismatches(scene)).toEqual([]);
    read(scene, { positions: [position(6n)] });
    expect(mismatches(scene)).toEqual(["position"]);
    expect(scene.inventory()).toBe(6n * CONTRACT);
  });

  test("a difference that lasts closes the account; a short one does not", () => {
    const scene = createScene();
    read(scene, { positions: [position(3n)] });
    expect(reconciled(scene)).toBe("fresh");
    scene.advance(1001);
    expect(reconciled(scene)).toBe("stale");
  });

  test("an order that reads of later lack is gone after the second look", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    readNow(scene);
    expect(scene.orders().length, "still counted").toBe(1);
    searchTrades(scene);
    readNow(scene);
    expect(scene.orders()).toEqual([]);
    expect(mismatches(scene)).toEqual(["orderMissing"]);
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "orderEnded", why: "vanished" }));
  });

  test("reads that may be older than an order do not refute it, however often they agree", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    for (let round = 0; round < 8; round += 1) {
      read(scene);
      searchTrades(scene);
    }
    expect(scene.orders().length).toBe(1);
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene), "nothing that is known is refuted").toBe("fresh");
  });

  test("an order that reads lack for longer than a transaction may take to land is checked, a few times in a minute", () => {
    const scene = createScene();
    const { landingBoundMs } = scene.state.ages;
    for (let id = 1n; id <= 6n; id += 1n) scene.rest(id, 10n + id, { price: price((190n + id) * USD) });
    read(scene);
    scene.advance(landingBoundMs - 300);
    read(scene);
    expect(scene.kinds()).not.toContain("orderDoubted");
    read(scene);
    read(scene);
    const doubted = () => scene.effects.flatMap((effect) => (effect.kind === "orderDoubted" ? [effect.orderId] : []));
    expect(doubted()).toEqual([11n, 12n, 13n, 14n]);
    scene.advance(60_000);
    read(scene);
    expect(doubted().length).toBe(8);
  });

  test("an order whose modify was refused is checked as soon as a read lacks it", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const modify: Command = {
      kind: "modify",
      accountId: ME,
      marketId: 1,
      orderId: orderId(7n),
      side: "buy",
      reduceOnly: false,
      newPrice: price(198n * USD),
      newSize: null,
      level: 0,
    };
    scene.tell({ kind: "sent", nonce: nonce(2n), command: modify });
    scene.answer(2n, modify, { kind: "refused", hash: "h", error: "no" });
    read(scene);
    expect(scene.kinds()).toContain("orderDoubted");
  });

  test("an order that was placed while the read was away is not judged by it", () => {
    const scene = createScene();
    scene.advance(300);
    const askedMs = scene.nowMs();
    scene.advance(50);
    scene.rest(1n, 7n);
    for (let round = 0; round < 5; round += 1) scene.tell({ kind: "accountRead", account: account(), askedMs });
    expect(scene.orders().length).toBe(1);
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene)).toBe("fresh");
  });

  test("an order that was canceled while the read was away does not come back", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(300);
    const askedMs = scene.nowMs();
    scene.advance(50);
    const { type: _type, ...canceled } = canceledEvent(7n);
    scene.tell({ kind: "orderCanceled", ...canceled });
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n)] }), askedMs });
    expect(scene.orders()).toEqual([]);
    expect(mismatches(scene)).toEqual([]);
  });

  test("an order that we took for ended and that is still listed is ours again", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const { type: _type, ...canceled } = canceledEvent(7n);
    scene.tell({ kind: "orderCanceled", ...canceled });
    read(scene, { openOrders: [listed(7n)] });
    expect(scene.orders(), "the read may be older than the cancel").toEqual([]);
    readNow(scene, { openOrders: [listed(7n)] });
    expect(scene.orders()).toEqual([expect.objectContaining({ orderId: 7n, state: "working" })]);
    expect(mismatches(scene)).toEqual(["orderReappeared"]);
    expect(scene.kinds()).not.toContain("foreign");
  });

  test.each([
    ["orderPrice", { price: price(198n * USD) }],
    ["orderRemaining", { filledSize: size(400_000n) }],
  ] as const)("%s: believed when it is steady", (what, of) => {
    const scene = createScene();
    scene.rest(1n, 7n);
    for (let round = 0; round < 2; round += 1) {
      readNow(scene, { openOrders: [listed(7n, of)] });
      if (round === 0) searchTrades(scene);
      scene.advance(10);
    }
    expect(mismatches(scene)).toEqual([what]);
    const order = listed(7n, of);
    expect(scene.orders()[0]).toMatchObject({ price: order.price, remainingSize: order.remainingSize });
  });

  test("a fill while the read was away: neither agreed nor different, read again", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(300);
    const askedMs = scene.nowMs();
    scene.advance(20);
    scene.tell({ kind: "execution", execution: execution() });
    const rounds = scene.view().reconciled;
    const effects = scene.tell({ kind: "accountRead", account: account(), askedMs });
    expect(effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "raced" });
    expect(scene.view().reconciled).toMatchObject({ value: rounds.state === "fresh" ? rounds.value : -1 });
    expect(mismatches(scene)).toEqual([]);
  });

  test("an older read that comes after a newer one is not looked at", () => {
    const scene = createScene();
    read(scene);
    const effects = scene.tell({
      kind: "accountRead",
      account: account({ positions: [position(9n)] }),
      askedMs: scene.nowMs() - 200,
    });
    expect(effects).toEqual([]);
  });

  test("another connection: what agreed before it does not count in it", () => {
    const scene = createScene();
    expect(reconciled(scene)).toBe("fresh");
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" });
    expect(reconciled(scene)).toBe("stale");
    const askedMs = scene.nowMs();
    scene.advance(10);
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.tell({ kind: "accountRead", account: account(), askedMs });
    expect(reconciled(scene), "asked before the connection was").toBe("stale");
    read(scene);
    expect(reconciled(scene)).toBe("fresh");
  });

  test("positions where we do not quote are followed too", () => {
    const scene = createScene();
    read(scene, { positions: [position(2n, 200n, { marketId: 5 })] });
    searchTrades(scene);
    scene.tell({ kind: "tradesRead", marketId: 5, trades: [] });
    read(scene, { positions: [position(2n, 200n, { marketId: 5 })] });
    expect(scene.state.markets.has(5)).toBe(true);
    expect(scene.view(5).position).toMatchObject({ value: { inventory: 2n * CONTRACT } });
  });
});

describe("the first read", () => {
  test("is where positions and money begin", () => {
    const scene = createScene({}, "blank");
    expect(scene.view().position.state).toBe("absent");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    read(scene, { positions: [position(-2n)], collateral: usdc(5n) });
    expect(scene.inventory()).toBe(-2n * CONTRACT);
    expect(mismatches(scene)).toEqual([]);
    expect(reconciled(scene)).toBe("fresh");
  });

  test("does not count when a fill came while it was away: before or after, nobody knows", () => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    const askedMs = scene.nowMs();
    scene.advance(20);
    scene.tell({ kind: "execution", execution: execution() });
    scene.tell({ kind: "accountRead", account: account({ positions: [position(1n)] }), askedMs });
    expect(reconciled(scene)).toBe("absent");
    read(scene, { positions: [position(1n)] });
    expect(scene.inventory()).toBe(CONTRACT);
  });
});

describe("collateral", () => {
  const START = 100_000n * 1_000_000n;
  const changes = (scene: Scene) =>
    scene.effects.flatMap((effect) =>
      effect.kind === "collateralChange"
        ? [
            effect.postings.map((posting) => [
              posting.kind === "funding" ? posting.kind : posting.reason,
              posting.amount,
            ]),
          ]
        : [],
    );
  /** Collateral has changed by `delta`; trades and settlements were read before, and told nothing new. */
  const paid = (scene: Scene, delta: bigint, of: Partial<Account> = {}) => {
    searchTrades(scene);
    scene.tell({ kind: "fundingRead", funding: scene.state.markets.get(1)?.funding?.value ?? funding() });
    return read(scene, { collateral: usdc(START + delta), ...of });
  };

  test("as the fills say: nothing to book", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n) }) });
    paid(scene, 3n, { positions: [position(1n, 199n)] });
    expect(changes(scene)).toEqual([]);
    expect(mismatches(scene)).toEqual([]);
  });

  const holding = (contracts: bigint): Scene => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 3600 }) });
    read(scene, { positions: [position(contracts)] });
    return scene;
  };

  /** The mark price was so far from the oracle price: funding pays no more than that, and interest. */
  const withPremium = (contracts: bigint, premiumBps: bigint): Scene => {
    const scene = holding(contracts);
    const { oraclePrice } = market();
    const markPrice = price((oraclePrice * (10_000n + premiumBps)) / 10_000n);
    scene.tell({ kind: "marketRead", market: market({ markPrice }) });
    return scene;
  };

  test("funding within its cap after a settlement is funding, at once", () => {
    const scene = withPremium(10n, 10n);
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
    scene.advance(300);
    paid(scene, -1_234_567n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["funding", -1_234_567n]]]);
    expect(scene.effects.find(({ kind }) => kind === "collateralChange")).toMatchObject({
      postings: [{ marketId: 1 }],
    });
  });

  describe("as it was before a settlement", () => {
    const positions = [position(10n)];
    /** 100 units were paid and booked; a read that is newer shows it. */
    const settled = (): Scene => {
      const scene = holding(10n);
      scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
      paid(scene, -100n, { positions });
      readNow(scene, { collateral: usdc(START - 100n), positions });
      expect(changes(scene)).toEqual([[["funding", -100n]]]);
      return scene;
    };

    test("in reads that come after a newer one, and may be older: nothing to book", () => {
      const scene = settled();
      for (let round = 0; round < 4; round += 1) paid(scene, 0n, { positions });
      expect(changes(scene)).toEqual([[["funding", -100n]]]);
      expect(mismatches(scene)).toEqual([]);
    });

    test("in reads that prove to be newer than it: a transfer", () => {
      const scene = settled();
      for (let round = 0; round < 3; round += 1) {
        searchTrades(scene);
        scene.tell({ kind: "fundingRead", funding: scene.state.markets.get(1)?.funding?.value ?? funding() });
        readNow(scene, { collateral: usdc(START), positions });
      }
      expect(changes(scene)).toEqual([[["funding", -100n]], [["transfer", 100n]]]);
    });
  });

  test.each([
    ["the cap of the exchange", 1000n, -20_000_000n],
    ["the premium of the interval and interest", 10n, 250_000n],
  ])("beyond %s it is not funding: a transfer, after three rounds, told once", (_, premiumBps, tooMuch) => {
    const scene = withPremium(1n, premiumBps);
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
    for (let round = 0; round < 2; round += 1) paid(scene, tooMuch, { positions: [position(1n)] });
    expect(changes(scene)).toEqual([]);
    for (let round = 0; round < 3; round += 1) paid(scene, tooMuch, { positions: [position(1n)] });
    expect(changes(scene)).toEqual([[["transfer", tooMuch]]]);
    expect(mismatches(scene)).toEqual([]);
  });

  test.each([
    ["as much as the index moved", -100_000n, "funding"],
    ["more than it", 2_500_000n, "transfer"],
  ] as const)("after the index was read, %s", (_, paidOut, what) => {
    const scene = withPremium(10n, 100n);
    const positions = [position(10n)];
    paid(scene, 0n, { positions });
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
    scene.advance(300);
    searchTrades(scene);
    read(scene, { collateral: usdc(START + paidOut), positions });
    expect(changes(scene), "before").toEqual([]);
    const cumulativeFunding = funding().cumulativeFunding + 1_000_000n; // a cent a contract
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 7200, cumulativeFunding }) });
    for (let round = 0; round < 3; round += 1) {
      searchTrades(scene);
      scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 7200, cumulativeFunding }) });
      read(scene, { collateral: usdc(START + paidOut), positions });
    }
    expect(changes(scene)).toEqual([[[what, paidOut]]]);
  });

  test("what looks like funding without any settlement is a transfer", () => {
    const scene = holding(10n);
    for (let round = 0; round < 3; round += 1) paid(scene, -100n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["transfer", -100n]]]);
  });

  test.each([
    ["trades", (scene: Scene) => scene.tell({ kind: "fundingRead", funding: funding() })],
    ["settlements", (scene: Scene) => searchTrades(scene)],
  ])("while %s cannot be read it is not told, for half a minute", (_, readTheOther) => {
    const scene = holding(10n);
    const unsearched = (ms: number): void => {
      scene.advance(ms);
      readTheOther(scene);
      read(scene, { collateral: usdc(START - 100n), positions: [position(10n)] });
    };
    for (let round = 0; round < 10; round += 1) unsearched(2000);
    expect(changes(scene)).toEqual([]);
    for (let round = 0; round < 5; round += 1) unsearched(2000);
    expect(changes(scene)).toEqual([[["transfer", -100n]]]);
  });

  test("news of the settlement that comes after the money explains it", () => {
    const scene = holding(10n);
    paid(scene, -100n, { positions: [position(10n)] });
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: 7200 }) });
    paid(scene, -100n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["funding", -100n]]]);
    expect(mismatches(scene)).toEqual([]);
  });

  test("a settlement that is told while a read is on its way is not taken for one that the read showed", () => {
    const scene = holding(10n);
    scene.tell(pong(scene));
    scene.advance(1000);
    const lastFundingTimestampSec = CHAIN_OFFSET_MS / 1000 + Math.ceil(scene.nowMs() / 1000);
    const askedMs = scene.nowMs();
    scene.advance(1000);
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec });
    scene.tell({ kind: "accountRead", account: account({ positions: [position(10n)] }), askedMs });
    paid(scene, -100n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["funding", -100n]]]);
    expect(mismatches(scene)).toEqual([]);
  });

  test("a settlement shortly before a start may be missing in the first read: the next one may show its money", () => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    scene.advance(60_000);
    scene.tell(pong(scene));
    const lastFundingTimestampSec = (CHAIN_OFFSET_MS + scene.nowMs() - 11_000) / 1000;
    scene.tell({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec }) });
    read(scene, { positions: [position(10n)] });
    paid(scene, 0n, { positions: [position(10n)] });
    paid(scene, -51n, { positions: [position(10n)] });
    expect(changes(scene)).toEqual([[["funding", -51n]]]);
    expect(mismatches(scene)).toEqual([]);
  });

  test.each([500_000_000n, -500_000_000n])(
    "what nothing explains, three times, is a transfer and no mismatch: %d",
    (moved) => {
      const scene = createScene();
      for (let round = 0; round < 3; round += 1) paid(scene, moved);
      expect(changes(scene)).toEqual([[["transfer", moved]]]);
      expect(mismatches(scene)).toEqual([]);
    },
  );

  test("a deposit that is taken back at once is two transfers", () => {
    const scene = createScene();
    for (const moved of [500_000_000n, 0n]) for (let round = 0; round < 3; round += 1) paid(scene, moved);
    expect(changes(scene)).toEqual([[["transfer", 500_000_000n]], [["transfer", -500_000_000n]]]);
  });

  test("a unit a posting is rounding", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(0n) }) });
    paid(scene, -1n, { positions: [position(1n, 199n)] });
    expect(changes(scene)).toEqual([[["rounding", -1n]]]);
  });

  test("and stays so after a read that agreed and may lack the posting", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10);
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(0n) }) });
    paid(scene, 0n, { positions: [position(1n, 199n)] });
    paid(scene, -1n, { positions: [position(1n, 199n)] });
    expect(changes(scene)).toEqual([[["rounding", -1n]]]);
  });

  test("a fill without a fee is priced by what the collateral did", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10_000);
    searchTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    paid(scene, 19_900n, { positions: [position(1n, 199n)] }); // the rebate of one basis point
    expect(changes(scene)).toEqual([[["fills", 19_900n]]]);
    expect(scene.effects.find(({ kind }) => kind === "collateralChange")).toMatchObject({
      postings: [{ fillKeys: ["1:h1:1000:7:maker"] }],
    });
    expect(mismatches(scene)).toEqual(["fillMissed"]);
  });

  test("a fill without a fee is not priced by a read from before it, proven newer than every fill that a frame brought", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n) }) });
    scene.advance(1000);
    scene.rest(2n, 8n);
    scene.advance(10_000);
    searchTrades(scene, execution({ hash: "h2", timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    const before = { lifetimeVolume: usdc(199_000_000n), openOrders: [listed(8n)] };
    paid(scene, 3n, { ...before, positions: [position(1n, 199n)] });
    expect(changes(scene)).toEqual([]);
    paid(scene, 19_903n, { openOrders: [listed(8n)], positions: [position(2n, 199n)] });
    expect(changes(scene)).toEqual([[["fills", 19_900n]]]);
  });

  test("a fill without a fee does not hide an outflow", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10_000);
    searchTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    for (let round = 0; round < 3; round += 1) paid(scene, -90_000_000n, { positions: [position(1n, 199n)] });
    const [postings = []] = changes(scene);
    expect(postings.map(([what]) => what)).toEqual(["fills", "transfer"]);
    expect(Number(postings[1]?.[1])).toBeLessThan(-89_000_000);
  });

  test("fills that trades show after a read had them count once: the next reads are judged, and the money is booked", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.rest(2n, 8n, { side: "sell", price: price(201n * USD) });
    scene.advance(10_000);
    const timestampMs = scene.nowMs() + CHAIN_OFFSET_MS - 8000;
    const bought = execution({ timestampMs });
    const sold = execution({ timestampMs, mine: 8n, side: "sell", usd: 201n, hash: "h2", other: 1001n });
    const worth = (usd: bigint) => usd * 1_000_000n;
    const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
    const told = { collateral: usdc(START + worth(2n)), lifetimeVolume: usdc(before + worth(400n)) };
    read(scene, told);
    searchTrades(scene, bought, sold);
    expect(mismatches(scene)).toEqual(["fillMissed", "fillMissed"]);
    scene.rest(3n, 9n);
    scene.tell({ kind: "execution", execution: execution({ mine: 9n, hash: "h3", other: 1002n }) });
    const collateral = usdc(told.collateral + 1n);
    const lifetimeVolume = usdc(told.lifetimeVolume + worth(199n));
    read(scene, { collateral, lifetimeVolume, positions: [position(1n, 199n)] });
    expect(collateralOf(scene.state.accounts.get(ME)!.book)).toBe(collateral);
    expect(changes(scene)).toEqual([[["fills", worth(2n)]]]);
  });

  test("money of fills that nobody has shown yet is not taken for funding", () => {
    const scene = holding(10n);
    const before = scene.state.accounts.get(ME)!.volume.read ?? 0n;
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
    const told = { lifetimeVolume: usdc(before + 400_000_000n), positions: [position(10n)] };
    paid(scene, 5000n, told);
    paid(scene, 5000n, told);
    expect(changes(scene)).toEqual([]);
    paid(scene, 5000n, told);
    expect(changes(scene), "the trades show none").toEqual([[["funding", 5000n]]]);
  });

  test("a position that nobody can explain is no profit, and the money that moved meanwhile is none of its", () => {
    const scene = createScene();
    for (let round = 0; round < 6; round += 1) paid(scene, 498_610_000n, { positions: [position(3n)] });
    expect(changes(scene)).toEqual([[["transfer", 498_610_000n]]]);
    expect(mismatches(scene)).toEqual(["position"]);
    const booked = scene.state.accounts.get(ME)!.book;
    expect(pnlOf(booked.markets.get(1)!, market().oraclePrice).total).toBe(0n);
  });

  test("postings always add up to the difference", () => {
    const scene = holding(10n);
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 5n, lastFundingTimestampSec: 7200 });
    paid(scene, -4_321n, { positions: [position(10n)] });
    expect(collateralOf(scene.state.accounts.get(ME)!.book)).toBe(START - 4_321n);
  });
});

describe("an account that was created at another time is of another chain", () => {
  const other = account({
    createdAtMs: account().createdAtMs + 1,
    lifetimeVolume: usdc(0n),
    positions: [position(7n)],
  });
  const begun = (scene: Scene) => scene.effects.filter(({ kind }) => kind === "chainBegan").length;

  test("one read may be another node's: nothing of it is taken, and trades name nobody's orders meanwhile", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    read(scene, other);
    scene.advance(10_000);
    searchTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    expect([scene.inventory(), scene.view().agent.state, begun(scene)]).toEqual([0n, "stale", 0]);
    read(scene);
    expect([scene.view().agent.state, begun(scene)]).toEqual(["fresh", 0]);
  });

  test("two in a row: the chain began again, told once", () => {
    const scene = createScene();
    for (let round = 0; round < 4; round += 1) read(scene, other);
    expect([scene.inventory(), begun(scene)]).toEqual([0n, 1]);
  });

  test("as the ledger knows it, from the first read on", () => {
    const scene = createScene({ createdAtMs: account().createdAtMs + 5 }, "blank");
    for (let round = 0; round < 2; round += 1) read(scene);
    expect([scene.view().position.state, begun(scene)]).toEqual(["absent", 1]);
  });
});

test("a trade from before the account was created is none of its fills", () => {
  const scene = createScene();
  const createdAtMs = CHAIN_OFFSET_MS + scene.nowMs() + 50_000;
  const young = createScene({ createdAtMs }, "blank");
  young.tell({ kind: "streamOpened", epoch: 1 });
  young.rest(1n, 7n);
  for (const [timestampMs, held] of [
    [createdAtMs - 1, 0n],
    [createdAtMs, CONTRACT],
  ] as const) {
    searchTrades(young, execution({ timestampMs, hash: `h${timestampMs}` }));
    expect(young.inventory()).toBe(held);
  }
});

test("a place that lands between two looks at the account is never taken for foreign or missing", () => {
  const scene = createScene();
  const command = scene.place(1n);
  read(scene, { openOrders: [listed(7n)] });
  read(scene, { openOrders: [listed(7n)] });
  expect(scene.orders()).toEqual([expect.objectContaining({ orderId: null, state: "inFlight" })]);
  scene.answer(1n, command, executedWith(placedEvent(7n)));
  expect(scene.orders()).toEqual([expect.objectContaining({ orderId: orderId(7n), state: "working" })]);
  expect(mismatches(scene)).toEqual([]);
  expect(scene.kinds()).not.toContain("foreign");
});

test("the whole of a life folds into one agreed state", () => {
  const scene = createScene({}, "blank");
  makeReady(scene);
  expect(reconciled(scene)).toBe("fresh");
});
