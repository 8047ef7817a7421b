// As much of an exchange as the fleet's laws speak of: orders that land late or not at all, cancels, fills that each holder hears of, and a list
// of the account's newest fills. It is the judge of who added exposure.

import type { Prng } from "../../../src/kernel/prng.ts";
import type { VirtualClock } from "../../../src/kernel/virtual-clock.ts";

/** One holder's time with an account, counted in the order in which they began. */
export type Term = { readonly number: number; readonly account: string };

export type Placed = { readonly orderId: number; readonly term: Term };
export type Filled = { readonly number: number; readonly account: string };

type Account = {
  resting: Placed[];
  fills: Filled[];
  /** The last term that added exposure. */
  newest: number;
  readonly listeners: Set<(fill: Filled) => void>;
};

/** As many as the exchange shows. */
const FILLS_SHOWN = 100;
const RESTING_MAX = 3;

export class ExchangeModel {
  readonly #world: VirtualClock;
  readonly #prng: Prng;
  readonly #accounts = new Map<string, Account>();
  readonly #accuse: (law: string, why: string) => void;
  #orders = 0;
  /** What one transaction takes to land, ms; some never do. */
  landing = { meanMs: 20, lostShare: 0 };
  /** Called for each order that leaves a node. */
  onPlace: (account: string) => void = () => {};

  constructor(world: VirtualClock, prng: Prng, accuse: (law: string, why: string) => void) {
    this.#world = world;
    this.#prng = prng;
    this.#accuse = accuse;
    world.every(400, () => this.#trade());
  }

  account(name: string): Account {
    const account = this.#accounts.get(name) ?? { resting: [], fills: [], newest: -1, listeners: new Set() };
    this.#accounts.set(name, account);
    return account;
  }

  /** New exposure leaves a node. Undefined: no answer will come. */
  place(term: Term): Promise<Placed | undefined> {
    const account = this.account(term.account);
    if (term.number < account.newest)
      this.#accuse(
        "one holder",
        `account ${term.account}: term ${term.number} adds exposure after term ${account.newest}`,
      );
    account.newest = Math.max(account.newest, term.number);
    this.onPlace(term.account);
    const isLost = this.#prng.chance(this.landing.lostShare);
    return new Promise((resolve) => {
      this.#world.after(this.#prng.exponential(this.landing.meanMs), () => {
        this.#orders += 1;
        const placed: Placed = { orderId: this.#orders, term };
        // As a requote would, the newest takes the place of the oldest.
        account.resting = [...account.resting, placed].slice(-RESTING_MAX);
        if (isLost) resolve(undefined);
        else this.#world.after(5, () => resolve(placed));
      });
    });
  }

  /** Resolves with what rests afterwards: nothing. */
  async cancelAll(name: string): Promise<void> {
    await this.#pause();
    this.account(name).resting = [];
    await this.#pause();
  }

  /** Orders and the newest fills, as a read shows them. */
  async read(name: string): Promise<{ readonly resting: readonly Placed[]; readonly fills: readonly Filled[] }> {
    await this.#pause();
    const { resting, fills } = this.account(name);
    const shown = { resting: [...resting], fills: fills.slice(-FILLS_SHOWN) };
    await this.#pause();
    return shown;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#world.after(this.#prng.exponential(5), resolve));
  }

  /** Somebody takes an order now and then. */
  #trade(): void {
    for (const [name, account] of this.#accounts) {
      if (account.resting.length === 0 || !this.#prng.chance(0.5)) continue;
      account.resting.shift();
      const fill: Filled = { number: account.fills.length + 1, account: name };
      account.fills.push(fill);
      for (const listener of account.listeners) this.#world.after(this.#prng.exponential(10), () => listener(fill));
    }
  }
}
