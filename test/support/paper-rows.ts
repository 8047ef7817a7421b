// Results that papers printed, and exact values of the same experiments, to compare shipped strategies with.

import { averageSpread, paperQuotes, type Quoting } from "./papers.ts";
import { avellanedaStoikov, symmetric } from "./shipped-quotes.ts";

/** A row of the tables of Avellaneda and Stoikov 2008 (gamma 0.5 is of no journal table), with the figures as printed there. */
export type PaperRow = {
  readonly gamma: number;
  readonly strategy: "inventory" | "symmetric";
  readonly printed: { readonly profit: number; readonly profitStd: number; readonly inventoryStd: number } | null;
  /** Exact to three decimals, from an independent computation. */
  readonly known: { readonly profit: number; readonly profitStd: number; readonly inventoryStd: number };
};

const figures = (profit: number, profitStd: number, inventoryStd: number) => ({ profit, profitStd, inventoryStd });

export const paperRows: readonly PaperRow[] = [
  { gamma: 0.1, strategy: "inventory", printed: figures(65, 6.6, 2.9), known: figures(64.893, 6.543, 2.927) },
  { gamma: 0.1, strategy: "symmetric", printed: figures(68.4, 12.7, 8.4), known: figures(68.228, 13.457, 8.402) },
  { gamma: 0.01, strategy: "inventory", printed: figures(68.6, 8.7, 5.1), known: figures(68.4, 8.961, 5.213) },
  { gamma: 0.01, strategy: "symmetric", printed: figures(68.8, 12.8, 8.7), known: figures(68.666, 13.678, 8.712) },
  { gamma: 1, strategy: "inventory", printed: figures(31.4, 5, 1.7), known: figures(31.455, 4.838, 1.641) },
  { gamma: 1, strategy: "symmetric", printed: figures(44, 11, 5.1), known: figures(43.869, 10.751, 5.189) },
  { gamma: 0.5, strategy: "inventory", printed: null, known: figures(48.568, 5.898, 1.956) },
  { gamma: 0.5, strategy: "symmetric", printed: null, known: figures(60.003, 12.33, 6.929) },
];

/** The formula of the paper, for the exact recursion. */
export function formulaOf({ gamma, strategy }: PaperRow): Quoting {
  if (strategy === "inventory") return paperQuotes(gamma);
  const half = averageSpread(gamma) / 2;
  return () => ({ bid: half, ask: half });
}

/** The shipped quoting, for the paths. */
export const shippedOf = ({ gamma, strategy }: PaperRow): Quoting =>
  strategy === "inventory" ? avellanedaStoikov(gamma) : symmetric(averageSpread(gamma) / 2);

/** The parameters of the figures of Guéant, Lehalle and Fernandez-Tapia, ticks and seconds: gamma 0.01, k 0.3, 600 s. */
export const glftFigures = { gamma: 0.01, intensityK: 0.3, horizonSec: 600 } as const;

/** Exact depths of bid and ask at an inventory, and those of the closed form. */
export const glftRows: readonly {
  readonly sigma: number;
  readonly intensityA: number;
  readonly inventory: number;
  readonly exact: readonly [number, number];
  readonly closed: readonly [number, number];
}[] = [
  { sigma: 0.3, intensityA: 0.9, inventory: 0, exact: [3.313, 3.313], closed: [3.3129, 3.3129] },
  { sigma: 0.3, intensityA: 0.9, inventory: 10, exact: [3.9929, 2.6328], closed: [3.9916, 2.6343] },
  { sigma: 0.3, intensityA: 0.9, inventory: 20, exact: [4.6655, 1.9592], closed: [4.6702, 1.9556] },
  { sigma: 0.4, intensityA: 0.9, inventory: 0, exact: [3.3245, 3.3245], closed: [3.3242, 3.3242] },
  { sigma: 0.4, intensityA: 0.9, inventory: 20, exact: [5.1197, 1.5259], closed: [5.134, 1.5145] },
  { sigma: 1, intensityA: 0.2, inventory: 0, exact: [3.5257, 3.5257], closed: [3.5189, 3.5189] },
  { sigma: 1, intensityA: 0.2, inventory: 10, exact: [8.0227, -1.0722], closed: [8.3178, -1.2799] },
];
