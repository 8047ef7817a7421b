// One account's results in one market, folded from its fills and from the reads of its position: inventory and cost, realized PnL, fees,
// and PnL by source. Exact to the base unit. Events may arrive in any order; they are folded in the exchange's.

import type { Fill } from "../../domain/fill.ts";
import { meanPrice, notional } from "../../domain/rounding.ts";
import { type MarketId, type Price, price, type Size, signOf, size, type Usdc, usdc } from "../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../kernel/bounded.ts";
import { afterFill, closed, type Holding, holdingAt, realizedBy, unrealizedPnl } from "./holding.ts";

/**
 * How the money of a fill enters the expected collateral. `own`: by its own fee and profit, once known. `posted`: by a transfer that
 * replaces them, since they stayed unknown. `read`: the collateral as read included it already.
 */
export const fillMoneys = ["own", "posted", "read"] as const;
/** Where two copies of a fill differ, the later one in the list wins. */
export type FillMoney = (typeof fillMoneys)[number];

/** A fill, or a later copy that adds what the first one lacked. */
export type FillEvent = {
  readonly kind: "fill";
  readonly fill: Fill;
  /** Mid of the others' book at that time, or the oracle price where no mid was fresh; null where neither was known. */
  readonly referencePrice: Price | null;
  /** Reads of the position that preceded it in the exchange's order. */
  readonly readsBefore: number;
  readonly money: FillMoney;
};

/**
 * The position as read from the exchange. Where it agrees with the fills, our exact cost stays; else the exchange is believed, and the part
 * without a fill has moved at the oracle price: the PnL at that price stays unchanged.
 */
export type PositionEvent = {
  readonly kind: "position";
  readonly marketId: MarketId;
  /** Number of the read in this market, from 1, over all runs of the process. */
  readonly number: number;
  /** Signed. */
  readonly inventory: Size;
  readonly entryPrice: Price;
  /** 0: unknown. */
  readonly oraclePrice: Price;
  /** It moved during this run without a fill. */
  readonly isAdopted: boolean;
};

/** Moves of the position up to a read are no longer searched for. */
export type AcceptedEvent = { readonly kind: "accepted"; readonly marketId: MarketId; readonly number: number };

export const pnlComponents = ["spread", "inventory", "jump", "funding", "fees", "total"] as const;
/**
 * Gains above zero, so paid `fees` are below it: spread + inventory + jump + funding + fees = total. `jump`: prints that moved under a held
 * position; `inventory`: every other move of the price.
 */
export type Pnl = Readonly<Record<(typeof pnlComponents)[number], Usdc>>;

/** The market after its newest event. */
export type MarketState = Holding & {
  /** Reads of the position so far. */
  readonly reads: number;
  /** Signed position as the sum of fills; the rest of the inventory moved without a known fill. */
  readonly attributed: Size;
  /** Profit of fills whose fee is known or posted. */
  readonly realized: Usdc;
  /** Fees of the same fills, rebates below zero. A posted fill's profit counts here: `postedAmount` holds both. */
  readonly fees: Usdc;
  /** The computed profit of fills that await their fee: not part of the collateral yet. */
  readonly pending: Usdc;
  readonly pendingCount: number;
  /** The computed profit of fills whose money came with a read of the account, and of moves without a fill: part of the PnL only. */
  readonly estimated: Usdc;
  readonly spread: Usdc;
  readonly fillCount: number;
  /** Unrealized PnL when the position was first read: the PnL begins at zero. */
  readonly unrealizedBefore: Usdc;
};

export type MarketBook = {
  /** Everything so far. */
  now: MarketState;
  /** The state of what left the tail. */
  settled: MarketState;
  /** The newest fills and reads, in the exchange's order. */
  readonly tail: Entry[];
  /** The state after each entry of the tail. */
  readonly states: MarketState[];
  /** The newest read whose difference from the fills is accepted; 0: none. */
  acceptedRead: number;
  /** Keys of fills that a transfer replaces. */
  readonly posted: BoundedMap<string, true>;
  /** What these transfers added to the collateral. */
  postedAmount: Usdc;
  funding: Usdc;
  /** What prints moved under the position: not part of the collateral. */
  jump: Usdc;
  /** Grows whenever one of these may have changed. */
  version: number;
};

type Entry = FillEvent | PositionEvent;

/** Days of fills in most markets. An event from before the tail is folded at its start. */
export const TAIL_MAX = 512;

const none = usdc(0n);
/** State of a market without events. */
export const emptyState: MarketState = {
  inventory: size(0n),
  cost: none,
  reads: 0,
  attributed: size(0n),
  realized: none,
  fees: none,
  pending: none,
  pendingCount: 0,
  estimated: none,
  spread: none,
  fillCount: 0,
  unrealizedBefore: none,
};

export const createMarketBook = (): MarketBook => ({
  now: emptyState,
  settled: emptyState,
  tail: [],
  states: [],
  acceptedRead: 0,
  posted: createOldestOutMap(TAIL_MAX),
  postedAmount: none,
  funding: none,
  jump: none,
  version: 0,
});

export const emptyMarketBook: MarketBook = createMarketBook();

/** Adds a fill, or what a copy adds. `isKnown`: a copy of it was folded before. */
export function foldFill(book: MarketBook, event: FillEvent, isKnown: boolean): void {
  if (!isKnown) {
    insert(book, event);
    return;
  }
  const at = book.tail.findIndex((entry) => entry.kind === "fill" && entry.fill.key === event.fill.key);
  const before = book.tail[at];
  if (before?.kind !== "fill") return;
  book.tail.splice(at, 1);
  replay(book, at);
  insert(book, mergeFills(before, event));
}

export function foldPosition(book: MarketBook, event: PositionEvent): void {
  const isKnown = book.tail.some((entry) => entry.kind === "position" && entry.number === event.number);
  if (!isKnown && event.number > book.settled.reads) insert(book, event);
}

export function foldAccepted(book: MarketBook, { number }: AcceptedEvent): void {
  if (number <= book.acceptedRead) return;
  book.acceptedRead = number;
  if (number <= book.settled.reads) book.settled = { ...book.settled, attributed: book.settled.inventory };
  replay(book);
}

/** A transfer replaces the money of these fills, whether they were folded before it or come later. */
export function foldPosted(book: MarketBook, fillKeys: readonly string[], amount: Usdc): void {
  for (const key of fillKeys) book.posted.set(key, true);
  book.postedAmount = usdc(book.postedAmount + amount);
  replay(book);
}

/** Merges two copies of a fill: each fact from the copy that has it, the earlier time and place, and the stronger `money`. */
export function mergeFills(one: FillEvent, other: FillEvent): FillEvent {
  const [a, b] = [one.fill, other.fill];
  const timestampMs =
    a.timestampMs === null || b.timestampMs === null
      ? (a.timestampMs ?? b.timestampMs)
      : Math.min(a.timestampMs, b.timestampMs);
  return {
    kind: "fill",
    fill: { ...a, fee: a.fee ?? b.fee, realizedPnl: a.realizedPnl ?? b.realizedPnl, timestampMs },
    referencePrice: one.referencePrice ?? other.referencePrice,
    readsBefore: Math.min(one.readsBefore, other.readsBefore),
    money: fillMoneys.indexOf(one.money) >= fillMoneys.indexOf(other.money) ? one.money : other.money,
  };
}

/** Fills that await their fee: unknown, and not replaced by a transfer. */
export function* pendingFills(book: MarketBook): Iterable<Fill> {
  for (const entry of book.tail) if (entry.kind === "fill" && isAwaiting(book, entry)) yield entry.fill;
}

/** True where a fee would complete the fill. */
export const lacksFee = ({ tail }: MarketBook, fillKey: string): boolean =>
  tail.some(
    (entry) => entry.kind === "fill" && entry.fill.key === fillKey && entry.fill.fee === null && entry.money !== "read",
  );

/** What this market added to the account's collateral. */
export const collateralGained = ({ now, postedAmount, funding }: MarketBook): Usdc =>
  usdc(now.realized - now.fees + postedAmount + funding);

/** Returns PnL by source at a mark price. Each fill's spread truncates to the base unit, the rest is in `inventory`: the sum is exact. */
export function pnlOf({ now, postedAmount, funding, jump }: MarketBook, markPrice: Price): Pnl {
  const realized = now.realized + now.pending + now.estimated;
  const traded = realized + unrealizedPnl(now, markPrice) - now.unrealizedBefore;
  const fees = usdc(postedAmount - now.fees);
  return {
    spread: now.spread,
    inventory: usdc(traded - now.spread - jump),
    jump,
    funding,
    fees,
    total: usdc(traded + funding + fees),
  };
}

/** Inserts an entry in order and folds again what follows it. */
function insert(book: MarketBook, entry: Entry): void {
  const { tail } = book;
  let at = tail.length;
  for (let before = tail[at - 1]; before !== undefined && isLater(before, entry); before = tail[at - 1]) at -= 1;
  tail.splice(at, 0, entry);
  replay(book, at);
  if (tail.length > TAIL_MAX) settleOldest(book);
}

/** The oldest entry can no longer change: a fee that is still unknown stays unknown. */
function settleOldest(book: MarketBook): void {
  const oldest = book.tail.shift();
  book.states.shift();
  if (oldest === undefined) return;
  const isPending = oldest.kind === "fill" && isAwaiting(book, oldest);
  book.settled = step(book, book.settled, isPending ? { ...oldest, money: "read" } : oldest, book.tail[0]);
  if (isPending) replay(book);
}

/** Folds the tail again from its entry `from` on, and the one before that, which may now be tied to another. */
function replay(book: MarketBook, from = 0): void {
  const { tail, states, settled } = book;
  states.length = Math.min(Math.max(from - 1, 0), tail.length);
  let state = states.at(-1) ?? settled;
  for (const entry of tail.slice(states.length)) {
    state = step(book, state, entry, tail[states.length + 1]);
    states.push(state);
  }
  book.now = state;
}

/**
 * The exchange's order: reads of the position by their number, and between two reads the fills by the exchange's time; a fill without a
 * time comes last. Ties are broken by the fill's key, which is one order for all runs and need not be the exchange's.
 */
function isLater(one: Entry, other: Entry): boolean {
  if (rankOf(one) !== rankOf(other)) return rankOf(one) > rankOf(other);
  if (one.kind === "position" || other.kind === "position") return false;
  const [a, b] = [one.fill, other.fill];
  const [aMs, bMs] = [a.timestampMs ?? Number.POSITIVE_INFINITY, b.timestampMs ?? Number.POSITIVE_INFINITY];
  return aMs === bMs ? a.key > b.key : aMs > bMs;
}

/** Two fills of one time between the same two reads: the exchange does not show which was first. */
const isTied = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.kind === "fill" &&
  other?.kind === "fill" &&
  one.readsBefore === other.readsBefore &&
  one.fill.timestampMs === other.fill.timestampMs;

const isAwaiting = ({ posted }: MarketBook, { fill, money }: FillEvent): boolean =>
  fill.fee === null && money === "own" && !posted.has(fill.key);

const rankOf = (entry: Entry): number => (entry.kind === "position" ? 2 * entry.number : 2 * entry.readsBefore + 1);

/** Returns the state after an entry. Between tied fills a flat position may never have existed: its cost is not forgotten there. */
function step(book: MarketBook, state: MarketState, entry: Entry, next: Entry | undefined): MarketState {
  if (entry.kind === "position") return withPosition(state, entry, entry.number <= book.acceptedRead);
  const isPosted = entry.money === "own" && book.posted.has(entry.fill.key);
  const after = withFill(state, entry, isPosted ? "posted" : entry.money);
  return isTied(entry, next) ? after : { ...after, ...closed(after) };
}

function withPosition(state: MarketState, event: PositionEvent, isAccepted: boolean): MarketState {
  const { inventory, entryPrice, oraclePrice, number } = event;
  const isFirst = state.reads === 0;
  const holding = inventory === state.inventory ? state : holdingAt(entryPrice, inventory);
  const movedAt = priceOfMove(state, event);
  const realized = isFirst ? 0n : unrealizedPnl(state, movedAt) - unrealizedPnl(holding, movedAt);
  return {
    ...state,
    inventory,
    cost: holding.cost,
    reads: number,
    attributed: isFirst || isAccepted ? inventory : state.attributed,
    estimated: usdc(state.estimated + realized),
    unrealizedBefore: isFirst ? unrealizedPnl(holding, oraclePrice) : state.unrealizedBefore,
  };
}

/** Where the oracle price is unknown: the cost of the position, so no profit. */
function priceOfMove({ cost, inventory }: Holding, { oraclePrice, entryPrice }: PositionEvent): Price {
  if (oraclePrice > 0n) return oraclePrice;
  return inventory === 0n ? entryPrice : meanPrice(cost, inventory);
}

function withFill(state: MarketState, { fill, referencePrice, readsBefore }: FillEvent, money: FillMoney): MarketState {
  const realized = fill.realizedPnl ?? realizedBy(state, fill);
  const edge = price(referencePrice === null ? 0n : signOf(fill.side) * (referencePrice - fill.price));
  const after = {
    ...state,
    ...afterFill(state, fill, realized),
    // A read's row may be lost where later fills' rows are not; the next read must come after them.
    reads: Math.max(state.reads, readsBefore),
    attributed: size(state.attributed + signOf(fill.side) * fill.size),
    spread: usdc(state.spread + notional(edge, fill.size)),
    fillCount: state.fillCount + 1,
  };
  if (money === "read") return { ...after, estimated: usdc(state.estimated + realized) };
  const fee = money === "posted" ? realized : fill.fee;
  if (fee === null) return { ...after, pending: usdc(state.pending + realized), pendingCount: state.pendingCount + 1 };
  return { ...after, realized: usdc(state.realized + realized), fees: usdc(state.fees + fee) };
}
