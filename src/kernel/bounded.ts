// Collections with a maximum size. Each is created with its capacity; its name says what is dropped when it is full.

import { assert } from "./assert.ts";

/** The newest items, oldest first. */
export type Ring<T> = {
  readonly length: () => number;
  /** Adds an item; drops the oldest if the ring is full. */
  readonly push: (item: T) => void;
  /** The item `index` places after the oldest. */
  readonly at: (index: number) => T | undefined;
  readonly newest: () => T | undefined;
  /** A copy, oldest first. */
  readonly items: () => T[];
  readonly clear: () => void;
};

/** A ring of at most `capacity` items, 1 or more. */
export function createRing<T>(capacity: number): Ring<T> {
  assertCapacity(capacity);
  const slots: T[] = [];
  let oldestAt = 0;
  const at = (index: number): T | undefined =>
    index >= 0 && index < slots.length ? slots[(oldestAt + index) % slots.length] : undefined;
  return {
    length: () => slots.length,
    push(item) {
      if (slots.length < capacity) {
        slots.push(item);
        return;
      }
      slots[oldestAt] = item;
      oldestAt = (oldestAt + 1) % capacity;
    },
    at,
    newest: () => at(slots.length - 1),
    items: () => [...slots.slice(oldestAt), ...slots.slice(0, oldestAt)],
    clear() {
      slots.length = 0;
      oldestAt = 0;
    },
  };
}

export type BoundedMap<K, V> = {
  readonly size: () => number;
  readonly has: (key: K) => boolean;
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly delete: (key: K) => boolean;
  /** In the order in which entries will be dropped. */
  readonly keys: () => Iterable<K>;
  /** In the order of `keys`. */
  readonly values: () => Iterable<V>;
};

/** A map of at most `capacity` entries, 1 or more. When it is full, it drops the entry that was added first, even if it was used since. */
export function createOldestOutMap<K, V>(capacity: number): BoundedMap<K, V> {
  assertCapacity(capacity);
  const entries = new Map<K, V>();
  // This iterator follows the map as it changes. A search from the start would pass the places of all dropped entries.
  const oldest = entries.keys();
  return {
    size: () => entries.size,
    has: (key) => entries.has(key),
    get: (key) => entries.get(key),
    set(key, value) {
      const going = entries.size >= capacity && !entries.has(key) ? oldest.next() : null;
      if (going !== null && going.done !== true) entries.delete(going.value);
      entries.set(key, value);
    },
    delete: (key) => entries.delete(key),
    keys: () => entries.keys(),
    values: () => entries.values(),
  };
}

function assertCapacity(capacity: number): void {
  assert(Number.isInteger(capacity) && capacity >= 1, "a capacity is a whole number above zero");
}
