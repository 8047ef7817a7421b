// Messages about an account (S2.6, S4.2): itself, its positions, its open orders, and its request budget. Where the interface shows no
// fields, the names are the devnet's, and the reader accepts likely alternatives.

import type { Account, Agent, OpenOrders, Position, Positions, RateLimit, Unreadable } from "../../domain/account.ts";
import {
  type AttachedExit,
  marginModes,
  type Order,
  type OrderType,
  orderTypes,
  timesInForce,
} from "../../domain/order.ts";
import { type AccountId, type MarketId, native, price, type Size, size, usdc } from "../../domain/units.ts";
import {
  at,
  checked,
  type Fields,
  fixed,
  type Kind,
  kind,
  list,
  listOfReadable,
  maybe,
  type Of,
  object,
  omitted,
  orElse,
  orIfAbsent,
  orNone,
  readable,
  rowsOf,
  says,
} from "../description.ts";
import { WireError } from "../errors.ts";
import * as v from "../values.ts";

const exit: Kind<AttachedExit> = object({
  triggerPrice: v.price,
  orderType: fixed("StopMarket"),
  limitPrice: fixed(null),
});

const ORDER_ID = ["orderId", "id"];
const PRICE = ["price", "limitPrice"];
/** Names of a size that may be the total or the remaining size. */
const SIZE = ["size", "quantity", "qty", "amount"];

/**
 * Id, market, side and one size are required, and a price if the order type has one; the type, if present, must be a word of the interface.
 * Other missing or odd fields are read in the way that assumes the most exposure: nothing filled, free to increase.
 */
export const orderMembers = {
  orderId: at(ORDER_ID, v.orderId),
  accountId: orElse(v.accountId, null),
  marketId: v.marketId,
  side: at(v.SIDE, v.side),
  orderType: orIfAbsent(v.anyCase(orderTypes), "Limit"),
  price: at(PRICE, orElse(v.price, null)),
  size: at(SIZE, orIfAbsent(says(v.size, "1e-6 contracts, what is filled included"), null)),
  filledSize: at(
    [
      "filledSize",
      "filled",
      "filledQuantity",
      "filledQty",
      "executedSize",
      "executed",
      "executedQuantity",
      "executedQty",
    ],
    orIfAbsent(v.size, null),
  ),
  remainingSize: at(
    ["remainingSize", "remaining", "remainingQuantity", "remainingQty", "leavesQuantity", "leavesQty", "openSize"],
    orIfAbsent(v.size, null),
  ),
  triggerPrice: maybe(v.price),
  reduceOnly: orElse(v.bool, false),
  postOnly: orElse(v.bool, false),
  timeInForce: at(["timeInForce", "tif"], orElse(v.anyCase(timesInForce), "GTC")),
  status: at(["status", "state"], orElse(v.text, "Open")),
  takeProfit: orElse(maybe(exit), null),
  stopLoss: orElse(maybe(exit), null),
  createdAtMs: at(["createdAt", "timestamp"], orElse(v.someTimeMs, 0)),
  updatedAtMs: at("updatedAt", orElse(v.someTimeMs, null)),
};

const orderRow = object(orderMembers);
/** The total size under a name that clearly says so; read in addition to the row, never written. */
const wholeRow = object({
  whole: at(
    ["originalSize", "originalQuantity", "origSize", "origQty", "totalSize", "initialSize"],
    orIfAbsent(v.size, null),
  ),
});
/** For writing; `readOrder` reads one. */
export const order: Pick<Kind<Order>, "text" | "schema"> = orderRow;
/** For writing; `readOpenOrders` reads them. */
export const orders: Pick<Kind<readonly Order[]>, "text" | "schema"> = list(orderRow);

/** Order types with a price of their own; the others are sent with price 0 (S4.6). */
const priced: ReadonlySet<OrderType> = new Set(["Limit", "StopLimit"]);
const withPrice = object({ price: at(PRICE, v.price) });

/** An order of `account`, unless the row names another account. Throws WireError. */
export function readOrder(item: unknown, account: AccountId): Order {
  const row = orderRow.read(item);
  const needed = row.price === null && priced.has(row.orderType) ? withPrice.read(item).price : row.price;
  return {
    ...row,
    accountId: row.accountId ?? account,
    price: needed ?? price(0n),
    ...sizesOf(row, wholeRow.read(item).whole),
    updatedAtMs: row.updatedAtMs ?? row.createdAtMs,
  };
}

/**
 * Any two of total, filled and remaining size give the third; a single one counts as unfilled. A single size that may be either counts as
 * the total, or as the remaining size if more than that is filled, and the order is marked as unclear.
 */
function sizesOf(
  { size: shown, filledSize: filled, remainingSize: remaining }: Of<typeof orderRow>,
  original: Size | null,
): Pick<Order, "size" | "filledSize" | "remainingSize" | "unclearSize"> {
  if (original === null && remaining === null && shown !== null) {
    const isRest = filled !== null && filled > shown;
    const whole = isRest ? shown + filled : shown;
    const sizes = { size: size(whole), filledSize: filled ?? size(0n), remainingSize: size(whole - (filled ?? 0n)) };
    return isRest ? sizes : { ...sizes, unclearSize: filled === null ? "alone" : "withFilled" };
  }
  // If the total is given by name, the other size is the remaining one.
  const rest = remaining ?? (original === null || filled !== null ? null : shown);
  const whole = original ?? shown;
  const left = rest ?? (whole === null ? null : whole - (filled ?? 0n));
  if (left === null) throw new WireError("field_missing", "size", "is required");
  if (left < 0n) throw new WireError("field_conflict", "filledSize", "must not be above size");
  const total = whole ?? left + (filled ?? 0n);
  if (left > total) throw new WireError("field_conflict", "remainingSize", "must not be above size");
  return { size: size(total), filledSize: size(filled ?? total - left), remainingSize: size(left) };
}

/** camelCase except for two names. Market, side, size and entry price are required; the rest may be odd. */
export const position: Kind<Position> = checked(
  object({
    marketId: v.marketId,
    side: at(v.SIDE, v.side),
    size: at(SIZE, v.size),
    entryPrice: at(["entryPrice", "averagePrice", "avgEntryPrice"], v.price),
    unrealizedPnl: orElse(v.signedUsdc, null),
    cumulativeFunding: orElse(v.whole("signed index of funding at the last settlement"), null),
    lastOraclePrice: orElse(says(v.price, "price that values it, 1e-8 USD"), price(0n)),
    openedAtMs: at("openedAt", orElse(v.someTimeMs, 0)),
    marginMode: at("margin_mode", orElse(v.anyCase(marginModes), "Cross")),
    leverage: orElse(v.count, 0),
    isolatedMargin: at("isolated_margin", orElse(v.signedUsdc, usdc(0n))),
    tierGrandfathered: orElse(v.bool, false),
  }),
  (held) => {
    if (held.size > 0n && held.entryPrice === 0n)
      throw new WireError("field_conflict", "entryPrice", "must be above 0 where size is");
  },
);

/** Last second that a date can hold: a key that expires later never expires; nor does one that expires at 0. */
const EXPIRY_SEC_MAX = 8_640_000_000_000n;
const expiry: Kind<number | null> = {
  ...says(v.timeSec, "Unix seconds; null: until revoked"),
  read(value) {
    const seconds = v.budget.read(value);
    return seconds === 0n || seconds > EXPIRY_SEC_MAX ? null : v.someTimeSec.read(seconds);
  },
  text: String,
};

const agent: Kind<Agent> = object({
  pubkey: v.agentKey,
  name: orIfAbsent(v.text, ""),
  expiresAtSec: at("expiresAt", maybe(expiry)),
});

const itself = {
  accountId: at(["accountId", "id"], v.accountId),
  owner: orElse(v.publicKey, null),
  mode: orElse(v.anyCase(marginModes), "Cross"),
  collateral: v.signedUsdc,
  availableCollateral: orElse(v.signedUsdc, null),
  nativeBalance: orElse(v.signedNative, native(0n)),
};
export const positions = list(position);
const lists = { positions, openOrders: list(orderRow) };
const rest = {
  createdAtMs: at("createdAt", orElse(v.someTimeMs, null)),
  volume30d: orElse(v.volume, null),
  feeTierVolume30d: orElse(says(v.volume, "1e-6 USDC, the family's"), null),
  lifetimeVolume: orElse(v.volume, null),
  pendingActivation: orElse(v.bool, null),
  pendingActivationFeeUsdc: orElse(omitted(v.usdc), null),
  agents: says(orNone(listOfReadable(agent)), "left out where there are none"),
};

const accountRow = object({ ...itself, ...lists, ...rest });
const accountWithoutLists = object({ ...itself, ...rest });
const itsLists = object({
  openOrders: at(["openOrders", "orders"], orIfAbsent(kind<readonly unknown[]>({}, rowsOf), null)),
  positions: orIfAbsent(kind<readonly unknown[]>({}, rowsOf), null),
});

/** An account as its own read shows it: a null list was absent and needs a read of its own. */
export type AccountItself = Omit<Account, "openOrders" | "positions"> & {
  readonly openOrders: Account["openOrders"] | null;
  readonly positions: Account["positions"] | null;
};

/** Whether the account's own read has both lists. */
export const isWhole = (account: AccountItself): account is Account =>
  account.openOrders !== null && account.positions !== null;

/**
 * Unreadable orders and positions are returned separately, and unreadable agents are left out, because the rest of the account is still
 * valid. A missing or null list stays null, because an empty list would mean no orders or positions; so do orders that are only ids. Throws
 * WireError if one is not a list.
 */
export const account: Pick<Kind<Account>, "text" | "schema"> & { readonly read: (json: unknown) => AccountItself } = {
  ...accountRow,
  read(json) {
    const head = accountWithoutLists.read(json);
    const { openOrders, positions } = itsLists.read(json);
    const open = openOrders !== null && areIds(openOrders) ? null : openOrders;
    const orders = open === null ? null : ordersOf(open, head.accountId, "openOrders");
    const held = positions === null ? null : positionsOf(positions, head.accountId, "positions");
    return {
      ...head,
      // The fee is present only on an account that awaits activation (S2.6).
      pendingActivation: head.pendingActivation ?? head.pendingActivationFeeUsdc !== null,
      positions: held?.positions ?? null,
      openOrders: orders?.openOrders ?? null,
      unreadable: [...(orders?.unreadable ?? []), ...(held?.unreadable ?? [])],
    };
  },
};

const areIds = (rows: readonly unknown[]): boolean => rows.length > 0 && rows.every(isId);
const isId = (row: unknown): boolean =>
  typeof row === "number" || typeof row === "bigint" || (typeof row === "string" && /^\d+$/.test(row));

/** The open orders of the account (S4.2), as leniently as `account`. Throws WireError. */
export const readOpenOrders = (json: unknown, of: AccountId): OpenOrders => ordersOf(rowsOf(json), of, "");

/** The positions of the account (S4.2), as leniently as `account`. Throws WireError. */
export const readPositions = (json: unknown, of: AccountId): Positions => positionsOf(rowsOf(json), of, "");

function ordersOf(rows: readonly unknown[], of: AccountId, path: string): OpenOrders {
  allOf(rows, of, path);
  const [openOrders, unreadable] = readable(
    rows,
    (item) => readOrder(item, of),
    (item, { message: why }): Unreadable => ({ what: "order", ...traceOf(item), why }),
  );
  return { openOrders, unreadable };
}

function positionsOf(rows: readonly unknown[], of: AccountId, path: string): Positions {
  allOf(rows, of, path);
  const [held, unreadable] = readable(
    rows,
    (item) => position.read(item),
    (item, { message: why }): Unreadable => ({ what: "position", ...traceOf(item), orderId: null, why }),
  );
  const twice = marketsTwice(held);
  return {
    positions: held.filter(({ marketId }) => !twice.has(marketId)),
    unreadable: [...unreadable, ...Array.from(twice, positionTwice)],
  };
}

const trace = object({
  orderId: at(ORDER_ID, orElse(v.orderId, null)),
  marketId: orElse(v.marketId, null),
  side: orElse(v.side, null),
});
/** The readable parts of an unreadable order or position. */
const traceOf = (item: unknown): Of<typeof trace> => trace.read(isObject(item) ? item : {});
const isObject = (item: unknown): item is Fields => typeof item === "object" && item !== null && !Array.isArray(item);

const ofAccount = object({ accountId: orElse(v.accountId, null) });

/** Throws WireError if a row names another account: the list is then not this account's. */
function allOf(rows: readonly unknown[], of: AccountId, path: string): void {
  for (const [index, item] of rows.entries()) {
    const named = isObject(item) ? ofAccount.read(item).accountId : null;
    if (named !== null && named !== of)
      throw new WireError("field_conflict", "accountId", `must be ${of}`).under(String(index)).under(path);
  }
}

/** Markets with two positions, of which neither can be trusted. */
const marketsTwice = (held: readonly Position[]): ReadonlySet<MarketId> =>
  new Set(
    held.flatMap(({ marketId }, index) =>
      held.findIndex((other) => other.marketId === marketId) < index ? [marketId] : [],
    ),
  );

const positionTwice = (marketId: MarketId): Unreadable => ({
  what: "position",
  orderId: null,
  marketId,
  side: null,
  why: "the market is named twice",
});

/** A request budget on the chain (S4.2). Missing fields are null, and the caller uses a budget of its own. */
export const requestBudget = object({
  requestsUsed: at(["requestsUsed", "nRequestsUsed"], maybe(v.budget)),
  requestsCap: at(["requestsCap", "nRequestsCap", "requestsLimit"], maybe(v.budget)),
  requestsRemaining: at(["requestsRemaining", "nRequestsRemaining"], maybe(v.budget)),
  cancelCap: says(maybe(v.budget), "cancels go on up to here; null: not limited"),
  congestionQuota: says(maybe(v.budget), "requests that may pass within a second; null: not limited"),
});
export type RequestBudget = Of<typeof requestBudget>;

/** The same under names that do not say what is counted. */
const someBudget = object({
  requestsUsed: at("used", orElse(v.budget, null)),
  requestsCap: at(["cap", "limit", "max"], orElse(v.budget, null)),
  requestsRemaining: at(["remaining", "available"], orElse(v.budget, null)),
});

/** Reads the remaining requests, or computes them. Throws WireError if a name that says what it counts holds no number. */
export function readRateLimit(json: unknown): RateLimit {
  const { requestsUsed, requestsCap, requestsRemaining } = requestBudget.read(json);
  const named = { requestsUsed, requestsCap, requestsRemaining };
  if (!isUntold(named)) return withRemaining(named);
  const some = someBudget.read(json);
  return isUntold(some) ? named : { ...withRemaining(some), isUnitUnknown: true };
}

const isUntold = ({ requestsUsed, requestsCap, requestsRemaining }: RateLimit): boolean =>
  requestsUsed === null && requestsCap === null && requestsRemaining === null;

function withRemaining(limit: RateLimit): RateLimit {
  const { requestsUsed, requestsCap, requestsRemaining } = limit;
  const difference = requestsCap === null || requestsUsed === null ? null : requestsCap - requestsUsed;
  return {
    ...limit,
    requestsRemaining: requestsRemaining ?? (difference !== null && difference < 0n ? 0n : difference),
  };
}
