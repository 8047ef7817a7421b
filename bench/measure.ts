// How a bench is made and counted: several runs, the median, and the same again for what it is compared with.

export type BenchOptions = { readonly quick: boolean };

/** One line of the table; `beside` holds further figures of the same bench by name. */
export type BenchResult = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly reference: string;
  readonly referenceValue: number;
  /** The value as a multiple of the reference; for what is compared with a goal, the goal as a multiple of the value. */
  readonly ratio: number;
  readonly beside?: Readonly<Record<string, number>>;
};

export type Bench = { readonly name: string; run(options: BenchOptions): Promise<BenchResult> };

/** Middle value of an odd count, the lower of the two middle ones of an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError("a median needs at least one value");
  return middle;
}

/** Median of `runs` measurements after one that only warms up. */
export function medianOf(runs: number, measure: () => number): number {
  measure();
  return median(Array.from({ length: runs }, measure));
}

/** Actions a second of a piece of work. */
export function rateOf(actions: number, work: () => void): number {
  const startedMs = performance.now();
  work();
  return (actions / (performance.now() - startedMs)) * 1000;
}
