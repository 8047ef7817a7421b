// What happens again and again, said once in a while: of each kind at most one in `everyMs`.

/** Kinds come from closed sets, so they are never forgotten. */
export class Spaced {
  readonly #everyMs: number;
  readonly #lastMs = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Whether this one is to be said; then the next of its kind is not before `everyMs` has passed. `nowMs` is monotonic. */
  isDue(kind: string, nowMs: number): boolean {
    const lastMs = this.#lastMs.get(kind);
    if (lastMs !== undefined && nowMs - lastMs < this.#everyMs) return false;
    this.#lastMs.set(kind, nowMs);
    return true;
  }
}
