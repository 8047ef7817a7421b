// Reads lists that the exchange may send in another form (S4.2 shows no empty list, and S2.6 no order record). HTTP 404 or null counts as
// an empty list only if the path returned a list before, or if the account's own read or the counts in its owner's assets show that nothing
// is there. Orders and positions missing in an account's read come from their own paths.

import type { Account, OpenOrders, Positions } from "../domain/account.ts";
import type { Trade } from "../domain/fill.ts";
import type { AccountId, MarketId } from "../domain/units.ts";
import { WireError } from "./errors.ts";
import { accountReads, exchangeReads, type Read } from "./reads.ts";
import { type AccountItself, isWhole } from "./rest/accounts.ts";

export type ListModules = {
  /** Rejects if the read failed. */
  readonly get: <T>(read: Read<T>) => Promise<T>;
  /** Whether the exchange answered 404. */
  readonly isMissing: (failure: unknown) => boolean;
  /** Paths that returned a list before; read and updated here. */
  readonly given: Set<string>;
  /** True if a missing list of orders or positions is known to mean an empty one. */
  readonly isMissingEmpty: boolean;
};

export type ListReads = {
  readonly account: (id: AccountId) => Promise<Account>;
  readonly accountOf: (owner: string) => Promise<Account>;
  readonly orders: (id: AccountId) => Promise<OpenOrders>;
  readonly positions: (id: AccountId) => Promise<Positions>;
  readonly trades: (id: MarketId) => Promise<readonly Trade[]>;
};

const noOrders: OpenOrders = { openOrders: [], unreadable: [] };
const noPositions: Positions = { positions: [], unreadable: [] };

/** Each rejects with the error of `get`. */
export function createListReads({ get, isMissing, given, isMissingEmpty }: ListModules): ListReads {
  /** `isNone` is asked if nothing else shows that the missing list is empty. */
  async function listed<T>(read: Read<T>, none: T, isNone: () => Promise<boolean>): Promise<T> {
    try {
      const list = await get(read);
      given.add(read.path);
      return list;
    } catch (failure) {
      if (!isMissing(failure) && !isNull(failure)) throw failure;
      // If `isNone` fails, for any reason, the list counts as missing, not as empty.
      const isEmpty = given.has(read.path) || (await isNone().catch(() => false));
      if (!isEmpty) throw failure;
      return none;
    }
  }

  async function isNoneOf(id: AccountId, what: "openOrders" | "positions"): Promise<boolean> {
    if (isMissingEmpty) return true;
    const account = await get(accountReads.byId(id));
    const own = account[what];
    if (own !== null) return own.length === 0 && account.unreadable.every((one) => !isOf(one.what, what));
    if (account.owner === null) return false;
    const { accounts } = await get(accountReads.assets(account.owner));
    const counted = accounts.find(({ accountId }) => accountId === id);
    return (what === "openOrders" ? counted?.openOrderCount : counted?.positionCount) === 0;
  }

  const orders = (id: AccountId): Promise<OpenOrders> =>
    listed(accountReads.openOrders(id), noOrders, () => isNoneOf(id, "openOrders"));
  const positions = (id: AccountId): Promise<Positions> =>
    listed(accountReads.positions(id), noPositions, () => isNoneOf(id, "positions"));

  async function whole(account: AccountItself): Promise<Account> {
    if (isWhole(account)) return account;
    const { accountId } = account;
    const [open, held] = await Promise.all([
      account.openOrders === null ? orders(accountId) : null,
      account.positions === null ? positions(accountId) : null,
    ]);
    return {
      ...account,
      openOrders: account.openOrders ?? open?.openOrders ?? [],
      positions: account.positions ?? held?.positions ?? [],
      unreadable: [...account.unreadable, ...(open?.unreadable ?? []), ...(held?.unreadable ?? [])],
    };
  }

  return {
    account: async (id) => whole(await get(accountReads.byId(id))),
    accountOf: async (owner) => whole(await get(accountReads.byOwner(owner))),
    orders,
    positions,
    trades: (id) => listed(exchangeReads.trades(id), [], async () => false),
  };
}

/** True if the answer was null instead of a list. */
const isNull = (failure: unknown): boolean =>
  failure instanceof Error &&
  failure.cause instanceof WireError &&
  failure.cause.code === "field_null" &&
  failure.cause.path === "";

const isOf = (what: "order" | "position", list: "openOrders" | "positions"): boolean =>
  (what === "order") === (list === "openOrders");
