// How close the shipped strategies come to the exact values of the papers' experiments. `npx node bench/papers.ts` prints the tables of
// docs/strategies.md: paper, exact, ours.

import { createPrng } from "../src/kernel/prng.ts";
import { closedForm } from "../strategies/glft.ts";
import { formulaOf, glftFigures, glftRows, type PaperRow, paperRows, shippedOf } from "../test/support/paper-rows.ts";
import { exactDepths, exactMoments, simulateMoments } from "../test/support/papers.ts";
import { avellanedaStoikov, glft } from "../test/support/shipped-quotes.ts";
import type { Bench } from "./measure.ts";

const PATHS = 20_000;
/** Largest distance of profit, its deviation and the inventory's from the exact values. */
const GOAL_BPS = 300;

const measured = (row: PaperRow, paths: number) => ({
  row,
  exact: exactMoments(formulaOf(row)),
  ours: simulateMoments(shippedOf(row), paths, createPrng(1n)),
});

type Measured = ReturnType<typeof measured>;

const keys = ["profit", "profitStd", "inventoryStd"] as const;
const offBps = ({ exact, ours }: Measured): number =>
  Math.max(...keys.map((key) => Math.abs(ours[key] / exact[key] - 1) * 10_000));

export const papers: Bench = {
  name: "papers",
  async run({ quick }) {
    const rows = paperRows.map((row) => measured(row, quick ? PATHS / 10 : PATHS));
    const value = Math.max(...rows.map(offBps));
    return {
      name: "papers",
      value,
      unit: "bps off the exact values",
      reference: "the goal",
      referenceValue: GOAL_BPS,
      ratio: GOAL_BPS / value,
      beside: Object.fromEntries(rows.map((each) => [`${each.row.strategy} ${each.row.gamma}`, offBps(each)])),
    };
  },
};

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), line(head.map(() => "---")), ...rows.map(line), ""].join("\n");

function momentsTable(): string {
  const rows = paperRows.map((row) => measured(row, PATHS));
  return table(
    ["gamma", "strategy", ...["profit", "its deviation", "deviation of q"].map((name) => `${name}: paper`)].flatMap(
      (name) => (name.endsWith(": paper") ? [name, "exact", "ours"] : [name]),
    ),
    rows.map(({ row, exact, ours }) => [
      row.gamma,
      row.strategy,
      ...keys.flatMap((key) => [row.printed?.[key] ?? "–", exact[key].toFixed(3), ours[key].toFixed(3)]),
    ]),
  );
}

function depthsTable(): string {
  const { gamma, intensityK, horizonSec } = glftFigures;
  return table(
    ["sigma", "A", "q", "exact bid", "exact ask", "ours bid", "ours ask"],
    glftRows.map(({ sigma, intensityA, inventory }) => {
      const model = { sigma, intensityA, intensityK };
      const { bid, ask } = exactDepths(model, gamma, horizonSec, 40)(inventory);
      const { halfSpreadUsd, skewUsd } = closedForm(model, gamma);
      const ours = [halfSpreadUsd + skewUsd * inventory, halfSpreadUsd - skewUsd * inventory];
      return [sigma, intensityA, inventory, ...[bid, ask, ...ours].map((depth) => depth.toFixed(4))];
    }),
  );
}

function equivalentsTable(): string {
  return table(
    ["gamma", "quotes", "profit", "its deviation", "deviation of q", "certainty equivalent"],
    [0.1, 0.5, 1].flatMap((gamma) =>
      [
        { name: "avellaneda-stoikov", quoting: avellanedaStoikov(gamma) },
        { name: "glft", quoting: glft(gamma) },
      ].map(({ name, quoting }) => {
        const moments = exactMoments(quoting, gamma);
        return [gamma, name, ...keys.map((key) => moments[key].toFixed(2)), moments.certaintyEquivalent.toFixed(2)];
      }),
    ),
  );
}

if (import.meta.main) {
  const started = performance.now();
  console.log([momentsTable(), depthsTable(), equivalentsTable()].join("\n"));
  console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
}
