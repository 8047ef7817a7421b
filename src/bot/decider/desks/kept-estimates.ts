// What a market has taught and what its fills have lost, kept in the ledger over the end of a process: read before anything is sent, written
// once a minute and at the end. Never a reason not to start: what cannot be used is said, and learned again.

import type { FundedTo } from "../../../domain/market.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { type Clock, type Instant, instantOf } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { BotState } from "../../account/account-state.ts";
import { fundedTo } from "../../account/funding-away.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { movesText, readMovesText } from "../../strategy/kept-moves.ts";
import { readSignalsText, signalsText } from "../../strategy/kept-signals.ts";
import { type MarkMoves, noMarkMoves } from "../../strategy/mark-moves.ts";
import type { Log } from "../../telemetry/log.ts";
import { processTiming } from "../../timing.ts";
import type { AccountDesk } from "./account-desk.ts";
import { adverseKept, type KeptMarket, readAdverse } from "./kept-adverse.ts";
import type { MarketDesk } from "./market-desk.ts";

export type KeptModules = {
  readonly chainId: string;
  readonly ledger: Pick<Ledger, "read" | "estimates" | "takesMore" | "health">;
  readonly clock: Clock;
  readonly log: Log;
};

/** What earlier runs left of these markets of an account. */
export function keptEstimates(
  accountId: AccountId,
  markets: readonly MarketId[],
  { chainId, ledger, clock, log }: KeptModules,
): ReadonlyMap<MarketId, KeptMarket> {
  const kept = new Map<MarketId, KeptMarket>();
  const now = instantOf(clock);
  for (const { marketId, state } of ledger.read.estimates(accountId)) {
    if (marketId === null || !markets.includes(marketId)) continue;
    try {
      const read = readSignalsText(state, marketId, chainId, now);
      kept.set(marketId, { ...read, adverse: readAdverse(read.adverse, read.downMs, now) });
    } catch (error) {
      sayDropped(accountId, marketId, messageOf(error), log);
    }
  }
  return kept;
}

/** The same of how the account's markets move together. */
export function keptMoves(accountId: AccountId, { chainId, ledger, clock, log }: KeptModules): MarkMoves<MarketId> {
  const row = ledger.read.estimates(accountId).find(({ marketId }) => marketId === null);
  if (row === undefined) return noMarkMoves;
  try {
    return readMovesText(row.state, chainId, instantOf(clock));
  } catch (error) {
    sayDropped(accountId, null, messageOf(error), log);
    return noMarkMoves;
  }
}

/** `marketId` null: of the account's markets together. */
export function sayDropped(accountId: AccountId, marketId: MarketId | null, why: string, log: Log): void {
  const place = marketId === null ? `account ${accountId}, its markets together` : `market ${marketId}`;
  log.warn(
    { event: "estimates.dropped", account: `${accountId}`, market: marketId },
    `${place}: the estimates that the ledger has cannot be used and are learned again: ${why}`,
  );
}

/** So many parts of the accounts and markets, one after the other, make all of them once a minute. */
const PARTS = processTiming.estimatesEveryMs / processTiming.keepMs;

type KeeperModules = Pick<KeptModules, "chainId" | "ledger" | "clock"> & { readonly state: Pick<BotState, "accounts"> };

export class EstimatesKeeper {
  readonly #modules: KeeperModules;
  readonly #desks: ReadonlyMap<AccountId, AccountDesk>;
  #part = 0;

  constructor(desks: ReadonlyMap<AccountId, AccountDesk>, modules: KeeperModules) {
    this.#desks = desks;
    this.#modules = modules;
  }

  /** Writes a part of them down: call it each second. While the disk fails it can wait. */
  keepPart(): void {
    const all = this.#all();
    const from = Math.floor((this.#part * all.length) / PARTS);
    this.#part += 1;
    const to = Math.floor((this.#part * all.length) / PARTS);
    this.#part %= PARTS;
    if (this.#modules.ledger.health().ok) this.#keep(all.slice(from, to));
  }

  keepAll(): void {
    this.#keep(this.#all());
  }

  #all(): readonly (AccountDesk | MarketDesk)[] {
    return [...this.#desks.values()].flatMap((desk) => [desk, ...desk.markets.values()]);
  }

  #keep(desks: readonly (AccountDesk | MarketDesk)[]): void {
    const { chainId, ledger, clock, state: bot } = this.#modules;
    if (!ledger.takesMore) return;
    const now = instantOf(clock);
    for (const desk of desks) {
      const { accountId } = desk;
      const marketId = "marketId" in desk ? desk.marketId : null;
      const account = bot.accounts.get(accountId);
      const funded = marketId === null || account === undefined ? null : fundedTo(account, marketId);
      const state = "marketId" in desk ? marketText(desk, chainId, now, funded) : accountText(desk, chainId, now);
      if (state !== null) ledger.estimates({ accountId, marketId, state, atMs: now.wallMs });
    }
  }
}

/** `funded`: up to where the account's book has the market's funding. Null: nothing was learned yet. */
export function marketText(
  { signals, knownName, keptMemory, observed }: MarketDesk,
  chainId: string,
  now: Instant,
  funded: FundedTo | null = null,
): string | null {
  if (knownName === null) return null;
  const beside = { memory: keptMemory, adverse: adverseKept(observed.adverse, now), funded };
  return signalsText(signals, { chainId, name: knownName }, now, beside);
}

const accountText = ({ correlatedRisk: { moves } }: AccountDesk, chainId: string, now: Instant): string | null =>
  moves.looks.some((looks) => looks > 0) ? movesText(moves, chainId, now) : null;
