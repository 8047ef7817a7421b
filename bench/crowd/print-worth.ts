// What a contract is worth to a rule that forecasts prints: the carry fair value, as the bot's strategies and its premium book have it, either by
// all expected prints or by the next one alone. The exchange's funding is known to it.

import { carryFairValue, settlementsBetween, worthOfLaterPrints } from "../../src/bot/strategy/carry.ts";
import { type Nowcast, noNowcast, nowcastPathUsd, observePrint } from "../../src/bot/strategy/nowcast.ts";
import { usdOf } from "../../src/domain/rounding.ts";
import type { Price } from "../../src/domain/units.ts";

export type PrintTimes = {
  readonly printEverySecs: number;
  readonly fundingIntervalSecs: number;
  /** In which funding pays an amount equal to the premium. */
  readonly premiumPeriodSecs: number;
};

export type Counted = "next" | "path";

export class PrintWorth {
  readonly #counted: Counted;
  readonly #times: PrintTimes;
  readonly #history: readonly number[];
  #nowcast: Nowcast = noNowcast;
  #print: Price | null = null;

  /** `history`: prints before the first, USD, of whatever level; the forecast learns from their returns. */
  constructor(counted: Counted, times: PrintTimes, history: readonly number[]) {
    this.#counted = counted;
    this.#times = times;
    this.#history = history;
  }

  /** USD. `print`: the newest at `logicalMs`. */
  usdAt(print: Price, logicalMs: number): number {
    const lastPrint = usdOf(print);
    if (print !== this.#print) this.#take(lastPrint);
    this.#print = print;
    const { printEverySecs, fundingIntervalSecs, premiumPeriodSecs } = this.#times;
    const [nextPrint = lastPrint, ...rest] = nowcastPathUsd(this.#nowcast) ?? [];
    const kappa = fundingIntervalSecs / premiumPeriodSecs;
    const path = this.#counted === "path" ? [nextPrint, ...rest] : [];
    const later = worthOfLaterPrints(path, kappa, printEverySecs / fundingIntervalSecs);
    const nowSec = logicalMs / 1000;
    const nextSec = (Math.floor(nowSec / printEverySecs) + 1) * printEverySecs;
    const settlements = settlementsBetween(nowSec, nextSec, 0, fundingIntervalSecs);
    return carryFairValue({ lastPrint, nextPrint: nextPrint + later, drift: 0, kappa, settlements });
  }

  #take(usd: number): void {
    const newest = this.#history.at(-1) ?? usd;
    const before = this.#print === null ? this.#history.slice(0, -1).map((each) => (each * usd) / newest) : [];
    for (const each of [...before, usd]) this.#nowcast = observePrint(this.#nowcast, each, this.#nowcast.prints);
  }
}
