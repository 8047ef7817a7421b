// The laws of an order's life: what may rest counts until an event says that it does not, and nothing comes back.

import { describe, expect, test } from "vitest";
import {
  mayRest,
  nextState,
  type OrderTrigger,
  orderTriggers,
  type TrackedState,
} from "../../../../../src/bot/account/orders/states.ts";

const states: readonly TrackedState[] = ["inFlight", "working", "canceling", "unknown", "ended", "executed"];
const resting = states.filter(mayRest);
const asked: readonly OrderTrigger[] = ["modifySent", "modifyAnswered", "cancelSent", "cancelAnswered"];
const led = (state: TrackedState, triggers: readonly OrderTrigger[]) => triggers.map((each) => nextState(state, each));

test("nothing but its end leads out of the states in which it no longer rests, unless a frame places it again", () => {
  expect(states.filter((state) => !mayRest(state))).toEqual(["ended", "executed"]);
  for (const state of ["ended", "executed"] as const)
    for (const trigger of orderTriggers)
      if (trigger !== "revived") expect([state, "over", undefined]).toContain(nextState(state, trigger));
  expect([...resting, "executed" as const].map((state) => nextState(state, "revived"))).toEqual(
    Array(5).fill(undefined),
  );
  expect(nextState("ended", "revived")).toBe("working");
});

test.each(states)("its end is its end, wherever that is heard: %s", (state) => {
  expect(nextState(state, "over")).toBe("over");
});

test.each(resting)("to ask something of it ends nothing, nor does an answer without an event: %s", (state) => {
  for (const next of led(state, asked)) expect(next === undefined || (next !== "over" && mayRest(next))).toBe(true);
});

test.each(resting)("a lost answer makes it unknown: %s", (state) => {
  expect(nextState(state, "answerLost")).toBe("unknown");
});

test("an unknown one stays so whatever other transactions are told, and is known again once it is named or resolved", () => {
  expect(new Set(led("unknown", asked))).toEqual(new Set(["unknown"]));
  expect(led("unknown", ["accepted", "resolved", "provenExecuted", "ended"])).toEqual([
    "working",
    "working",
    "executed",
    "ended",
  ]);
});

test("it is canceling from a cancel that may reach it to the answer of that, and to nothing else", () => {
  expect(nextState("working", "cancelSent")).toBe("canceling");
  expect(led("canceling", ["accepted", "modifySent", "modifyAnswered", "cancelSent", "resolved"])).toEqual(
    Array(5).fill("canceling"),
  );
  expect(nextState("canceling", "cancelAnswered")).toBe("working");
  expect(led("working", ["accepted", "modifySent", "modifyAnswered", "cancelAnswered", "resolved"])).toEqual(
    Array(5).fill("working"),
  );
});

test.each(["working", "canceling", "unknown"] as const)("an event ends it: %s", (state) => {
  expect(nextState(state, "ended")).toBe("ended");
});

describe("forbidden", () => {
  test("before it has an id: a modify, an event that ends it, anything to resolve; a cancel of everything may miss it", () => {
    const named: readonly OrderTrigger[] = ["modifySent", "modifyAnswered", "resolved", "ended"];
    expect(led("inFlight", named)).toEqual(named.map(() => undefined));
    expect(led("inFlight", ["accepted", "cancelSent", "cancelAnswered"])).toEqual(["working", "inFlight", "inFlight"]);
  });

  test.each(states.filter((state) => state !== "unknown"))(
    "a proof that it landed, unless it is unknown: %s",
    (state) => {
      expect(nextState(state, "provenExecuted")).toBe(undefined);
    },
  );

  test("of one that landed and that nobody named: any word by its id", () => {
    const named: readonly OrderTrigger[] = [
      "accepted",
      "modifySent",
      "modifyAnswered",
      "answerLost",
      "resolved",
      "ended",
    ];
    expect(led("executed", named)).toEqual(named.map(() => undefined));
  });
});
