// One pass of the loop on facts that are given: what the strategy is shown, and what leaves.

import { expect, test } from "vitest";
import { takeTurn } from "../../../../../src/bot/decider/turns/turn.ts";
import { nothingObserved } from "../../../../../src/bot/risk/observed.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import { lastKnown, type View } from "../../../../../src/domain/view.ts";
import { healthyLimits, healthyState, healthyView, now, oracle, trusting, usd } from "../../risk/healthy.ts";

test("forbidden: to show a strategy an unconfirmed print", () => {
  const shown: View[] = [];
  const doubtful = { price: usd(300), publishedMs: oracle.lastUpdateTimestampMs + 1, isDated: true };
  const turn = takeTurn({
    requoteDepths: 0.5,
    queueTicks: 0,
    modifies: "all",
    usualHalfSpreadBps: 5,
    view: { ...healthyView, oracle: now({ ...oracle, price: usd(300) }) },
    strategy: {
      quote: (view) => {
        shown.push(view);
        return noQuotes("a test");
      },
    },
    limits: healthyLimits,
    state: { ...healthyState, observed: { ...nothingObserved, prints: { ...trusting(200), doubtful } } },
  });
  expect(shown.map((view) => lastKnown(view.oracle)?.price)).toEqual([usd(200)]);
  expect(lastKnown(turn.view.oracle)?.price).toBe(usd(300));
});
