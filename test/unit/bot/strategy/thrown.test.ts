// What a strategy's author reads of what the runtime threw: of each way to write into something frozen, to change a copy.

import { expect, test } from "vitest";
import { thrownWords } from "../../../../src/bot/strategy/thrown.ts";
import { frozen } from "../../../../src/kernel/frozen.ts";

const fact = frozen({ value: 1, list: [2, 3], none: [] as number[] }) as {
  value: number;
  list: number[];
  none: number[];
};
const ways: Readonly<Record<string, () => unknown>> = {
  "a key": () => {
    fact.value = 2;
  },
  "another key": () => Object.assign(fact, { more: 1 }),
  "a key less": () => Reflect.deleteProperty(fact, "value") || delete (fact as Partial<typeof fact>).value,
  "a definition": () => Object.defineProperty(fact, "value", { value: 2 }),
  "another definition": () => Object.defineProperty(fact, "more", { value: 2 }),
  "a prototype": () => Object.setPrototypeOf(fact, {}),
  "an element": () => {
    fact.list[0] = 1;
  },
  splice: () => fact.list.splice(0),
  "splice with more": () => fact.list.splice(0, 1, 5, 6),
  push: () => fact.list.push(1),
  pop: () => fact.list.pop(),
  shift: () => fact.list.shift(),
  unshift: () => fact.list.unshift(1),
  sort: () => fact.list.sort((a, b) => b - a),
  reverse: () => fact.list.reverse(),
  fill: () => fact.list.fill(0),
  copyWithin: () => fact.list.copyWithin(0, 1),
  length: () => {
    fact.list.length = 0;
  },
  "push on an empty list": () => fact.none.push(1),
};

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
};

test.each(Object.entries(ways))("%s", (_, run) => {
  expect(thrownWords(thrownBy(run))).toContain("it writes into what it was handed, which is frozen");
  expect(fact).toEqual({ value: 1, list: [2, 3], none: [] });
});

test.each(["Cannot read properties of undefined (reading 'price')", "mid is not a function", "x is not iterable"])(
  "%s is no write",
  (message) => {
    expect(thrownWords(new TypeError(message))).toBe(message);
  },
);
