// Checks a worst case against position limit, account notional and margin. The gate `exposure` uses it for all live orders, the limits for
// each command on top of them.

import { worstPrice } from "../../../domain/margin.ts";
import { notionalCeil } from "../../../domain/rounding.ts";
import type { Size } from "../../../domain/units.ts";
import { fresh } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import { notFresh } from "../gates/gate.ts";
import type { RiskInputs } from "../risk-state.ts";
import { type MarginBase, marginBase, marginNeed } from "./margin.ts";

/** `contracts`: one side, not negative. Null: within the limit. */
export function positionOver(contracts: Size, { limits }: RiskInputs): Facts | null {
  const { maxPosition } = limits.market;
  return contracts <= maxPosition ? null : { worst: contracts, maxPosition };
}

export function grossNotionalOver(contracts: Size, { view, limits, state }: RiskInputs): Facts | null {
  const { maxGrossNotional } = limits.account;
  if (maxGrossNotional === null) return null;
  const oracle = fresh(view.oracle);
  const market = fresh(view.market);
  const elsewhere = fresh(state.grossNotionalElsewhere);
  if (elsewhere === undefined) return notFresh("grossNotionalElsewhere", state.grossNotionalElsewhere);
  if (oracle === undefined || market === undefined) return { price: "unknown" };
  const gross = notionalCeil(worstPrice(oracle.price, market.markPrice), contracts) + elsewhere;
  return gross <= maxGrossNotional ? null : { gross, maxGrossNotional };
}

/** `base`: if computed before; undefined while a fact for the margin is not fresh. */
export function marginOver(contracts: Size, inputs: RiskInputs, base = marginBaseOf(inputs)): Facts | null {
  if (base === undefined) return { margin: "unknown" };
  const need = marginNeed(contracts, base);
  const covered = need.initial <= need.initialAllowed && need.maintenance <= need.equityAfterShock;
  return covered ? null : { ...need };
}

export function marginBaseOf({ view, limits }: RiskInputs): MarginBase | undefined {
  const market = fresh(view.market);
  const oracle = fresh(view.oracle);
  const funds = fresh(view.funds);
  const position = fresh(view.position);
  if (!market || !oracle || !funds || !position) return undefined;
  const { inventory } = position;
  return marginBase({ market, oraclePrice: oracle.price, funds, inventory }, limits.market);
}
