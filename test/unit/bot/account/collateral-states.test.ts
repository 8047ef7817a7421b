// Which of the states that were expected a read may have shown.

import { describe, expect, test } from "vitest";
import { CollateralStates, type ExpectedState, statesShown } from "../../../../src/bot/account/collateral-states.ts";
import { orderId, size, usdc } from "../../../../src/domain/units.ts";

const LAG_MS = 3000;
const held = (collateral: bigint, contracts = 0n) => ({
  collateral: usdc(collateral),
  inventories: new Map(contracts === 0n ? [] : [[1, size(contracts)]]),
});
const fill = (id: bigint, before: bigint, after: bigint) => ({
  key: `${id} ${before}`,
  orderId: orderId(id),
  filled: { before: size(before), after: size(after) },
});
/** Of an order that is not tracked. */
const plain = (key = "") => ({ key, orderId: orderId(7n), filled: null });
const read = (of: Partial<Parameters<typeof statesShown>[1]> = {}): Parameters<typeof statesShown>[1] => ({
  span: { fromMs: 0, toMs: 9999 },
  askedMs: 0,
  collateral: usdc(0n),
  inventories: new Map(),
  listed: [],
  sentMs: Number.NEGATIVE_INFINITY,
  ...of,
});
const money = (states: readonly ExpectedState[] | null) => states?.map(({ collateral }) => Number(collateral));

describe("states during a span", () => {
  const states = new CollateralStates(LAG_MS);
  states.filled(held(10n), plain(), 1000);
  states.filled(held(20n, 1n), plain(), 2000);

  test("are those that were expected at some time of it, the present one first", () => {
    const now = held(30n);
    expect(money(states.during({ fromMs: 0, toMs: 9999 }, now))).toEqual([30, 20, 10]);
    expect(money(states.during({ fromMs: 1001, toMs: 1999 }, now))).toEqual([20]);
    expect(money(states.during({ fromMs: 1000, toMs: 2000 }, now))).toEqual([30, 20, 10]);
    expect(money(states.during({ fromMs: 2001, toMs: 9999 }, now))).toEqual([30]);
  });

  test("are not known once more changed than is kept", () => {
    const many = new CollateralStates(LAG_MS);
    for (let ms = 0; ms < 1500; ms += 1) many.filled(held(BigInt(ms)), plain(), ms);
    expect(many.during({ fromMs: 499, toMs: 2000 }, held(0n))).toBe(null);
    expect(many.during({ fromMs: 500, toMs: 2000 }, held(0n))?.length).toBe(1001);
  });

  test("of the time before a posting count with and without it: nobody knows since when the exchange has had it", () => {
    const posted = new CollateralStates(LAG_MS);
    posted.filled(held(10n), plain(), 1000);
    posted.posted(held(20n, 1n), usdc(500n), 2000);
    expect(money(posted.during({ fromMs: 0, toMs: 9999 }, held(520n, 1n)))).toEqual([520, 520, 510, 20, 10]);
    expect(money(posted.during({ fromMs: 1500, toMs: 1600 }, held(520n, 1n)))).toEqual([520, 20]);
  });
});

test("the money of a fill that comes later counts in every state since, and in none before, as often as it comes", () => {
  const states = new CollateralStates(LAG_MS);
  for (let number = 0n; number < 30n; number += 1n) {
    const nowMs = 1000 + 500 * Number(number);
    states.filled(held(10n * number), plain(`h${number}`), nowMs);
    states.amended(`h${number - 1n}`, usdc(3n));
  }
  expect(money(states.during({ fromMs: 1000, toMs: 99_999 }, held(0n)))?.length).toBe(31);
  const two = new CollateralStates(LAG_MS);
  for (const [key, collateral] of [
    ["a", 10n],
    ["b", 20n],
    ["c", 30n],
  ] as const)
    two.filled(held(collateral), plain(key), 1000);
  two.amended("b", usdc(500n));
  expect(money(two.during({ fromMs: 0, toMs: 9999 }, held(40n)))).toEqual([40, 530, 20, 10]);
  two.amended("long ago", usdc(1000n));
  expect(money(two.during({ fromMs: 0, toMs: 9999 }, held(40n)))).toEqual([40, 1530, 1020, 1010]);
});

describe("a read may have shown a state", () => {
  const states = new CollateralStates(LAG_MS);
  states.filled(held(10n), fill(7n, 0n, 1n), 1000);
  states.filled(held(20n, 1n), fill(8n, 0n, 1n), 2000);
  states.filled(held(30n), fill(7n, 1n, 2n), 3000);
  states.filled(held(40n, 1n), plain(), 4000);
  const all = states.during({ fromMs: 0, toMs: 9999 }, held(50n)) ?? [];
  const shown = (of: Partial<Parameters<typeof statesShown>[1]>) => money(statesShown(all, read(of)));

  test("with its positions", () => {
    expect(shown({})).toEqual([50, 30, 10]);
    expect(shown({ inventories: new Map([[1, size(1n)]]) })).toEqual([40, 20]);
    expect(shown({ inventories: new Map([[2, size(1n)]]) })).toEqual([]);
  });

  test("that was not over when an order was sent that it lists", () => {
    expect(shown({ sentMs: 3000 })).toEqual([50]);
    expect(shown({ sentMs: 2999 })).toEqual([50, 30]);
  });

  test("with the fills of listed orders that it shows, and without those that it lacks", () => {
    const listed = (id: bigint, filledSize: bigint) => [{ orderId: orderId(id), filledSize: size(filledSize) }];
    expect(shown({ listed: listed(7n, 0n) })).toEqual([10]);
    expect(shown({ listed: listed(7n, 1n) })).toEqual([30]);
    expect(shown({ listed: listed(7n, 2n) })).toEqual([50]);
    expect(shown({ listed: listed(9n, 1n) })).toEqual([50, 30, 10]);
  });
});
