// Sends critical events by webhook: signed, retried until accepted, in a bounded queue, so that an unreachable target neither slows the
// daemon nor fills its memory.

import { createHmac } from "node:crypto";
import type { Clock, Timer } from "../../kernel/clock.ts";
import { backOffMs } from "../../kernel/retry.ts";
import { reportTiming } from "../timing.ts";
import { type CriticalEvent, shapes, type WebhookFormat } from "./webhook-shapes.ts";

export type WebhookOptions = {
  readonly url: string;
  readonly format: WebhookFormat;
  readonly secret: string;
  readonly haltUrl: string | null;
};

export type WebhookModules = {
  readonly clock: Clock;
  /** Posts once and resolves with the HTTP status; rejects if no answer came in time. */
  readonly post: (url: string, body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
  /** Called once per event with its result. */
  readonly count: (result: WebhookResult) => void;
  /** Called with the reason when an event is given up. */
  readonly onDropped: (why: string) => void;
};

export const webhookResults = ["sent", "dropped"] as const;
export type WebhookResult = (typeof webhookResults)[number];

/** Events that may wait; one more drops the oldest. */
const WAITING_MAX = 200;

export class Webhook {
  readonly #options: WebhookOptions;
  readonly #modules: WebhookModules;
  readonly #waiting: CriticalEvent[] = [];
  #isSending = false;
  #timer: Timer | null = null;
  #failures = 0;
  #onEmpty: () => void = () => {};

  constructor(options: WebhookOptions, modules: WebhookModules) {
    this.#options = options;
    this.#modules = modules;
  }

  /** Queues an event and returns at once. */
  tell(event: CriticalEvent): void {
    if (this.#waiting.length >= WAITING_MAX) this.#drop("too many events wait");
    this.#waiting.push(event);
    this.#send();
  }

  /** Resolves when no event waits, at the latest after `timeoutMs`. */
  close(timeoutMs: number): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise<void>((resolve) => {
      const end = this.#modules.clock.after(timeoutMs, () => resolve());
      this.#onEmpty = () => {
        end.cancel();
        resolve();
      };
    }).then(() => this.#timer?.cancel());
  }

  #send(): void {
    const event = this.#waiting[0];
    if (event === undefined) this.#onEmpty();
    if (event === undefined || this.#isSending || this.#timer !== null) return;
    this.#isSending = true;
    void this.#attempt(event).then((verdict) => {
      this.#isSending = false;
      // A newer event may have replaced it meanwhile.
      if (verdict === "again") {
        this.#later();
        return;
      }
      this.#failures = 0;
      if (this.#waiting[0] === event) this.#end(verdict);
      this.#send();
    });
  }

  #end(verdict: "sent" | Refused): void {
    if (verdict === "sent") {
      this.#waiting.shift();
      this.#modules.count("sent");
    } else this.#drop(verdict.why);
  }

  async #attempt(event: CriticalEvent): Promise<"sent" | "again" | Refused> {
    const { url, format, secret, haltUrl } = this.#options;
    // The end of a day asks for no act.
    const link = event.summary === undefined ? haltUrl : null;
    const body = JSON.stringify(shapes[format](event, secret, link));
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    if (this.#modules.clock.wallMs() - event.atMs > reportTiming.webhookAgeMaxMs)
      return { why: "nobody took it for an hour" };
    try {
      const status = await this.#modules.post(url, body, {
        "content-type": "application/json",
        "x-quoin-signature": signature,
      });
      if (status >= 200 && status < 300) return "sent";
      return status >= 500 || mayPass.has(status) ? "again" : { why: `the target answers with ${status}` };
    } catch {
      return "again";
    }
  }

  #later(): void {
    this.#failures += 1;
    this.#timer = this.#modules.clock.after(backOffMs(reportTiming.webhookBackOff, this.#failures), () => {
      this.#timer = null;
      this.#send();
    });
  }

  #drop(why: string): void {
    const event = this.#waiting.shift();
    if (event === undefined) return;
    this.#modules.count("dropped");
    this.#modules.onDropped(`${event.event}: ${why}`);
  }
}

/** The target received the event and will not accept it. */
type Refused = { readonly why: string };

/** HTTP statuses worth a retry: timeout, conflict, too early, too many. */
const mayPass: ReadonlySet<number> = new Set([408, 409, 425, 429]);
