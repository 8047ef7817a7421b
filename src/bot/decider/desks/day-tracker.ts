// A result since the start of the day, for limits on loss and drawdown. A day begins once both the exchange's clock and ours are in it,
// and never gives way to an earlier one: neither a clock that is briefly wrong nor a restart forgets a loss.

import { type Usdc, usdc } from "../../../domain/units.ts";
import { absent, type Fact } from "../../../domain/view.ts";
import { DAY_MS } from "../../../kernel/clock.ts";
import { type DailyPnl, nextDailyPnl } from "../../risk/risk-state.ts";

/** Returns the number of the day (UTC) that has begun by chain time and by wall time; null while chain time is unknown. */
export const dayOf = (chainTimeMs: number | null, wallMs: number): number | null =>
  chainTimeMs === null ? null : Math.floor(Math.min(chainTimeMs, wallMs) / DAY_MS);

/** `before`: the total profit at the start of the day. */
export type DayState = { readonly day: number; readonly before: Usdc; readonly result: DailyPnl };

export class DayTracker {
  #state: DayState | null;

  /** Continues an earlier run's day; null: there is none. */
  constructor(state: DayState | null) {
    this.#state = state;
  }

  /** The same object until a number changes; null before the first total. */
  get state(): DayState | null {
    return this.#state;
  }

  /** Takes the current total profit; the first total of a day starts it at zero. `day` null: unknown, the day continues. */
  observe(total: Usdc, day: number | null): void {
    const last = this.#state;
    const today = last === null ? day : Math.max(last.day, day ?? last.day);
    if (today === null) return;
    const known = last?.day === today ? last : null;
    const before = known?.before ?? total;
    const result = nextDailyPnl(known?.result ?? null, usdc(total - before));
    if (known !== null && known.result.pnl === result.pnl && known.result.best === result.best) return;
    this.#state = { day: today, before, result };
  }

  /** The next total restarts the count at zero: an operator has accepted the loss. */
  restart(): void {
    this.#state = null;
  }

  /** Absent before the first total. */
  dailyPnl(): Fact<DailyPnl> {
    return this.#state === null ? absent : { state: "fresh", value: this.#state.result, ageMs: 0 };
  }
}
