// An account (S2.6) with its positions, open orders and agent keys; and the same two lists when they are read alone (S4.2).

import type { Account, Agent, OpenOrders, Position, Positions, Unreadable } from "../../domain/account.ts";
import { marginModes } from "../../domain/order.ts";
import { type AccountId, accountId, type MarketId, native, usdc } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { WireError } from "../errors.ts";
import { type Fields, objectOf } from "../strict.ts";
import {
  bool,
  count,
  id,
  list,
  listOf,
  maybe,
  type Names,
  natural,
  oneOf,
  orElse,
  publicKey,
  text,
  whole,
} from "../tolerant.ts";
import { encodeOrder, readOrder, readUnreadableOrder } from "./order.ts";
import { encodePosition, readPosition, readUnreadablePosition } from "./position.ts";

/** `agents` and the activation fee are left out where there are none, as the interface says. */
export function encodeAccount(account: Account): Json {
  return {
    accountId: account.accountId,
    owner: account.owner,
    mode: account.mode,
    collateral: String(account.collateral),
    availableCollateral: String(account.availableCollateral),
    nativeBalance: String(account.nativeBalance),
    positions: account.positions.map(encodePosition),
    openOrders: account.openOrders.map(encodeOrder),
    createdAt: account.createdAtMs,
    volume30d: account.volume30d,
    feeTierVolume30d: account.feeTierVolume30d,
    lifetimeVolume: account.lifetimeVolume,
    pendingActivation: account.pendingActivation,
    ...(account.pendingActivationFeeUsdc === null
      ? {}
      : { pendingActivationFeeUsdc: String(account.pendingActivationFeeUsdc) }),
    ...(account.agents.length === 0 ? {} : { agents: account.agents.map(encodeAgent) }),
  };
}

/** Keys of agents carry 0x here, unlike the owner's. */
const encodeAgent = (agent: Agent): Json => ({
  pubkey: `0x${agent.pubkey}`,
  name: agent.name,
  expiresAt: agent.expiresAtSec,
});

/**
 * Orders and positions that cannot be understood stand apart, and an agent that cannot is left out: what they say of the rest of the
 * account still counts. Throws WireError, also where one of the two lists is missing, null or no list: nothing was said then of what rests
 * or is held, and an empty list would say that nothing is.
 */
export function decodeAccount(json: unknown): Account {
  const fields = objectOf(json, "");
  const own = accountId(id(fields, "accountId"));
  const orders = ordersOf(items(fields, "openOrders"), own, "openOrders");
  const positions = positionsOf(items(fields, "positions"), own, "positions");
  return {
    accountId: own,
    owner: publicKey(fields, "owner"),
    mode: orElse(fields, "mode", (of, names) => oneOf(of, names, marginModes), "Cross" as const),
    collateral: usdc(whole(fields, "collateral")),
    availableCollateral: usdc(whole(fields, "availableCollateral")),
    nativeBalance: native(orElse(fields, "nativeBalance", whole, 0n)),
    positions: positions.positions,
    openOrders: orders.openOrders,
    unreadable: [...orders.unreadable, ...positions.unreadable],
    createdAtMs: count(fields, "createdAt"),
    volume30d: usdc(orElse(fields, "volume30d", natural, 0n)),
    feeTierVolume30d: usdc(natural(fields, "feeTierVolume30d")),
    lifetimeVolume: usdc(natural(fields, "lifetimeVolume")),
    pendingActivation: bool(fields, "pendingActivation"),
    pendingActivationFeeUsdc: orElse(fields, "pendingActivationFeeUsdc", readUsdc, null),
    agents: understood(maybe(fields, "agents", items) ?? [], readAgent, () => null)[0],
  };
}

/** The open orders of the account (S4.2), with the tolerance of `decodeAccount`. Throws WireError. */
export const decodeOpenOrders = (json: unknown, account: AccountId): OpenOrders =>
  ordersOf(listOf(json, asItIs), account, "");

/** The positions of the account (S4.2), with the tolerance of `decodeAccount`. Throws WireError. */
export const decodePositions = (json: unknown, account: AccountId): Positions =>
  positionsOf(listOf(json, asItIs), account, "");

const asItIs = (item: unknown): unknown => item;
const items = (fields: Fields, names: Names): readonly unknown[] => list(fields, names, asItIs);

function ordersOf(rows: readonly unknown[], account: AccountId, path: string): OpenOrders {
  allOf(rows, account, path);
  const [openOrders, unreadable] = understood(rows, (item) => readOrder(item, account), readUnreadableOrder);
  return { openOrders, unreadable };
}

function positionsOf(rows: readonly unknown[], account: AccountId, path: string): Positions {
  allOf(rows, account, path);
  const [positions, unreadable] = understood(rows, readPosition, readUnreadablePosition);
  const twice = marketsTwice(positions);
  return {
    positions: positions.filter(({ marketId }) => !twice.has(marketId)),
    unreadable: [...unreadable, ...Array.from(twice, positionTwice)],
  };
}

/** A row that names another account makes the list somebody else's. Throws WireError. */
function allOf(rows: readonly unknown[], account: AccountId, path: string): void {
  for (const [at, item] of rows.entries()) {
    if (typeof item !== "object" || item === null || Array.isArray(item)) continue;
    const named = orElse(item as Fields, ["accountId", "account_id"], id, account);
    if (named !== account)
      throw new WireError("field_conflict", "accountId", `must be ${account}`).under(String(at)).under(path);
  }
}

/** Elements that `read` understands, and what is left of the others. */
function understood<T, U>(
  rows: readonly unknown[],
  read: (item: unknown) => T,
  left: (item: unknown, why: string) => U,
): readonly [readonly T[], readonly U[]] {
  const readable: T[] = [];
  const unreadable: U[] = [];
  for (const item of rows) {
    try {
      readable.push(read(item));
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      unreadable.push(left(item, thrown.message));
    }
  }
  return [readable, unreadable];
}

/** Of two positions in a market nobody could say which is the position. */
const marketsTwice = (positions: readonly Position[]): ReadonlySet<MarketId> =>
  new Set(
    positions.flatMap(({ marketId }, at) =>
      positions.findIndex((other) => other.marketId === marketId) < at ? [marketId] : [],
    ),
  );

const positionTwice = (marketId: MarketId): Unreadable => ({
  what: "position",
  orderId: null,
  marketId,
  side: null,
  why: "the market is named twice",
});

/** Seconds of the last day that a calendar has: a key that ends later never ends. */
const EXPIRY_SEC_MAX = 8_640_000_000_000n;

function readExpiry(fields: Fields, names: Names): number | null {
  const seconds = natural(fields, names);
  return seconds > EXPIRY_SEC_MAX ? null : Number(seconds);
}

function readAgent(item: unknown): Agent {
  const fields = objectOf(item, "");
  return {
    pubkey: publicKey(fields, "pubkey"),
    name: maybe(fields, "name", text) ?? "",
    expiresAtSec: maybe(fields, ["expiresAt", "expires_at"], readExpiry),
  };
}

const readUsdc = (fields: Fields, names: Names) => usdc(natural(fields, names));
