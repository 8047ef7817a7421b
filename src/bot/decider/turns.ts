// Which markets turn in the steps that follow, each once, in the order in which they were asked to: those that an event concerns, those with
// answers that came together, and by the timer all others, in slices over its period.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { loopTiming } from "../timing.ts";
import type { Concern } from "./concerns.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { MarketDesk } from "./desks/market-desk.ts";

/** An account at work, and one of its markets. */
export type DeskPair = { readonly desk: AccountDesk; readonly market: MarketDesk };

/** A turn that was asked for. `causeMs`: when the event was received, monotonic; null: time alone. */
export type Asked = DeskPair & { readonly causeMs: number | null };

/** Markets of a slice: their turns take a millisecond or so, and whatever else is to be done waits for one slice and not for all. */
export const SLICE = 16;

type Slice = { readonly atMs: number; readonly pairs: readonly DeskPair[] };

export class Turns {
  readonly #asked = new Map<MarketDesk, Asked>();
  /** Those with answers that have just come: answers to the orders of a turn come together. */
  readonly #answered = new Map<MarketDesk, Asked>();
  /** Slices of a round that have not turned. */
  #slices: readonly Slice[] = [];

  get areWaiting(): boolean {
    return this.#asked.size > 0;
  }

  ask(pairs: readonly DeskPair[], causeMs: number | null): void {
    for (const pair of pairs) if (!this.#asked.has(pair.market)) this.#asked.set(pair.market, { ...pair, causeMs });
  }

  /** They turn with `due`. True: the first of them. */
  askAfterAnswers(pairs: readonly DeskPair[], causeMs: number): boolean {
    const isFirst = this.#answered.size === 0;
    for (const pair of pairs)
      if (!this.#answered.has(pair.market)) this.#answered.set(pair.market, { ...pair, causeMs });
    return isFirst;
  }

  /** The first slice turns now, the others with `due` at the instants returned, monotonic ms. None while a round before is under way. */
  round(pairs: readonly DeskPair[], nowMs: number): readonly number[] {
    if (this.#slices.length > 0) return [];
    const count = Math.ceil(pairs.length / SLICE);
    const [first, ...later] = Array.from({ length: count }, (_, at) => ({
      atMs: nowMs + (at * loopTiming.tickMs) / count,
      pairs: pairs.slice(at * SLICE, (at + 1) * SLICE),
    }));
    this.#slices = later;
    this.ask(first?.pairs ?? [], null);
    return later.map(({ atMs }) => atMs);
  }

  /** Asks for what is due. */
  due(nowMs: number): void {
    for (const [market, asked] of this.#answered) if (!this.#asked.has(market)) this.#asked.set(market, asked);
    this.#answered.clear();
    const due = this.#slices.filter(({ atMs }) => atMs - nowMs < loopTiming.earlyMs);
    this.#slices = this.#slices.slice(due.length);
    for (const { pairs } of due) this.ask(pairs, null);
  }

  /** The first that is to turn by `mayTurn`; those before it are passed over. */
  next(mayTurn: (asked: Asked) => boolean): Asked | undefined {
    for (const [market, asked] of this.#asked) {
      this.#asked.delete(market);
      if (mayTurn(asked)) return asked;
    }
    return undefined;
  }

  /** It turns already. */
  forget(market: MarketDesk): void {
    this.#asked.delete(market);
  }

  clear(): void {
    this.#asked.clear();
    this.#answered.clear();
    this.#slices = [];
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
