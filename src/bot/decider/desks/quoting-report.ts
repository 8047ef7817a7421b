// Logs why a market is not quoted: one line when the reasons (or whether anything rests) change for some time, then one an hour, not one
// per turn. Metrics and journal have every single denial.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { deskTiming } from "../../timing.ts";
import type { Say } from "../notice.ts";
import { type SideStanding, type Standing, sidesText } from "./standing.ts";

export class QuotingReport {
  readonly #place: { readonly accountId: AccountId; readonly marketId: MarketId };
  readonly #log: Say;
  /** Text of the last line; empty at the start. */
  #logged = "";
  #loggedMs = Number.NEGATIVE_INFINITY;
  /** What to log where it differs from the last line, and since when, monotonic. */
  #changed: { readonly says: string; readonly sinceMs: number } | null = null;
  /** Since when the last line has been continuously untrue, monotonic. */
  #untrueMs: number | null = null;

  constructor(place: { readonly accountId: AccountId; readonly marketId: MarketId }, log: Say) {
    this.#place = place;
    this.#log = log;
  }

  /** Call it after each turn, at monotonic `nowMs`. */
  look({ buy, sell }: Standing, name: string, nowMs: number): void {
    const isComplete = buy.why.length === 0 && sell.why.length === 0;
    const says = isComplete ? "" : [buy.rests, reasonsOf(buy), sell.rests, reasonsOf(sell)].join(" ");
    if (!this.#isDue(says, nowMs)) return;
    this.#logged = says;
    this.#loggedMs = nowMs;
    this.#changed = null;
    this.#untrueMs = null;
    const { accountId, marketId } = this.#place;
    const facts = { account: `${accountId}`, market: marketId, buy: reasonsOf(buy), sell: reasonsOf(sell) };
    if (isComplete) this.#log.info({ event: "quoting.complete", ...facts }, `${name}: all quotes rest`);
    else this.#log.warn({ event: "quoting.lacks", ...facts }, `${name}: ${sidesText({ buy, sell })}`);
  }

  #isDue(says: string, nowMs: number): boolean {
    if (says === this.#logged) {
      this.#changed = null;
      this.#untrueMs = null;
      return says !== "" && nowMs - this.#loggedMs >= deskTiming.reasonAgainMs;
    }
    this.#untrueMs ??= nowMs;
    if (this.#changed?.says !== says) this.#changed = { says, sinceMs: nowMs };
    const lasts =
      nowMs - this.#changed.sinceMs >= deskTiming.reasonLastsMs ||
      nowMs - this.#untrueMs >= deskTiming.reasonsUnsettledMs;
    return lasts && nowMs - this.#loggedMs >= deskTiming.reasonsApartMs;
  }
}

const reasonsOf = ({ why }: SideStanding): string => why.map(({ reason }) => reason).join("+");
