// What the ledger is told of an account's worth is what is known at that moment.

import { expect, test } from "vitest";
import type { AccountState, BotState } from "../../../../../src/bot/account/account-state.ts";
import { foldBook } from "../../../../../src/bot/accounting/account-book.ts";
import { keepEquity } from "../../../../../src/bot/decider/desks/equity.ts";
import { usdc } from "../../../../../src/domain/units.ts";
import type { View } from "../../../../../src/domain/view.ts";
import { instantOf, systemClock } from "../../../../../src/kernel/clock.ts";
import { transferOf } from "../../accounting/books.ts";
import { account, Desks, other } from "../../service/desks.ts";

test("a fill after the last turn is in the collateral, as it is in the book, and so is a difference that nothing explains yet", () => {
  const world = new Desks();
  foldBook(world.desk().book, transferOf("opening", 499n));
  const view = (of: typeof account): View =>
    ({
      funds:
        of === account
          ? { state: "stale", value: { collateral: usdc(499n), equity: usdc(506n) }, ageMs: 9000 }
          : { state: "absent" },
    }) as unknown as View;
  const turned = {
    view: { funds: { state: "fresh", value: { collateral: usdc(500n), equity: usdc(500n) }, ageMs: 0 } },
  };
  for (const market of world.desk().markets.values()) market.last = turned as unknown as typeof market.last;
  const differing = { collateral: { unexplained: { amount: usdc(-3n) } } } as unknown as AccountState;
  const state = { accounts: new Map([[account, differing]]), chain: { offsetMs: null } as BotState["chain"] };
  keepEquity({ state, desks: world.desks, now: instantOf(systemClock), view });
  world.ledger.commit();
  const kept = world.ledger.read.lastEquity(account);
  expect(kept).toMatchObject({ collateral: 496n, unrealizedPnl: 7n, unexplained: -3n });
  expect(world.ledger.read.lastEquity(other), "never read").toBeUndefined();
});
