// The fit of a market as YAML: an item for `markets` of an account, which `check` accepts unchanged.

import type { FittedQueue } from "../../domain/queue.ts";
import { contractsOf } from "../../domain/rounding.ts";
import { SIZE_SCALE, size } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import type { Calibration, Fitted } from "./calibrate.ts";

/** Allowed values of the strategies' parameters. */
const bounds: Partial<Record<Fitted, readonly [least: number, most: number]>> = {
  volatilityBps: [0.0001, 1000],
  intensityA: [0.000_001, 1e6],
  depthBps: [0.0001, 1000],
  kappaPerHour: [0, 1],
  printMoveBps: [0.1, 1000],
  informedShare: [0.001, 0.99],
};

/** Used where the session has no order of ours, contracts. */
const SOME_SIZE = size(1_000_000n);

export function fragmentOf({ marketId, market, hours, orderSize, estimates }: Calibration): string {
  const of = (name: Fitted, key: string = name): readonly string[] => {
    const found = estimates[name];
    const [least, most] = bounds[name] ?? [0, 0];
    if (found === null || (name === "informedShare" && found.value === 0)) return [];
    return [`${key}: ${Number(Math.min(most, Math.max(least, found.value)).toPrecision(4))}`];
  };
  const one = contractsOf(orderSize) < 0.001 ? SOME_SIZE : orderSize;
  const times = (count: bigint): string => formatDecimal(one * count, SIZE_SCALE);
  const base = [
    `size: ${times(1n)}`,
    `maxInventory: ${times(10n)}`,
    ...of("volatilityBps"),
    ...of("intensityA"),
    ...of("depthBps"),
  ];
  return [
    `# market ${marketId}, ${market}, fitted to ${hours} h; size, maxInventory and limits are yours to choose`,
    `- marketId: ${marketId}`,
    "  strategy: print-aware",
    "  params:",
    ...[...of("kappaPerHour"), ...of("printMoveBps", "surpriseBps"), ...of("informedShare")].map(
      (line) => `    ${line}`,
    ),
    `    base: { strategy: glft, params: { ${base.join(", ")} } }`,
    `  limits: { maxPosition: ${times(12n)}, maxOrderSize: ${times(2n)}, maxOpenOrders: 20, maxLoss: 100 }`,
    "",
  ].join("\n");
}

/** A key of a configuration, at the top or of a paper account. */
export const queueModelYaml = ({ exponent, ci95, fills }: FittedQueue): string =>
  `queueModel: { fitted: { exponent: ${exponent}, ci95: [${ci95.join(", ")}], fills: ${fills} } }\n`;
