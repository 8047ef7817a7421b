// A read of the account against what we hold: what it adds counts at once, what it takes away only a resync believes.

import { describe, expect } from "vitest";
import { size, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  CONTRACT,
  createScene,
  executedWith,
  execution,
  listed,
  ME,
  OTHER,
  position,
  type Scene,
  test,
} from "../scene.ts";
import { afterLag, mismatches, rangeOf, read, readTrades } from "./orders.ts";

const reconciled = (scene: Scene) => scene.view().reconciled.state;
const rounds = (scene: Scene) => scene.state.accounts.get(ME)!.reconcile.rounds;
/** Holds one contract since longer than any read lags. */
const holding = (): Scene => {
  const scene = createScene();
  scene.rest(1n, 7n);
  scene.tell({ kind: "execution", execution: execution() });
  afterLag(scene);
  return scene;
};

describe("a read that agrees", () => {
  test("is fresh, and counted", ({ scene }) => {
    const before = rounds(scene);
    read(scene);
    expect([rounds(scene), reconciled(scene), mismatches(scene)]).toEqual([before + 1, "fresh", []]);
  });

  test("does not count in another connection than its own", ({ scene }) => {
    const askedMs = scene.nowMs();
    scene.advance(5);
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.tell({ kind: "accountRead", account: account(), askedMs });
    expect(reconciled(scene)).toBe("stale");
    scene.adopt(account());
    expect(reconciled(scene)).toBe("stale");
    scene.advance(5);
    scene.adopt(account());
    expect(reconciled(scene)).toBe("fresh");
  });

  test("that is older than one that came before it is not looked at", ({ scene }) => {
    const askedMs = scene.nowMs();
    read(scene);
    scene.tell({ kind: "accountRead", account: account({ positions: [position(5n)] }), askedMs });
    expect([rangeOf(scene), scene.state.accounts.get(ME)!.doubts.size]).toEqual([[0, 0, 0], 0]);
  });

  test("of another account is none of ours", ({ scene }) => {
    read(scene, { accountId: OTHER, positions: [position(5n)] });
    expect(rangeOf(scene)).toEqual([0, 0, 0]);
  });
});

describe("a position", () => {
  test("that a read shows otherwise counts at once, and closes nothing yet", () => {
    const scene = holding();
    read(scene, { positions: [position(-2n)] });
    expect(rangeOf(scene)).toEqual([-2, 1, 1]);
    expect([mismatches(scene), scene.resync(), reconciled(scene)]).toEqual([[], null, "fresh"]);
    expect(scene.effects).toContainEqual({ kind: "reconcileWanted", accountId: ME, why: "difference" });
  });

  test.each([
    ["the same", position(-2n)],
    ["yet another", position(9n)],
  ])(
    "that the next read shows otherwise too, %s, resynchronizes its market: told, and nothing is believed",
    (_, second) => {
      const scene = holding();
      read(scene, { positions: [position(-2n)] });
      read(scene, { positions: [second] });
      expect([mismatches(scene), scene.resync(), reconciled(scene)]).toEqual([["position"], "position", "stale"]);
      expect(scene.inventory()).toBe(CONTRACT);
      expect(rangeOf(scene)?.[0]).toBe(-2);
      for (let round = 0; round < 5; round += 1) read(scene, { positions: [second] });
      expect([mismatches(scene).length, scene.inventory()], "what resynchronizes is told once").toEqual([1, CONTRACT]);
    },
  );

  test("that is missing is not flat: our fills stand", () => {
    const scene = holding();
    for (let round = 0; round < 5; round += 1) read(scene);
    expect([scene.inventory(), rangeOf(scene), scene.resync()]).toEqual([CONTRACT, [0, 1, 1], "position"]);
  });

  test("shown by one read between others is dropped by the next two", () => {
    const scene = holding();
    const held = { positions: [position(1n, 199n)] };
    read(scene, held);
    read(scene);
    for (let round = 0; round < 2; round += 1) read(scene, held);
    expect([mismatches(scene), rangeOf(scene), scene.resync()]).toEqual([[], [1, 1, 1], null]);
  });

  test("as it was before fills of the time that a read may lag says nothing", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(3n * CONTRACT) });
    for (const hash of ["a", "b", "c"]) scene.tell({ kind: "execution", execution: execution({ hash }) });
    for (const contracts of [2n, 1n, 0n])
      read(scene, { positions: contracts === 0n ? [] : [position(contracts, 199n)] });
    expect([rangeOf(scene), scene.state.accounts.get(ME)!.doubts.size]).toEqual([[3, 3, 3], 0]);
    afterLag(scene);
    read(scene, { positions: [position(2n, 199n)] });
    expect(rangeOf(scene)).toEqual([2, 3, 3]);
  });

  test("ahead of a fill is no doubt once the fill is here", ({ scene }) => {
    scene.rest(1n, 7n);
    read(scene, { positions: [position(1n, 199n)] });
    expect(rangeOf(scene)).toEqual([0, 0, 1]);
    scene.tell({ kind: "execution", execution: execution() });
    read(scene, { positions: [position(1n, 199n)] });
    expect([rangeOf(scene), mismatches(scene), scene.resync()]).toEqual([[1, 1, 1], [], null]);
  });

  test("ahead of an answer of ours is judged once that is here", ({ scene }) => {
    const command = scene.place(1n, { postOnly: false });
    for (let round = 0; round < 3; round += 1) read(scene, { positions: [position(1n, 199n)] });
    expect([rangeOf(scene), scene.resync()]).toEqual([[0, 0, 1], null]);
    scene.answer(1n, command, executedWith({ type: "fill", execution: execution({ liquidity: "taker" }) }));
    read(scene, { positions: [position(1n, 199n)] });
    expect([rangeOf(scene), scene.resync()]).toEqual([[1, 1, 1], null]);
  });

  test("that is unconfirmed may have every fill since, or none of them", ({ scene }) => {
    scene.rest(1n, 7n, { size: size(9n * CONTRACT) });
    scene.rest(2n, 8n, { side: "sell", size: size(9n * CONTRACT) });
    read(scene, { positions: [position(-2n)] });
    scene.tell({ kind: "execution", execution: execution({ side: "sell", mine: 8n }) });
    scene.tell({ kind: "execution", execution: execution({ hash: "h2", contracts: 4n }) });
    expect(rangeOf(scene)).toEqual([-3, 3, 3]);
  });

  test("of a swallowed fill is explained by the trades before it resynchronizes", ({ scene }) => {
    scene.rest(1n, 7n);
    read(scene, { positions: [position(1n, 199n)] });
    readTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS }));
    read(scene, { positions: [position(1n, 199n)] });
    expect([rangeOf(scene), mismatches(scene), scene.resync()]).toEqual([[1, 1, 1], ["fillMissed"], null]);
  });

  test("where we do not quote is followed too", ({ scene }) => {
    for (let round = 0; round < 2; round += 1) read(scene, { positions: [position(2n, 200n, { marketId: 9 })] });
    expect([scene.resync(9), scene.resync(1)]).toEqual(["position", null]);
  });
});

describe("an account that was not adopted yet", () => {
  test("is known by no read, however many", () => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    for (let round = 0; round < 3; round += 1) read(scene, { positions: [position(-2n)] });
    expect([scene.inventory(), reconciled(scene), scene.resync()]).toEqual([0n, "absent", "start"]);
    scene.adopt(account({ positions: [position(-2n)], collateral: usdc(5n) }));
    expect([rangeOf(scene), reconciled(scene), scene.resync()]).toEqual([[-2, -2, -2], "fresh", null]);
    expect(mismatches(scene)).toEqual([]);
  });
});

describe("an account that was created at another time is of another chain", () => {
  const other = account({ createdAtMs: account().createdAtMs! + 1, positions: [position(7n)] });
  const begun = (scene: Scene) => scene.effects.filter(({ kind }) => kind === "chainBegan").length;

  test("one read may be another node's: nothing of it is taken, and trades name nobody's orders meanwhile", ({
    scene,
  }) => {
    scene.rest(1n, 7n);
    read(scene, other);
    scene.advance(10_000);
    readTrades(scene, execution({ timestampMs: scene.nowMs() + CHAIN_OFFSET_MS - 8000 }));
    expect([scene.inventory(), scene.view().agent.state, begun(scene)]).toEqual([0n, "stale", 0]);
    read(scene, { openOrders: [listed(7n)] });
    expect([scene.view().agent.state, begun(scene)]).toEqual(["fresh", 0]);
  });

  test("two in a row: the chain began again, told once", ({ scene }) => {
    for (let round = 0; round < 4; round += 1) read(scene, other);
    expect([scene.inventory(), begun(scene)]).toEqual([0n, 1]);
  });

  test("as the ledger knows it, from the first read on", () => {
    const scene = createScene({ createdAtMs: account().createdAtMs! + 5 }, "blank");
    for (let round = 0; round < 2; round += 1) read(scene);
    expect([scene.view().position.state, begun(scene)]).toEqual(["absent", 1]);
  });
});
