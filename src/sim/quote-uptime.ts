// Share of the time since a market was first quoted in which the bot had its own order resting on both sides, as seen by the exchange.

import { type MarketId, sides } from "../domain/units.ts";
import type { Inspector } from "./invariants/inspector.ts";
import type { Scene } from "./sim-scene.ts";

/** Sums over markets, whole ms, so that the sum of many worlds does not depend on their order. */
export type Uptime = { readonly quotedMs: number; readonly marketMs: number };

export class QuoteUptime {
  readonly #scene: Scene & { readonly inspector: Inspector };
  readonly #isQuoted = new Set<MarketId>();
  #lookedMs = 0;
  #quotedMs = 0;
  #marketMs = 0;

  constructor(scene: Scene & { readonly inspector: Inspector }) {
    this.#scene = scene;
  }

  /** The orders resting now count for the time since the last check. */
  look(): void {
    const { markets, clock, inspector } = this.#scene;
    const ms = clock.elapsedMs() - this.#lookedMs;
    this.#lookedMs += ms;
    for (const marketId of markets) {
      const resting = inspector.resting.own(marketId);
      const isOnBoth = sides.every((side) => resting.some((order) => order.side === side));
      if (isOnBoth) this.#quotedMs += this.#isQuoted.has(marketId) ? ms : 0;
      if (this.#isQuoted.has(marketId)) this.#marketMs += ms;
      else if (isOnBoth) this.#isQuoted.add(marketId);
    }
  }

  get sums(): Uptime {
    return { quotedMs: Math.round(this.#quotedMs), marketMs: Math.round(this.#marketMs) };
  }
}
