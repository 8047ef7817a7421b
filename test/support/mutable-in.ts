// What the receiver of a value could change in it: by path, so that a test names each.

const SETTLED: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null]);

/** Plain, or of an immutable class; private fields are out of reach. */
const isSettled = (prototype: object | null): boolean =>
  SETTLED.has(prototype) || (Object.isFrozen(prototype) && Object.getPrototypeOf(prototype) === Object.prototype);

/**
 * Returns paths of everything below `value` that can be changed: what is not frozen, and what freezing does not protect, such as maps,
 * sets, typed arrays, dates, functions and instances of classes. Accessors count, since their result may change.
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
