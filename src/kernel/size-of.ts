// Estimates how many bytes a value holds, in bounded time: long lists are estimated from some of their items.

/** Items examined per list or map. */
const SAMPLED = 64;
/** Values examined in total. */
const LOOKS_MAX = 20_000;
/** Bytes of an object, key or list itself, without its content. */
const OVERHEAD = 16;
const WORD = 8;

/** A rather low estimate: shared values count once, and memory held by functions does not count. */
export function sizeOf(value: unknown): number {
  const seen = new Set<object>();
  let looks = 0;
  const measure = (of: unknown): number => {
    looks += 1;
    if (typeof of === "string") return OVERHEAD + of.length;
    if (typeof of === "bigint") return OVERHEAD;
    if (typeof of !== "object" || of === null || seen.has(of) || looks > LOOKS_MAX) return 0;
    seen.add(of);
    if (ArrayBuffer.isView(of)) return OVERHEAD + of.byteLength;
    if (of instanceof ArrayBuffer) return OVERHEAD + of.byteLength;
    if (Array.isArray(of)) return OVERHEAD + WORD * of.length + sampled(of, of.length);
    if (of instanceof Map)
      return OVERHEAD + 3 * WORD * of.size + sampled(of.keys(), of.size) + sampled(of.values(), of.size);
    if (of instanceof Set) return OVERHEAD + 2 * WORD * of.size + sampled(of, of.size);
    const values = Object.values(of);
    return OVERHEAD + 2 * WORD * values.length + sampled(values, values.length);
  };
  /** Uses the first items as a sample: a growing list has similar items. */
  const sampled = (items: Iterable<unknown>, count: number): number => {
    let [sum, taken] = [0, 0];
    for (const item of items) {
      if (taken === SAMPLED) break;
      sum += measure(item);
      taken += 1;
    }
    return taken === 0 ? 0 : (sum / taken) * count;
  };
  return measure(value);
}
