// L10: where nothing of ours rests although all is well, the bot says why, for that market and side, and is not ready where it cannot act.
// Judged by what rests at the exchange and by the answers that reach the process.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import { type MarketId, type Side, sides } from "../../domain/units.ts";
import type { HttpCall } from "../exchange.ts";
import { isOrder } from "../faults/order-answers.ts";
import type { Scene } from "../sim-scene.ts";
import type { Accuse } from "./law.ts";
import type { Resting } from "./resting.ts";

/** What a bot knows of its own orders may be so old: frames were lost, and a read brings the truth. */
const HEARD_MS = 30_000;
/** Rejections in a row for so long are a reason to halt. */
const REJECTED_MS = 60_000;

export type LivenessModules = {
  readonly resting: Resting;
  /** Why the facts that were delivered forbid quotes of the market now. */
  readonly forbids: (marketId: MarketId) => readonly string[];
  readonly accuse: Accuse;
};

export class Liveness {
  readonly #world: Scene;
  readonly #modules: LivenessModules;
  /** Since when nothing rests on a side of a market while the facts are right. */
  readonly #bareMs = new Map<string, number>();
  /** When the first of the orders that were rejected one after another was. */
  #rejectedMs: number | null = null;
  #longestRejectedMs = 0;

  constructor(world: Scene, modules: LivenessModules) {
    this.#world = world;
    this.#modules = modules;
  }

  /** Whether orders were rejected for so long that a halt is right. */
  get mayHalt(): boolean {
    return this.#longestRejectedMs >= REJECTED_MS;
  }

  /** An answer to a transaction of the daemon has reached it. */
  heard(call: HttpCall, end: HttpEnd): void {
    if (end.kind !== "answered" || !isOrder(call)) return;
    const { httpStatus } = end;
    const nowMs = this.#world.clock.elapsedMs();
    if (httpStatus === 200) this.#rejectedMs = null;
    if (httpStatus < 400 || httpStatus >= 500 || httpStatus === 429 || httpStatus === 408) return;
    this.#rejectedMs ??= nowMs;
    this.#longestRejectedMs = Math.max(this.#longestRejectedMs, nowMs - this.#rejectedMs);
  }

  /** Called a few times a second. */
  look(): void {
    const { daemon, markets, clock } = this.#world;
    const nowMs = clock.elapsedMs();
    if (!daemon.isTurning) this.#bareMs.clear();
    for (const marketId of daemon.isTurning ? markets : []) {
      const isFree = this.#modules.forbids(marketId).length === 0;
      const resting = this.#modules.resting.own(marketId);
      const bare = sides.filter((side) => {
        const name = `${marketId} ${side}`;
        if (!isFree || resting.some((order) => order.side === side)) this.#bareMs.delete(name);
        else if (!this.#bareMs.has(name)) this.#bareMs.set(name, nowMs);
        return nowMs - (this.#bareMs.get(name) ?? nowMs) > HEARD_MS;
      });
      if (bare.length > 0) this.#judge(marketId, bare);
    }
  }

  #judge(marketId: MarketId, bare: readonly Side[]): void {
    const { accuse } = this.#modules;
    const status = this.#world.daemon.bot?.status();
    const market = status?.accounts.flatMap(({ markets }) => markets).find((each) => each.marketId === marketId);
    if (status === undefined || market === undefined || status.phase !== "trading") return;
    for (const side of bare) {
      if (market[side].sentence === null) {
        accuse("L10", `nothing rests in market ${marketId}, ${side}, and the bot does not say why`);
      }
    }
    const isWanted = bare.some((side) => market[side].reason !== "notWanted");
    if (bare.length === sides.length && isWanted && status.reasons.length === 0) {
      accuse("L10", `nothing rests in market ${marketId}, and the bot is ready: ${market.buy.sentence}`);
    }
  }
}
