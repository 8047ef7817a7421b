// When each fact counts: its age, its connection, the chain's clock, and what contradicts it.

import { describe, expect } from "vitest";
import { ageTiming, marketTiming } from "../../../../src/bot/timing.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import { price, usdc } from "../../../../src/domain/units.ts";
import {
  account,
  book,
  CHAIN_OFFSET_MS,
  createScene,
  feeTier,
  funding,
  makeReady,
  market,
  oracle,
  pong,
  type Scene,
  test,
  USD,
} from "../scene.ts";

/** Time passes on a healthy connection: a pong every 5 s. */
const live = (scene: Scene, ms: number): void => {
  for (let left = ms; left > 0; left -= 5000) {
    scene.advance(Math.min(left, 5000));
    scene.tell(pong(scene));
  }
};

test("before anything was heard every fact is absent", () => {
  const { view } = createScene({}, "blank");
  const facts = view();
  for (const name of [
    "market",
    "oracle",
    "book",
    "funding",
    "chain",
    "stream",
    "position",
    "funds",
    "reconciled",
    "agent",
    "feeTier",
    "openOrderCap",
  ] as const) {
    expect(facts[name].state, name).toBe("absent");
  }
  expect(facts.orders).toEqual([]);
});

test("after a connection and one round of reads every fact is fresh", () => {
  const facts = createScene().view();
  for (const [name, fact] of Object.entries(facts)) {
    if (fact !== null && typeof fact === "object" && "state" in fact) expect(fact.state, name).toBe("fresh");
  }
  expect(facts.feeTier).toMatchObject({ value: feeTier });
});

describe("the stream", () => {
  test("is stale after 15 s without frame or pong, and so is what came over it", ({ scene }) => {
    const leftMs = ageTiming.streamMs - (scene.nowMs() - 1000);
    scene.advance(leftMs);
    expect(scene.view().stream.state).toBe("fresh");
    scene.advance(1);
    const facts = scene.view();
    for (const name of ["stream", "book", "chain", "oracle", "reconciled", "position", "funds"] as const) {
      expect(facts[name].state, name).toBe("stale");
    }
    scene.tell(pong(scene));
    expect(scene.view().stream.state).toBe("fresh");
  });

  test("is stale at once when the connection ends", ({ scene }) => {
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" });
    expect(scene.view().stream.state).toBe("stale");
    expect(scene.view().book.state).toBe("stale");
  });

  test("the end of an earlier connection does not end the current one", ({ scene }) => {
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" });
    expect(scene.view().stream).toMatchObject({ state: "fresh", value: 2 });
  });
});

describe("the book", () => {
  test("of an earlier connection is stale until a snapshot of this one", ({ scene }) => {
    scene.tell({ kind: "streamOpened", epoch: 2 });
    expect(scene.view().book.state).toBe("stale");
    scene.tell({ kind: "book", book: book() });
    expect(scene.view().book.state).toBe("fresh");
  });

  test("quiet, but read again and the same: stays fresh", ({ scene }) => {
    for (let round = 0; round < 20; round += 1) {
      live(scene, 5000);
      scene.tell({ kind: "bookRead", book: book() });
    }
    expect(scene.view().book).toMatchObject({ state: "fresh" });
  });

  test("quiet and never read again: stale after 15 s, however many pongs come", ({ scene }) => {
    live(scene, 16_000);
    expect(scene.view().stream.state).toBe("fresh");
    expect(scene.view().book.state).toBe("stale");
  });

  test("a read that differs makes it stale after a second, unless a frame comes", ({ scene }) => {
    scene.tell({ kind: "bookRead", book: book(198n) });
    expect(scene.view().book.state).toBe("fresh");
    scene.advance(marketTiming.bookLagMs + 1);
    expect(scene.view().book.state).toBe("stale");
    scene.tell({ kind: "book", book: book(198n) });
    expect(scene.view().book.state).toBe("fresh");
  });

  test("two reads that differ, a second apart: the stream lies, told once and to be replaced", ({ scene }) => {
    for (let round = 0; round < 5; round += 1) {
      scene.tell({ kind: "bookRead", book: book(198n) });
      scene.advance(1100);
    }
    const kinds = scene.kinds();
    expect(kinds.filter((kind) => kind === "reconnectWanted").length).toBe(1);
    expect(scene.effects).toContainEqual(expect.objectContaining({ kind: "mismatch", what: "book", marketId: 1 }));
    expect(scene.view().book.state).toBe("stale");
  });

  test("what was read before the machine slept is stale, however young it looks, until it is read again", ({
    scene,
  }) => {
    scene.tell({ kind: "slept", reason: "slept" });
    const { market: status, oracle: print, funding: rate, agent, feeTier, openOrderCap } = scene.view();
    for (const fact of [status, print, rate, agent, feeTier, openOrderCap]) expect(fact.state).toBe("stale");
    scene.advance(2);
    makeReady(scene);
    const again = scene.view();
    for (const fact of [again.market, again.oracle, again.funding, again.agent]) expect(fact.state).toBe("fresh");
  });

  test("a connection that never brought a snapshot is to be replaced, once, whatever the read shows", ({ scene }) => {
    scene.tell({ kind: "streamOpened", epoch: 2 });
    scene.advance(marketTiming.snapshotMs);
    scene.tell({ kind: "bookRead", book: book() });
    expect(scene.kinds()).not.toContain("reconnectWanted");
    scene.advance(2);
    for (let round = 0; round < 3; round += 1) scene.tell({ kind: "bookRead", book: book() });
    expect(scene.effects.filter(({ kind }) => kind === "reconnectWanted")).toEqual([
      { kind: "reconnectWanted", marketId: 1, why: "noSnapshot" },
    ]);
    scene.tell({ kind: "streamOpened", epoch: 3 });
    scene.tell({ kind: "book", book: book() });
    scene.tell({ kind: "bookRead", book: book() });
    expect(scene.view().book.state).toBe("fresh");
  });

  describe("that stays silent on the new connection too", () => {
    let from = 0;
    /** What was wanted since the last look. */
    const wanted = ({ effects }: Scene): readonly string[] =>
      effects
        .slice(from)
        .flatMap((effect) =>
          effect.kind === "reconnectWanted" || effect.kind === "resubscribeWanted"
            ? `${effect.kind} ${effect.why}`
            : [],
        );
    const forget = ({ effects }: Scene): void => {
      from = effects.length;
    };
    /** Time goes on while reads of market 1 say something else than the stream, which lives. */
    function silent(scene: Scene, ms: number): void {
      for (let atMs = 0; atMs < ms; atMs += 1000) {
        live(scene, 1000);
        scene.tell({ kind: "bookRead", book: book(198n) });
      }
    }
    function reconnected(): Scene {
      const scene = createScene();
      forget(scene);
      silent(scene, 3000);
      expect(wanted(scene)).toEqual(["reconnectWanted bookDisagrees"]);
      scene.tell({ kind: "streamOpened", epoch: 2 });
      forget(scene);
      return scene;
    }

    test("is subscribed to again alone, ever more rarely, and the account loses nothing", () => {
      const scene = reconnected();
      silent(scene, 75_000);
      expect(wanted(scene)).toEqual(Array.from({ length: 4 }, () => "resubscribeWanted noSnapshot"));
      expect(scene.effects.slice(from).map(({ kind }) => kind)).not.toContain("resyncWanted");
      expect(scene.view().book.state).not.toBe("fresh");
    });

    test("on a connection that has told something, and then nothing but pongs, is met by another connection", () => {
      const scene = reconnected();
      live(scene, 1000);
      scene.tell({ kind: "book", book: book() });
      forget(scene);
      silent(scene, 20_000);
      expect(wanted(scene).slice(0, 2)).toEqual(["resubscribeWanted bookDisagrees", "reconnectWanted bookDisagrees"]);
    });

    test("is not acted on while there is no connection", ({ scene }) => {
      scene.tell({ kind: "streamClosed", epoch: 1, reason: "closed" });
      forget(scene);
      silent(scene, 30_000);
      expect(wanted(scene)).toEqual([]);
    });

    test("is met by a new connection once more after five minutes", () => {
      const scene = reconnected();
      silent(scene, 299_000);
      expect(wanted(scene)).not.toContain("reconnectWanted noSnapshot");
      silent(scene, 30_000);
      expect(wanted(scene).filter((want) => want.startsWith("reconnect"))).toHaveLength(1);
    });

    test("is believed at its first frame where none had come", () => {
      const scene = reconnected();
      silent(scene, 30_000);
      scene.tell({ kind: "book", book: book(198n) });
      expect(scene.view().book.state).toBe("fresh");
    });

    test("after snapshots that froze is believed once one is followed, or once reads agreed for 10 s", () => {
      const scene = reconnected();
      const snapshot = (of: bigint) => scene.tell({ kind: "book", book: book(of) });
      snapshot(200n);
      expect(scene.view().book.state, "one that froze may have been an accident").toBe("fresh");
      silent(scene, 10_000);
      snapshot(198n);
      const doubted = scene.view().book;
      expect(doubted).toMatchObject({ state: "stale", doubt: expect.stringContaining("followed by nothing") });
      silent(scene, 9000);
      expect(scene.view().book.state).toBe("stale");
      silent(scene, 2000);
      expect(scene.view().book.state).toBe("fresh");
      silent(scene, 1000);
      snapshot(199n);
      expect(scene.view().book.state).toBe("fresh");
    });

    test("and lives again for 20 s has a new beginning", () => {
      const scene = reconnected();
      silent(scene, 10_000);
      for (let frame = 0; frame < 22; frame += 1) {
        live(scene, 1000);
        scene.tell({ kind: "book", book: book(200n + BigInt(frame)) });
      }
      forget(scene);
      silent(scene, 3000);
      expect(wanted(scene)).toEqual(["reconnectWanted bookDisagrees"]);
    });
  });

  test("a read that was asked before the last frame says nothing about it", ({ scene }) => {
    scene.advance(10);
    const askedMs = scene.nowMs();
    scene.advance(10);
    scene.tell({ kind: "book", book: book(197n) });
    scene.tell({ kind: "bookRead", book: book(198n), askedMs });
    scene.advance(5000);
    expect(scene.view().book.state).toBe("fresh");
  });

  test("a read with fewer levels agrees where both show something", ({ scene }) => {
    const deep = book();
    const [best] = deep.bids;
    const more = { ...deep, bids: [...deep.bids, { ...best!, price: price(198n * USD) }] };
    scene.tell({ kind: "book", book: more });
    scene.advance(10);
    scene.tell({ kind: "bookRead", book: deep });
    scene.advance(2000);
    expect(scene.view().book.state).toBe("fresh");
    scene.tell({ kind: "bookRead", book: { ...deep, bids: [] } });
    scene.advance(2000);
    expect(scene.view().book.state, "an empty side is not fewer levels").toBe("stale");
  });
});

describe("the chain's clock", () => {
  test("is block time plus what has passed, and its offset is against the wall", ({ scene }) => {
    scene.advance(700);
    const { chain } = scene.view();
    expect(chain).toMatchObject({ value: { timeMs: scene.nowMs() + CHAIN_OFFSET_MS, offsetMs: 0 } });
    const ahead = scene.view(1, scene.nowMs() + CHAIN_OFFSET_MS + 4000).chain;
    expect(ahead, "a wall clock that stepped ahead shows at once").toMatchObject({ value: { offsetMs: -4000 } });
  });

  test("is the median of twenty seconds", ({ scene }) => {
    for (const lagMs of [180, 20, 150]) {
      scene.advance(1000);
      scene.tell(pong(scene, { blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS - lagMs }));
    }
    expect(scene.view().chain).toMatchObject({ value: { offsetMs: -150 } });
    for (let count = 0; count < 5; count += 1) {
      scene.advance(5000);
      scene.tell(pong(scene, { blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS - 120 }));
    }
    expect(scene.view().chain, "what is older than the window is forgotten").toMatchObject({
      value: { offsetMs: -120 },
    });
  });

  test.each([
    [5, 1000],
    [50, 100],
    [1, 2000],
  ])(
    "a block takes what the pongs of a minute say: %i of them in five seconds, %i ms, never more than two seconds",
    (blocks, blockMs) => {
      const scene = createScene();
      const { height } = scene.state.chain;
      expect(scene.view().chain, "one pong tells nothing of it").toMatchObject({ value: { blockMs: 0 } });
      for (const count of [1, 2, 3]) {
        scene.advance(5000);
        scene.tell(pong(scene, { height: height + count * blocks }));
      }
      const { chain } = scene.view();
      expect(chain.state === "absent" ? null : chain.value.blockMs).toBeCloseTo(blockMs, -1);
    },
  );

  test("a pong that took too long moves the height, not the clock", ({ scene }) => {
    scene.advance(5000);
    const sentMs = scene.nowMs() - 3000;
    scene.tell({ ...pong(scene, { blockTimeMs: scene.nowMs() + CHAIN_OFFSET_MS + 9000 }), sentMs });
    expect(scene.view().chain).toMatchObject({ value: { offsetMs: 0, height: 2 } });
  });

  test("a height that goes back is refused and told", ({ scene }) => {
    for (const height of [100, 101]) scene.tell(pong(scene, { height }));
    scene.tell(pong(scene, { height: 99, blockTimeMs: 0 }));
    expect(scene.effects).toContainEqual({ kind: "wentBack", what: "height", marketId: null });
    expect(scene.view().chain).toMatchObject({ value: { height: 101, offsetMs: 0 } });
  });

  test("a height that stands still for 15 s is a chain that stands still", ({ scene }) => {
    for (let count = 0; count < 4; count += 1) {
      scene.advance(5000);
      scene.tell(pong(scene, { height: 1 }));
    }
    expect(scene.view().stream.state).toBe("fresh");
    expect(scene.view().chain.state).toBe("stale");
    expect(scene.view().oracle.state, "validity cannot be judged").toBe("stale");
  });
});

describe("the oracle", () => {
  const validUntil = (scene: Scene, inMs: number) => Math.floor((scene.nowMs() + inMs + CHAIN_OFFSET_MS) / 1000);

  test("is Stale from validUntil on by chain time, whatever its status says", ({ scene }) => {
    scene.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: validUntil(scene, 3000) }) });
    const untilMs = validUntil(scene, 3000) * 1000 - CHAIN_OFFSET_MS;
    scene.advance(untilMs - scene.nowMs() - 1);
    expect(scene.view().oracle).toMatchObject({ state: "fresh", value: { status: "Active" } });
    scene.advance(1);
    expect(scene.view().oracle).toMatchObject({ state: "fresh", value: { status: "Stale" } });
  });

  test("a halt stays a halt when it expires", ({ scene }) => {
    scene.tell({ kind: "oracleRead", oracle: oracle({ status: "Halted", validUntilSec: 1 }) });
    expect(scene.view().oracle).toMatchObject({ value: { status: "Halted" } });
  });

  test("a print brings price and validity at once, and leaves the status as read", ({ scene }) => {
    scene.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: validUntil(scene, -1000) }) });
    expect(scene.view().oracle).toMatchObject({ value: { status: "Stale" } });
    const validUntilSec = validUntil(scene, 60_000);
    const print = { price: price(205n * USD), previousPrice: price(200n * USD), validUntilSec };
    scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    expect(scene.view().oracle).toMatchObject({ value: { status: "Active", price: 205n * USD, validUntilSec } });
  });

  test("prints alone do not keep it fresh: nobody has said its status", ({ scene }) => {
    for (let count = 0; count < 4; count += 1) {
      live(scene, 5000);
      const validUntilSec = validUntil(scene, 90_000_000);
      const print = { price: price(205n * USD), previousPrice: price(200n * USD), validUntilSec };
      scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    }
    expect(scene.view().oracle.state).toBe("stale");
  });

  test("a read of an older print is refused, and the oracle does not count until a good one", ({ scene }) => {
    scene.advance(10);
    scene.tell({ kind: "oracleRead", oracle: oracle({ lastUpdateTimestampMs: 5, price: price(1n) }) });
    expect(scene.effects).toContainEqual({ kind: "wentBack", what: "oracle", marketId: 1 });
    expect(scene.view().oracle).toMatchObject({ state: "stale", value: { price: 200n * USD } });
    scene.advance(10);
    scene.tell({ kind: "oracleRead", oracle: oracle() });
    expect(scene.view().oracle.state).toBe("fresh");
  });

  /** A read was asked, and a print comes before its answer. */
  function overtaken() {
    const scene = createScene();
    scene.advance(10);
    const askedMs = scene.nowMs();
    scene.advance(5);
    const validUntilSec = oracle().validUntilSec + 86_400;
    const print = { price: price(205n * USD), previousPrice: price(200n * USD), validUntilSec };
    scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    return { scene, askedMs, validUntilSec };
  }

  test("a read that a print overtook on its way is not taken, and nothing is wrong with that", () => {
    const { scene, askedMs, validUntilSec } = overtaken();
    scene.tell({ kind: "oracleRead", oracle: oracle(), askedMs });
    expect(scene.view().oracle).toMatchObject({ state: "fresh", value: { price: 205n * USD, validUntilSec } });
    expect(scene.kinds()).not.toContain("wentBack");
  });

  test("of a read that a print overtook the status is taken: nothing newer tells it", () => {
    const { scene, askedMs, validUntilSec } = overtaken();
    scene.tell({ kind: "oracleRead", oracle: oracle({ status: "Halted" }), askedMs });
    expect(scene.view().oracle).toMatchObject({ value: { status: "Halted", price: 205n * USD, validUntilSec } });
    scene.tell({ kind: "oracleRead", oracle: oracle({ status: "Active" }), askedMs: askedMs - 1 });
    expect(scene.view().oracle, "an earlier read").toMatchObject({ value: { status: "Halted" } });
  });

  test("a print whose validity goes back is refused", ({ scene }) => {
    const print = { price: price(205n * USD), previousPrice: price(200n * USD), validUntilSec: 5 };
    scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    expect(scene.effects).toContainEqual({ kind: "wentBack", what: "oracle", marketId: 1 });
    expect(scene.view().oracle).toMatchObject({ state: "stale", value: { price: 200n * USD } });
  });

  /** A frame of a new print, and reads of the one before that are asked so many ms after it. */
  function contradictedAfter(...afterMs: readonly number[]): Scene {
    const { scene } = overtaken();
    const atMs = scene.nowMs();
    for (const ms of afterMs) {
      scene.advance(atMs + ms - scene.nowMs());
      scene.tell({ kind: "oracleRead", oracle: oracle(), askedMs: atMs + ms });
    }
    return scene;
  }

  test.each([
    ["one read, however late", [5000], "stale", 205n],
    ["reads that may merely lag, however many", [500, 1000, 2000, 2900], "stale", 205n],
    ["the first that cannot lag", [500, 3000], "stale", 205n],
    ["two that cannot", [3000, 3500], "fresh", 200n],
  ] as const)("a print that %s contradict: %j ms after it", (_, afterMs, state, usd) => {
    expect(contradictedAfter(...afterMs).view().oracle).toMatchObject({ state, value: { price: usd * USD } });
  });

  test("a print dated ahead does not outlast two reads that cannot lag, though frames of new prints come faster", ({
    scene,
  }) => {
    const { lastUpdateTimestampMs, validUntilSec } = oracle();
    const ahead = oracle({ lastUpdateTimestampMs: lastUpdateTimestampMs + 60_000 });
    scene.tell({ kind: "oracleRead", oracle: ahead });
    const states = [1, 2].flatMap((count) => {
      live(scene, 1500);
      const print = { price: price(205n * USD), validUntilSec: validUntilSec + count };
      scene.tell({ kind: "oracleUpdate", marketId: 1, ...print, previousPrice: price(200n * USD) });
      return [1, 2].map(() => {
        scene.advance(100);
        const read = oracle({ ...print, lastUpdateTimestampMs: lastUpdateTimestampMs + count });
        scene.tell({ kind: "oracleRead", oracle: read });
        return scene.view().oracle.state;
      });
    });
    expect(states).toEqual(["stale", "stale", "stale", "fresh"]);
  });

  test("frames come in order: two that are older than a print drop it at once, and no fewer", ({ scene }) => {
    const say = (usd: bigint, afterSec: number): void => {
      const validUntilSec = oracle().validUntilSec + afterSec;
      const print = { price: price(usd * USD), previousPrice: price(200n * USD), validUntilSec };
      scene.tell({ kind: "oracleUpdate", marketId: 1, ...print });
    };
    say(205n, 100);
    say(201n, 10);
    expect(scene.view().oracle).toMatchObject({ state: "stale", value: { price: 205n * USD } });
    say(202n, 20);
    expect(scene.view().oracle).toMatchObject({ state: "fresh", value: { price: 202n * USD } });
  });

  test("an operator who shortens validity without a print is believed", ({ scene }) => {
    scene.advance(10);
    scene.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: validUntil(scene, -1) }) });
    expect(scene.view().oracle).toMatchObject({ state: "fresh", value: { status: "Stale" } });
  });
});

describe("reads grow old", () => {
  test.each([
    ["market", ageTiming.marketMs],
    ["oracle", ageTiming.oracleMs],
    ["funding", ageTiming.fundingMs],
    ["reconciled", ageTiming.reconciledMs],
    ["agent", ageTiming.reconciledMs],
    ["feeTier", ageTiming.feeTiersMs],
    ["openOrderCap", ageTiming.openOrderCapMs],
  ] as const)("%s", (name, ageMsMax) => {
    const scene = createScene();
    const askedMs = 1000 + 10 - 1;
    while (scene.nowMs() + 5000 <= askedMs + ageMsMax) live(scene, 5000);
    live(scene, askedMs + ageMsMax - scene.nowMs());
    expect(scene.view()[name].state).toBe("fresh");
    scene.advance(1);
    expect(scene.view()[name].state).toBe("stale");
  });

  test("an older read that comes late changes nothing", ({ scene }) => {
    scene.tell({ kind: "marketRead", market: market({ status: "Paused" }), askedMs: 5 });
    expect(scene.view().market).toMatchObject({ value: { status: "Active" } });
    scene.tell({ kind: "fundingRead", funding: funding({ fundingRate: 9n }), askedMs: 5 });
    expect(scene.view().funding).toMatchObject({ value: { fundingRate: 0n } });
  });
});

test("a cap that the exchange does not name is absent, as is a key that the account does not list", () => {
  const scene = createScene({ agentPubkey: "cc".repeat(32) });
  scene.tell({ kind: "openOrderCapRead", openOrderCap: null });
  expect(scene.view().openOrderCap.state).toBe("absent");
  expect(scene.view().agent.state).toBe("absent");
});

test("the fee tier follows the volume of the family", ({ scene }) => {
  const better = { ...feeTier, minVolume30d: usdc(1_000n), makerFeeBps: -2 };
  scene.tell({
    kind: "feeTiersRead",
    feeTiers: [feeTier, better, { ...better, assetClass: "Commodities", makerFeeBps: -9 }],
  });
  expect(scene.view().feeTier).toMatchObject({ value: { makerFeeBps: -1 } });
  scene.advance(10);
  scene.tell({ kind: "accountRead", account: account({ feeTierVolume30d: usdc(1_000n) }) });
  expect(scene.view().feeTier).toMatchObject({ value: { makerFeeBps: -2 } });
});

test("the list of orders is the same object until one of them changes", ({ scene }) => {
  scene.rest(1n, 7n);
  const { orders } = scene.view();
  expect(scene.view().orders).toBe(orders);
  scene.rest(2n, 8n);
  expect(scene.view().orders).not.toBe(orders);
  expect(scene.view().orders.length).toBe(2);
});

describe("what makes no sense", () => {
  const years = CHAIN_OFFSET_MS / 1000 + 3 * 366 * 86_400;
  const at = (scene: Scene) => ({ askedMs: scene.nowMs(), receivedMs: scene.nowMs() });

  test.each(["market", "oracle", "funding"] as const)(
    "an implausible %s read keeps the last good one as stale, until the next good one",
    (what) => {
      const scene = createScene();
      const good = scene.view()[what];
      scene.advance(10);
      scene.tell({ kind: "implausibleRead", what, marketId: 1, ...at(scene) });
      expect(scene.view()[what]).toMatchObject({ state: "stale", value: "value" in good ? good.value : null });
      scene.advance(10);
      scene.tell({ kind: "marketRead", market: market(), ...at(scene) });
      scene.tell({ kind: "oracleRead", oracle: oracle(), ...at(scene) });
      scene.tell({ kind: "fundingRead", funding: funding(), ...at(scene) });
      expect(scene.view()[what].state).toBe("fresh");
    },
  );

  test("an implausible answer to an older question changes nothing", ({ scene }) => {
    scene.tell({ kind: "implausibleRead", what: "market", marketId: 1, askedMs: -1, receivedMs: scene.nowMs() });
    expect(scene.view().market.state).toBe("fresh");
  });

  test.each<[string, (scene: Scene) => VenueEvent, "market" | "oracle" | "funding"]>([
    [
      "an oracle that stays valid for years",
      (scene) => ({ kind: "oracleRead", oracle: oracle({ validUntilSec: years }), ...at(scene) }),
      "oracle",
    ],
    [
      "an oracle that was published in years",
      (scene) => ({ kind: "oracleRead", oracle: oracle({ lastUpdateTimestampMs: years * 1000 }), ...at(scene) }),
      "oracle",
    ],
    [
      "a market whose oracle stays valid for years",
      (scene) => ({ kind: "marketRead", market: market({ oracleValidUntilSec: years }), ...at(scene) }),
      "market",
    ],
    [
      "a market that settles in years",
      (scene) => ({ kind: "marketRead", market: market({ lastFundingTimestampSec: years }), ...at(scene) }),
      "market",
    ],
    [
      "a settlement in years",
      (scene) => ({ kind: "fundingRead", funding: funding({ lastFundingTimestampSec: years }), ...at(scene) }),
      "funding",
    ],
  ])("%s is not taken, and what follows it is not older", (_, event, what) => {
    const scene = createScene();
    scene.advance(10);
    scene.tell(event(scene));
    expect(scene.view()[what]).toMatchObject({ state: "stale" });
    expect(scene.state.markets.get(1)?.settledSec).toBe(0);
    scene.advance(10);
    scene.tell({ kind: "marketRead", market: market(), ...at(scene) });
    scene.tell({ kind: "oracleRead", oracle: oracle(), ...at(scene) });
    scene.tell({ kind: "fundingRead", funding: funding(), ...at(scene) });
    expect(scene.view()[what].state).toBe("fresh");
  });

  test("a print of the stream that stays valid for years is not taken", ({ scene }) => {
    const print = { marketId: 1, price: price(201n * USD), previousPrice: price(200n * USD), validUntilSec: years };
    scene.tell({ kind: "oracleUpdate", ...print, receivedMs: scene.nowMs() });
    expect(scene.view().oracle).toMatchObject({ state: "stale", value: { price: 200n * USD } });
  });

  test("a validity that came before the chain's time was known is judged once it is", () => {
    const scene = createScene({}, "blank");
    scene.tell({ kind: "streamOpened", epoch: 1, receivedMs: scene.nowMs() });
    scene.tell({ kind: "oracleRead", oracle: oracle({ validUntilSec: years }), ...at(scene) });
    scene.tell(pong(scene));
    expect(scene.view().oracle.state).toBe("stale");
    scene.advance(10);
    scene.tell({ kind: "oracleRead", oracle: oracle(), ...at(scene) });
    expect(scene.view().oracle.state).toBe("fresh");
  });
});
