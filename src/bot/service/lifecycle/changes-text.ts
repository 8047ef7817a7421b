// What a reload changed of a market, as words for the log: `maxPosition 20 → 15, halfSpreadBps 4 → 5`.

import { SIZE_SCALE } from "../../../domain/units.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import type { QuotedMarket } from "../../config/config.ts";

type Changing = {
  readonly limits: QuotedMarket["limits"];
  readonly strategy: Pick<QuotedMarket["strategy"], "name" | "params">;
};

/** Parameters of two different strategies are not compared. */
export function changesText(running: Changing, next: Changing): string {
  const isSame = running.strategy.name === next.strategy.name;
  const changes = [
    ...(isSame ? differences(running.strategy.params, next.strategy.params) : []),
    ...differences(running.limits, next.limits),
  ];
  if (!isSame) changes.unshift(`strategy ${running.strategy.name} → ${next.strategy.name}`);
  return changes.length > 0 ? changes.join(", ") : "the strategy's code";
}

function differences(before: unknown, after: unknown): readonly string[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [from, to] = [valueText(was.get(key)), valueText(is.get(key))];
    return from === to ? [] : [`${key} ${from} → ${to}`];
  });
}

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

/** Contracts and USDC, the only exact values here, have the same number of decimals. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return "unset";
  if (typeof value === "bigint") return formatDecimal(value, SIZE_SCALE);
  if (typeof value !== "object") return String(value);
  return `{ ${[...fieldsOf(value)].map(([key, of]) => `${key}: ${valueText(of)}`).join(", ")} }`;
}
