// The law on markets that left the configuration: what rests there goes.

import type { MarketId } from "../../domain/units.ts";
import type { Scene } from "../sim-scene.ts";
import type { Accuse } from "./law.ts";
import type { Resting } from "./resting.ts";

/** A mass cancel, and the cancel of what landed meanwhile. */
const DRAINED_MS = 5000;

export class Drains {
  readonly #scene: Scene;
  readonly #modules: { readonly resting: Resting; readonly accuse: Accuse };
  /** Since when the market has left, with nothing in the way of cancels. */
  readonly #leftSinceMs = new Map<MarketId, number>();

  constructor(scene: Scene, modules: { readonly resting: Resting; readonly accuse: Accuse }) {
    this.#scene = scene;
    this.#modules = modules;
  }

  /** `canCancel`: the daemon is up, and nothing is in the way of its cancels. */
  look(canCancel: boolean): void {
    const { markets, clock } = this.#scene;
    const nowMs = clock.elapsedMs();
    for (const marketId of markets) {
      if (!canCancel || this.#scene.isQuoted(marketId)) {
        this.#leftSinceMs.delete(marketId);
        continue;
      }
      const sinceMs = this.#leftSinceMs.get(marketId) ?? nowMs;
      this.#leftSinceMs.set(marketId, sinceMs);
      const left = this.#modules.resting.own(marketId).length;
      if (left > 0 && nowMs - sinceMs > DRAINED_MS)
        this.#modules.accuse("L9", `${left} orders rest in market ${marketId}, ${nowMs - sinceMs} ms after it left`);
    }
  }
}
