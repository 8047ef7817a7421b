// Each unknown of the interface, worded in each other way alone: the bot quotes both sides, with no order at the exchange that it does not count,
// and closes its position when told, or it fails closed and names what it lacks. No reader can lean on the devnet's own choice.

import { describe, expect, test } from "vitest";
import { type ForeignUnknown, type ForeignWords, foreignWords } from "../../src/devnet/api/faults/foreign-words.ts";
import { type Judged, judge, ORDERS } from "./foreign-words.ts";

const FOR_MS = 52_000;

/** What closes a market, and how the operator is told. */
const closed: Readonly<Record<string, RegExp>> = {
  "market postOnly": /the market is PostOnly/,
  "market reduceOnly": /the market is ReduceOnly/,
  "oracle open": /the oracle is Open/,
  "printEnd null": /the exchange does not say until when the oracle print is valid/,
  "printEnd zero": /the exchange does not say until when the oracle print is valid/,
};

/** What ends the start, or keeps it from ending, and how the operator is told. */
const notStarted: Readonly<Record<string, RegExp>> = {
  // The interface says that agents are told only where some are approved (S2.6).
  "account withoutAgents": /did not start: agent key .* is not approved on account 12/,
  "trades status404": /cannot resynchronize yet: GET \/v1\/markets\/1\/trades: the exchange answered HTTP 404/,
};

const alone = Object.entries(foreignWords).flatMap(([unknown, names]) =>
  names.map((name) => [unknown as ForeignUnknown, name] as const),
);

/** What the bot does not do that it does before an exchange that speaks as the devnet. */
function faults({ twoSided, most, miscounted, flattened, left }: Judged, least: number): readonly string[] {
  return [
    ...(twoSided < least ? [`two-sided in ${Math.round(100 * twoSided)} %`] : []),
    ...(most > ORDERS ? [`${most} orders rest`] : []),
    ...(miscounted > 0 ? [`${miscounted} miscounts`] : []),
    ...(flattened === "flat" && left === 0 ? [] : ["position not closed"]),
  ];
}

describe("one thing worded otherwise", () => {
  test.each(alone)("%s: %s", async (unknown, name) => {
    const key = `${unknown} ${name}`;
    const judged = await judge({ [unknown]: name }, { forMs: FOR_MS });
    expect(judged.latches).toEqual([]);
    expect(judged.reworded, "answers and frames in other words").toBeGreaterThan(0);
    const said = closed[key] ?? notStarted[key];
    if (said !== undefined) {
      expect([judged.twoSided, judged.most]).toEqual([0, 0]);
      expect(judged.log.filter((line) => said.test(line))).not.toEqual([]);
      if (key in closed) expect(judged.flattened).toBe("flat");
      return;
    }
    expect(faults(judged, unknown === "modified" ? 0.85 : 0.8)).toEqual([]);
  });
});

test("the scene has orders refused and rejected, fills, and a position to close, so that no wording goes unheard", async () => {
  const judged = await judge({}, { forMs: FOR_MS });
  expect(faults(judged, 1)).toEqual([]);
  expect(judged).toMatchObject({ reworded: 0, refused: 1, latches: [] });
  expect(judged.rejected).toBeGreaterThan(0);
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
  const judged = await judge(words, { forMs: FOR_MS });
  expect(judged.latches).toEqual([]);
  expect(faults(judged, 0.8)).toEqual([]);
});
