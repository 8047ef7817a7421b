// Plain data that many are handed and nobody may change: who writes into it gets a TypeError with the line, and the others keep what is right.
// The runtime reads a frozen object as fast as any, but a frozen list some ten times slower: lists that are hot stay as they are, and whoever must
// not write is handed a frozen copy.

/** Freezes lists and plain objects to the bottom, and returns the same value. What is frozen already is taken to be so to the bottom. */
export const frozen = <T>(value: T): T => freeze(value, true);

/** The same but for lists, of which only the items are frozen: hand out `frozenCopy` of them. */
export const frozenItems = <T>(value: T): T => freeze(value, false);

function freeze<T>(value: T, withLists: boolean): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (const each of value) freeze(each, withLists);
    return withLists ? Object.freeze(value) : value;
  }
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype !== Object.prototype && prototype !== null) return value;
  for (const each of Object.values(value)) freeze(each, withLists);
  return Object.freeze(value);
}

/** A frozen copy of a list whose items are frozen. */
export const frozenCopy = <T>(list: readonly T[]): readonly T[] =>
  list.length === 0 ? NOTHING : Object.freeze(list.slice());

const NOTHING: readonly never[] = Object.freeze([]);
