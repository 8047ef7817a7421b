// Fills as a journal of plain-text accounting, for hledger or Beancount. Lots are closed first in, first out; a fill through zero closes
// the position and opens the rest. Every amount is written in full, since Beancount rounds amounts that it infers.

import type { TradeRow } from "../bot/report/trades.ts";
import { AMOUNT_SCALE, PRICE_SCALE, SIZE_SCALE } from "../domain/units.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import type { JournalFormat } from "./choices.ts";

export type JournalFill = Omit<TradeRow, "realizedPnl">;

/** Signed contracts bought or sold at one price on one day. */
type Lot = { size: bigint; readonly price: bigint; readonly day: string };
/** `cost`: the lot's price and day; without it the amount is USDC. */
type Posting = {
  readonly account: string;
  readonly amount: string;
  readonly commodity: string;
  readonly cost?: Pick<Lot, "price" | "day">;
};
type Transaction = {
  readonly day: string;
  readonly isWhole: boolean;
  readonly says: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly postings: readonly Posting[];
};

/** A price times a size. */
const NOTIONAL_SCALE = PRICE_SCALE + SIZE_SCALE;
const FEE_FACTOR = 10n ** BigInt(NOTIONAL_SCALE - AMOUNT_SCALE);
const USDC = "USDC";

/**
 * The journal's lines. `fills`: from the very first on, in order of time, since lots go back to it. `fromMs`: transactions before it are left
 * out, and what was open then is one opening transaction for each account.
 */
export function* journal(
  fills: readonly JournalFill[],
  format: JournalFormat,
  fromMs = Number.NEGATIVE_INFINITY,
): Generator<string, void> {
  const names = commoditiesOf(fills);
  const lots = new Map<string, Lot[]>();
  const lotsOf = ({ accountId, marketId }: Pick<JournalFill, "accountId" | "marketId">): Lot[] => {
    const key = `${accountId} ${marketId}`;
    const held = lots.get(key) ?? [];
    lots.set(key, held);
    return held;
  };
  const earlier = fills.filter(({ at }) => Number(at) < fromMs);
  for (const fill of earlier) traded(fill, lotsOf(fill));
  const opening = Number.isFinite(fromMs) ? openings(earlier, lotsOf, names, dayOf(BigInt(fromMs))) : [];
  const transactions = [
    ...opening,
    ...fills.filter(({ at }) => Number(at) >= fromMs).map((fill) => transactionOf(fill, lotsOf(fill), names)),
  ];
  yield* headOf(transactions, format);
  for (const transaction of transactions) yield* linesOf(transaction, format);
}

/** Takes a fill into the lots. `closed`: the size and cost by which the position changes; `opened`: 0 if all of it closed something. */
function traded(fill: JournalFill, lots: Lot[]): { readonly closed: readonly Lot[]; readonly opened: Lot } {
  const day = dayOf(fill.at);
  let left = fill.side === "buy" ? fill.size : -fill.size;
  const closed: Lot[] = [];
  for (let lot = lots[0]; lot !== undefined && left !== 0n && lot.size > 0n !== left > 0n; lot = lots[0]) {
    const part = absolute(left) < absolute(lot.size) ? left : -lot.size;
    closed.push({ ...lot, size: part });
    lot.size += part;
    left -= part;
    if (lot.size === 0n) lots.shift();
  }
  const opened = { size: left, price: fill.price, day };
  if (left !== 0n) lots.push({ ...opened });
  return { closed, opened };
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

function transactionOf(fill: JournalFill, lots: Lot[], names: ReadonlyMap<bigint, string>): Transaction {
  const { side, liquidity, price, size, accountId, orderId, txHash } = fill;
  const commodity = names.get(fill.marketId) ?? "";
  const { closed, opened } = traded(fill, lots);
  const accounts = accountsOf(accountId);
  const fee = (fill.fee ?? 0n) * FEE_FACTOR;
  const gain = closed.reduce((sum, lot) => sum - lot.size * (price - lot.price), 0n);
  const paid = (side === "buy" ? size : -size) * price + fee;
  const changed = [...closed, ...(opened.size === 0n ? [] : [opened])];
  return {
    day: dayOf(fill.at),
    isWhole: fill.fee !== null,
    says: `${side} ${contracts(size)} ${commodity} at ${formatDecimal(price, PRICE_SCALE)}, ${liquidity}`,
    facts: {
      time: new Date(Number(fill.at)).toISOString(),
      order: `${orderId}`,
      tx: txHash.replaceAll(/[^\w.-]/g, "_"),
    },
    postings: [
      ...changed.map((lot) => ({ account: accounts.contracts, amount: contracts(lot.size), commodity, cost: lot })),
      { account: accounts.usdc, amount: usdc(-paid), commodity: USDC },
      ...(closed.length > 0 ? [{ account: accounts.trading, amount: usdc(-gain), commodity: USDC }] : []),
      ...(fee === 0n ? [] : [{ account: accounts.fees, amount: usdc(fee), commodity: USDC }]),
    ],
  };
}

/** What each account held, at the cost at which it was bought. */
function openings(
  fills: readonly JournalFill[],
  lotsOf: (fill: Pick<JournalFill, "accountId" | "marketId">) => readonly Lot[],
  names: ReadonlyMap<bigint, string>,
  day: string,
): readonly Transaction[] {
  const markets = [...names.keys()];
  return [...new Set(fills.map(({ accountId }) => accountId))].flatMap((accountId) => {
    const accounts = accountsOf(accountId);
    const held = markets.flatMap((marketId) => lotsOf({ accountId, marketId }).map((lot) => ({ lot, marketId })));
    const cost = held.reduce((sum, { lot }) => sum + lot.size * lot.price, 0n);
    const postings = held.map(({ lot, marketId }) => ({
      account: accounts.contracts,
      amount: contracts(lot.size),
      commodity: names.get(marketId) ?? "",
      cost: { ...lot },
    }));
    if (held.length === 0) return [];
    const against = { account: accounts.opening, amount: usdc(-cost), commodity: USDC };
    return [{ day, isWhole: true, says: "open lots", facts: {}, postings: [...postings, against] }];
  });
}

const accountsOf = (accountId: bigint) => ({
  contracts: `Assets:Quoin:${accountId}:Contracts`,
  usdc: `Assets:Quoin:${accountId}:USDC`,
  trading: `Income:Quoin:${accountId}:Trading`,
  fees: `Expenses:Quoin:${accountId}:Fees`,
  opening: `Equity:Quoin:${accountId}:Opening`,
});

/** Symbols that Beancount takes: at most 24 capitals, digits and some signs. The market's number where names are equal or leave nothing. */
function commoditiesOf(fills: readonly JournalFill[]): ReadonlyMap<bigint, string> {
  const names = new Map<bigint, string>();
  for (const { marketId, market } of fills) {
    const plain = market
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "-")
      .replaceAll(/^[-0-9]+|-+$/g, "");
    const isUsual = plain.length > 1 && plain.length <= 24 && plain !== USDC;
    const isTaken = [...names].some(([id, name]) => name === plain && id !== marketId);
    names.set(marketId, isUsual && !isTaken ? plain : `MARKET-${marketId}`);
  }
  return names;
}

const dayOf = (ms: bigint): string => new Date(Number(ms)).toISOString().slice(0, 10);
const contracts = (size: bigint): string => formatDecimal(size, SIZE_SCALE);
const usdc = (amount: bigint): string => formatDecimal(amount, NOTIONAL_SCALE);

/** Declares accounts and symbols, so that strict checks pass too. */
function* headOf(transactions: readonly Transaction[], format: JournalFormat): Generator<string, void> {
  const postings = transactions.flatMap((transaction) => transaction.postings);
  const accounts = [...new Set(postings.map(({ account }) => account))].toSorted();
  const commodities = [...new Set([USDC, ...postings.map(({ commodity }) => commodity)])].toSorted();
  const first = transactions.reduce((least, { day }) => (day < least ? day : least), "9999-12-31");
  if (format === "beancount") {
    yield 'option "operating_currency" "USDC"\n';
    for (const name of accounts) yield `${first} open ${name}${name.endsWith(":Contracts") ? ' "FIFO"' : ""}\n`;
    return;
  }
  for (const name of commodities) yield `commodity 1000.000000 ${symbolOf(name, format)}\n`;
  for (const name of accounts) yield `account ${name}\n`;
}

/** hledger quotes symbols that hold more than letters. */
const symbolOf = (name: string, format: JournalFormat): string =>
  format === "hledger" && /[^A-Z]/.test(name) ? `"${name}"` : name;

function* linesOf(
  { day, isWhole, says, facts, postings }: Transaction,
  format: JournalFormat,
): Generator<string, void> {
  const isBeancount = format === "beancount";
  yield `\n${day} ${isWhole ? "*" : "!"} ${isBeancount ? `"${says}"` : says}\n`;
  if (!isWhole) yield "  ; the exchange has not told the fee\n";
  for (const [name, value] of Object.entries(facts))
    yield isBeancount ? `  ${name}: "${value}"\n` : `  ; ${name}:${value}\n`;
  for (const { account, amount, commodity, cost } of postings)
    yield `  ${account}  ${amount} ${symbolOf(commodity, format)}${cost === undefined ? "" : costText(cost, isBeancount)}\n`;
}

/** hledger reads the lot in braces without using it: a closed lot leaves at what it cost by the price behind it. */
function costText({ price, day }: Pick<Lot, "price" | "day">, isBeancount: boolean): string {
  const each = `${formatDecimal(price, PRICE_SCALE)} USDC`;
  return isBeancount ? ` {${each}, ${day}}` : ` {${each}} @ ${each}`;
}
