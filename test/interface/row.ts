// One fact of the exchange's interface. The titles of the tests that prove it end in its number: `[11a]`.

export type Row = {
  /** Of the list of 130; a letter where one of them holds several facts. */
  readonly number: string;
  /** In our own words; S names a section of the interface. */
  readonly fact: string;
  /** What the bot uses of it; null: nothing. */
  readonly bot: string | null;
  /** What we took for granted where the interface shows nothing, and where that can be switched. */
  readonly assumed: readonly Assumption[];
  /** Why the devnet does not have it. */
  readonly missing: string | null;
};

export type Assumption = {
  /** As comments in the code name it: NS for what the interface says it does not show, x for what it leaves out. Empty: neither. */
  readonly id: string;
  readonly what: string;
  /** Why this and nothing else. */
  readonly why: string;
  /** How dYdX v4, Hyperliquid or Drift do it, where a developer who comes from there would expect otherwise; null: not said. */
  readonly elsewhere: string | null;
  /** Where another reading can be chosen; null where none is offered. */
  readonly choose: string | null;
};

export type Section = { readonly title: string; readonly rows: readonly Row[] };

export const row = (number: string, fact: string, how: Partial<Row> = {}): Row => ({
  number,
  fact,
  bot: null,
  assumed: [],
  missing: null,
  ...how,
});

export const assume = (
  id: string,
  { what, why, elsewhere = null, choose = null }: Pick<Assumption, "what" | "why"> & Partial<Assumption>,
): Assumption => ({ id, what, why, elsewhere, choose });
