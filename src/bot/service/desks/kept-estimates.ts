// What a market has taught, kept in the ledger over the life of the process: read before anything is sent, written once a minute and at the
// end. Never a reason not to start: what cannot be used is said, and learned again.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { type Clock, instantOf } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type KeptSignals, readSignalsText, signalsText } from "../../strategy/kept-signals.ts";
import type { Log } from "../../telemetry/log.ts";
import { lifeTiming } from "../../timing.ts";
import type { AccountDesk } from "./account-desk.ts";
import type { MarketDesk } from "./market-desk.ts";

export type KeptModules = {
  readonly chainId: string;
  readonly ledger: Pick<Ledger, "read" | "estimates" | "takesMore" | "health">;
  readonly clock: Clock;
  readonly log: Log;
};

/** What earlier lives left of these markets of an account. */
export function keptEstimates(
  accountId: AccountId,
  markets: readonly MarketId[],
  { chainId, ledger, clock, log }: KeptModules,
): ReadonlyMap<MarketId, KeptSignals> {
  const kept = new Map<MarketId, KeptSignals>();
  const now = instantOf(clock);
  for (const { marketId, state } of ledger.read.estimates(accountId)) {
    if (marketId === null || !markets.includes(marketId)) continue;
    try {
      kept.set(marketId, readSignalsText(state, marketId, chainId, now));
    } catch (error) {
      sayDropped(accountId, marketId, messageOf(error), log);
    }
  }
  return kept;
}

export const sayDropped = (accountId: AccountId, marketId: MarketId, why: string, log: Log): void =>
  log.warn(
    { event: "estimates.dropped", account: `${accountId}`, market: marketId },
    `market ${marketId}: the estimates that the ledger has of it cannot be used and are learned again: ${why}`,
  );

/** So many parts of the markets, one after the other, make all of them once a minute. */
const PARTS = lifeTiming.estimatesEveryMs / lifeTiming.keepMs;

export class EstimatesKeeper {
  readonly #modules: Pick<KeptModules, "chainId" | "ledger" | "clock">;
  readonly #desks: ReadonlyMap<AccountId, AccountDesk>;
  #part = 0;

  constructor(desks: ReadonlyMap<AccountId, AccountDesk>, modules: Pick<KeptModules, "chainId" | "ledger" | "clock">) {
    this.#desks = desks;
    this.#modules = modules;
  }

  /** Writes a part of them down: call it each second. While the disk fails it can wait. */
  keepPart(): void {
    const markets = this.#markets();
    const from = Math.floor((this.#part * markets.length) / PARTS);
    this.#part += 1;
    const to = Math.floor((this.#part * markets.length) / PARTS);
    this.#part %= PARTS;
    if (this.#modules.ledger.health().ok) this.#keep(markets.slice(from, to));
  }

  keepAll(): void {
    this.#keep(this.#markets());
  }

  #markets(): readonly MarketDesk[] {
    return [...this.#desks.values()].flatMap(({ markets }) => [...markets.values()]);
  }

  #keep(markets: readonly MarketDesk[]): void {
    const { chainId, ledger, clock } = this.#modules;
    if (!ledger.takesMore) return;
    const now = instantOf(clock);
    for (const { accountId, marketId, signals, knownName, keptMemory } of markets) {
      if (knownName === null) continue;
      const state = signalsText(signals, { chainId, name: knownName }, now, keptMemory);
      ledger.estimates({ accountId, marketId, state, atMs: now.wallMs });
    }
  }
}
