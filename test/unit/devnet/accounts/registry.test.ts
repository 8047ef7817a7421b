// Owners, families and numbers of accounts.

import { describe, expect, test } from "vitest";
import { newAccount } from "../../../../src/devnet/accounts/registry.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { createFamilies, keyOf, rowOf } from "./world.ts";

const numbers = (rows: readonly { readonly accountId: bigint }[]) => rows.map((row) => Number(row.accountId));

describe("registry", () => {
  test("finds families and owners by number", () => {
    const registry = createFamilies();
    expect(numbers(registry.ownedBy(keyOf("a")))).toEqual([1, 2, 3]);
    expect(numbers(registry.subaccountsOf(accountId(1n)))).toEqual([2, 3]);
    expect(registry.masterOf(rowOf(registry, 3n)).accountId).toBe(1n);
    expect(registry.masterOf(rowOf(registry, 10n)).accountId).toBe(10n);
  });

  test("the personal account is the master, never the vault that its owner leads", () => {
    const registry = createFamilies();
    expect(registry.personal(keyOf("b"))?.accountId).toBe(10n);
    registry.put({ ...rowOf(registry, 10n), state: "closed" });
    expect(registry.personal(keyOf("b"))).toBeUndefined();
  });

  test("a closed account is out of every list, and its number is never assigned", () => {
    const registry = createFamilies();
    registry.put({ ...rowOf(registry, 2n), state: "closed" });
    expect(numbers(registry.subaccountsOf(accountId(1n)))).toEqual([3]);
    expect(numbers(registry.ownedBy(keyOf("a")))).toEqual([1, 3]);

    const first = registry.assignId();
    const taken = accountId(first + 1n);
    const base = { masterAccountId: null, createdAtMs: 0, kind: "personal", owner: keyOf("c") } as const;
    registry.put(newAccount({ ...base, accountId: taken, state: "closed" }));
    expect(registry.assignId()).toBe(first + 2n);
  });
});
