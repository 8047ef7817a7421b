// How far off the time may be that the bot believes: two witnesses that agree on a wrong time cannot be told from the truth. A machine's clock
// may be off at any time; with it agree pongs that are off by as much, or node info that is as late, whatever pongs say.

/** Pongs that are off by more have node info against them. */
const AGREES_MS = 5000;
/** The median of pongs goes on so long after the last wrong one. */
const MEDIAN_MS = 20_000;

type Wrong = { readonly ms: number; readonly fromMs: number; readonly untilMs: number };
const never: Wrong = { ms: 0, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY };

/** Times are elapsed ms of the world. */
export class WrongWitnesses {
  #pongs = never;
  #node = never;

  /** From now on all pongs are `offMs` off, for so long. */
  pongsOff(offMs: number, nowMs: number, forMs: number): void {
    this.#pongs = { ms: Math.abs(offMs), fromMs: nowMs, untilMs: nowMs + forMs + MEDIAN_MS };
  }

  /** From now on node info is late, for so long. */
  nodeBehind(ms: number, nowMs: number, forMs: number): void {
    this.#node = { ms, fromMs: nowMs, untilMs: nowMs + forMs };
  }

  /** A time that was agreed on goes on until pongs are right again. `wallOffMs`: how far the machine's clock is off. */
  slackMs(nowMs: number, wallOffMs: number): number {
    const agreesWithNode = nowMs <= this.#node.untilMs && Math.abs(wallOffMs + this.#node.ms) <= AGREES_MS;
    if (nowMs > this.#pongs.untilMs) return agreesWithNode ? this.#node.ms : 0;
    const byPongs = this.#pongs.ms <= AGREES_MS ? this.#pongs.ms : 0;
    return this.#node.untilMs >= this.#pongs.fromMs ? Math.max(byPongs, this.#node.ms) : byPongs;
  }
}
