// Accounts by number and by owner key, families (a master and its subaccounts), NATIVE balances, agent keys. The engine holds USDC,
// positions and orders.

import type { Agent } from "../../domain/account.ts";
import type { MarginMode } from "../../domain/order.ts";
import { type AccountId, accountId, type Native, native, type Usdc, usdc } from "../../domain/units.ts";
import type { Table, Tables } from "./table.ts";

/** A personal account is a master; a vault is traded by its leader and has no master; a system account has no owner. */
export type AccountKind = "personal" | "subaccount" | "vault" | "system";

export type AccountRow = {
  readonly accountId: AccountId;
  /** 64 lowercase hex characters. */
  readonly owner: string;
  readonly masterAccountId: AccountId | null;
  readonly kind: AccountKind;
  readonly mode: MarginMode;
  /** A closed account keeps its row, because its number is never reused. */
  readonly state: "pendingActivation" | "open" | "closed";
  readonly createdAtMs: number;
  readonly native: Native;
  readonly referredBy: AccountId | null;
  /** Lifetime volume of closed subaccounts; kept on their master. */
  readonly closedVolume: Usdc;
  readonly agents: readonly Agent[];
};

export type Registry = {
  readonly account: (id: AccountId) => AccountRow | undefined;
  readonly put: (row: AccountRow) => void;
  readonly count: () => number;
  /** Accounts of an owner key that are not closed, ordered by number; includes vaults that it leads, excludes system accounts. */
  readonly ownedBy: (owner: string) => readonly AccountRow[];
  readonly owns: (owner: string) => boolean;
  /** The owner's personal account, pending or open. */
  readonly personal: (owner: string) => AccountRow | undefined;
  /** The master of the account's family: the account itself unless it is a subaccount. */
  readonly masterOf: (row: AccountRow) => AccountRow;
  /** Open subaccounts of a master. */
  readonly subaccountsOf: (master: AccountId) => readonly AccountRow[];
  /** Accounts that list the key as an agent, even an expired one, ordered by number. */
  readonly withAgent: (pubkey: string) => readonly AccountRow[];
  /** Accounts that this account referred, ordered by number. */
  readonly referredBy: (id: AccountId) => readonly AccountRow[];
  /** The next free number; each is assigned only once. */
  readonly assignId: () => AccountId;
};

/** Assigned numbers start here; accounts in the configuration may have any number. */
const FIRST_ASSIGNED = 1000n;
const OWNER_OF_SYSTEM = "0".repeat(64);

export function createRegistry(tables: Tables): Registry {
  const accounts: Table<AccountRow> = tables.open("account");
  const counters: Table<bigint> = tables.open("accountCounter");
  const byOwner = accounts.index((row) => (row.state === "closed" || row.kind === "system" ? [] : [row.owner]));
  const byMaster = accounts.index((row) =>
    row.state === "closed" || row.masterAccountId === null ? [] : [keyOf(row.masterAccountId)],
  );
  const byAgent = accounts.index((row) => (row.state === "closed" ? [] : row.agents.map((agent) => agent.pubkey)));
  const byReferrer = accounts.index((row) => (row.referredBy === null ? [] : [keyOf(row.referredBy)]));
  const account = (id: AccountId) => accounts.get(keyOf(id));
  const ownedBy = (owner: string) => inOrder(byOwner(owner));

  return {
    account,
    put: (row) => accounts.set(keyOf(row.accountId), row),
    count: accounts.size,
    ownedBy,
    owns: (owner) => byOwner(owner).length > 0,
    personal: (owner) => byOwner(owner).find((row) => row.kind === "personal"),
    masterOf: (row) => (row.masterAccountId === null ? row : (account(row.masterAccountId) ?? row)),
    subaccountsOf: (master) => inOrder(byMaster(keyOf(master))),
    withAgent: (pubkey) => inOrder(byAgent(pubkey)),
    referredBy: (id) => inOrder(byReferrer(keyOf(id))),
    assignId() {
      let next = (counters.get("last") ?? FIRST_ASSIGNED - 1n) + 1n;
      while (accounts.get(keyOf(next)) !== undefined) next += 1n;
      counters.set("last", next);
      return accountId(next);
    },
  };
}

const inOrder = (rows: readonly AccountRow[]): readonly AccountRow[] =>
  rows.length < 2 ? rows : rows.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));

const keyOf = (id: bigint): string => id.toString();

/** 64 lowercase hex characters. */
export const isOwnerKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** A row for a newly opened account: no NATIVE, no agents, no referrer, cross margin. */
export function newAccount(
  of: Pick<AccountRow, "accountId" | "owner" | "masterAccountId" | "kind" | "createdAtMs"> & Partial<AccountRow>,
): AccountRow {
  const empty = { native: native(0n), closedVolume: usdc(0n), referredBy: null, agents: [] };
  return { mode: "Cross", state: "open", ...empty, ...of };
}

/** The account that takes over positions in a backstop liquidation. No key controls it. */
export const systemAccount = (id: AccountId, createdAtMs: number): AccountRow =>
  newAccount({ accountId: id, owner: OWNER_OF_SYSTEM, masterAccountId: null, kind: "system", createdAtMs });
