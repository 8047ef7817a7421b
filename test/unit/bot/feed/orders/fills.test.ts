// Fills: booked once from whatever tells of them, priced when somebody tells the fee, and never lost or doubled.

import { describe, expect, test } from "vitest";
import { collateralOf } from "../../../../../src/bot/accounting/totals.ts";
import { orderId, price, type Side, size, usdc } from "../../../../../src/domain/units.ts";
import { filled as booked, bookOf, positionRead, transferOf } from "../../accounting/books.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  executedWith,
  execution,
  ME,
  placedEvent,
  pong,
  position,
  publicTrade,
  type Scene,
  USD,
} from "../scene.ts";

const fills = (scene: Scene) => scene.effects.flatMap((effect) => (effect.kind === "fill" ? [effect] : []));
const trades = (scene: Scene, ...executions: ReturnType<typeof execution>[]) =>
  scene.tell({ kind: "tradesRead", marketId: 1, trades: executions.map(publicTrade) });
/** Old enough that no frame of it can still be on its way. */
const old = (scene: Scene, ageMs = 5000) => scene.nowMs() + CHAIN_OFFSET_MS - ageMs;

describe("once", () => {
  test("from the answer, the fills channel and the trades: one fill, one move", () => {
    const scene = createScene();
    const command = scene.place(1n, { postOnly: false });
    const filled = execution({ liquidity: "taker", timestampMs: old(scene) });
    scene.answer(1n, command, executedWith({ type: "fill", execution: filled }));
    scene.tell({ kind: "execution", execution: filled });
    scene.tell({ kind: "execution", execution: filled });
    trades(scene, filled);
    expect(fills(scene).length).toBe(1);
    expect(fills(scene)[0]).toMatchObject({ source: "answer", fill: { liquidity: "taker", side: "buy", fee: 5n } });
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("our side is inverted when we are the maker, with the maker's fee", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { side: "sell", price: price(201n * USD) });
    scene.tell({ kind: "execution", execution: execution({ side: "sell", usd: 201n }) });
    expect(fills(scene)[0]).toMatchObject({ fill: { liquidity: "maker", side: "sell", fee: -1n, orderId: 7n } });
    expect(scene.inventory()).toBe(-CONTRACT);
  });

  test("two executions of one transaction against different orders are two fills", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.tell({ kind: "execution", execution: execution({ other: 1000n }) });
    scene.tell({ kind: "execution", execution: execution({ other: 1001n }) });
    expect(scene.inventory()).toBe(2n * CONTRACT);
  });

  test("both sides ours: two fills that cancel out", () => {
    const scene = createScene();
    const both = { ...execution(), takerAccountId: ME, makerAccountId: ME };
    scene.tell({ kind: "execution", execution: both });
    expect(fills(scene).map(({ fill }) => [fill.liquidity, fill.side])).toEqual([
      ["taker", "sell"],
      ["maker", "buy"],
    ]);
    expect(scene.inventory()).toBe(0n);
  });

  test("a fill that an earlier life booked is not booked again", () => {
    const filled = execution();
    const key = `1:${filled.txHash}:${filled.takerOrderId}:${filled.makerOrderId}:maker`;
    const scene = createScene({
      book: bookOf(booked({ key, side: "buy", price: USD, size: CONTRACT }, { money: "read" })),
    });
    scene.tell({ kind: "execution", execution: filled });
    expect(fills(scene)).toEqual([]);
  });

  test("executions of others are none of ours", () => {
    const scene = createScene();
    scene.tell({ kind: "execution", execution: { ...execution(), makerAccountId: 5n as typeof ME } });
    expect(fills(scene)).toEqual([]);
  });
});

describe("what frames did not tell is found in the public trades", () => {
  test("a swallowed fill is booked without a fee, told as missed, and reduces its order", () => {
    const scene = createScene();
    scene.rest(1n, 7n, { size: size(2n * CONTRACT) });
    scene.advance(10_000);
    trades(scene, execution({ timestampMs: old(scene) }));
    expect(fills(scene)[0]).toMatchObject({ source: "trades", fill: { fee: null, realizedPnl: null, side: "buy" } });
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "mismatch", what: "fillMissed" }));
    expect(scene.orders()[0]?.remainingSize).toBe(CONTRACT);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("its fee, when a frame brings it after all, amends the same fill", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10_000);
    const filled = execution({ timestampMs: old(scene) });
    trades(scene, filled);
    scene.tell({ kind: "execution", execution: filled });
    scene.tell({ kind: "execution", execution: filled });
    const amended = scene.effects.flatMap((effect) => (effect.kind === "fillAmended" ? [effect.event] : []));
    expect(amended).toEqual([expect.objectContaining({ fill: expect.objectContaining({ fee: -1n }) })]);
    expect(fills(scene).length).toBe(1);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("a trade of just now is left to its frame", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(500);
    const filled = execution({ timestampMs: old(scene, 100) });
    trades(scene, filled);
    expect(fills(scene)).toEqual([]);
    scene.tell({ kind: "execution", execution: filled });
    expect(fills(scene).map(({ source }) => source)).toEqual(["stream"]);
  });

  test("a trade that waited for its frame is booked when the trades no longer reach back to it, and refuted by trades that do", () => {
    for (const [othersAgoMs, sources] of [
      [200, []],
      [50, ["trades"]],
    ] as const) {
      const scene = createScene();
      scene.rest(1n, 7n);
      scene.advance(500);
      const others = execution({ mine: 500n, other: 501n, timestampMs: old(scene, othersAgoMs) });
      trades(scene, execution({ timestampMs: old(scene, 100) }));
      scene.advance(90_000);
      trades(scene, others);
      expect(fills(scene).map(({ source }) => source)).toEqual(sources);
      expect([...scene.state.accounts.get(ME)!.orders.pendingFills()]).toEqual([]);
    }
  });

  test("a trade of just now, but from before this connection, has no frame to wait for", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(500);
    const filled = execution({ timestampMs: old(scene, 100) });
    scene.tell({ kind: "streamOpened", epoch: 2 });
    expect(trades(scene, filled), "not before the account has shown that the chain is the same").toEqual([]);
    scene.advance(1);
    scene.tell({ kind: "accountRead", account: account() });
    trades(scene, filled);
    expect(fills(scene).map(({ source }) => source)).toEqual(["trades"]);
  });

  test("of others are passed over", () => {
    const scene = createScene();
    trades(scene, execution({ mine: 500n, timestampMs: old(scene) }));
    expect(fills(scene)).toEqual([]);
  });

  test("while we were away: booked at the start, and not counted twice in the position that was read", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const scene = createScene({ knownOrders: [known] }, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    trades(scene, execution({ timestampMs: null as never }));
    scene.tell({ kind: "accountRead", account: account({ positions: [position(1n, 199n)] }) });
    expect(fills(scene).length).toBe(1);
    expect(scene.inventory()).toBe(CONTRACT);
  });

  test("while the first read was away: in it already, where they make up what the position moved by", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const book = bookOf(positionRead({ inventory: -2n * CONTRACT }), transferOf("start", 5n));
    const scene = createScene({ knownOrders: [known], book }, "blank");
    scene.tell(pong(scene));
    const askedMs = scene.nowMs();
    scene.advance(3000);
    scene.tell({ kind: "accountRead", account: account({ positions: [position(-1n)] }), askedMs });
    trades(scene, execution({ timestampMs: CHAIN_OFFSET_MS + askedMs + 2500 }));
    expect(fills(scene).length).toBe(1);
    expect(scene.inventory()).toBe(-1n * CONTRACT);
  });

  test("while we were away: in the position as read, also where the first trades were read of a node that lacked them", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const book = bookOf(positionRead({ inventory: -2n * CONTRACT }), transferOf("start", 5n));
    const scene = createScene({ knownOrders: [known], book }, "blank");
    scene.tell(pong(scene));
    const filledMs = CHAIN_OFFSET_MS + scene.nowMs() - 1000;
    scene.tell({ kind: "accountRead", account: account({ positions: [position(-1n)] }) });
    scene.advance(scene.state.ages.landingBoundMs - 1000);
    trades(scene);
    scene.advance(9000);
    trades(scene, execution({ timestampMs: filledMs }));
    expect(fills(scene).length).toBe(1);
    expect(scene.inventory()).toBe(-1n * CONTRACT);
  });

  describe("before the first read", () => {
    const known = [7n, 8n].map((id) => ({ orderId: orderId(id), marketId: 1, side: "buy" }) as const);
    const bought = { contracts: 1n, side: "buy" } as const;
    const startedAt = (contracts: bigint): Scene => {
      const book = bookOf(positionRead({ inventory: -2n * CONTRACT }), transferOf("start", 5n));
      const scene = createScene({ knownOrders: known, book }, "blank");
      scene.tell(pong(scene));
      scene.tell({ kind: "accountRead", account: account({ positions: [position(contracts)] }) });
      return scene;
    };

    test("not in the position if that has not moved: the node that answered was behind", () => {
      const scene = startedAt(-2n);
      trades(scene, execution({ ...bought, timestampMs: old(scene, 5000) }));
      expect([fills(scene).length, scene.inventory()]).toEqual([1, -1n * CONTRACT]);
    });

    test("the oldest ones in it if they alone make up its move", () => {
      const scene = startedAt(-1n);
      const later = execution({ ...bought, mine: 8n, timestampMs: old(scene, 4000) });
      trades(scene, later, execution({ ...bought, timestampMs: old(scene, 5000) }));
      expect([fills(scene).length, scene.inventory()]).toEqual([2, 0n]);
      expect(fills(scene).map(({ fill, money }) => [fill.orderId, money])).toEqual([
        [8n, "own"],
        [7n, "read"],
      ]);
    });

    test("all of them in it if they make up its move, even if fewer of them would too", () => {
      const scene = startedAt(-2n);
      const sold = execution({ ...bought, side: "sell", mine: 8n, timestampMs: old(scene, 4000) });
      trades(scene, sold, execution({ ...bought, timestampMs: old(scene, 5000) }));
      expect(fills(scene).map(({ money }) => money)).toEqual(["read", "read"]);
      expect(scene.inventory()).toBe(-2n * CONTRACT);
    });

    test("in it if they are older than any read, whatever its move", () => {
      const scene = startedAt(-2n);
      trades(scene, execution({ ...bought, timestampMs: old(scene, scene.state.ages.landingBoundMs + 1000) }));
      expect([fills(scene).length, scene.inventory()]).toEqual([1, -2n * CONTRACT]);
    });

    test("in it while an unidentified order may have moved it back", () => {
      const scene = startedAt(-2n);
      scene.answer(1n, scene.place(1n), { kind: "unknown", why: "lost" });
      trades(scene, execution({ ...bought, timestampMs: old(scene, 5000) }));
      expect([fills(scene).length, scene.inventory()]).toEqual([1, -2n * CONTRACT]);
    });
  });

  test("old trades that come after the position was read are in it already", () => {
    const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
    const scene = createScene({ knownOrders: [known] });
    scene.tell({ kind: "accountRead", account: account() });
    trades(scene, execution({ timestampMs: old(scene, 60_000) }));
    expect(fills(scene).length, "booked").toBe(1);
    expect(scene.inventory(), "but not moved again").toBe(0n);
  });
});

describe("a position that moved unseen", () => {
  const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
  const moved = (): Scene =>
    createScene({ knownOrders: [known], book: bookOf(positionRead({ inventory: -2n * CONTRACT })) });

  test("moves on with every fill where the first read may be older than the ledger", () => {
    const scene = createScene({ book: bookOf(positionRead({ inventory: -2n * CONTRACT }), transferOf("start", 5n)) });
    expect(scene.view().position).toMatchObject({ value: { low: -2n * CONTRACT, high: 0n } });
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.view().position).toMatchObject({ value: { low: -1n * CONTRACT, high: CONTRACT } });
  });

  test("counts as our fills have it where the last life, too, began with a read that was older", () => {
    const scene = createScene({
      book: bookOf(
        positionRead({ inventory: 0n }),
        transferOf("start", 5n),
        booked({ key: "sold", side: "sell", price: 200n * USD, size: CONTRACT }),
        positionRead({ inventory: 0n, number: 2 }),
      ),
    });
    expect(scene.view().position).toMatchObject({ value: { low: -1n * CONTRACT, high: 0n } });
  });

  test("as a read showed it may have every fill since, or none of them", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    const old = () =>
      scene.tell({
        kind: "accountRead",
        account: account({ positions: [position(-2n)], lifetimeVolume: usdc(1n) }),
      });
    old();
    expect(scene.view().position).toMatchObject({ value: { low: -2n * CONTRACT, high: 0n } });
    scene.tell({ kind: "execution", execution: execution({ side: "sell", mine: 8n }) });
    old();
    expect(scene.view().position, "the same again").toMatchObject({ value: { low: -3n * CONTRACT } });
    scene.tell({ kind: "execution", execution: execution({ hash: "h2", contracts: 4n }) });
    expect(scene.view().position).toMatchObject({ value: { low: -3n * CONTRACT, high: 3n * CONTRACT } });
  });

  test("has the trades of around its read in it, and none from later", () => {
    const scene = moved();
    scene.advance(10_000);
    trades(scene, execution({ timestampMs: old(scene, 9000) }));
    expect([fills(scene).length, scene.inventory()]).toEqual([1, 0n]);
    trades(scene, execution({ hash: "h2", timestampMs: old(scene, 5000) }));
    expect([fills(scene).length, scene.inventory()]).toEqual([2, CONTRACT]);
  });

  test("has trades of around its read in it that explain it together, up to one and no later", () => {
    const scene = moved();
    scene.advance(10_000);
    const traded = (side: Side, contracts: bigint, ageMs: number) =>
      execution({ hash: `${ageMs}`, side, contracts, timestampMs: old(scene, ageMs) });
    trades(scene, traded("buy", 1n, 8500), traded("sell", 1n, 9000), traded("buy", 3n, 9500));
    expect([fills(scene).length, scene.inventory()]).toEqual([3, CONTRACT]);
  });

  test("has their money in its collateral: a fee that is told later is no news", () => {
    const scene = moved();
    scene.advance(10_000);
    const filled = execution({ timestampMs: old(scene, 9000) });
    trades(scene, filled);
    scene.tell({ kind: "execution", execution: filled });
    expect(scene.kinds()).not.toContain("fillAmended");
  });
});

describe("expected collateral", () => {
  const collateral = (scene: Scene) => collateralOf(scene.state.accounts.get(ME)!.book);

  test("moves by realized PnL minus fee, to the unit", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution({ makerFee: usdc(-3n), makerRealizedPnl: usdc(-40n) }) });
    expect(collateral(scene)).toBe(100_000_000_000n - 40n + 3n);
  });

  test("does not move for a fill whose fee is not known until it is", () => {
    const scene = createScene();
    scene.rest(1n, 7n);
    scene.advance(10_000);
    const filled = execution({ timestampMs: old(scene), makerFee: usdc(7n) });
    trades(scene, filled);
    expect(collateral(scene)).toBe(100_000_000_000n);
    scene.tell({ kind: "execution", execution: filled });
    expect(collateral(scene)).toBe(100_000_000_000n - 7n);
  });
});

test("a trade of ours on the public channel without its fill is looked for", () => {
  const scene = createScene();
  scene.rest(1n, 7n);
  scene.tell({ kind: "trade", trade: publicTrade(execution()) });
  const pendingFills = () => [...(scene.state.accounts.get(ME)?.orders.pendingFills() ?? [])];
  expect(pendingFills().length).toBe(1);
  scene.tell({ kind: "execution", execution: execution() });
  expect(pendingFills(), "the fill came").toEqual([]);
});

test("ids that nobody acknowledges do not pile up", () => {
  const scene = createScene();
  const ids = Array.from({ length: 3000 }, (_, at) => 10_000n + BigInt(at));
  for (const id of ids) scene.tell({ kind: "execution", execution: execution({ mine: id, hash: `h${id}` }) });
  const kept = ids.filter((id) => scene.state.accounts.get(ME)?.orders.isOnAccount(orderId(id)));
  expect(kept.length).toBe(1000);
  const command = scene.place(1n);
  scene.answer(1n, command, executedWith(placedEvent(7n)));
  expect(scene.orders().length).toBe(1);
});
