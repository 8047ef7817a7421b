// Laws on the watchdog: it cancels after a daemon that does not turn or cannot act (S17), and does not interfere with any other (S14).

import { openEnvelope } from "../../wire/envelope.ts";
import type { HttpCall } from "../exchange.ts";
import type { Scene } from "../sim-scene.ts";
import type { Accuse } from "./law.ts";
import type { Resting } from "./resting.ts";

/** Time beyond the watchdog's timeout: an unanswered poll, and a mass cancel in a faultless network. */
const MASS_CANCEL_MS = 5000;
/** After this time without events, beyond that timeout, a daemon is reachable and any mass cancel has ended. */
const WELL_MS = 15_000;
/** The daemon reads its account this often, and learns whether its key may act. */
const KEY_READ_MS = 12_000;

export type WatchingModules = {
  readonly resting: Resting;
  /** Since when no fault is active; null: one is. */
  readonly calmSinceMs: () => number | null;
  readonly keyDisabledMs: () => number | null;
  readonly accuse: Accuse;
};

export class Watching {
  readonly #world: Scene;
  readonly #modules: WatchingModules;
  /** Since when the daemon does not turn, or is cut off from the exchange; null: neither. */
  #silentSinceMs: number | null = 0;
  /** Since when it turns and its heartbeat can reach the watchdog; null: it does not. */
  #reachableSinceMs: number | null = null;
  /** The last reachable heartbeat was of a stopping daemon, after which the watchdog stands down. */
  #mayStandDown = true;
  /** Since when the watchdog watches and reaches the exchange; null: it does not. */
  #reachesSinceMs: number | null = null;

  constructor(world: Scene, modules: WatchingModules) {
    this.#world = world;
    this.#modules = modules;
  }

  /** A cancel left the watchdog. */
  sent({ body }: HttpCall): void {
    const { clock, trace, worldConfig } = this.#world;
    const { accuse, calmSinceMs, keyDisabledMs } = this.#modules;
    trace.note("watchdog", `send ${openEnvelope(Buffer.from(body ?? "")).transactionText}`);
    this.look();
    const calmMs = calmSinceMs();
    if (this.#reachableSinceMs === null || calmMs === null || keyDisabledMs() !== null) return;
    const wellMs = clock.elapsedMs() - Math.max(this.#reachableSinceMs, calmMs);
    if (wellMs > worldConfig.bot.watchdog.silenceMs + WELL_MS)
      accuse("S14", `it cancels after a daemon that has been well for ${wellMs.toFixed(0)} ms`);
  }

  /** Called a few times per second. */
  look(): void {
    const { watchdog, daemon, networkFaults, worldConfig, clock } = this.#world;
    if (watchdog === null) return;
    const nowMs = clock.elapsedMs();
    const { isTurning, isStopping } = daemon;
    const isHeard = isTurning && !watchdog.isDeaf;
    if (isHeard || (isStopping && !watchdog.isDeaf)) this.#mayStandDown = isStopping;
    this.#reachableSinceMs = isHeard ? (this.#reachableSinceMs ?? nowMs) : null;
    const isSilent = !isTurning || networkFaults.isCut;
    this.#silentSinceMs = isSilent ? (this.#silentSinceMs ?? nowMs) : null;
    const reaches = watchdog.isWatching && !watchdog.networkFaults.strikesRequests;
    this.#reachesSinceMs = reaches ? (this.#reachesSinceMs ?? nowMs) : null;
    const sinceMs = this.#silentSinceMs ?? this.#keylessSinceMs();
    if (sinceMs === null || this.#reachesSinceMs === null || this.#mayStandDown) return;
    const { silenceMs } = worldConfig.bot.watchdog;
    const untilMs = nowMs - silenceMs - MASS_CANCEL_MS - worldConfig.bot.venue.readLagMaxMs;
    if (Math.max(sinceMs, this.#reachesSinceMs) > untilMs) return;
    const left = this.#modules.resting.own().find(({ orderId }) => this.#modules.resting.executedMs(orderId) < untilMs);
    if (left !== undefined)
      this.#modules.accuse(
        "S17",
        `order ${left.orderId} rests, the daemon silent for ${(nowMs - sinceMs).toFixed(0)} ms`,
      );
  }

  /** Since when a daemon that can read its account knows that its key may not act; null: it may, or reads fail. */
  #keylessSinceMs(): number | null {
    const { networkFaults, worldConfig } = this.#world;
    const sinceMs = this.#modules.keyDisabledMs();
    if (sinceMs === null || networkFaults.strikesRequests) return null;
    return sinceMs + KEY_READ_MS + worldConfig.bot.venue.readLagMaxMs;
  }
}
