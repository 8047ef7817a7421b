// A binary min-heap. Equal items come out in any order; add a tie-breaker where the order matters.

export type Heap<T> = {
  readonly size: () => number;
  readonly push: (item: T) => void;
  /** The smallest item, which stays. */
  readonly peek: () => T | undefined;
  /** Removes and returns the smallest item. */
  readonly pop: () => T | undefined;
};

/** `isBefore`: a strict weak order. */
export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];

  function rise(from: number, item: T): void {
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt] as T;
      if (!isBefore(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  function sink(item: T): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const leastAt = right < items.length && isBefore(items[right] as T, items[left] as T) ? right : left;
      const least = items[leastAt] as T;
      if (!isBefore(least, item)) break;
      items[at] = least;
      at = leastAt;
    }
    items[at] = item;
  }

  return {
    size: () => items.length,
    push: (item) => rise(items.length, item),
    peek: () => items[0],
    pop() {
      const least = items[0];
      const last = items.pop();
      if (items.length > 0) sink(last as T);
      return least;
    },
  };
}
