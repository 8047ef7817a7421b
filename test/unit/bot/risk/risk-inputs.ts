// Grounds with one thing changed, and the orders that tests of limits speak of.

import type { MarketLimits } from "../../../../src/bot/risk/limits/limits.ts";
import type { RiskInputs } from "../../../../src/bot/risk/risk-state.ts";
import { price, usdc } from "../../../../src/domain/units.ts";
import { healthy } from "./closings.ts";
import { healthyView, market, now, oracle, order, usd, withInventory, withOrders } from "./healthy.ts";

export const resting = order(1, "buy", 199, 1);
export const withLimits = (changes: Partial<MarketLimits>): RiskInputs => ({
  ...healthy,
  limits: { ...healthy.limits, market: { ...healthy.limits.market, ...changes } },
});
export const withView = (changes: Partial<RiskInputs["view"]>, inputs = healthy): RiskInputs => ({
  ...inputs,
  view: { ...inputs.view, ...changes },
});
export const withState = (changes: Partial<RiskInputs["state"]>, inputs = healthy): RiskInputs => ({
  ...inputs,
  state: { ...inputs.state, ...changes },
});
export const resting1 = (inputs = healthy): RiskInputs => ({ ...inputs, view: withOrders(inputs.view, [resting]) });
export const long = (contracts: number, inputs = healthy): RiskInputs => ({
  ...inputs,
  view: withInventory(inputs.view, contracts),
});
export const funds = (equity: number, elsewhere = 0) => {
  if (healthyView.funds.state !== "fresh") throw new Error("the healthy view knows its funds");
  return now({
    ...healthyView.funds.value,
    equity: usdc(BigInt(equity)),
    initialMarginElsewhere: usdc(BigInt(elsewhere)),
  });
};
/** Mark price and oracle price apart. */
export const priced = (mark: number, index: number, inputs: RiskInputs): RiskInputs =>
  withView({ market: now({ ...market, markPrice: usd(mark) }), oracle: now({ ...oracle, price: usd(index) }) }, inputs);
export const market20 = {
  side: "sell",
  orderType: "Market",
  price: price(0n),
  postOnly: false,
  timeInForce: "IOC",
} as const;
