// Logs why a market's orders are denied: one line when the reasons change and the change lasts, not one per turn. Metrics and journal
// have every single denial.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { DenialReason } from "../../risk/guard.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Turn } from "../loop/turn.ts";
import { denialText } from "./denial-text.ts";

/** A reason counts for this long after it was last seen: a turn without new orders has nothing to deny. */
const COUNTS_MS = 1000;
/** A change is logged once it has lasted this long: a reconnect, or a print, closes gates for a moment. */
const LASTS_MS = 2000;
/** Least time between two lines per market. */
const BETWEEN_MS = 10_000;

type Seen = { readonly numbers: Facts; readonly atMs: number };

/** One market of one account. */
export class DenialReport {
  readonly #place: { readonly accountId: AccountId; readonly marketId: MarketId };
  readonly #log: Log;
  readonly #seen = new Map<DenialReason, Seen>();
  /** The reasons of the last line; none at the start. */
  #logged = "";
  #loggedMs = Number.NEGATIVE_INFINITY;
  /** Since when the last line is no longer true, monotonic. */
  #changedMs: number | null = null;

  constructor(place: { readonly accountId: AccountId; readonly marketId: MarketId }, log: Log) {
    this.#place = place;
    this.#log = log;
  }

  /** After each turn. */
  look({ view, readings, verdict }: Pick<Turn, "view" | "readings" | "verdict">): void {
    const { nowMs } = view;
    for (const { gate, closed } of readings)
      if (closed !== null) this.#seen.set(gate, { numbers: closed, atMs: nowMs });
    for (const { denials } of verdict.denied) {
      for (const { reason, numbers } of denials) this.#seen.set(reason, { numbers, atMs: nowMs });
    }
    for (const [reason, { atMs }] of this.#seen) if (nowMs - atMs >= COUNTS_MS) this.#seen.delete(reason);
    const reasons = [...this.#seen.keys()].sort();
    if (reasons.join() === this.#logged) {
      this.#changedMs = null;
      return;
    }
    this.#changedMs ??= nowMs;
    if (nowMs - this.#changedMs < LASTS_MS || nowMs - this.#loggedMs < BETWEEN_MS) return;
    this.#logged = reasons.join();
    this.#loggedMs = nowMs;
    this.#changedMs = null;
    const { accountId, marketId } = this.#place;
    const facts = { event: "orders.denied", account: `${accountId}`, market: marketId, reasons };
    const name = lastKnown(view.market)?.name ?? `market ${marketId}`;
    const texts = reasons.map((reason) => denialText(reason, this.#seen.get(reason)?.numbers ?? {}));
    if (reasons.length === 0) this.#log.info(facts, `${name}: orders are allowed again`);
    else this.#log.warn(facts, `${name}: orders denied: ${texts.join("; ")}`);
  }
}
