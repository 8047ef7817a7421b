// Varieties of faults: how often, how long and how strongly they strike.

/** A variety: its duration and strength, each from and to. */
export type Variety = {
  readonly how: string;
  readonly forMs: readonly [number, number];
  readonly amount: readonly [number, number];
};

/** How often a kind strikes in ten minutes, and its varieties. */
export type Plan = { readonly times: readonly [number, number]; readonly varieties: readonly Variety[] };

export const variety = (how: string, forMs: readonly [number, number], amount: readonly [number, number]): Variety => ({
  how,
  forMs,
  amount,
});
export const ONCE = [0, 0] as const;
export const NOTHING = [0, 0] as const;
