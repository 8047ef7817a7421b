// A maximum is no ratchet: whatever single word lies ahead of all others, or behind them, two later rounds of true words bring what would be
// believed without it; and between them a doubt is named.

import fc from "fast-check";
import { expect, test } from "vitest";
import { followPrint, noPrints, type Prints } from "../../src/bot/risk/prints.ts";
import { price } from "../../src/domain/units.ts";
import { lastKnown } from "../../src/domain/view.ts";
import { CHAIN_OFFSET_MS, createScene, funding, market, oracle, pong, type Scene, USD } from "../unit/bot/scene.ts";

/** Longer than a read may lag. */
const ROUND_MS = 3100;
const HOUR_MS = 3_600_000;
const PUBLISHED_MS = CHAIN_OFFSET_MS - HOUR_MS;
const SETTLED_SEC = CHAIN_OFFSET_MS / 1000 - 1800;
const truth = {
  oracle: oracle({ lastUpdateTimestampMs: PUBLISHED_MS }),
  market: market({ lastFundingTimestampSec: SETTLED_SEC, markPrice: price(201n * USD) }),
  funding: funding({ lastFundingTimestampSec: SETTLED_SEC }),
};

type Outlier = (scene: Scene, byMs: number, usd: bigint) => void;
const outliers = {
  oracleFrame(scene, byMs, usd) {
    const validUntilSec = truth.oracle.validUntilSec + Math.round(byMs / 1000);
    scene.tell({
      kind: "oracleUpdate",
      marketId: 1,
      price: price(usd * USD),
      previousPrice: price(USD),
      validUntilSec,
    });
  },
  oracleRead(scene, byMs, usd) {
    const lastUpdateTimestampMs = PUBLISHED_MS + byMs;
    scene.tell({ kind: "oracleRead", oracle: { ...truth.oracle, lastUpdateTimestampMs, price: price(usd * USD) } });
  },
  oracleValidity(scene, byMs) {
    const validUntilSec = truth.oracle.validUntilSec + Math.round(byMs / 1000);
    scene.tell({ kind: "oracleRead", oracle: { ...truth.oracle, validUntilSec } });
  },
  marketRead(scene, byMs) {
    const lastFundingTimestampSec = SETTLED_SEC + Math.round(byMs / 1000);
    scene.tell({ kind: "marketRead", market: { ...truth.market, lastFundingTimestampSec } });
  },
  fundingRead(scene, byMs) {
    const lastFundingTimestampSec = SETTLED_SEC + Math.round(byMs / 1000);
    scene.tell({ kind: "fundingRead", funding: { ...truth.funding, lastFundingTimestampSec } });
  },
  fundingFrame(scene, byMs) {
    const lastFundingTimestampSec = SETTLED_SEC + Math.round(byMs / 1000);
    scene.tell({ kind: "fundingUpdate", marketId: 1, fundingRate: 7n, lastFundingTimestampSec });
  },
  pong(scene, byMs) {
    scene.tell(pong(scene, { blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS + byMs }));
  },
  height(scene, byMs) {
    scene.tell(pong(scene, { height: Math.max(0, heightAt(scene) + Math.round(byMs / 100)) }));
  },
  implausible: (scene) => scene.tell({ kind: "implausibleRead", what: "oracle", marketId: 1 }),
} as const satisfies Readonly<Record<string, Outlier>>;

const heightAt = (scene: Scene): number => 1000 + Math.floor(scene.nowMs() / 500);

/** What is believed after some rounds, the outlier, and two more; `between`: after the first of these. */
function believed(rounds: number, tell: (scene: Scene) => void, midOutlier: boolean) {
  const scene = createScene();
  let prints: Prints = noPrints;
  const follow = (): void => {
    prints = followPrint(prints, scene.view(), { maxPrintMoveBps: 200 });
  };
  const round = (): void => {
    scene.advance(ROUND_MS);
    scene.tell(pong(scene, { height: heightAt(scene) }));
    for (const kind of ["market", "oracle", "funding"] as const) {
      scene.tell({ kind: `${kind}Read`, [kind]: truth[kind] } as never);
      follow();
    }
  };
  for (let nth = 0; nth < rounds; nth += 1) round();
  if (midOutlier) scene.advance(500);
  tell(scene);
  follow();
  round();
  round();
  const { chain, oracle: print, market: status, funding: rate } = scene.view();
  // How long a block takes is a median over the window, and so is told by all pongs in it.
  const { blockMs: _, ...clock } = lastKnown(chain) ?? { blockMs: 0 };
  const { settledSec, premiumBps, oracle: held } = scene.state.markets.get(1) ?? {};
  return { isRunning: chain.state, clock, print, status, rate, settledSec, premiumBps, doubt: held?.doubt, prints };
}

const by = fc.oneof(
  fc.integer({ min: 1000, max: 20 * HOUR_MS }),
  fc.integer({ min: -20 * HOUR_MS, max: -1000 }),
  fc.constantFrom(1000, -1000),
);

test.each(Object.entries(outliers))("%s", (_, tell: Outlier) => {
  fc.assert(
    fc.property(by, fc.bigInt(100n, 400n), fc.integer({ min: 2, max: 5 }), fc.boolean(), (byMs, usd, rounds, mid) => {
      const without = believed(rounds, () => {}, mid);
      expect(believed(rounds, (scene) => tell(scene, byMs, usd), mid)).toEqual(without);
      expect(without.print.state).toBe("fresh");
    }),
    { numRuns: 60 },
  );
});

test("an oracle frame a second ahead: what is unconfirmed and what lifts it is said, and nothing is added meanwhile", () => {
  const scene = createScene();
  scene.advance(ROUND_MS);
  outliers.oracleFrame(scene, 1000, 200n);
  scene.advance(500);
  scene.tell({ kind: "oracleRead", oracle: oracle() });
  const { oracle: fact } = scene.view();
  expect(fact).toMatchObject({ state: "stale" });
  expect(fact.state === "stale" ? fact.doubt : null).toBe(
    "a print valid until 2026-09-22T14:13:21.000Z is followed by one of 2026-09-22T14:13:20.000Z; one as new lifts the doubt, two like the second replace the first",
  );
});
