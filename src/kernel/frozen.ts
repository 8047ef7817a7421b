// Plain data that many are handed and nobody may change: who writes into it gets a TypeError with the line, and the others keep what is right.

/** Freezes lists and plain objects to the bottom, and returns the same value. What is frozen already is taken to be so to the bottom. */
export function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const each of value) frozen(each);
  else {
    const prototype = Object.getPrototypeOf(value) as unknown;
    if (prototype !== Object.prototype && prototype !== null) return value;
    for (const each of Object.values(value)) frozen(each);
  }
  return Object.freeze(value);
}
