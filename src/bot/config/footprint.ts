// The most that a market's strategy may request, from the parameters that the shipped strategies share, against the limits that would deny
// it.

import type { Size } from "../../domain/units.ts";
import { SIZE_SCALE } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { mappingOf } from "../../kernel/yaml/partial-parse.ts";
import type { BotConfig, QuotedMarket } from "./config.ts";

/** Null: the parameters do not say. `at`: their path below `params`. */
export type Footprint = {
  readonly at: readonly string[];
  /** Size of the largest order. */
  readonly size: Size | null;
  /** Per side. */
  readonly levels: number | null;
  readonly maxInventory: Size | null;
};

/** A strategy with a base strategy requests what its base does. */
export function footprintOf(params: unknown, at: readonly string[] = []): Footprint {
  const { size, levels, maxInventory, base } = mappingOf(params);
  const inner = mappingOf(base).params;
  if (inner !== undefined) return footprintOf(inner, [...at, "base", "params"]);
  const sizeOf = (value: unknown): Size | null => (typeof value === "bigint" ? (value as Size) : null);
  return {
    at,
    size: sizeOf(size),
    levels: typeof levels === "number" ? levels : null,
    maxInventory: sizeOf(maxInventory),
  };
}

export type Conflict = { readonly path: readonly PropertyKey[]; readonly message: string };

/** Parameters that a limit of the same market denies in part or completely. */
export const limitConflicts = ({ accounts }: Pick<BotConfig, "accounts">): readonly Conflict[] =>
  accounts.flatMap(({ markets }, account) =>
    markets.flatMap(({ strategy, shadow, limits }, position) => {
      const at = ["accounts", account, "markets", position];
      const under = (place: readonly PropertyKey[]) => (conflict: Conflict) => ({
        ...conflict,
        path: [...place, "params", ...conflict.path],
      });
      return [
        ...marketConflicts({ strategy, limits }).map(under(at)),
        ...(shadow === null
          ? []
          : marketConflicts({ strategy: shadow.strategy, limits }).map(under([...at, "shadow"]))),
      ];
    }),
  );

/** Paths are below `params`. */
export function marketConflicts({ strategy, limits }: Pick<QuotedMarket, "strategy" | "limits">): readonly Conflict[] {
  const { at, size, levels, maxInventory } = footprintOf(strategy.params);
  const found: Conflict[] = [];
  const tell = (key: string, message: string): void => void found.push({ path: [...at, key], message });
  if (size !== null && size > limits.maxOrderSize)
    tell("size", `${contracts(size)} is above maxOrderSize, ${contracts(limits.maxOrderSize)}; no order would be sent`);
  if (levels !== null && 2 * levels > limits.maxOpenOrders)
    tell("levels", `${levels} a side are more than maxOpenOrders, ${limits.maxOpenOrders}; some would not be sent`);
  if (maxInventory !== null && maxInventory > limits.maxPosition)
    tell(
      "maxInventory",
      `${contracts(maxInventory)} is above maxPosition, ${contracts(limits.maxPosition)}, which is reached first`,
    );
  return found;
}

const contracts = (value: Size): string => formatDecimal(value, SIZE_SCALE);
