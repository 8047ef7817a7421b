// Memory with an end: a map that forgets its oldest entries, so that a daemon that runs for months holds no more than one that ran a day.

export type Remembered<K, V> = {
  readonly get: (key: K) => V | undefined;
  readonly has: (key: K) => boolean;
  /** A key that is known keeps its place in the line. */
  readonly set: (key: K, value: V) => void;
  readonly delete: (key: K) => void;
};

/** `countMax` is the number of entries kept, at least 1. */
export function createRemembered<K, V>(countMax: number, entries: Iterable<readonly [K, V]> = []): Remembered<K, V> {
  const map = new Map<K, V>();
  const remembered: Remembered<K, V> = {
    delete: (key) => {
      map.delete(key);
    },
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    set(key, value) {
      map.set(key, value);
      if (map.size <= countMax) return;
      for (const oldest of map.keys()) {
        map.delete(oldest);
        break;
      }
    },
  };
  for (const [key, value] of entries) remembered.set(key, value);
  return remembered;
}
