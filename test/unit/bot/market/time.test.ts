// Chain time is the median of a window of pongs, and so is what one wrong pong, or one height, can do.

import fc from "fast-check";
import { describe, expect } from "vitest";
import { marketTiming } from "../../../../src/bot/timing.ts";
import { account, CHAIN_OFFSET_MS, createScene, pong, type Scene, test } from "../scene.ts";

const PING_MS = 5000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A pong each five seconds, off by `offMs`. */
const pongs = (scene: Scene, count: number, offMs = 0): void => {
  for (let nth = 0; nth < count; nth += 1) {
    scene.advance(PING_MS);
    scene.tell(pong(scene, { blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS + offMs }));
  }
};

const offBy = ({ state }: Scene): number | null =>
  state.chain.offsetMs === null ? null : state.chain.offsetMs - CHAIN_OFFSET_MS;

const offs = [HOUR_MS, -HOUR_MS, MINUTE_MS, -MINUTE_MS];

describe("wrong pongs", () => {
  test.each(offs)("one pong %d ms off moves nothing", (offMs) => {
    const scene = createScene();
    pongs(scene, 4);
    pongs(scene, 1, offMs);
    expect(offBy(scene)).toBe(0);
    expect(scene.view().chain.state).toBe("fresh");
  });

  test.each(offs)("the first pong of a run %d ms off: the next two bring the time", (offMs) => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    pongs(scene, 1, offMs);
    pongs(scene, 2);
    expect(offBy(scene)).toBe(0);
  });

  test.each(offs)("all of them %d ms off are the chain's word, and no longer than a window after they end", (offMs) => {
    const scene = createScene();
    pongs(scene, 6, offMs);
    expect(offBy(scene)).toBe(offMs);
    expect(scene.view(1, scene.nowMs() + CHAIN_OFFSET_MS).chain).toMatchObject({ value: { offsetMs: offMs } });
    pongs(scene, 3);
    expect(offBy(scene)).toBe(0);
  });

  test("no share of wrong pongs below a half moves the time out of the right ones", () => {
    const wrong = fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS });
    const lag = fc.integer({ min: -500, max: 0 });
    fc.assert(
      fc.property(fc.array(fc.tuple(lag, fc.option(wrong, { freq: 3 })), { maxLength: 30 }), (told) => {
        const scene = createScene();
        const right = new Set(scene.state.chain.samples.map(({ atMs }) => atMs));
        for (const [lagMs, wrongMs] of told) {
          pongs(scene, 1, wrongMs ?? lagMs);
          if (wrongMs === null) right.add(scene.nowMs());
          const window = scene.state.chain.samples;
          if (window.filter(({ atMs }) => right.has(atMs)).length * 2 <= window.length) continue;
          expect(offBy(scene)).toBeGreaterThanOrEqual(-500);
          expect(offBy(scene)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});

test("a pong that took long tells that the chain runs, and not its time", () => {
  const scene = createScene({}, "blank");
  scene.tell({ kind: "streamOpened", epoch: 1 });
  scene.tell({ ...pong(scene), sentMs: scene.nowMs() - marketTiming.roundTripMs - 1 });
  expect(scene.view().chain.state).toBe("absent");
});

test("after a sleep chain time is unknown until the next pong: our monotonic clock does not count a sleep", ({
  scene,
}) => {
  pongs(scene, 3);
  scene.tell({ kind: "slept", reason: "slept" });
  expect(scene.view().chain.state).toBe("absent");
  pongs(scene, 1, HOUR_MS);
  expect(offBy(scene)).toBe(HOUR_MS);
});

describe("a lower height", () => {
  const lower = (scene: Scene, heights: readonly number[]): void => {
    for (const height of heights) {
      scene.advance(PING_MS);
      scene.tell(pong(scene, { height, blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS }));
    }
  };
  const high = (): Scene => {
    const scene = createScene();
    lower(scene, [1000, 1010]);
    return scene;
  };

  test("rising for ten seconds is the chain, told once; new exposure waits for that", () => {
    const scene = high();
    lower(scene, [20, 30]);
    expect(scene.kinds()).not.toContain("chainRestarted");
    expect(scene.view().chain.state).toBe("stale");
    lower(scene, [40]);
    expect(scene.effects).toContainEqual({ kind: "chainRestarted", before: 1000, height: 40 });
    expect(scene.view().chain).toMatchObject({ state: "fresh", value: { height: 40 } });
    lower(scene, [50, 60, 70]);
    expect(scene.kinds().filter((kind) => kind === "chainRestarted")).toHaveLength(1);
  });

  test.each([
    ["of a lagging replica that catches up", [980, 990, 1005, 1010]],
    ["that falls again", [20, 30, 25, 35]],
    ["that stands still", [20, 20, 20, 20]],
  ])("%s is not", (_, heights) => {
    const scene = high();
    lower(scene, heights);
    expect(scene.kinds()).not.toContain("chainRestarted");
  });

  test("below two pongs that were far too high is the chain again: a maximum is no ratchet", () => {
    const scene = high();
    lower(scene, [1_000_000_000, 1_000_000_010, 1040, 1050, 1060, 1070]);
    expect(scene.effects).toContainEqual({ kind: "chainRestarted", before: 1_000_000_000, height: 1060 });
    expect(scene.view().chain).toMatchObject({ state: "fresh", value: { height: 1070 } });
  });

  test("after one pong that was far too high is no news at all", () => {
    const scene = high();
    lower(scene, [1_000_000_000, 1020, 1030]);
    expect(scene.kinds()).not.toContain("wentBack");
    expect(scene.view().chain).toMatchObject({ state: "fresh", value: { height: 1030 } });
  });

  test("says nothing of what a block takes", () => {
    const scene = high();
    lower(scene, [1020, 1005, 1015, 1025]);
    expect(scene.view().chain).toMatchObject({ state: "fresh", value: { height: 1025, blockMs: 500 } });
  });

  test("means that reads of an account are not folded until it is decided, and that the one before them is no longer believed", () => {
    const scene = high();
    scene.tell({ kind: "accountRead", account: account() });
    expect(scene.view().agent.state).toBe("fresh");
    lower(scene, [20]);
    scene.tell({ kind: "accountRead", account: account({ agents: [] }) });
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "reconcileWanted", why: "chainUnconfirmed" }));
    lower(scene, [1020, 1030]);
    expect(scene.view()).toMatchObject({ chain: { state: "fresh" }, agent: { state: "stale" } });
    scene.tell({ kind: "accountRead", account: account() });
    expect(scene.view().agent.state).toBe("fresh");
  });
});
