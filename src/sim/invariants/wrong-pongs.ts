// How far off the time may be that the bot believes: a machine's clock and pongs that agree on a wrong time cannot be told from the truth.

/** The bot's limit, and a block. */
const AGREES_MS = 3500;
/** The median of pongs goes on so long after the last wrong one. */
const MEDIAN_MS = 20_000;

/** Times are elapsed ms of the world. */
export class WrongPongs {
  #offMs = 0;
  #untilMs = Number.NEGATIVE_INFINITY;

  /** From now on pongs are `offMs` off, for so long. */
  off(offMs: number, nowMs: number, forMs: number): void {
    this.#offMs = offMs;
    this.#untilMs = nowMs + forMs + MEDIAN_MS;
  }

  /** `wallOffMs`: how far the machine's clock is off. */
  slackMs(nowMs: number, wallOffMs: number): number {
    return nowMs <= this.#untilMs && Math.abs(wallOffMs - this.#offMs) <= AGREES_MS ? Math.abs(this.#offMs) : 0;
  }
}
