// What somebody who is handed a value could change of it: by path, so that a test names each.

const SETTLED: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null]);

/** Plain, or of a class that nobody can change; what it keeps to itself nobody reaches. */
const isSettled = (prototype: object | null): boolean =>
  SETTLED.has(prototype) || (Object.isFrozen(prototype) && Object.getPrototypeOf(prototype) === Object.prototype);

/**
 * Paths of everything below `value` that can be changed: what is not frozen, and what no freezing makes constant, as maps, sets, typed arrays,
 * dates, functions and instances of classes. Accessors count, since what they return may change.
 */
export function mutableIn(value: unknown, path = "", seen = new Set<unknown>()): readonly string[] {
  if (typeof value === "function") return [`${path}: a function`];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const found: string[] = [];
  if (!Object.isFrozen(value)) found.push(`${path}: not frozen`);
  if (!isSettled(Object.getPrototypeOf(value))) found.push(`${path}: a ${value.constructor?.name ?? "class"}`);
  for (const [key, { value: inner, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (get !== undefined || set !== undefined) found.push(`${path}.${key}: an accessor`);
    else found.push(...mutableIn(inner, `${path}.${key}`, seen));
  }
  for (const symbol of Object.getOwnPropertySymbols(value)) found.push(`${path}.${String(symbol)}: a symbol`);
  return found;
}
