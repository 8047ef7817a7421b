// Which tests look for a mutant of the guard: all of its own, those of the mutated file first. Not the one that holds the document of
// controls to the code: it would notice every changed row without showing that anybody is protected.

const unit = (name: string): string => `test/unit/bot/risk/${name}.test.ts`;

const ALL: readonly string[] = [
  ...[
    "gates/gates",
    "limits/limit-rules",
    "reductions",
    "guard",
    "classify",
    "exposure",
    "observed",
    "trips",
    "latches",
    "limits/limits",
    "resting",
    "prints",
    "mark",
    "size-advice",
  ].map(unit),
  "test/property/guard.test.ts",
  "test/property/outliers.test.ts",
];

/** Files of the guard whose tests have another name. */
const NEAREST: Readonly<Record<string, string>> = {
  "own-gates": "gates/gates",
  "venue-gates": "gates/gates",
  gate: "gates/gates",
  "order-limits": "limits/limit-rules",
  "batch-limits": "limits/limit-rules",
  "worst-case": "limits/limit-rules",
  tally: "limits/limit-rules",
  proposal: "limits/limit-rules",
  margin: "exposure",
  exposure: "exposure",
  window: "observed",
  "trading-state": "latches",
  "risk-state": "trips",
};

/** Test files for a file of the guard, the likeliest first. */
export function guardTests(file: string): readonly string[] {
  const name = file.replace(/^src\/bot\/risk\/|\.ts$/g, "");
  const nearest = unit(NEAREST[name.replace(/^.*\//, "")] ?? name);
  return ALL.includes(nearest) ? [nearest, ...ALL.filter((test) => test !== nearest)] : ALL;
}
