// One turn of each strategy before a daemon runs it. On a view where nothing keeps it from quoting it must return quotes, or say why not: a
// forgotten `return`, a promise or a NaN shows before the market goes unquoted.

import { sourcePlace } from "../../kernel/errors.ts";
import { checkedQuotes, QuoteFault } from "../strategy/checked-quotes.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import { plainView } from "../strategy/plain-view.ts";
import type { BotConfig } from "./config.ts";
import type { Conflict } from "./footprint.ts";

/** What sees that a trial ends, and what it touched: the thread that holds it. */
export type TrialModules = {
  /** Called before each trial with the place of the strategy, and the line of its `quote`. */
  readonly trying: (path: readonly PropertyKey[], quoteAt: string | null) => void;
  readonly takeAmbientUse: () => string | null;
};

/** Strategies that return no quotes on a plain view, each at its place in the configuration, with the line of its own file. */
export function* trialConflicts(
  { accounts }: Pick<BotConfig, "accounts">,
  { trying, takeAmbientUse }: TrialModules,
): Generator<Conflict> {
  for (const [account, { accountId, markets }] of accounts.entries())
    for (const [position, { marketId, strategy: traded, shadow }] of markets.entries())
      for (const [name, strategy] of [["strategy", traded] as const, ["shadow", shadow?.strategy] as const]) {
        if (strategy === undefined) continue;
        const path = ["accounts", account, "markets", position, ...(name === "shadow" ? [name, "strategy"] : [name])];
        trying(path, strategy.quoteAt);
        const fault = faultOf(strategy, { accountId, marketId });
        const ambient = takeAmbientUse();
        if (fault === null && ambient === null) continue;
        yield { path, message: `${strategy.name} ${ambient ?? fault}, tried on a view in which all is well` };
      }
}

function faultOf(
  { start, quoteAt }: LoadedStrategy,
  at: Pick<typeof plainView, "accountId" | "marketId">,
): string | null {
  try {
    const running = start();
    const { quotes, reason } = checkedQuotes(() => running.quote({ ...plainView, ...at }));
    const isEmpty = quotes.every(({ price, size }) => price <= 0n || size <= 0n);
    if (!isEmpty || (reason ?? "").trim() !== "") return null;
    return withPlace("returned no quotes, and no reason why", quoteAt);
  } catch (error) {
    if (error instanceof QuoteFault) return withPlace(error.message, sourcePlace(error.cause) ?? quoteAt);
    throw error;
  }
}

const withPlace = (words: string, place: string | null): string => (place === null ? words : `${words} at ${place}`);
