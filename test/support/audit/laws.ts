// Compares an exchange's reads at a quiet point with an auditor's books: money, positions, orders, the public book, and at a sequence's end
// the histories.

import {
  absolute,
  type Books,
  type Fill,
  hold,
  marketOf,
  max,
  requirementOf,
  SCALE,
  stateOf,
  unrealizedIn,
  unrealizedOf,
} from "./books.ts";
import type { Line } from "./line.ts";
import { BACKSTOP, holders, marketsOfScene } from "./scene.ts";

type ServedOrder = {
  readonly orderId: number;
  readonly marketId: number;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly filledSize: string;
  readonly remainingSize: string;
  readonly status: string;
  readonly reduceOnly: boolean;
  readonly createdAt: number;
};

type ServedPosition = {
  readonly marketId: number;
  readonly side: string;
  readonly size: string;
  readonly entryPrice: string;
  readonly unrealizedPnl: string;
  readonly margin_mode: string;
  readonly isolated_margin: string;
};

type ServedAccount = {
  readonly accountId: number;
  readonly collateral: string;
  readonly availableCollateral: string;
  readonly positions: readonly ServedPosition[];
  readonly openOrders: readonly ServedOrder[];
};

type ServedFund = { readonly balance: string; readonly totalDeposited: string; readonly shortfall?: string };
type Levels = readonly { readonly price: string; readonly size: string; readonly orderCount: number }[];
type ServedBook = { readonly bids: Levels; readonly asks: Levels };

async function read<T>(line: Line, path: string, headers = ""): Promise<T> {
  const { status, text } = await line.ask("GET", path, "", headers);
  hold("reads are answered", status === 200, () => `${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

export async function checkState(
  books: Books,
  { validator, frames }: { readonly validator: Line; readonly frames: ReadonlyMap<number, string> },
): Promise<void> {
  const ids = [...books.accounts.keys()];
  const [accounts, served, fund] = await Promise.all([
    Promise.all(ids.map((id) => read<ServedAccount>(validator, `/v1/accounts/${id}`))),
    Promise.all(marketsOfScene.map(({ id }) => read<ServedBook>(validator, `/v1/markets/${id}/orderbook`))),
    read<ServedFund>(validator, "/v1/insurance-fund"),
  ]);
  for (const account of accounts) {
    checkPositions(books, account);
    checkOrders(books, account);
    checkReduceOnly(books, account);
  }
  checkMoney(books, accounts, fund);
  for (const account of accounts) checkMargin(books, account);
  for (const [at, { id }] of marketsOfScene.entries()) {
    const book = served[at];
    if (book !== undefined) checkBook(id, book, accounts, frames.get(id));
  }
}

function checkPositions(books: Books, { accountId, positions }: ServedAccount): void {
  const account = books.accounts.get(accountId);
  for (const [id, held] of account?.held ?? []) {
    const position = positions.find(({ marketId }) => marketId === id);
    const units = position === undefined ? 0n : (position.side === "Long" ? 1n : -1n) * BigInt(position.size);
    const where = `account ${accountId} market ${id}`;
    hold(
      "a position is the sum of its fills",
      units === held.units,
      () => `${where}: ${units} served, ${held.units} by fills`,
    );
    if (position === undefined) continue;
    const entry = (absolute(held.cost) * SCALE) / absolute(units);
    hold(
      "an entry price is what fills cost",
      BigInt(position.entryPrice) === entry,
      () => `${where}: ${position.entryPrice} served, ${entry} by fills`,
    );
    const open = unrealizedOf(marketOf(books, id), held);
    hold(
      "unrealized profit is value less cost",
      BigInt(position.unrealizedPnl) === open,
      () => `${where}: ${position.unrealizedPnl} served, ${open} by fills`,
    );
    hold(
      "a position keeps its margin mode",
      (position.margin_mode === "Isolated") === held.isIsolated,
      () => `${where}: ${position.margin_mode}`,
    );
    const bucket = BigInt(position.isolated_margin);
    hold("a bucket is not below zero", bucket >= 0n, () => `${where}: ${bucket}`);
    held.bucket = bucket;
  }
}

function checkOrders(books: Books, { accountId, openOrders }: ServedAccount): void {
  const own = [...books.orders.values()].filter(({ account }) => account === accountId);
  const row = (order: { id: number; buys: boolean; price: bigint; size: bigint; filled: bigint }) =>
    `${order.id} ${order.buys ? "buys" : "sells"} ${order.size} at ${order.price}, ${order.filled} filled`;
  const told = own
    .toSorted((a, b) => a.id - b.id)
    .map(row)
    .join("; ");
  const served = openOrders
    .toSorted((a, b) => a.orderId - b.orderId)
    .map((order) =>
      row({
        id: order.orderId,
        buys: order.side === "Long",
        price: BigInt(order.price),
        size: BigInt(order.size),
        filled: BigInt(order.filledSize),
      }),
    )
    .join("; ");
  hold(
    "open orders are what frames say",
    told === served,
    () => `account ${accountId}: ${served} served, ${told} by frames`,
  );
}

/** A reduce-only order shows no more than the rest of the position. */
function checkReduceOnly(books: Books, { accountId, openOrders }: ServedAccount): void {
  for (const [id, held] of books.accounts.get(accountId)?.held ?? []) {
    for (const side of ["Long", "Short"]) {
      let shown = 0n;
      for (const order of openOrders) {
        if (order.marketId === id && order.side === side && order.reduceOnly && order.status !== "Untriggered")
          shown += BigInt(order.remainingSize);
      }
      const closable = side === "Long" ? max(0n, -held.units) : max(0n, held.units);
      hold(
        "reduce-only orders rest within the position",
        shown <= closable,
        () => `account ${accountId} market ${id} ${side}: ${shown} of ${closable}`,
      );
    }
  }
}

/** USDC is where frames say, to the unit, but for debts that the insurance fund paid and what settlement rounds. */
function checkMoney(books: Books, accounts: readonly ServedAccount[], fund: ServedFund): void {
  let [served, told] = [BigInt(fund.balance) - BigInt(fund.shortfall ?? "0"), 0n];
  for (const { accountId, collateral, positions } of accounts) {
    const account = books.accounts.get(accountId);
    if (account === undefined) continue;
    const buckets = positions.reduce((sum, { isolated_margin }) => sum + BigInt(isolated_margin), 0n);
    const has = BigInt(collateral) + buckets;
    hold(
      "nobody has less than frames tell",
      accountId === BACKSTOP || has >= account.told,
      () => `account ${accountId}: ${has} served, ${account.told} told`,
    );
    hold(
      "an account without positions owes nothing",
      positions.length > 0 || BigInt(collateral) >= 0n,
      () => `account ${accountId}: ${collateral}`,
    );
    served += has;
    told += account.told;
    account.cross = BigInt(collateral);
  }
  const rounded = [...books.markets.values()].reduce((sum, { settledFills }) => sum + settledFills, 0);
  const kept = told - served;
  hold(
    "USDC is conserved to the rounding of settlement",
    kept >= 0n && kept <= BigInt(rounded),
    () => `${kept} base units less than told, ${rounded} fills of settlement`,
  );
}

function checkMargin(books: Books, { accountId, availableCollateral }: ServedAccount): void {
  const account = books.accounts.get(accountId);
  if (account === undefined || accountId === BACKSTOP) return;
  const open = unrealizedIn(books, account);
  const available = max(0n, account.cross + (open < 0n ? open : 0n) - requirementOf(books, account));
  hold(
    "available collateral is what margin leaves",
    BigInt(availableCollateral) === available,
    () => `account ${accountId}: ${availableCollateral} served, ${available} by the books: ${stateOf(books, account)}`,
  );
}

function checkBook(id: number, book: ServedBook, accounts: readonly ServedAccount[], frame: string | undefined): void {
  const levels = { Long: new Map<string, [bigint, number]>(), Short: new Map<string, [bigint, number]>() };
  for (const order of accounts.flatMap(({ openOrders }) => openOrders)) {
    if (order.marketId !== id || order.status === "Untriggered") continue;
    const side = levels[order.side as "Long" | "Short"];
    const [size, count] = side.get(order.price) ?? [0n, 0];
    side.set(order.price, [size + BigInt(order.remainingSize), count + 1]);
  }
  const made = (of: ReadonlyMap<string, readonly [bigint, number]>, best: 1 | -1) =>
    [...of]
      .sort(([a], [b]) => best * Number(BigInt(a) - BigInt(b)))
      .map(([price, [size, orderCount]]) => ({ price, size: String(size), orderCount }));
  const sums = JSON.stringify([made(levels.Long, -1), made(levels.Short, 1)]);
  const shown = JSON.stringify([book.bids, book.asks]);
  hold(
    "the public book is the sum of resting orders",
    sums === shown,
    () => `market ${id}: ${shown} served, ${sums} rests`,
  );
  const last = JSON.parse(frame ?? "{}") as ServedBook;
  hold(
    "the last snapshot is the book",
    JSON.stringify([last.bids, last.asks]) === shown,
    () => `market ${id}: ${frame}`,
  );
}

/** Rows of history that an owner reads, against the frames of the channels. */
export async function checkHistories(books: Books, rest: Line): Promise<void> {
  await Promise.all(holders.map((holder) => checkHistory(books, rest, holder)));
}

type FillRow = Fill & { readonly account_id: number; readonly fee: string; readonly realized_pnl: string };
const PAGE = 1000;

async function checkHistory(books: Books, rest: Line, { id, token }: (typeof holders)[number]): Promise<void> {
  const account = books.accounts.get(id);
  if (account === undefined) return;
  const headers = `authorization: Bearer ${token}\r\n`;
  const ask = <T>(path: string) => read<T>(rest, `/v1/accounts/${id}/${path}?limit=${PAGE}`, headers);
  const [rows, funding, orders, csv] = await Promise.all([
    ask<readonly FillRow[]>("trades"),
    ask<readonly { readonly amount: string }[]>("funding"),
    ask<readonly ServedOrder[]>("orders"),
    rest.ask("GET", `/v1/accounts/${id}/trades/csv`, "", headers),
  ]);
  const key = (fill: Fill) =>
    `${fill.taker_order_id} ${fill.maker_order_id} ${fill.price} ${fill.size} ${fill.taker_fee} ${fill.maker_realized_pnl} ${fill.tx_hash}`;
  const told = account.fills.map(key).reverse();
  const kept = rows.map(key);
  hold(
    "fill history is what channels told",
    told.join("\n") === kept.join("\n"),
    () => `account ${id}: ${kept.length} rows of ${told.length} fills`,
  );
  hold("the CSV has a row a fill", csv.text.trimEnd().split("\n").length === told.length + 1, () => `account ${id}`);
  const paid = funding.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  hold(
    "funding history sums to what rates charged",
    paid === account.funding,
    () => `account ${id}: ${paid} in rows, ${account.funding} by rates`,
  );
  const open = new Set(["Open", "PartiallyFilled", "Untriggered"]);
  hold(
    "no order is open in history that is not open",
    !orders.some(({ status }) => open.has(status)),
    () => `account ${id}: ${JSON.stringify(orders.find(({ status }) => open.has(status)))}`,
  );
  const whole = orders.filter(({ status, size, filledSize }) => (status === "Filled") !== (size === filledSize));
  hold("an order is Filled where all of it is", whole.length === 0, () => `account ${id}: ${JSON.stringify(whole[0])}`);
}
