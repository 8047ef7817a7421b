// The configuration of a backtest's runs as text: the limits of its positions, and the differences between cells.

import type { QuotedMarket } from "../../bot/config/config.ts";
import { loadConfiguration } from "../../configuration.ts";
import { contractsOf } from "../../domain/rounding.ts";
import { SIZE_SCALE } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { filesOf } from "../../kernel/yaml/files.ts";
import { COLORS } from "../../report/charts.ts";
import { type BacktestJob, type RunLine, setOf } from "../outcome.ts";
import { cellLine, cellsOfRuns } from "../summary.ts";

export type ConfiguredMarket = {
  readonly accountId: string;
  readonly marketId: number;
  /** Null: the runs' exchange is not a file. */
  readonly name: string | null;
  /** Contracts. */
  readonly maxPosition: number;
  /** Strategy, parameters and limits by their path below the market. */
  readonly values: Readonly<Record<string, string>>;
};

/** By cell: `keyOf` its settings. */
export type Configured = ReadonlyMap<string, readonly ConfiguredMarket[]>;

/** Most cells compared; of more, those with the highest means, since more lines could not be distinguished. */
const CELLS_COMPARED_MAX = COLORS;

/** The compared cells, the highest mean first; equal ones in their order. */
export const comparedOf = <Cell>(cells: readonly Cell[], meanOf: (cell: Cell) => number): readonly Cell[] =>
  cells.toSorted((one, other) => meanOf(other) - meanOf(one)).slice(0, CELLS_COMPARED_MAX);

export const keyOf = (set: RunLine["set"]): string => JSON.stringify(set);

/** Configurations of the compared cells. Throws what reading a configuration throws; before the runs they were all readable. */
export async function configuredOf(
  jobs: readonly Pick<BacktestJob, "file" | "name" | "sources" | "settings">[],
  runs: readonly RunLine[],
): Promise<Configured> {
  const wanted = new Set(
    comparedOf(cellsOfRuns(runs).map(cellLine), ({ pnlMean }) => pnlMean).map(({ set }) => keyOf(set)),
  );
  const all = new Map<string, readonly ConfiguredMarket[]>();
  for (const job of jobs) {
    const { file, sources, settings } = job;
    const key = keyOf(setOf(job));
    if (all.has(key) || !wanted.has(key)) continue;
    const files = filesOf(new Map(sources.map(({ path, text }) => [path, text])));
    const { bot, devnet } = await loadConfiguration(file, files, settings);
    const nameOf = (id: number) => devnet?.markets.find(({ marketId }) => marketId === id)?.name ?? null;
    const markets = bot.accounts.flatMap(({ accountId, markets: quoted }) =>
      quoted.map((market): ConfiguredMarket => {
        const { marketId, limits } = market;
        const maxPosition = contractsOf(limits.maxPosition);
        return { accountId: `${accountId}`, marketId, name: nameOf(marketId), maxPosition, values: valuesOf(market) };
      }),
    );
    all.set(key, markets);
  }
  return all;
}

const valuesOf = ({ strategy, limits, premiumBook, printSchedule, signals, ...market }: QuotedMarket) => ({
  strategy: strategy.name,
  ...flat("params", strategy.params),
  ...flat("limits", limits),
  ...flat("premiumBook", premiumBook ?? {}),
  ...flat("printSchedule", printSchedule ?? {}),
  ...(signals.length === 0 ? {} : { signals: textOf(signals.map(({ name }) => name)) }),
  requoteDepths: textOf(market.requoteDepths),
  queueTicks: textOf(market.queueTicks),
});

const flat = (under: string, values: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]) => {
      const path = `${under}.${name}`;
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(flat(path, value))
        : [[path, textOf(value)] as const];
    }),
  );

/** Sizes and amounts have the same number of decimals. */
const textOf = (value: unknown): string => {
  if (typeof value === "bigint") return formatDecimal(value, SIZE_SCALE);
  return Array.isArray(value) ? value.map(textOf).join(", ") : String(value ?? "default");
};

/** The differences between cells: a row per path of a market, with the text of each cell; "–" if it has none. */
export function differingOf(
  cells: readonly (readonly ConfiguredMarket[])[],
): readonly { readonly path: string; readonly texts: readonly string[] }[] {
  const flatCells = cells.map((markets) =>
    Object.fromEntries(
      markets.flatMap(({ accountId, marketId, values }) =>
        Object.entries(values).map(([path, text]) => [`account ${accountId}, market ${marketId}: ${path}`, text]),
      ),
    ),
  );
  const paths = [...new Set(flatCells.flatMap((cell) => Object.keys(cell)))];
  return paths.flatMap((path) => {
    const texts = flatCells.map((cell) => cell[path] ?? "–");
    return new Set(texts).size > 1 ? [{ path, texts }] : [];
  });
}
