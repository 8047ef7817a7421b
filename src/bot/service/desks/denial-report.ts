// Says in plain words what holds a market's orders back: a line when that changes and stands, not one a turn. Metrics and journal have
// every single denial.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { type Facts, factsText } from "../../../kernel/errors.ts";
import type { DenialReason } from "../../risk/guard.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Turn } from "../loop/turn.ts";
import { denialTexts } from "./denial-text.ts";

/** A reason counts for so long after it was last seen: a turn that asks for nothing is denied nothing. */
const COUNTS_MS = 1000;
/** A change is told when it has stood for so long: a reconnect, or a print, closes for a moment. */
const STANDS_MS = 2000;
/** The least time between two lines of a market. */
const BETWEEN_MS = 10_000;

type Seen = { readonly numbers: Facts; readonly atMs: number };

/** One market of one account. */
export class DenialReport {
  readonly #place: { readonly accountId: AccountId; readonly marketId: MarketId };
  readonly #log: Log;
  readonly #seen = new Map<DenialReason, Seen>();
  /** What the last line named; nothing holds back what has just begun. */
  #told = "";
  #toldMs = Number.NEGATIVE_INFINITY;
  /** Since when it is no longer true, monotonic. */
  #changedMs: number | null = null;

  constructor(place: { readonly accountId: AccountId; readonly marketId: MarketId }, log: Log) {
    this.#place = place;
    this.#log = log;
  }

  /** After each turn. */
  look({ view: { nowMs }, readings, verdict }: Pick<Turn, "view" | "readings" | "verdict">): void {
    for (const { gate, closed } of readings)
      if (closed !== null) this.#seen.set(gate, { numbers: closed, atMs: nowMs });
    for (const { denials } of verdict.denied) {
      for (const { reason, numbers } of denials) this.#seen.set(reason, { numbers, atMs: nowMs });
    }
    for (const [reason, { atMs }] of this.#seen) if (nowMs - atMs >= COUNTS_MS) this.#seen.delete(reason);
    const reasons = [...this.#seen.keys()].sort();
    if (reasons.join() === this.#told) {
      this.#changedMs = null;
      return;
    }
    this.#changedMs ??= nowMs;
    if (nowMs - this.#changedMs < STANDS_MS || nowMs - this.#toldMs < BETWEEN_MS) return;
    this.#told = reasons.join();
    this.#toldMs = nowMs;
    this.#changedMs = null;
    this.#tell(reasons);
  }

  #tell(reasons: readonly DenialReason[]): void {
    const { accountId, marketId } = this.#place;
    const facts = { event: "orders.denied", account: `${accountId}`, market: marketId, reasons };
    if (reasons.length === 0) {
      this.#log.info(facts, `market ${marketId}: nothing holds orders back any more`);
      return;
    }
    const why = reasons.map((reason) => {
      const numbers = factsText(this.#seen.get(reason)?.numbers ?? {});
      return `${denialTexts[reason]} (${reason}${numbers === "" ? "" : `: ${numbers}`})`;
    });
    this.#log.warn(facts, `market ${marketId}: orders are held back: ${why.join("; ")}`);
  }
}
