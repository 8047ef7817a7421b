// A sum over keys that is updated by differences: changing one term costs the same with any number of terms.

export class KeyedSum<K> {
  readonly #terms = new Map<K, bigint | null>();
  #sum = 0n;
  #unknown = 0;

  /** Null: the term exists but is unknown. */
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

  /** Null while any term is unknown. */
  get sum(): bigint | null {
    return this.#unknown === 0 ? this.#sum : null;
  }

  /** The sum of all terms except the key's. */
  without(key: K): bigint | null {
    const term = this.#terms.get(key);
    const unknown = this.#unknown - (term === null ? 1 : 0);
    return unknown === 0 ? this.#sum - (term ?? 0n) : null;
  }
}
