// Accounts without an engine, for tests of who owns what and who may do what.

import { createRegistry, newAccount, type Registry } from "../../../../src/devnet/accounts/registry.ts";
import { createTables } from "../../../../src/devnet/accounts/table.ts";
import { accountId } from "../../../../src/domain/units.ts";

/** A key of 64 hex characters that reads as its one letter. */
export const keyOf = (letter: string): string => letter.charCodeAt(0).toString(16).repeat(32);

/** Account 1 of owner a with subaccounts 2 and 3, account 10 of owner b, vault 20 led by b. */
export function createFamilies(): Registry {
  const registry = createRegistry(createTables(() => undefined));
  const base = { masterAccountId: null, createdAtMs: 0 };
  const sub = { masterAccountId: accountId(1n), kind: "subaccount", createdAtMs: 0 } as const;
  registry.put(newAccount({ ...base, accountId: accountId(1n), owner: keyOf("a"), kind: "personal" }));
  registry.put(newAccount({ ...sub, accountId: accountId(2n), owner: keyOf("a") }));
  registry.put(newAccount({ ...sub, accountId: accountId(3n), owner: keyOf("a") }));
  registry.put(newAccount({ ...base, accountId: accountId(10n), owner: keyOf("b"), kind: "personal" }));
  registry.put(newAccount({ ...base, accountId: accountId(20n), owner: keyOf("b"), kind: "vault" }));
  return registry;
}

export function rowOf(registry: Registry, id: bigint) {
  const row = registry.account(accountId(id));
  if (row === undefined) throw new Error(`no account ${id}`);
  return row;
}
