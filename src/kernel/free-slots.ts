// Finds the next free number among 0 to a count, in nearly constant time.

export class FreeSlots {
  /** For each number, a number at or after it that may be free; at the end, the count. */
  readonly #next: number[] = [];

  constructor(count: number) {
    for (let at = 0; at <= count; at += 1) this.#next.push(at);
  }

  /** The first free number at or after `at`; the count if there is none. */
  from(at: number): number {
    const next = this.#next;
    let found = at;
    while (next[found] !== found) found = next[found] as number;
    // Shortens the path, so that the next search from here takes one step.
    for (let each = at; each !== found; ) {
      const after = next[each] as number;
      next[each] = found;
      each = after;
    }
    return found;
  }

  isFree(at: number): boolean {
    return this.#next[at] === at;
  }

  take(at: number): void {
    this.#next[at] = at + 1;
  }
}
