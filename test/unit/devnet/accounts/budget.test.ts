// The budget of transactions that an account may have executed (S4.2, NS-11).

import { describe, expect, test } from "vitest";
import { createBudget } from "../../../../src/devnet/accounts/budget.ts";
import { createTables } from "../../../../src/devnet/accounts/table.ts";
import { accountId, usdc } from "../../../../src/domain/units.ts";

const account = accountId(1n);

describe("request budget", () => {
  test("ends at the cap, goes on for cancels up to twice it, and grows by one a USDC traded", () => {
    let volume = usdc(0n);
    const budget = createBudget(
      { actionBudget: 3, requestsPerSecond: 0 },
      createTables(() => undefined),
      () => volume,
    );
    for (let count = 0; count < 3; count += 1) {
      expect(budget.refusal(account, false)).toBeUndefined();
      budget.count(account);
    }
    expect(budget.refusal(account, false)).toContain("3 transactions");
    for (let count = 0; count < 3; count += 1) {
      expect(budget.refusal(account, true)).toBeUndefined();
      budget.count(account);
    }
    expect(budget.refusal(account, true)).toContain("6 transactions");
    expect(budget.rateLimit(account)).toMatchObject({ requestsUsed: 6n, requestsCap: 3n, requestsRemaining: 0n });

    volume = usdc(4_999_999n);
    expect(budget.rateLimit(account)).toMatchObject({ requestsCap: 7n, requestsRemaining: 1n, cancelCap: 14n });
    expect(budget.refusal(account, false)).toBeUndefined();
  });

  test("cancels go no more than a hundred thousand further", () => {
    const budget = createBudget(
      { actionBudget: 1_000_000, requestsPerSecond: 0 },
      createTables(() => undefined),
      () => usdc(0n),
    );
    expect(budget.rateLimit(account).cancelCap).toBe(1_100_000n);
  });

  test("a budget of 0 is no limit and leaves no record", () => {
    const records: string[] = [];
    const budget = createBudget(
      { actionBudget: 0, requestsPerSecond: 0 },
      createTables((record) => records.push(record)),
      () => usdc(0n),
    );
    budget.count(account);
    expect(budget.refusal(account, false)).toBeUndefined();
    expect(budget.rateLimit(account).requestsCap).toBeNull();
    expect(records).toEqual([]);
  });
});
