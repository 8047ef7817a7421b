// An auditor's own bookkeeping, in integers, only from answers and frames: positions and their cost, USDC, open orders, margin. A report
// that breaks a law throws LawBroken.

import type { MarginMode } from "../../../src/domain/order.ts";
import { BACKSTOP, holders, MAKER_FEE_BPS, marketsOfScene, OPEN_ORDER_CAP, prober, TAKER_FEE_BPS } from "./scene.ts";

export class LawBroken extends Error {
  readonly law: string;
  constructor(law: string, detail: string) {
    super(`${law}: ${detail}`);
    this.law = law;
  }
}

export function hold(law: string, holds: boolean, detail: () => string): void {
  if (!holds) throw new LawBroken(law, detail());
}

/** Terms known to an order's sender; for an order that the exchange made itself, only that it reduces. */
export type Terms = {
  readonly reduceOnly: boolean;
  readonly leverage: number;
  /** Null: the order does not say. */
  readonly marginMode: MarginMode | null;
  readonly waits: boolean;
};

/** An exit waits; a liquidation's order fills at once, and never rests. */
const exchangeTerms: Terms = { reduceOnly: true, leverage: 0, marginMode: null, waits: true };

export type OpenOrder = {
  readonly id: number;
  readonly account: number;
  readonly market: number;
  readonly buys: boolean;
  price: bigint;
  size: bigint;
  filled: bigint;
  terms: Terms;
  waits: boolean;
};

export type Held = {
  units: bigint;
  /** Cost of the open position: paid for a long, minus received for a short. */
  cost: bigint;
  leverage: number;
  isIsolated: boolean;
  bucket: bigint;
};

export type Books = {
  readonly accounts: ReadonlyMap<number, AccountBooks>;
  readonly orders: Map<number, OpenOrder>;
  readonly markets: ReadonlyMap<number, MarketBooks>;
};

export type AccountBooks = {
  readonly id: number;
  readonly held: ReadonlyMap<number, Held>;
  /** USDC outside buckets, as far as frames show. */
  cross: bigint;
  /** All USDC that came and went: what cross and buckets must hold together, except for debts that the fund paid. */
  told: bigint;
  funding: bigint;
  readonly fills: Fill[];
};

export type MarketBooks = {
  readonly id: number;
  oracle: bigint;
  cumulative: bigint;
  lastFundingSec: number;
  status: string;
  settledFills: number;
  readonly trades: Fill[];
};

export type Fill = {
  readonly market_id: number;
  readonly price: string;
  readonly size: string;
  readonly taker_order_id: number;
  readonly maker_order_id: number;
  readonly taker_account_id: number;
  readonly maker_account_id: number;
  readonly taker_side: "Long" | "Short";
  readonly taker_fee: string;
  readonly maker_fee: string;
  readonly taker_realized_pnl: string;
  readonly maker_realized_pnl: string;
  readonly tx_hash: string;
  readonly timestamp: number;
};

export const SCALE = 100_000_000n;
const BPS = 10_000n;
export const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
export const floorOf = (value: bigint, by: bigint): bigint => (value >= 0n ? value / by : -((-value + by - 1n) / by));
export const ceilOf = (value: bigint, by: bigint): bigint => -floorOf(-value, by);

export function openBooks(): Books {
  const ids = [
    ...[...holders, prober].map(({ id, usdc }) => ({ id, usdc: usdc as bigint })),
    { id: BACKSTOP, usdc: 0n },
  ];
  return {
    orders: new Map(),
    accounts: new Map(
      ids.map(({ id, usdc }) => [
        id,
        {
          id,
          cross: usdc,
          told: usdc,
          funding: 0n,
          fills: [],
          held: new Map(
            marketsOfScene.map((market) => [
              market.id,
              { units: 0n, cost: 0n, leverage: 0, isIsolated: false, bucket: 0n },
            ]),
          ),
        },
      ]),
    ),
    markets: new Map(
      marketsOfScene.map(({ id, oracle }) => [
        id,
        { id, oracle, cumulative: 0n, lastFundingSec: 0, status: "Active", settledFills: 0, trades: [] },
      ]),
    ),
  };
}

export function accountOf(books: Books, id: number): AccountBooks {
  const account = books.accounts.get(id);
  if (account === undefined) throw new LawBroken("accounts are known", `account ${id}`);
  return account;
}

export function marketOf(books: Books, id: number): MarketBooks {
  const market = books.markets.get(id);
  if (market === undefined) throw new LawBroken("markets are known", `market ${id}`);
  return market;
}

export function heldIn(account: AccountBooks, market: number): Held {
  const held = account.held.get(market);
  if (held === undefined) throw new LawBroken("markets are known", `market ${market}`);
  return held;
}

export function placed(
  books: Books,
  frame: {
    readonly order_id: number;
    readonly account_id: number;
    readonly market_id: number;
    readonly side: string;
    readonly price: string;
    readonly size: string;
  },
  terms: Terms = exchangeTerms,
): void {
  hold("an order is placed once", !books.orders.has(frame.order_id), () => `order ${frame.order_id}`);
  const order: OpenOrder = {
    id: frame.order_id,
    account: frame.account_id,
    market: frame.market_id,
    buys: frame.side === "Long",
    price: BigInt(frame.price),
    size: BigInt(frame.size),
    filled: 0n,
    terms,
    waits: terms.waits,
  };
  books.orders.set(order.id, order);
  if (!order.waits) entered(books, order);
}

/** An order enters the market: nothing there has a margin mode yet, or it is the order's too. */
export function entered(books: Books, order: OpenOrder): void {
  const held = heldIn(accountOf(books, order.account), order.market);
  if (order.terms.reduceOnly || held.units !== 0n) return;
  const isOther = (other: OpenOrder) =>
    other !== order && other.account === order.account && other.market === order.market;
  for (const other of books.orders.values()) if (isOther(other) && !other.waits && !other.terms.reduceOnly) return;
  held.isIsolated = order.terms.marginMode === "Isolated";
}

export function orderIn(books: Books, id: number, frame: string): OpenOrder {
  const order = books.orders.get(id);
  if (order === undefined) throw new LawBroken("frames are of open orders", `${frame} of order ${id}`);
  return order;
}

/** Held after each transaction: an order that is only passing needs no place. */
export function checkCap(books: Books): void {
  const counts = new Map<number, number>();
  for (const { account } of books.orders.values()) counts.set(account, (counts.get(account) ?? 0) + 1);
  for (const [account, count] of counts) {
    hold("open orders stay within the cap", count <= OPEN_ORDER_CAP, () => `account ${account} has ${count}`);
  }
}

export function filled(books: Books, fill: Fill): void {
  const { market_id, taker_side } = fill;
  const market = marketOf(books, market_id);
  const price = BigInt(fill.price);
  const size = BigInt(fill.size);
  const isOutside = fill.maker_account_id === BACKSTOP;
  const isSettlement = market.status === "Settled";
  hold("a fill has a hash", /^[0-9a-f]{64}$/.test(fill.tx_hash), () => JSON.stringify(fill));
  hold("a fill has a price and a size", price > 0n && size > 0n, () => JSON.stringify(fill));
  const down = (price * size) / SCALE;
  const value = isSettlement && taker_side === "Long" ? ceilOf(price * size, SCALE) : down;
  const [takerFee, makerFee] = [BigInt(fill.taker_fee), BigInt(fill.maker_fee)];
  if (isSettlement) {
    market.settledFills += 1;
    hold(
      "settlement is at its price, free of fees",
      price === market.oracle && takerFee === 0n && makerFee === 0n,
      () => JSON.stringify(fill),
    );
  } else if (isOutside) {
    const isWithin = takerFee >= 0n && takerFee <= ceilOf(value * TAKER_FEE_BPS, BPS) && makerFee === 0n;
    hold("a takeover pays at most the taker fee", isWithin, () => JSON.stringify(fill));
  } else {
    const isRight = takerFee === ceilOf(value * TAKER_FEE_BPS, BPS) && makerFee === ceilOf(value * MAKER_FEE_BPS, BPS);
    hold("fees are those of the schedule", isRight, () => JSON.stringify(fill));
  }
  const takerBuys = taker_side === "Long";
  const sides = [
    [fill.taker_order_id, fill.taker_account_id, takerBuys, takerFee, BigInt(fill.taker_realized_pnl)],
    [fill.maker_order_id, fill.maker_account_id, !takerBuys, makerFee, BigInt(fill.maker_realized_pnl)],
  ] as const;
  hold("a fill has two accounts", fill.taker_account_id !== fill.maker_account_id, () => JSON.stringify(fill));
  for (const [orderId, accountId, buys, fee, realized] of sides) {
    const order = orderIn(books, orderId, "a fill");
    const isItsOwn = order.account === accountId && order.market === market_id && order.buys === buys;
    hold("a fill is of its orders", isItsOwn && (!order.waits || order.price === 0n), () => JSON.stringify(fill));
    order.filled += size;
    hold("an order fills at most whole", order.filled <= order.size, () => JSON.stringify(fill));
    if (order.filled === order.size) books.orders.delete(orderId);
    const account = accountOf(books, accountId);
    account.fills.push(fill);
    take(account, market, order.terms, { units: buys ? size : -size, value, fee, realized });
  }
  market.trades.push(fill);
}

type Taken = { readonly units: bigint; readonly value: bigint; readonly fee: bigint; readonly realized: bigint };

/** One side of a fill. */
function take(account: AccountBooks, market: MarketBooks, terms: Terms, { units, value, fee, realized }: Taken): void {
  const held = heldIn(account, market.id);
  const before = { ...held };
  const after = before.units + units;
  held.units = after;
  held.cost += (units > 0n ? value : -value) + realized;
  const opens = before.units === 0n || before.units > 0n !== after > 0n;
  if (after === 0n) held.leverage = 0;
  else if (opens) held.leverage = terms.leverage;
  else if (absolute(after) > absolute(before.units)) held.leverage = lower(held.leverage, terms.leverage);
  hold(
    "what a position cost is gone with it",
    after !== 0n || held.cost === 0n,
    () => `account ${account.id} market ${market.id}: ${held.cost}`,
  );
  const grows = absolute(after) > absolute(before.units) || (opens && after !== 0n);
  hold(
    "profit is realized by closing alone",
    !(grows && !opens) || realized === 0n,
    () => `account ${account.id}: ${realized}`,
  );
  hold(
    "what only reduces never opens",
    !terms.reduceOnly || !grows || account.id === BACKSTOP,
    () => `account ${account.id} market ${market.id}: ${before.units} to ${after}`,
  );
  account.told += realized - fee;
  account.cross -= fee;
  if (!held.isIsolated) account.cross += realized;
  else moveBucket(account, market, held, before, realized);
}

/** Isolated margin follows its position: its share comes back, and what opens calls for more. */
function moveBucket(account: AccountBooks, market: MarketBooks, held: Held, before: Held, realized: bigint): void {
  const size = absolute(before.units);
  const flips = before.units > 0n !== held.units > 0n;
  const closed = before.units === 0n ? 0n : flips ? size : max(0n, size - absolute(held.units));
  if (closed > 0n) {
    const released = max(0n, floorOf(held.bucket * closed, size) + realized);
    held.bucket += realized - released;
    account.cross += released;
    if (closed === size) held.bucket = max(0n, held.bucket);
  }
  const base = closed === size ? { ...before, units: 0n, cost: 0n, leverage: 0 } : before;
  if (absolute(held.units) <= absolute(base.units)) return;
  const loss = held.cost - base.cost - (worthOf(market, held.units) - worthOf(market, base.units));
  const called =
    initialOf(market, held.units, held.leverage) - initialOf(market, base.units, base.leverage) + max(0n, loss);
  held.bucket += called;
  account.cross -= called;
}

export const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const lower = (a: number, b: number): number => (a === 0 || b === 0 ? a + b : Math.min(a, b));
export const worthOf = (market: MarketBooks, units: bigint): bigint => floorOf(units * market.oracle, SCALE);
export const unrealizedOf = (market: MarketBooks, held: Held): bigint => worthOf(market, held.units) - held.cost;

/** Initial margin of so many units at a selected leverage, 0 for the market's maximum; the tier is that of the size. */
export function initialOf(market: MarketBooks, units: bigint, leverage: number): bigint {
  const notional = ceilOf(absolute(units) * market.oracle, SCALE);
  const spec = marketsOfScene.find(({ id }) => id === market.id);
  const tier = spec?.tiers.findLast(({ floor }) => floor <= notional);
  const cap = Math.min(Math.floor(10_000 / (spec?.imr ?? 10_000)), tier?.leverage ?? 1);
  return ceilOf(notional, BigInt(lower(leverage, cap)));
}

/** Funding of a market, from its frame: what is owed rounds up, what is received down. */
export function funded(books: Books, marketId: number, rate: bigint, atSec: number): void {
  const market = marketOf(books, marketId);
  hold("funding goes forward", atSec > market.lastFundingSec, () => `market ${marketId}`);
  const step = (rate * market.oracle) / 1_000_000_000n;
  market.cumulative += step;
  market.lastFundingSec = atSec;
  for (const account of books.accounts.values()) {
    const held = heldIn(account, marketId);
    if (held.units === 0n) continue;
    const owed = ceilOf(held.units * step, SCALE);
    account.told -= owed;
    account.funding -= owed;
    if (held.isIsolated) held.bucket -= owed;
    else account.cross -= owed;
  }
}

/** Liquidations end before a block's transactions; the insurance fund has then paid the debts of flat accounts, without a frame. */
export function forgiveFlat(books: Books): void {
  for (const account of books.accounts.values()) {
    const isFlat = [...account.held.values()].every(({ units }) => units === 0n);
    if (isFlat) account.cross = max(0n, account.cross);
  }
}

/**
 * What the account's cross collateral must cover, by the law of docs/interface.md and of the engine's README. `withLoss`: includes what its
 * orders would lose at once against the oracle price.
 */
export function requirementOf(books: Books, account: AccountBooks, withLoss = true): bigint {
  let sum = 0n;
  for (const [id, held] of account.held) {
    const market = marketOf(books, id);
    let [buys, sells, adverse, asked] = [0n, 0n, 0n, 0];
    for (const order of books.orders.values()) {
      if (order.account !== account.id || order.market !== id || order.waits) continue;
      const open = order.size - order.filled;
      if (order.price === 0n) continue;
      if (withLoss) adverse += max(0n, order.buys ? order.price - market.oracle : market.oracle - order.price) * open;
      if (order.terms.reduceOnly) continue;
      asked = lower(asked, order.terms.leverage);
      if (order.buys) buys += open;
      else sells += open;
    }
    const worst = max(absolute(held.units), max(absolute(held.units + buys), absolute(held.units - sells)));
    sum += initialOf(market, worst, lower(held.leverage, asked)) + ceilOf(adverse, SCALE);
    if (held.isIsolated && held.units !== 0n) sum -= initialOf(market, held.units, held.leverage);
  }
  return sum;
}

/** Profit and loss of cross positions that is not realized. */
export function unrealizedIn(books: Books, account: AccountBooks): bigint {
  let sum = 0n;
  for (const [id, held] of account.held) {
    if (held.units !== 0n && !held.isIsolated) sum += unrealizedOf(marketOf(books, id), held);
  }
  return sum;
}

export const freeOf = (books: Books, account: AccountBooks): bigint =>
  account.cross + unrealizedIn(books, account) - requirementOf(books, account);

/** Everything about an account that its margin depends on. */
export function stateOf(books: Books, account: AccountBooks): string {
  const orders = [...books.orders.values()].filter((order) => order.account === account.id);
  const state = {
    cross: account.cross,
    held: Object.fromEntries(account.held),
    orders,
    markets: [...books.markets.values()].map(({ id, oracle }) => ({ id, oracle })),
  };
  return JSON.stringify(state, replaced);
}

/** Omits parts of a printed act or state, and writes big integers as text. */
export const replaced = (key: string, value: unknown): unknown => {
  if (key === "signer" || value === null) return undefined;
  return typeof value === "bigint" ? String(value) : value;
};
