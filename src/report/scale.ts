// Maps numbers to positions in a picture, and chooses the round numbers of its axes.

export type Scale = {
  readonly low: number;
  readonly high: number;
  /** Position of a value. */
  readonly at: (value: number) => number;
};

/** The values fill the range; equal values, or none, get room around them. */
export function scaleOf(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 1, high + 1];
  return { low, high, at: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

/** Round numbers within the scale, at even steps of 1, 2 or 5 times a power of ten; at most `most` plus one. */
export function ticksOf({ low, high }: Pick<Scale, "low" | "high">, most: number): readonly number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, nth) => Number(((first + nth) * step).toPrecision(12)));
}
