// Whose word on the time and the height of the chain counts: never that of one witness alone.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultAges } from "../../../../../src/bot/feed/ages.ts";
import { account, CHAIN_OFFSET_MS, createScene, pong, type Scene } from "../scene.ts";

const PING_MS = 5000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A pong each five seconds, off by `offMs`. `wallOffMs`: how far off the machine's clock is. */
const pongs = (scene: Scene, count: number, offMs = 0, wallOffMs = 0): void => {
  for (let nth = 0; nth < count; nth += 1) {
    scene.advance(PING_MS);
    const trueMs = scene.nowMs() + CHAIN_OFFSET_MS;
    scene.tell({ ...pong(scene, { blockTimeMs: trueMs + offMs }), wallMs: trueMs + wallOffMs });
  }
};

const nodeSays = (scene: Scene, offMs = 0, wallOffMs = 0): void => {
  const blockTimestampSec = Math.floor((scene.nowMs() + CHAIN_OFFSET_MS + offMs) / 1000);
  const node = { protocolVersion: 1, binaryVersion: 1, buildSha: "", blockHeight: 1, stateRoot: "", chainId: "test" };
  const wallMs = scene.nowMs() + CHAIN_OFFSET_MS + wallOffMs;
  scene.tell({ kind: "nodeRead", node: { ...node, blockTimestampSec }, wallMs });
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

  test.each(offs)("every pong %d ms off, for as long as it lasts, moves nothing", (offMs) => {
    const scene = createScene();
    pongs(scene, 4);
    for (let minute = 0; minute < 5; minute += 1) {
      pongs(scene, 12, offMs);
      expect(offBy(scene)).toBe(0);
      expect(scene.view().chain.state).toBe("fresh");
    }
  });

  test("that a wrong wall clock agrees with by chance move nothing: pongs and node info have contradicted it before", () => {
    const scene = createScene();
    const wallOffMs = 6600;
    nodeSays(scene, 0, wallOffMs);
    pongs(scene, 6, 0, wallOffMs);
    for (let nth = 0; nth < 12; nth += 1) {
      pongs(scene, 1, 8000, wallOffMs);
      nodeSays(scene, 0, wallOffMs);
      expect(Math.abs(offBy(scene) ?? Number.NaN)).toBeLessThanOrEqual(1000);
    }
  });

  test("when they end and the wall clock is right again, it is a witness again", () => {
    const scene = createScene();
    nodeSays(scene, 0, 6600);
    pongs(scene, 6, 0, 6600);
    nodeSays(scene);
    pongs(scene, 6);
    nodeSays(scene, HOUR_MS);
    pongs(scene, 6);
    expect(offBy(scene)).toBe(0);
    expect(scene.view().chain.state).toBe("fresh");
  });

  test.each(offs)("the first pong of a life %d ms off: no time, then the one that the others agree on", (offMs) => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1 });
    pongs(scene, 1, offMs);
    expect(scene.view().chain.state).toBe("absent");
    nodeSays(scene);
    expect(Math.abs(offBy(scene) ?? Number.NaN)).toBeLessThanOrEqual(1000);
    pongs(scene, 3);
    expect(offBy(scene)).toBe(0);
  });

  test("with the machine's clock wrong too, node info keeps the time", () => {
    const scene = createScene();
    nodeSays(scene);
    pongs(scene, 20, HOUR_MS, -HOUR_MS);
    expect(offBy(scene)).toBe(0);
  });

  test("where nobody agrees any more, the last trusted time goes on, and new exposure stops", () => {
    const scene = createScene();
    pongs(scene, 20, HOUR_MS, -HOUR_MS);
    expect(offBy(scene)).toBe(0);
    expect(scene.view().chain.state).toBe("stale");
  });

  test("no share of wrong pongs below a half moves the time out of the right ones", () => {
    const wrong = fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS });
    const lag = fc.integer({ min: -500, max: 0 });
    fc.assert(
      fc.property(fc.array(fc.tuple(lag, fc.option(wrong, { freq: 3 })), { maxLength: 30 }), (told) => {
        const scene = createScene();
        const recent: boolean[] = [true];
        for (const [lagMs, wrongMs] of told) {
          pongs(scene, 1, wrongMs ?? lagMs);
          recent.push(wrongMs === null);
          const window = recent.slice(-1 - defaultAges.offsetWindowMs / PING_MS);
          if (window.filter(Boolean).length * 2 <= window.length) continue;
          expect(offBy(scene)).toBeGreaterThanOrEqual(-500);
          expect(offBy(scene)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });
});

test("node info and the machine's clock give the time before the first pong, and neither alone", () => {
  const scene = createScene({}, "blank");
  nodeSays(scene, 0, HOUR_MS);
  expect(offBy(scene)).toBe(null);
  nodeSays(scene);
  expect(Math.abs(offBy(scene) ?? Number.NaN)).toBeLessThanOrEqual(1000);
});

describe("a jump", () => {
  test("is believed when node info confirms it, which is asked for at once", () => {
    const scene = createScene();
    nodeSays(scene);
    pongs(scene, 6, HOUR_MS);
    expect(offBy(scene)).toBe(0);
    nodeSays(scene, HOUR_MS);
    expect(offBy(scene)).toBe(HOUR_MS);
  });

  test("after a sleep is believed when the machine's clock confirms it", () => {
    const scene = createScene();
    nodeSays(scene);
    pongs(scene, 3);
    scene.tell({ kind: "slept" });
    pongs(scene, 1, HOUR_MS, HOUR_MS);
    expect(offBy(scene)).toBe(HOUR_MS);
  });

  test("of a short sleep is no less one: the time from before it agrees with nobody", () => {
    const scene = createScene();
    const [sleptMs, wallLateMs] = [4900, -4400];
    pongs(scene, 3, 0, wallLateMs);
    scene.tell({ kind: "slept" });
    pongs(scene, 1, -HOUR_MS, sleptMs + wallLateMs);
    expect(scene.view().chain.state).toBe("stale");
    nodeSays(scene, sleptMs, sleptMs + wallLateMs);
    expect(Math.abs((offBy(scene) ?? Number.NaN) - sleptMs)).toBeLessThanOrEqual(1000);
    expect(scene.view().chain.state).toBe("fresh");
  });
});

describe("a lower height", () => {
  const lower = (scene: Scene, heights: readonly number[], offMs = 0): void => {
    for (const height of heights) {
      scene.advance(PING_MS);
      scene.tell(pong(scene, { height, blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS + offMs }));
    }
  };
  const high = (): Scene => {
    const scene = createScene();
    lower(scene, [1000, 1010]);
    return scene;
  };

  test("on time and rising for ten seconds is the chain, told once; new exposure waits for that", () => {
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

  test("whose block times are not of now is not", () => {
    const scene = high();
    lower(scene, [20, 30, 40, 50], -15_000);
    expect(scene.kinds()).not.toContain("chainRestarted");
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
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "reconcileWanted", why: "chainDoubted" }));
    lower(scene, [1020, 1030]);
    expect(scene.view()).toMatchObject({ chain: { state: "fresh" }, agent: { state: "stale" } });
    scene.tell({ kind: "accountRead", account: account() });
    expect(scene.view().agent.state).toBe("fresh");
  });
});
