// A live stream of something that is read elsewhere, once a second while somebody looks: the fleet's page.

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

  /** `read` never rejects; null: there is nothing to show yet. */
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

  /** One at a time: a slow answer delays the next question. */
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
