// Details that the exchange's interface does not show and exchanges may handle differently: learned once, by `probe` or from the first
// orders, and kept in the ledger. The configuration (`venue.dialect`) overrides them.

/**
 * `modifyPrice`: what `new_price` of ModifyOrder sets. `modifySize`: what `new_size` sets, the order's total or remaining size; `none`:
 * modifies are not understood, so orders are canceled and placed instead. `cancel`: what proves a cancel, an event (or frame), or only the
 * lists of open orders. `rowSize`: meaning of `size` in an order's row that does not show the filled size. `emptyList`: how an empty list
 * is answered. `budget`: whether the rate limit counts our own transactions.
 */
export const dialectWords = {
  modifyPrice: ["total"],
  modifySize: ["total", "remaining", "none"],
  cancel: ["event", "list"],
  rowSize: ["total", "remaining"],
  emptyList: ["list", "404"],
  budget: ["known", "none"],
} as const;

export type DialectKey = keyof typeof dialectWords;
export type DialectWord<K extends DialectKey = DialectKey> = (typeof dialectWords)[K][number];

/** Null: not known yet. */
export type Dialect = { readonly [K in DialectKey]: DialectWord<K> | null };

/** Which modifies are sent: all, only those of prices, or none; a cancel and a place replace the others. */
export type Modifies = "all" | "prices" | "none";

export const unknownDialect: Dialect = {
  modifyPrice: null,
  modifySize: null,
  cancel: null,
  rowSize: null,
  emptyList: null,
  budget: null,
};

/** The dialect with these words; ignores keys and words that this version does not know. */
export function dialectIn(said: readonly { readonly key: string; readonly word: string }[]): Partial<Dialect> {
  const isKnown = ({ key, word }: (typeof said)[number]): boolean =>
    Object.hasOwn(dialectWords, key) && (dialectWords[key as DialectKey] as readonly string[]).includes(word);
  return Object.fromEntries(said.filter(isKnown).map(({ key, word }) => [key, word]));
}
