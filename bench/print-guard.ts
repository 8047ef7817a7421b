// Benefit of the guard around a print: the shipped strategies on the same days with and without it. `npx node bench/print-guard.ts` prints
// the table of docs/strategies.md.

import { type Days, runDays, variants } from "../test/support/print-days.ts";
import type { Bench } from "./measure.ts";

const DAYS = 400;
/** Loss by prints of the guarded strategy relative to the plain one, percent. */
const GOAL_PERCENT = 40;

const run = (days: number) => variants.map((variant) => ({ name: variant.name, ...runDays(variant, days) }));

export const printGuard: Bench = {
  name: "print-guard",
  async run({ quick }) {
    const [plain, ...guarded] = run(quick ? DAYS / 40 : DAYS);
    const percentOf = (figure: "jump" | "deviation" | "mean", of: Days | undefined): number =>
      (100 * (of?.[figure] ?? Number.NaN)) / (plain?.[figure] ?? Number.NaN);
    const value = percentOf("jump", guarded[0]);
    return {
      name: "print-guard",
      value,
      unit: "% of the plain strategy's loss by prints",
      reference: "the goal",
      referenceValue: GOAL_PERCENT,
      ratio: GOAL_PERCENT / value,
      beside: Object.fromEntries(
        guarded.flatMap((each) => [
          [`${each.name}: jump loss, %`, percentOf("jump", each)],
          [`${each.name}: deviation, %`, percentOf("deviation", each)],
          [`${each.name}: mean, %`, percentOf("mean", each)],
        ]),
      ),
    };
  },
};

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

if (import.meta.main) {
  const head = ["strategy", "mean a day", "deviation", "worst day", "loss by prints", "held at a print", "two-sided"];
  console.log([line(head), line(head.map(() => "---"))].join("\n"));
  for (const { name, mean, deviation, worst, jump, heldAtPrint, uptime } of run(DAYS)) {
    const figures = [mean, deviation, worst, jump, heldAtPrint].map((figure) => figure.toFixed(1));
    console.log(line([name, ...figures, `${(100 * uptime).toFixed(1)} %`]));
  }
}
