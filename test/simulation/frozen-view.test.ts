// What a strategy is handed cannot be changed: guard, plan, estimators and other accounts go by the same facts. Worlds under faults show each
// kind of fact, order and doubt.

import { expect, test } from "vitest";
import type { BotConfig } from "../../src/bot/config/config.ts";
import type { LoadedStrategy } from "../../src/bot/strategy/loader.ts";
import { othersBook } from "../../src/domain/others-book.ts";
import { lastKnown, type View } from "../../src/domain/view.ts";
import { runWorld } from "../../src/sim/run.ts";
import { mutableIn } from "../support/mutable-in.ts";

const SEEDS = [3n, 11n, 29n];
const MINUTES = 4;

/** What must have been in a view before it is said that it is frozen there. */
const kinds: Readonly<Record<string, (view: View) => boolean>> = {
  "resting orders": ({ orders }) => orders.some(({ state }) => state === "working"),
  "an order on its way": ({ orders }) => orders.some(({ state }) => state === "inFlight"),
  "a modify on its way": ({ orders }) =>
    orders.some(({ pending, movingTo }) => pending !== null && movingTo.length > 0),
  "an order with a place in the queue": ({ orders }) => orders.some(({ queueAhead }) => queueAhead !== null),
  "places left": ({ vacated }) => vacated.length > 0,
  "a book on both sides": ({ book }) => (lastKnown(book)?.bids[0] && lastKnown(book)?.asks[0]) !== undefined,
  "others' book without ours": (view) => {
    const book = lastKnown(view.book);
    return book !== undefined && othersBook(book, view) !== book;
  },
  "a margin schedule": ({ market }) => (lastKnown(market)?.marginTiers.length ?? 0) > 0,
  "a position": ({ position }) => (lastKnown(position)?.inventory ?? 0n) !== 0n,
  "funds, agent, fees, funding": (view) =>
    [view.funds, view.agent, view.feeTier, view.funding].every(({ state }) => state === "fresh"),
  "the next print": ({ signals }) => signals.nextPrint !== null,
  "a resync": ({ resync }) => resync !== null,
  "a stale fact": ({ oracle }) => oracle.state === "stale",
  "a doubt": ({ oracle, chain, market }) => [oracle, chain, market].some((fact) => "doubt" in fact),
  "an absent fact": ({ funds }) => funds.state === "absent",
};

const seen = new Set<string>();
const mutable = new Set<string>();

function look(view: View): void {
  for (const [kind, is] of Object.entries(kinds)) if (!seen.has(kind) && is(view)) seen.add(kind);
  const book = lastKnown(view.book);
  for (const path of [...mutableIn(view, "view"), ...mutableIn(book && othersBook(book, view), "others")])
    mutable.add(path.replaceAll(/\.\d+/g, ".*"));
}

/** The same strategy, whose every view and parameter is looked at before it quotes. */
function looking(strategy: LoadedStrategy): LoadedStrategy {
  const watched = (start: LoadedStrategy["start"]) => (given?: unknown) => {
    const running = start(given);
    for (const path of mutableIn(strategy.params, "params")) mutable.add(path);
    return {
      ...running,
      quote(view: View) {
        look(view);
        const quotes = running.quote(view);
        look(view);
        return quotes;
      },
    };
  };
  return { ...strategy, start: watched(strategy.start), resume: watched(strategy.resume) };
}

const config = (bot: BotConfig): BotConfig => ({
  ...bot,
  accounts: bot.accounts.map((account) => ({
    ...account,
    markets: account.markets.map((market) => ({ ...market, strategy: looking(market.strategy) })),
  })),
});

test("law: nothing that a strategy is handed can be changed by it", async () => {
  for (const seed of SEEDS) {
    const { violation } = await runWorld({ seed, minutes: MINUTES, swaps: { config } });
    expect(violation).toBeNull();
  }
  expect(Object.keys(kinds).filter((kind) => !seen.has(kind))).toEqual([]);
  expect([...mutable]).toEqual([]);
});
