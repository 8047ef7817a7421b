// Which tests look for a mutant of the guard: all of its own, those of the mutated file first. Not the one that holds the document of
// controls to the code: it would notice every changed row without showing that anybody is protected.

const unit = (name: string): string => `test/unit/risk/${name}.test.ts`;

const ALL: readonly string[] = [
  ...["gates", "limit-rules", "reductions", "guard", "classify", "exposure", "watch", "trips", "latches", "limits"].map(
    unit,
  ),
  "test/property/guard.test.ts",
];

/** Files of the guard whose tests have another name. */
const NEAREST: Readonly<Record<string, string>> = {
  "own-gates": "gates",
  "venue-gates": "gates",
  gate: "gates",
  "order-limits": "limit-rules",
  "batch-limits": "limit-rules",
  "worst-case": "limit-rules",
  tally: "limit-rules",
  proposal: "limit-rules",
  margin: "exposure",
  window: "watch",
  "trading-state": "latches",
  "risk-state": "trips",
};

/** Test files for a file of src/risk, the likeliest first. */
export function guardTests(file: string): readonly string[] {
  const name = file.replace(/^.*\/|\.ts$/g, "");
  const nearest = unit(NEAREST[name] ?? name);
  return ALL.includes(nearest) ? [nearest, ...ALL.filter((test) => test !== nearest)] : ALL;
}
