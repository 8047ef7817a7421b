// Types and statistics of benches: several runs, the median, and the same for the reference.

export type BenchOptions = { readonly quick: boolean };

/** Set before it was measured. */
export type Goal = { readonly goal: number; readonly wanted: "atLeast" | "atMost" };

/** A further figure of a bench that has a goal. */
export type AimedFigure = Goal & { readonly figure: string; readonly value: number; readonly unit: string };

/** `goals` and `beside`: further figures of the same bench by name; those of `beside` have no goal. */
export type BenchResult = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** A peer or a floor; "the goal" if there is neither. */
  readonly reference: string;
  readonly referenceValue: number;
  /** The value as a multiple of the reference; compared with a goal, the share that is reached, above 1 if better. */
  readonly ratio: number;
  /** Goal of the value, if the reference is not the goal. */
  readonly goal?: Goal;
  readonly goals?: readonly AimedFigure[];
  readonly beside?: Readonly<Record<string, number>>;
};

/** The further figures by name, each goal after its figure. */
export const figuresOf = ({ goals = [], beside = {} }: BenchResult): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(
    goals.flatMap(({ figure, value, goal }) => [
      [figure, value],
      [`${figure}Goal`, goal],
    ]),
  ),
  ...beside,
});

export type Bench = { readonly name: string; run(options: BenchOptions): Promise<BenchResult> };

/** Middle value of an odd count, the lower of the two middle ones of an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError("a median needs at least one value");
  return middle;
}

/** Median of `runs` measurements after a warm-up. */
export function medianOf(runs: number, measure: () => number): number {
  measure();
  return median(Array.from({ length: runs }, measure));
}

/** Actions per second of a piece of work. */
export function rateOf(actions: number, work: () => void): number {
  const startedMs = performance.now();
  work();
  return (actions / (performance.now() - startedMs)) * 1000;
}

/** Three significant digits. */
export const shown = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 4 });
