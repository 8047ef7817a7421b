// L10: where nothing of ours rests although all is well, the bot says why, for that market and side, and is not ready where it cannot act.
// Judged by what rests at the exchange and by the answers that reach the process.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import { type MarketId, type OrderId, type Side, sides } from "../../domain/units.ts";
import type { HttpCall } from "../exchange.ts";
import { isOrder } from "../faults/order-answers.ts";
import type { Scene } from "../sim-scene.ts";
import type { Accuse } from "./law.ts";
import type { Resting } from "./resting.ts";

/** What a bot knows of its own orders may be so old: frames were lost, and a read brings the truth. */
const HEARD_MS = 30_000;
/** Target quotes of one configuration may differ from what rests for so long before the bot is not ready, and a turn or two. */
const SAID_MS = 7000;
/** Rejections in a row for so long are a reason to halt. */
const REJECTED_MS = 60_000;

export type LivenessModules = {
  readonly resting: Resting;
  /** Why the facts that were delivered forbid quotes of the market now. */
  readonly forbids: (marketId: MarketId) => readonly string[];
  /** Whether the watchdog canceled the order and no frame told the bot: it may learn of that only after the landing bound. */
  readonly isUntold: (orderId: OrderId) => boolean;
  readonly accuse: Accuse;
};

export class Liveness {
  readonly #world: Scene;
  readonly #modules: LivenessModules;
  /** What rested on a side of a market when last something did. */
  readonly #rested = new Map<string, readonly OrderId[]>();
  /** Since when nothing rests on a side of a market while the facts are right. */
  readonly #bareMs = new Map<string, number>();
  /** Since when the bot has not said what is to say of a market. */
  readonly #wrongMs = new Map<MarketId, number>();
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
        const rests = resting.filter((order) => order.side === side).map(({ orderId }) => orderId);
        if (rests.length > 0) this.#rested.set(name, rests);
        if (!isFree || rests.length > 0) this.#bareMs.delete(name);
        else if (!this.#bareMs.has(name)) this.#bareMs.set(name, nowMs);
        const bareMs = Math.max(this.#bareMs.get(name) ?? nowMs, this.#modules.resting.claimedMs(marketId, side));
        return nowMs - bareMs > this.#heardMs(name);
      });
      if (bare.length === 0) this.#wrongMs.delete(marketId);
      else this.#judge(marketId, bare);
    }
  }

  #heardMs(name: string): number {
    const isUntold = this.#rested.get(name)?.some(this.#modules.isUntold) ?? false;
    return isUntold ? HEARD_MS + this.#world.worldConfig.bot.venue.landingBoundMs : HEARD_MS;
  }

  /** What is wrong must stay so for a while: a gate may have opened in this very moment. */
  #judge(marketId: MarketId, bare: readonly Side[]): void {
    const { clock, daemon } = this.#world;
    const nowMs = clock.elapsedMs();
    const wrong = wrongIn(this.#world, marketId, bare);
    const since = wrong === null ? null : (this.#wrongMs.get(marketId) ?? nowMs);
    if (since === null) this.#wrongMs.delete(marketId);
    else this.#wrongMs.set(marketId, since);
    if (wrong !== null && since !== null && nowMs - Math.max(since, daemon.reloadedMs) > SAID_MS)
      this.#modules.accuse("L10", wrong);
  }
}

/** What the bot does not say; null: it says all. */
function wrongIn({ daemon }: Scene, marketId: MarketId, bare: readonly Side[]): string | null {
  const status = daemon.bot?.status();
  const market = status?.accounts.flatMap(({ markets }) => markets).find((each) => each.marketId === marketId);
  if (status === undefined || market === undefined || status.phase !== "trading") return null;
  const silent = bare.find((side) => market[side].sentence === null);
  if (silent !== undefined) return `nothing rests in market ${marketId}, ${silent}, and the bot does not say why`;
  const isWanted = bare.some((side) => market[side].reason !== "notWanted");
  if (bare.length < sides.length || !isWanted || status.reasons.length > 0) return null;
  return `nothing rests in market ${marketId}, and the bot is ready: ${market.buy.sentence}`;
}
