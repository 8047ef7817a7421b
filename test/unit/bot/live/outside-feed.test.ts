// What reaches the machine from the outside: rows of files once they are known, and pushes within their limits.

import { beforeEach, describe, expect, test } from "vitest";
import type { SignalSource } from "../../../../src/bot/config/config.ts";
import { OutsideFeed } from "../../../../src/bot/live/outside-feed.ts";
import type { OutsideEvent } from "../../../../src/domain/event.ts";
import type { Clock } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { createScene } from "../scene.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_790_000_000_000;
const row = (hours: number, value: number) => ({ publishedMs: START_MS + hours * HOUR_MS, value });
const listings: SignalSource = {
  name: "listings",
  maxAgeMs: 48 * HOUR_MS,
  kind: "file",
  file: "listings.csv",
  rows: [row(-48, 100), row(-24, 101), row(1, 102), row(2, 103)],
};
const desk: SignalSource = { name: "desk", maxAgeMs: HOUR_MS, kind: "push" };

let clock: VirtualClock;
let heard: OutsideEvent[];
let feed: OutsideFeed;
let state: ReturnType<typeof createScene>["state"];

beforeEach(() => {
  clock = createVirtualClock({ startMs: START_MS });
  heard = [];
  state = createScene({}, "blank").state;
  state.chain.offsetMs = START_MS - clock.monotonicMs();
  const log = { info: () => {}, warn: () => {} } as never;
  feed = new OutsideFeed({ state, desks: new Map(), clock: clock as Clock, log, hear: (event) => heard.push(event) });
  feed.follow([listings, desk]);
});

test("of a file the newest row that is known by the chain's time, each once", () => {
  feed.look();
  feed.look();
  clock.advanceSync(HOUR_MS);
  feed.look();
  clock.advanceSync(30 * HOUR_MS);
  feed.look();
  expect(heard.map(({ fact }) => fact.value)).toEqual([101, 102, 103]);
  expect(heard[1]?.fact.asOfMs).toBe(START_MS + HOUR_MS);
});

test("while the chain's time is not known nothing is fed, and a push is told to wait", () => {
  state.chain.offsetMs = null;
  feed.look();
  expect(feed.push("desk", { value: 1, asOfMs: START_MS })).toMatchObject({ status: 503 });
  expect(heard).toEqual([]);
});

describe("a push", () => {
  const push = (asOfMs: number, value = 217) => feed.push("desk", { value, asOfMs })?.status ?? null;

  test("up to a second ahead of the chain's time and as old as it may be", () => {
    expect(push(START_MS - HOUR_MS)).toBe(null);
    expect(push(START_MS + 1000)).toBe(null);
    expect(heard.map(({ fact }) => fact.asOfMs)).toEqual([START_MS - HOUR_MS, START_MS + 1000]);
  });

  test("forbidden: further ahead, older, or before the value known", () => {
    expect(push(START_MS + 1001)).toBe(400);
    expect(push(START_MS - HOUR_MS - 1)).toBe(400);
    expect(push(START_MS)).toBe(null);
    expect(push(START_MS - 1)).toBe(409);
    expect(heard).toHaveLength(1);
  });

  test("at most ten within a second, and more a second later", () => {
    const statuses = () => Array.from({ length: 11 }, () => feed.admits("desk")?.status ?? null);
    expect(statuses()).toEqual([...Array(10).fill(null), 429]);
    clock.advanceSync(1000);
    expect(feed.admits("desk")).toBe(null);
  });

  test("forbidden: to a file's signal, or one that nobody knows", () => {
    for (const name of ["listings", "other"]) {
      expect(feed.admits(name)).toEqual({ status: 404, why: `no signal ${name} takes pushes; those that do: desk` });
      expect(feed.push(name, { value: 1, asOfMs: START_MS })).toMatchObject({ status: 404 });
    }
  });
});
