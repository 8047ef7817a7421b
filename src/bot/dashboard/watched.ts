// A live stream of data that is read once per second while there is a reader: for the fleet's page.

import type { Clock, Timer } from "../../kernel/clock.ts";
import type { Sink } from "../telemetry/http.ts";
import { reportTiming } from "../timing.ts";
import { message } from "./live.ts";

export class Watched {
  readonly #clock: Clock;
  readonly #read: () => Promise<object | null>;
  readonly #readers = new Set<Sink>();
  #timer: Timer | null = null;
  #isReading = false;

  /** `read` never rejects; null: nothing to show yet. */
  constructor(clock: Clock, read: () => Promise<object | null>) {
    this.#clock = clock;
    this.#read = read;
  }

  open(sink: Sink): void {
    this.#readers.add(sink);
    sink.onClose(() => this.#leave(sink));
    this.#timer ??= this.#clock.every(reportTiming.pageEveryMs, () => void this.#look());
    void this.#look();
  }

  #leave(sink: Sink): void {
    this.#readers.delete(sink);
    if (this.#readers.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** One at a time: a slow answer delays the next read. */
  async #look(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const shown = await this.#read();
    this.#isReading = false;
    if (shown === null) return;
    const text = message("update", shown);
    for (const reader of [...this.#readers]) if (!reader.write(text)) this.#leave(reader);
  }
}
