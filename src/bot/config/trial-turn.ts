// One turn of each strategy before a daemon runs it. On a view where nothing keeps it from quoting it must return quotes: a forgotten
// `return`, a promise or a NaN shows in `check` rather than in a market that goes unquoted.

import { checkedQuotes, QuoteFault } from "../strategy/checked-quotes.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import { plainView } from "../strategy/plain-view.ts";
import type { BotConfig, QuotedMarket } from "./config.ts";
import type { Conflict } from "./footprint.ts";

/** Strategies that return no quotes on a plain view, each at its line. */
export const trialConflicts = ({ accounts }: Pick<BotConfig, "accounts">): readonly Conflict[] =>
  accounts.flatMap(({ accountId, markets }, account) =>
    markets.flatMap(({ marketId, strategy }: QuotedMarket, position) => {
      const fault = faultOf(strategy, { accountId, marketId });
      if (fault === null) return [];
      const message = `${strategy.name} ${fault}, tried on a view in which all is well`;
      return [{ path: ["accounts", account, "markets", position, "strategy"], message }];
    }),
  );

function faultOf({ start }: LoadedStrategy, at: Pick<typeof plainView, "accountId" | "marketId">): string | null {
  try {
    const running = start();
    checkedQuotes(() => running.quote({ ...plainView, ...at }));
    return null;
  } catch (error) {
    if (error instanceof QuoteFault) return error.message;
    throw error;
  }
}
