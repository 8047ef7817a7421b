// One queue (p-queue) per account and lane. It starts the lane's first command, one at a time. The guard and the signature take as long as
// a turn, so events are handled before the next command starts.

import PQueue from "p-queue";
import type { WaitingLane } from "../../domain/lane.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Pauses } from "../execution/pauses.ts";

export class Lines {
  readonly #queues = new Map<string, PQueue>();
  readonly #pauses: Pauses;
  readonly #start: (account: AccountId, lane: WaitingLane) => void;

  constructor(start: (account: AccountId, lane: WaitingLane) => void, modules: { readonly clock: Clock }) {
    this.#start = start;
    this.#pauses = new Pauses(modules);
  }

  /** `afterMs`: when there is budget. */
  join(account: AccountId, lane: WaitingLane, afterMs: number): void {
    const name = `${account} ${lane}`;
    const queue = this.#queues.get(name) ?? new PQueue({ concurrency: 1 });
    this.#queues.set(name, queue);
    void queue.add(async () => {
      if (afterMs > 0) await this.#pauses.wait(afterMs);
      if (queue.isPaused) return;
      this.#start(account, lane);
      await this.#pauses.wait(0);
    });
  }

  /** Nothing starts from now on. */
  close(): void {
    for (const queue of this.#queues.values()) {
      queue.pause();
      queue.clear();
    }
    this.#pauses.end();
  }
}
