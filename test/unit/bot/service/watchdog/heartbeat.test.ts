// What another process answered is a heartbeat only where every part of it is one.

import { expect, test } from "vitest";
import { readHeartbeat } from "../../../../../src/bot/service/watchdog/heartbeat.ts";

const able = { accountId: "12", answeredAgoMs: 50, cancelsSucceed: true, keyLeftMs: null, resting: ["7"] };
const beat = { phase: "trading", turns: 3, kept: ["1"], accounts: [able] };

test("a whole one is read as it is", () => expect(readHeartbeat(beat)).toEqual(beat));

test("a daemon of an earlier version names no orders of its own", () => {
  const { resting: _, ...earlier } = able;
  expect(readHeartbeat({ ...beat, accounts: [earlier] })?.accounts).toEqual([{ ...able, resting: [] }]);
});

test.each([
  ["no object", null],
  ["another phase", { ...beat, phase: "asleep" }],
  ["turns that are no number", { ...beat, turns: "3" }],
  ["an order to keep that is no id", { ...beat, kept: ["x"] }],
  ["an order of its own that is no id", { ...beat, accounts: [{ ...able, resting: [7] }] }],
  ["orders of its own that are no list", { ...beat, accounts: [{ ...able, resting: "7" }] }],
  ["a time below zero", { ...beat, accounts: [{ ...able, answeredAgoMs: -1 }] }],
])("%s is none", (_, answer) => expect(readHeartbeat(answer)).toBeUndefined());
