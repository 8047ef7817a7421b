// Logs why a market is not quoted: one line when the reasons change and the change lasts, one an hour while they stay, not one per
// turn. Metrics and journal have every single denial.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Log } from "../../telemetry/log.ts";
import { deskTiming } from "../../timing.ts";
import { type SideStanding, type Standing, sidesText } from "./standing.ts";

/** One market of one account. */
export class QuotingReport {
  readonly #place: { readonly accountId: AccountId; readonly marketId: MarketId };
  readonly #log: Log;
  /** The reasons of the last line; none at the start. */
  #logged = "";
  #loggedMs = Number.NEGATIVE_INFINITY;
  /** The reasons of now where they differ from the last line, and since when, monotonic. */
  #changed: { readonly reasons: string; readonly sinceMs: number } | null = null;
  /** Since when the last line has not been true without a break, monotonic. */
  #untrueMs: number | null = null;

  constructor(place: { readonly accountId: AccountId; readonly marketId: MarketId }, log: Log) {
    this.#place = place;
    this.#log = log;
  }

  /** After each turn, at monotonic `nowMs`. */
  look({ buy, sell }: Standing, name: string, nowMs: number): void {
    const reasons = buy.why.length === 0 && sell.why.length === 0 ? "" : `${reasonsOf(buy)} ${reasonsOf(sell)}`;
    if (!this.#isDue(reasons, nowMs)) return;
    this.#logged = reasons;
    this.#loggedMs = nowMs;
    this.#changed = null;
    this.#untrueMs = null;
    const { accountId, marketId } = this.#place;
    const facts = { account: `${accountId}`, market: marketId, buy: reasonsOf(buy), sell: reasonsOf(sell) };
    if (reasons === "") this.#log.info({ event: "quoting.complete", ...facts }, `${name}: all quotes rest`);
    else this.#log.warn({ event: "quoting.lacks", ...facts }, `${name}: ${sidesText({ buy, sell })}`);
  }

  #isDue(reasons: string, nowMs: number): boolean {
    if (reasons === this.#logged) {
      this.#changed = null;
      this.#untrueMs = null;
      return reasons !== "" && nowMs - this.#loggedMs >= deskTiming.reasonAgainMs;
    }
    this.#untrueMs ??= nowMs;
    if (this.#changed?.reasons !== reasons) this.#changed = { reasons, sinceMs: nowMs };
    const lasts =
      nowMs - this.#changed.sinceMs >= deskTiming.reasonLastsMs ||
      nowMs - this.#untrueMs >= deskTiming.reasonsUnsettledMs;
    return lasts && nowMs - this.#loggedMs >= deskTiming.reasonsApartMs;
  }
}

const reasonsOf = ({ why }: SideStanding): string => why.map(({ reason }) => reason).join("+");
