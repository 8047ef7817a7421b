// A lane of the queue: transactions under way, counted from start to answer, and the line of those that wait (p-queue). With an empty
// line and a free place a transaction starts without p-queue, whose task costs as much as a signature.

import PQueue from "p-queue";

export class StartLane {
  readonly #placesMax: number;
  /** One at a time: it leaves the line when it starts, not when it is answered. */
  readonly #line = new PQueue({ concurrency: 1 });
  #underWay = 0;
  #onFreed: () => void = () => {};

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** Nobody waits, and there is a place: the next may start at once. */
  get isOpen(): boolean {
    return this.#hasPlace && this.#line.pending === 0;
  }

  /** Takes a place until `answered` resolves. */
  hold(answered: Promise<void>): void {
    this.#underWay += 1;
    void answered.then(() => {
      this.#underWay -= 1;
      this.#onFreed();
    });
  }

  /** Runs `start` when all that came before has started. */
  line(start: () => Promise<void>): void {
    void this.#line.add(start);
  }

  /** Resolves when there is a place. For the first of the line alone. */
  async place(): Promise<void> {
    while (!this.#hasPlace) {
      await new Promise<void>((resolve) => {
        this.#onFreed = resolve;
      });
    }
  }

  get #hasPlace(): boolean {
    return this.#underWay < this.#placesMax;
  }
}
