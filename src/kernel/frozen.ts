// Plain data with many readers and no writer: a write throws a TypeError with its line, and the data stays correct. Frozen objects are as
// fast to read as others, but frozen lists are slower: hot lists stay unfrozen, and code that must not write gets a frozen copy.

/** Freezes lists and plain objects at every depth and returns the same value. Assumes that a frozen part is frozen at every depth. */
export const frozen = <T>(value: T): T => freeze(value, true);

/** Like `frozen`, but freezes only the items of lists: pass on a `frozenCopy` of each list. */
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

/** A frozen copy of a list with frozen items. */
export const frozenCopy = <T>(list: readonly T[]): readonly T[] =>
  list.length === 0 ? NOTHING : Object.freeze(list.slice());

const NOTHING: readonly never[] = Object.freeze([]);
