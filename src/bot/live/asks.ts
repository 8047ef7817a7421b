// Acts requested of the machine: each has a number, under which its result comes back.

import type { Act, InputBody } from "../decider/input.ts";
import type { Done } from "../decider/output.ts";

type DoneOf<K extends Done["kind"]> = Extract<Done, { readonly kind: K }>;

export class Asks {
  readonly #feed: (body: InputBody) => void;
  readonly #waiting = new Map<number, (result: Done) => void>();
  #asks = 0;

  constructor(feed: (body: InputBody) => void) {
    this.#feed = feed;
  }

  /** Resolves with the machine's result. */
  ask<A extends Act>(act: A): Promise<DoneOf<A["kind"]>> {
    this.#asks += 1;
    const number = this.#asks;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve as (result: Done) => void);
      this.#feed({ kind: "act", number, act });
    });
  }

  done(number: number, result: Done): void {
    this.#waiting.get(number)?.(result);
    this.#waiting.delete(number);
  }
}
