// What a print moves under a held position is booked once, by whichever source tells of it first. Where a price or a position is not
// known, nothing is booked.

import { describe, expect, test } from "vitest";
import { price, usdc } from "../../../../src/domain/units.ts";
import { account, createScene, ME, oracle, position, type Scene, USD } from "../scene.ts";

const USDC = 1_000_000n;
const DAY_SEC = 86_400;

/** Knows that the account holds so many contracts, and that the oracle price is 200 USD. */
function holding(contracts: bigint): Scene {
  const scene = createScene({}, "blank");
  scene.tell({ kind: "oracleRead", oracle: oracle() });
  scene.adopt(account({ positions: contracts === 0n ? [] : [position(contracts)] }));
  return scene;
}

const untilSec = (day: number): number => oracle().validUntilSec + day * DAY_SEC;
/** The stream tells of the print of a day after the first. */
const streamed = (scene: Scene, usd: bigint, day = 1) => {
  scene.advance(10);
  const [at, previousPrice] = [price(usd * USD), price(200n * USD)];
  return scene.tell({ kind: "oracleUpdate", marketId: 1, price: at, previousPrice, validUntilSec: untilSec(day) });
};
const read = (scene: Scene, usd: bigint, day = 1) => {
  scene.advance(10);
  const lastUpdateTimestampMs = oracle().lastUpdateTimestampMs + day * DAY_SEC * 1000;
  const told = oracle({ price: price(usd * USD), validUntilSec: untilSec(day), lastUpdateTimestampMs });
  return scene.tell({ kind: "oracleRead", oracle: told });
};
const booked = (amount: bigint, day = 1) => ({
  kind: "printBooked",
  accountId: ME,
  print: { kind: "print", marketId: 1, validUntilSec: untilSec(day), amount: usdc(amount) },
});
const jumpIn = (scene: Scene) => scene.state.accounts.get(ME)?.book.markets.get(1)?.jump;

test.each([
  ["long", 3n, 15n],
  ["short", -3n, -15n],
])("%s, a print moves inventory times the change of the oracle price", (_, contracts, usdcs) => {
  expect(streamed(holding(contracts), 205n)).toEqual([booked(usdcs * USDC)]);
});

describe("a print", () => {
  test("that stream and read tell counts once, whichever comes first", () => {
    for (const [first, second] of [[streamed, read] as const, [read, streamed] as const]) {
      const scene = holding(3n);
      expect(first(scene, 205n)).toEqual([booked(15n * USDC)]);
      expect(second(scene, 205n)).toEqual([]);
      expect(jumpIn(scene)).toBe(15n * USDC);
    }
  });

  test("after another moves what that one left", () => {
    const scene = holding(3n);
    streamed(scene, 205n, 1);
    expect(streamed(scene, 201n, 2)).toEqual([booked(-12n * USDC, 2)]);
    expect(jumpIn(scene)).toBe(3n * USDC);
  });

  test("of the same price moves nothing", () => {
    expect(streamed(holding(3n), 200n)).toEqual([]);
  });

  test("that is older than the one we hold books nothing", () => {
    const scene = holding(3n);
    streamed(scene, 205n, 2);
    expect(streamed(scene, 190n, 1)).toEqual([{ kind: "wentBack", what: "oracle", marketId: 1 }]);
    expect(jumpIn(scene)).toBe(15n * USDC);
  });

  test("under a flat account books nothing", () => {
    expect(streamed(holding(0n), 205n)).toEqual([]);
  });

  test("before the account was read books nothing", () => {
    const scene = createScene({}, "blank");
    read(scene, 200n, 0);
    expect(streamed(scene, 205n)).toEqual([]);
  });

  test("after a price that nobody told books nothing", () => {
    const scene = createScene({}, "blank");
    scene.adopt(account({ positions: [position(3n)] }));
    expect([...streamed(scene, 205n), ...read(scene, 205n)]).toEqual([]);
  });
});
