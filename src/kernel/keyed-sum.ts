// A sum over keys that is kept by difference: what changes one term costs the same however many there are.

export class KeyedSum<K> {
  readonly #terms = new Map<K, bigint | null>();
  #sum = 0n;
  #unknown = 0;

  /** Null: there is a term, and nobody knows it. */
  set(key: K, term: bigint | null): void {
    if (this.#terms.get(key) === term) return;
    this.delete(key);
    this.#terms.set(key, term);
    if (term === null) this.#unknown += 1;
    else this.#sum += term;
  }

  delete(key: K): void {
    const term = this.#terms.get(key);
    if (!this.#terms.delete(key)) return;
    if (term === null) this.#unknown -= 1;
    else this.#sum -= term ?? 0n;
  }

  /** Null while a term is unknown. */
  get sum(): bigint | null {
    return this.#unknown === 0 ? this.#sum : null;
  }

  /** The sum of all terms but that of the key. */
  without(key: K): bigint | null {
    const term = this.#terms.get(key);
    const unknown = this.#unknown - (term === null ? 1 : 0);
    return unknown === 0 ? this.#sum - (term ?? 0n) : null;
  }
}
