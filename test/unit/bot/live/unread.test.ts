// Reads that the exchange answers otherwise are named while they are so, and no longer.

import { beforeEach, expect, test } from "vitest";
import { UnreadAnswers } from "../../../../src/bot/live/unread.ts";
import { ReadError, type VenueReads } from "../../../../src/bot/venue/port.ts";
import { ME } from "../scene.ts";

const WRONG = "GET /v1/accounts/12/positions: must be a list";
let failure: Error | null;
let unread: UnreadAnswers;
let told: string[];
let reads: VenueReads;
beforeEach(() => {
  failure = null;
  told = [];
  unread = new UnreadAnswers((read, subject) => told.push(`${read} ${subject}`));
  const read = async () => {
    if (failure !== null) throw failure;
    return {};
  };
  reads = unread.hearing(new Proxy({}, { get: () => read, ownKeys: () => [] }) as VenueReads);
});

const ask = (): Promise<unknown> => reads.positions(ME).catch(() => undefined);

test("an answer that is none is named until one comes that is", async () => {
  failure = new ReadError("malformed", WRONG, { httpStatus: 200 });
  await Promise.all([ask(), ask()]);
  expect(unread.texts()).toEqual([WRONG]);
  expect(told).toEqual(["positions 12", "positions 12"]);
  failure = null;
  await ask();
  expect(unread.texts()).toEqual([]);
});

test("the failure reaches whoever asked", async () => {
  failure = new ReadError("httpStatus", "HTTP 404", { httpStatus: 404 });
  await expect(reads.positions(ME)).rejects.toBe(failure);
  expect(unread.texts()).toEqual(["HTTP 404"]);
});

test.each([
  ["no answer", new ReadError("timeout", "no answer in time")],
  ["to be throttled", new ReadError("httpStatus", "HTTP 429", { httpStatus: 429 })],
])("%s is no fault of an answer, and lifts none", async (_, error) => {
  failure = error;
  await ask();
  expect(unread.texts()).toEqual([]);
  failure = new ReadError("malformed", WRONG, { httpStatus: 200 });
  await ask();
  failure = error;
  await ask();
  expect(unread.texts()).toEqual([WRONG]);
});
