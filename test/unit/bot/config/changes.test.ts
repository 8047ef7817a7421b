// Each changed setting of a market in the units in which a person wrote it.

import { expect, test } from "vitest";
import { changesText, changeText, shadowChanges } from "../../../../src/bot/config/changes.ts";
import { marketLimitsSchema } from "../../../../src/bot/risk/limits/limits.ts";
import { sizeContracts } from "../../../../src/domain/scalars.ts";

const market = (changes: object) =>
  marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, ...changes });
const printSchedule = { timeZone: "America/New_York", at: "09:05", skip: ["2026-12-25"] };

const changing = (of: object = {}, params: object = {}, name = "glft"): Parameters<typeof changesText>[0] => ({
  premiumBook: null,
  signals: [],
  printSchedule: null,
  limits: market(of),
  requoteDepths: 0.5,
  queueTicks: 0,
  strategy: { name, params: { halfSpreadBps: 4, size: sizeContracts.parse("0.5"), ...params } },
});

test.each([
  [changing({ maxPosition: 15 }), "maxPosition 20 -> 15"],
  [changing({ maxOracleDistanceBps: 30 }), "maxOracleDistanceBps unset -> 30"],
  [changing({}, { halfSpreadBps: 5, size: sizeContracts.parse("0.25") }), "halfSpreadBps 4 -> 5, size 0.5 -> 0.25"],
  [changing({}, { base: { strategy: "glft" } }), "base unset -> { strategy: glft }"],
  [changing({ maxOpenOrders: 10 }, { depth: 1 }, "ladder"), "strategy glft -> ladder, maxOpenOrders 20 -> 10"],
  [{ ...changing(), requoteDepths: 2 }, "requoteDepths 0.5 -> 2"],
  [{ ...changing(), queueTicks: 1 }, "queueTicks 0 -> 1"],
  [
    { ...changing(), printSchedule },
    "printSchedule unset -> { timeZone: America/New_York, at: 09:05, skip: [2026-12-25] }",
  ],
  [changing(), "the strategy's code"],
])("change %#", (next, text) => {
  expect(changesText(changing(), next)).toBe(text);
});

test("maxDrawdown follows maxLoss where it is not set, and both are said", () => {
  expect(changesText(changing(), changing({ maxLoss: 250.5 }))).toBe("maxLoss 500 -> 250.5, maxDrawdown 500 -> 250.5");
});

test("a shadow that comes, goes, or is another one", () => {
  const shadow = (name: string, params: object = {}): NonNullable<Parameters<typeof shadowChanges>[0]> =>
    ({ strategy: { name, params }, latencyMs: 50 }) as never;
  const texts = (...[from, to]: Parameters<typeof shadowChanges>) => shadowChanges(from, to).map(changeText);
  expect(texts(null, shadow("glft"))).toEqual(["shadow unset -> glft"]);
  expect(texts(shadow("glft"), null)).toEqual(["shadow glft -> unset"]);
  expect(texts(shadow("glft", { levels: 1 }), shadow("glft", { levels: 2 }))).toEqual([
    "shadow.params { levels: 1 } -> { levels: 2 }",
  ]);
  expect(texts(shadow("glft"), shadow("glft"))).toEqual([]);
});
