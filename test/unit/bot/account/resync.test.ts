// What resynchronizes, what closes meanwhile, and what an adoption takes: two witnesses agreed, so it is all that they say.

import { describe, expect } from "vitest";
import { nonce, price, size, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  CONTRACT,
  canceledEvent,
  createScene,
  executedWith,
  execution,
  lost,
  ME,
  pong,
  position,
  type Scene,
  test,
  USD,
} from "../scene.ts";
import { cancel, rangeOf, read } from "./orders.ts";

const wanted = (scene: Scene) =>
  scene.effects.flatMap((effect) => (effect.kind === "resyncWanted" ? [[effect.marketId, effect.reason]] : []));
const unattributed = (scene: Scene) =>
  scene.effects.flatMap((effect) =>
    effect.kind === "unattributed" ? [Number(effect.contracts) / Number(CONTRACT)] : [],
  );
const doubt = (scene: Scene, marketId = 1) => {
  for (let round = 0; round < 2; round += 1) read(scene, { positions: [position(2n, 200n, { marketId })] });
};

describe("an account resynchronizes", () => {
  test.each<[string, (scene: Scene) => unknown]>([
    ["gap", (scene) => scene.tell({ kind: "streamOpened", epoch: 2 })],
    ["slept", (scene) => scene.tell({ kind: "slept", reason: "slept" })],
    ["stalled", (scene) => scene.tell({ kind: "slept", reason: "stalled" })],
    ["cannotAct", (scene) => scene.tell({ kind: "slept", reason: "cannotAct" })],
    [
      "liquidation",
      (scene) => scene.tell({ kind: "liquidation", accountId: ME, positionsClosed: 1, positionsRemaining: 0 }),
    ],
  ])("for: %s", (reason, happens) => {
    const scene = createScene();
    happens(scene);
    expect(wanted(scene)).toEqual([[null, reason]]);
    expect([scene.resync(1), scene.resync(2), scene.view().resync]).toEqual([reason, reason, { reason, forMs: 0 }]);
    expect(scene.view().reconciled.state).toBe("stale");
    scene.advance(5);
    scene.adopt(account());
    expect([scene.resync(1), scene.view().resync, scene.view().reconciled.state]).toEqual([null, null, "fresh"]);
  });

  test("one market of it leaves the others live; the whole of it takes them in", ({ scene }) => {
    doubt(scene, 2);
    expect([scene.resync(2), scene.resync(1)]).toEqual(["position", null]);
    scene.tell({ kind: "streamOpened", epoch: 2 });
    expect([scene.resync(2), scene.resync(1)]).toEqual(["gap", "gap"]);
    doubt(scene, 2);
    expect(wanted(scene)).toEqual([
      [2, "position"],
      [null, "gap"],
    ]);
  });
});

describe("an adoption", () => {
  test("of a market takes its position, and ends its doubts alone", ({ scene }) => {
    const both = [position(2n), position(3n, 200n, { marketId: 2 })];
    for (let round = 0; round < 2; round += 1) read(scene, { positions: both });
    scene.adopt(account({ positions: both }), 1);
    expect([rangeOf(scene), scene.resync(1), scene.resync(2)]).toEqual([[2, 2, 2], null, "position"]);
    expect([...scene.state.accounts.get(ME)!.doubts.all()]).toMatchObject([{ marketId: 2 }]);
    expect(scene.effects).toContainEqual({ kind: "adopted", accountId: ME, marketId: 1 });
  });

  test.each([
    [2n, 2],
    [-2n, -2],
  ])("of contracts that no fill names tells them: %d", (contracts, told) => {
    const scene = createScene();
    scene.adopt(account({ positions: [position(contracts)] }));
    expect([unattributed(scene), scene.inventory()]).toEqual([[told], contracts * CONTRACT]);
    expect(scene.kinds()).toContain("movementAccepted");
  });

  test("tells none where a fill has told them, or the position is as we hold it", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.tell({ kind: "execution", execution: execution() });
    scene.adopt(account({ positions: [position(1n, 199n)] }));
    expect([unattributed(scene), scene.inventory()]).toEqual([[], CONTRACT]);
  });

  test("tells none that lost places of that side can have filled, and what is beyond them", () => {
    const landed = (of: Parameters<Scene["place"]>[1], held: bigint) => {
      const scene = createScene();
      const command = scene.place(1n, of);
      scene.answer(1n, command, lost);
      scene.tell({ kind: "resolved", nonce: nonce(1n), command, verdict: "landed" });
      scene.adopt(account({ positions: [position(held)] }));
      return unattributed(scene);
    };
    expect(landed({ size: size(2n * CONTRACT) }, 2n)).toEqual([]);
    expect(landed({ size: size(2n * CONTRACT) }, 3n)).toEqual([1]);
    expect(landed({ side: "sell", price: price(201n * USD) }, 1n), "the other side").toEqual([1]);
  });

  test("ends what was not known of orders: nothing of them is counted any longer", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    const command = scene.place(2n);
    scene.answer(2n, command, lost);
    scene.tell({ kind: "resolved", nonce: nonce(2n), command, verdict: "landed" });
    expect(rangeOf(scene)).toEqual([0, 0, 2]);
    scene.adopt(account({ positions: [position(1n)] }), 1);
    expect(rangeOf(scene)).toEqual([1, 1, 1]);
  });

  test("of one market leaves the others fresh, whatever is unconfirmed there", ({ scene }) => {
    doubt(scene, 2);
    scene.advance(60_000);
    scene.tell(pong(scene));
    read(scene, { positions: [position(3n, 200n, { marketId: 2 })] });
    expect(scene.view(1).reconciled.state).toBe("fresh");
    expect(scene.view(2).reconciled.state).toBe("stale");
  });

  test("of the account settles the collateral: what nothing explains is a transfer", ({ scene }) => {
    scene.adopt(account({ collateral: usdc(account().collateral + 5_000_000n) }));
    expect(scene.effects).toContainEqual(
      expect.objectContaining({
        kind: "collateralChange",
        postings: [expect.objectContaining({ reason: "transfer", amount: 5_000_000n })],
      }),
    );
  });

  test("has the fills that its trades named: a late frame of one moves nothing", ({ scene }) => {
    scene.rest(1n, 7n);
    const late = execution({ mine: 8n });
    scene.tell({ kind: "tradesRead", marketId: 1, trades: [late] });
    scene.adopt(account({ positions: [position(1n)] }));
    scene.place(5n);
    scene.tell({ kind: "execution", execution: late });
    expect(scene.inventory()).toBe(CONTRACT);
    scene.tell({ kind: "execution", execution: execution({ mine: 9n, hash: "h2" }) });
    expect(scene.inventory(), "one that they did not name does").toBe(2n * CONTRACT);
  });

  test("has the fills of orders that were over by then, whoever tells of them later", ({ scene }) => {
    scene.rest(1n, 7n);
    scene.answer(900n, cancel(scene, 7n), executedWith(canceledEvent(7n)));
    scene.advance(5);
    scene.adopt(account({ positions: [position(1n)] }));
    scene.tell({ kind: "execution", execution: execution() });
    expect(scene.inventory()).toBe(CONTRACT);
  });
});
