// What the log says of a reload: each changed value, in the units in which a person wrote it.

import { expect, it } from "vitest";
import { marketLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import { changesText } from "../../../../../src/bot/service/lifecycle/changes-text.ts";
import { sizeContracts } from "../../../../../src/domain/scalars.ts";

const limits = (of: object) =>
  marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, ...of });
const market = (of: object = {}, params: object = {}, name = "glft") => ({
  limits: limits(of),
  strategy: { name, params: { halfSpreadBps: 4, size: sizeContracts.parse("0.5"), ...params } },
});

it.each([
  [market({ maxPosition: 15 }), "maxPosition 20 → 15"],
  [market({ maxOracleDistanceBps: 30 }), "maxOracleDistanceBps unset → 30"],
  [market({}, { halfSpreadBps: 5, size: sizeContracts.parse("0.25") }), "halfSpreadBps 4 → 5, size 0.5 → 0.25"],
  [market({}, { base: { strategy: "glft" } }), "base unset → { strategy: glft }"],
  [market({ maxOpenOrders: 10 }, { depth: 1 }, "ladder"), "strategy glft → ladder, maxOpenOrders 20 → 10"],
  [market(), "the strategy's code"],
])("change %#", (next, text) => {
  expect(changesText(market(), next)).toBe(text);
});

it("maxDrawdown follows maxLoss where it is not set, and both are said", () => {
  expect(changesText(market(), market({ maxLoss: 250.5 }))).toBe("maxLoss 500 → 250.5, maxDrawdown 500 → 250.5");
});
