// Which markets turn in the next steps, each once, in the order in which their turns were requested: for an event, for answers that came
// together, for the next tick, and for a due instant.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { loopTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { MarketDesk } from "../desks/market-desk.ts";
import type { Concern } from "./concerns.ts";

/** An account at work, and one of its markets. */
export type DeskPair = { readonly desk: AccountDesk; readonly market: MarketDesk };

/** A requested turn. `causeMs`: when the event was received, monotonic; null: caused by time alone. */
export type Asked = DeskPair & { readonly causeMs: number | null };

export class Turns {
  readonly #asked = new Map<MarketDesk, Asked>();
  /** Markets with new answers: answers to the orders of one turn come together. */
  readonly #answered = new Map<MarketDesk, Asked>();
  /** Markets touched since their last look. */
  readonly #touched = new Map<MarketDesk, DeskPair>();
  /** When to look at each market though nothing happens, monotonic ms. */
  readonly #due = new Map<MarketDesk, DeskPair & { readonly atMs: number }>();
  /** The earliest requested wake that has not come, monotonic ms. */
  #wakeMs = Number.POSITIVE_INFINITY;
  #isScheduleNew = false;

  get areWaiting(): boolean {
    return this.#asked.size > 0;
  }

  ask(pairs: readonly DeskPair[], causeMs: number | null): void {
    for (const pair of pairs) if (!this.#asked.has(pair.market)) this.#asked.set(pair.market, { ...pair, causeMs });
  }

  /** These markets turn with `due`. Returns true for the first of them. */
  askAfterAnswers(pairs: readonly DeskPair[], causeMs: number): boolean {
    const isFirst = this.#answered.size === 0;
    for (const pair of pairs)
      if (!this.#answered.has(pair.market)) this.#answered.set(pair.market, { ...pair, causeMs });
    return isFirst;
  }

  /** The next tick asks for their turns, unless they are looked at before. */
  touch(pairs: readonly DeskPair[]): void {
    for (const pair of pairs) this.#touched.set(pair.market, pair);
  }

  /** Asks for turns of touched markets. */
  tick(): void {
    this.ask([...this.#touched.values()], null);
    this.#touched.clear();
  }

  /** Looks at the market at `atMs`, monotonic ms, or sooner if something happens. */
  lookAt(pair: DeskPair, atMs: number): void {
    this.#due.set(pair.market, { ...pair, atMs });
    this.#isScheduleNew = true;
  }

  due(nowMs: number): void {
    for (const [market, asked] of this.#answered) if (!this.#asked.has(market)) this.#asked.set(market, asked);
    this.#answered.clear();
    if (this.#wakeMs - nowMs < loopTiming.earlyMs) this.#wakeMs = Number.POSITIVE_INFINITY;
    this.#isScheduleNew = true;
    for (const [market, { atMs, ...pair }] of this.#due) {
      if (atMs - nowMs >= loopTiming.earlyMs) continue;
      this.#due.delete(market);
      this.ask([pair], null);
    }
  }

  /** Returns when to call `due` next; empty: already requested. */
  wakes(): readonly number[] {
    if (!this.#isScheduleNew) return [];
    this.#isScheduleNew = false;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.#due.values()) nextMs = Math.min(nextMs, atMs);
    if (nextMs >= this.#wakeMs) return [];
    this.#wakeMs = nextMs;
    return [nextMs];
  }

  /** Returns the first market that passes `mayTurn` and drops those before it. */
  next(mayTurn: (asked: Asked) => boolean): Asked | undefined {
    for (const [market, asked] of this.#asked) {
      this.#asked.delete(market);
      this.#touched.delete(market);
      if (mayTurn(asked)) return asked;
    }
    return undefined;
  }

  /** Call it when the market turns. */
  forget(market: MarketDesk): void {
    this.#asked.delete(market);
    this.#touched.delete(market);
  }

  clear(): void {
    this.#asked.clear();
    this.#answered.clear();
    this.#touched.clear();
    this.#due.clear();
  }
}

export function pairsOf(
  desks: ReadonlyMap<AccountId, AccountDesk>,
  { account, market: id }: Concern,
): readonly DeskPair[] {
  const pairs: DeskPair[] = [];
  for (const desk of desks.values()) {
    if (account !== null && account !== desk.accountId) continue;
    const markets = id === null ? desk.markets.values() : [desk.markets.get(id)];
    for (const market of markets) if (market !== undefined) pairs.push({ desk, market });
  }
  return pairs;
}

export const pairOf = (
  desks: ReadonlyMap<AccountId, AccountDesk>,
  accountId: AccountId,
  marketId: MarketId | null,
): DeskPair | null => {
  const desk = desks.get(accountId);
  const market = marketId === null ? undefined : desk?.markets.get(marketId);
  return desk === undefined || market === undefined ? null : { desk, market };
};
