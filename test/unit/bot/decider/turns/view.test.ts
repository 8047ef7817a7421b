// How long a view holds: law, no fact of it is another before that time while no event comes.

import fc from "fast-check";
import { expect } from "vitest";
import { viewHoldsForMs } from "../../../../../src/bot/decider/turns/view.ts";
import { ageTiming, marketTiming } from "../../../../../src/bot/timing.ts";
import { price } from "../../../../../src/domain/units.ts";
import type { View } from "../../../../../src/domain/view.ts";
import {
  account,
  book,
  CHAIN_OFFSET_MS,
  canceledEvent,
  createScene,
  executedWith,
  funding,
  listed,
  ME,
  makeReady,
  market,
  oracle,
  pong,
  type Scene,
  test,
} from "../../scene.ts";

/** What time alone may change: how fresh each fact is, the oracle's status, the places that orders left a moment ago. */
const seen = (view: View) => ({
  facts: Object.entries(view).flatMap(([name, fact]) =>
    fact !== null && typeof fact === "object" && "state" in fact ? [`${name} ${fact.state}`] : [],
  ),
  oracle: view.oracle.state === "absent" ? null : view.oracle.value.status,
  vacated: view.vacated,
});

const nowSec = (scene: Scene): number => Math.floor((1_790_000_000_000 + scene.nowMs()) / 1000);

const happenings: readonly ((scene: Scene) => unknown)[] = [
  (scene) => scene.tell(pong(scene)),
  (scene) => scene.tell({ kind: "book", book: book() }),
  (scene) => scene.tell({ kind: "bookRead", book: book() }),
  (scene) => scene.tell({ kind: "bookRead", book: book(198n) }),
  (scene) => scene.tell({ kind: "marketRead", market: market() }),
  (scene) => scene.tell({ kind: "oracleRead", oracle: oracle() }),
  (scene) => scene.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: nowSec(scene) + 7 }) }),
  (scene) =>
    scene.tell({ kind: "oracleUpdate", marketId: 1, price: price(1n), validUntilSec: nowSec(scene) + 3 } as never),
  (scene) => scene.tell({ kind: "implausibleRead", what: "market", marketId: 1 }),
  (scene) => scene.tell({ kind: "implausibleRead", what: "oracle", marketId: 1 }),
  (scene) => scene.tell({ kind: "fundingRead", funding: funding() }),
  (scene) => scene.tell({ kind: "accountRead", account: account() }),
  (scene) => scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(77n)] }) }),
  (scene) => scene.tell({ kind: "slept", reason: "slept" }),
  (scene) => scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" } as never),
  (scene) => makeReady(scene),
  (scene) => {
    scene.rest(BigInt(scene.nowMs()), BigInt(scene.nowMs()));
    const cancel = { kind: "cancel", accountId: ME, marketId: 1, orderId: BigInt(scene.nowMs()) } as never;
    scene.answer(BigInt(scene.nowMs()) + 1n, cancel, executedWith(canceledEvent(BigInt(scene.nowMs()))));
  },
];

test("law: before that time every fact is as fresh as now", () => {
  const step = fc.record({ happens: fc.nat(happenings.length - 1), thenMs: fc.integer({ min: 1, max: 20_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (steps, share) => {
      const scene = createScene();
      for (const { happens, thenMs } of steps) {
        happenings[happens]?.(scene);
        scene.advance(thenMs);
      }
      const before = scene.view();
      const holdsMs = Math.min(viewHoldsForMs(scene.state, before), 10 * ageTiming.feeTiersMs);
      if (!(holdsMs > 0)) return;
      scene.advance(holdsMs * share * 0.999_999);
      expect(seen(scene.view())).toEqual(seen(before));
    }),
  );
});

test("the fact that grows too old first says when: the stream, and a pong renews it", ({ scene }) => {
  const silentMs = scene.nowMs() - scene.state.stream.lastFrameMs;
  expect(viewHoldsForMs(scene.state, scene.view())).toBe(ageTiming.streamMs - silentMs);
  scene.advance(5000);
  scene.tell(pong(scene));
  expect(viewHoldsForMs(scene.state, scene.view())).toBeGreaterThan(ageTiming.streamMs - 6000);
});

test("a stale fact changes with an event alone; a difference that may be confirmed counts after a moment", () => {
  const stale = createScene();
  stale.advance(ageTiming.streamMs + 1);
  expect(stale.view().stream.state).toBe("stale");
  expect(viewHoldsForMs(stale.state, stale.view())).toBeGreaterThan(0);
  const differs = createScene();
  differs.tell({ kind: "bookRead", book: book(198n) });
  expect(viewHoldsForMs(differs.state, differs.view())).toBe(marketTiming.bookLagMs);
  differs.advance(marketTiming.bookLagMs + 1);
  expect(differs.view().book.state).toBe("stale");
});

test("a print that lies too far ahead by the chain's clock is believed from the instant named on", ({ scene }) => {
  const tell = (lateMs: number) => scene.tell(pong(scene, { blockTimeMs: CHAIN_OFFSET_MS + scene.nowMs() - lateMs }));
  const lastUpdateTimestampMs = CHAIN_OFFSET_MS + scene.nowMs() + marketTiming.aheadMaxMs - 10;
  scene.tell({ kind: "oracleRead", oracle: oracle({ lastUpdateTimestampMs }) });
  for (let count = 0; count < 5; count += 1) tell(50);
  expect(scene.view().oracle.state).toBe("stale");
  const holdsMs = viewHoldsForMs(scene.state, scene.view());
  expect(holdsMs).toBeGreaterThan(0);
  expect(holdsMs).toBeLessThanOrEqual(50);
  scene.advance(holdsMs);
  expect(scene.view().oracle.state).toBe("fresh");
});
