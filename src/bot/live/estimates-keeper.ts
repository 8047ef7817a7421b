// Writes down what the markets have taught, once a minute and at the end.

import type { AccountId } from "../../domain/units.ts";
import { type Clocks, instantOf } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import { fundedTo } from "../account/funding-away.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import { accountText, marketText } from "../decider/desks/kept-estimates.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { processTiming } from "../timing.ts";

/** The accounts and markets are split into so many parts, written one after the other within a minute. */
const PARTS = processTiming.estimatesEveryMs / processTiming.keepMs;

type KeeperModules = {
  readonly chainId: string;
  readonly ledger: Pick<Ledger, "keep" | "takesMore" | "health">;
  readonly clock: Clocks;
  readonly state: Pick<BotState, "accounts">;
};

export class EstimatesKeeper {
  readonly #modules: KeeperModules;
  readonly #desks: ReadonlyMap<AccountId, AccountDesk>;
  #part = 0;

  constructor(desks: ReadonlyMap<AccountId, AccountDesk>, modules: KeeperModules) {
    this.#desks = desks;
    this.#modules = modules;
  }

  /** Writes one part down: call it each second. While the disk fails it can wait. */
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
      if (state !== null)
        ledger.keep({ kind: "estimates", estimates: { accountId, marketId, state, atMs: now.wallMs } });
    }
  }
}
