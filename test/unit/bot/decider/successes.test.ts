// What is said and done about successes whose effect nothing shows, and about words that were learned.

import { beforeEach, describe, expect, test } from "vitest";
import type { AccountEffect } from "../../../../src/bot/account/effects.ts";
import type { Output } from "../../../../src/bot/decider/output.ts";
import { onSuccess } from "../../../../src/bot/decider/successes.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { ME } from "../scene.ts";

let lines: { readonly msg?: string }[] = [];
let latches: { readonly holds: string; readonly reason: string }[] = [];
let outputs: Output[] = [];
let kept: string[] = [];
let say: (effect: Extract<AccountEffect, { kind: "shown" | "notUnderstood" | "dialectLearned" }>) => void;

beforeEach(() => {
  [lines, latches, outputs, kept] = [[], [], [], []];
  const clock = createVirtualClock({ startMs: 0 });
  const log = createLog("debug", {
    write: (line) => lines.push(JSON.parse(line)),
    terminal: false,
    wallMs: () => clock.wallMs(),
  });
  const desk = {
    trip: (latch: never) => void latches.push(latch),
    records: { learned: (key: string, word: string) => void kept.push(`${key} ${word}`) },
  };
  say = (effect) =>
    onSuccess(effect, {
      desks: new Map([[ME, desk as never]]),
      clock,
      log,
      put: (output) => void outputs.push(output),
    });
});

const notUnderstood = (action: "place" | "modify" | "cancel", isTooMany: boolean) =>
  say({
    kind: "notUnderstood",
    accountId: ME,
    marketId: 1,
    action,
    said: "event type OrderAccepted is not known",
    isTooMany,
  });

test("what it did is told to whom it concerns", () => {
  say({ kind: "shown", accountId: ME, nonce: 1n as never });
  expect(outputs).toEqual([{ kind: "shown", accountId: ME }]);
});

describe("a success that nothing shows", () => {
  test("is said with what its answer held, and holds nothing alone", () => {
    notUnderstood("place", false);
    expect(lines).toMatchObject([{ event: "success.notUnderstood", said: "event type OrderAccepted is not known" }]);
    expect(latches).toEqual([]);
  });

  test.each(["place", "cancel"] as const)("and is the third %s in a row halts with the text that came", (action) => {
    notUnderstood(action, true);
    expect(latches).toMatchObject([{ kind: "mismatch", holds: "halted" }]);
    expect(latches[0]?.reason).toContain("event type OrderAccepted is not known");
  });

  test("and is the third modify in a row halts nothing", () => {
    notUnderstood("modify", true);
    expect(latches).toEqual([]);
  });
});

test("modifies that are turned off are said once in words; other words are for the log", () => {
  say({ kind: "dialectLearned", accountId: ME, key: "modifySize", word: "none" });
  say({ kind: "dialectLearned", accountId: ME, key: "cancel", word: "list" });
  expect(lines).toMatchObject([
    { event: "dialect.learned", level: "warn", key: "modifySize", word: "none" },
    { event: "dialect.learned", level: "info", key: "cancel", word: "list" },
  ]);
  expect(lines[0]?.msg).toContain("canceled and placed instead");
  expect(kept).toEqual(["modifySize none", "cancel list"]);
});
