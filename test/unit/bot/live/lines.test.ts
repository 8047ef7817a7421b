// The lines of the lanes: who joined first is started first, one at a time, and whatever happens comes in between.

import { beforeEach, expect, test } from "vitest";
import { Lines } from "../../../../src/bot/live/lines.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { account, other } from "../service/desks.ts";

let clock: VirtualClock;
let started: string[];
let lines: Lines;
beforeEach(() => {
  clock = createVirtualClock({ startMs: 0, settle: macrotask });
  started = [];
  lines = new Lines((of, lane) => started.push(`${of} ${lane}`), { clock });
});

test("lanes and accounts do not wait for each other; one that waits for budget holds its own lane", async () => {
  lines.join(account, "place", 1000);
  lines.join(account, "place", 0);
  lines.join(account, "modify", 0);
  lines.join(other, "place", 0);
  await clock.advance(999);
  expect(new Set(started)).toEqual(new Set(["12 modify", "13 place"]));
  await clock.advance(1);
  expect(started.slice(2)).toEqual(["12 place", "12 place"]);
});

test("what has come meanwhile is done before the next of a lane starts", async () => {
  clock.after(0, () => started.push("an event"));
  for (let nth = 0; nth < 2; nth += 1) lines.join(account, "place", 0);
  await clock.advance(1);
  expect(started).toEqual(["12 place", "an event", "12 place"]);
});

test("forbidden: a start after the close, and a timer that is left", async () => {
  lines.join(account, "place", 1000);
  lines.join(account, "modify", 0);
  lines.close();
  await clock.advance(2000);
  expect(started).not.toContain("12 place");
  expect(clock.nextDueMs()).toBeUndefined();
});
