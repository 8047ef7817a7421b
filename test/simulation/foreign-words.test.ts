// Each unknown of the interface, worded in each other way alone: the bot quotes both sides, with no order at the exchange that it does not count,
// or it fails closed and names what it lacks. No reader can lean on the devnet's own choice.

import { describe, expect, test } from "vitest";
import { type ForeignUnknown, type ForeignWords, foreignWords } from "../../src/devnet/api/faults/foreign-words.ts";
import { judge, ORDERS } from "./foreign-words.ts";

const FOR_MS = 60_000;

/** What closes a market or ends the start, and how the operator is told. */
const closed: Readonly<Record<string, RegExp>> = {
  "market postOnly": /the market is PostOnly/,
  "market reduceOnly": /the market is ReduceOnly/,
  "oracle open": /the oracle is Open/,
  "trades status404": /cannot resynchronize yet: GET \/v1\/markets\/1\/trades: the exchange answered HTTP 404/,
};

/** The interface says that agents are told only where some are approved (S2.6): the start names the key that is not. */
const refused: ReadonlySet<string> = new Set(["account withoutAgents"]);

const alone = Object.entries(foreignWords).flatMap(([unknown, names]) =>
  names.map((name) => [unknown as ForeignUnknown, name] as const),
);

describe("one thing worded otherwise", () => {
  test.each(alone)("%s: %s", async (unknown, name) => {
    const { twoSided, most, miscounted, isRunning, latches, log } = await judge({ [unknown]: name }, { forMs: FOR_MS });
    expect(latches).toEqual([]);
    expect(most).toBeLessThanOrEqual(ORDERS);
    expect(isRunning).toBe(!refused.has(`${unknown} ${name}`));
    if (!isRunning) return;
    const said = closed[`${unknown} ${name}`];
    if (said !== undefined) {
      expect(log.join("\n")).toMatch(said);
      return;
    }
    expect(miscounted, "orders at the exchange that the bot does not count").toBe(0);
    expect(twoSided).toBeGreaterThanOrEqual(unknown === "modified" ? 0.85 : 0.8);
  });
});

const together: readonly ForeignWords[] = [
  { answers: "silent", orderFrames: "none", lists: "items", orderSizes: "remainingAlone", orderSide: "isBuy" },
  { placed: "idAndRemaining", modified: "canceledAndPlaced", canceled: "idAlone", names: "snake", numbers: "numbers" },
  {
    placed: "none",
    modified: "silent",
    canceled: "silent",
    emptyList: "status404",
    names: "camel",
    rateLimit: "status404",
  },
];

test.each(together)("several together: %j", async (words) => {
  const { twoSided, most, miscounted, latches } = await judge(words, { forMs: FOR_MS });
  expect({ latches, miscounted }).toEqual({ latches: [], miscounted: 0 });
  expect(most).toBeLessThanOrEqual(ORDERS);
  expect(twoSided).toBeGreaterThanOrEqual(0.8);
});
